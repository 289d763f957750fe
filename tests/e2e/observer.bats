#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The built-in observer against work whose truth is known.
bats_require_minimum_version 1.5.0
BATS_TEST_RETRIES=2 # it measures, see helpers.bash

setup() {
	TOOL="${top_builddir:-.}/tests/e2e/observer-live"
}

need_cpu_wide() {
	[ "$(id -u)" -eq 0 ] || [ "$(</proc/sys/kernel/perf_event_paranoid)" -le 0 ] ||
		skip "events on whole CPUs need root or kernel.perf_event_paranoid=0"
}

# key NAME: its value in $output.
key() {
	sed -n "s/^$1=//p" <<<"$output"
}

# within VALUE LOW HIGH
within() {
	awk -v v="$1" -v lo="$2" -v hi="$3" 'BEGIN {
		printf "%s in %s .. %s?\n", v, lo, hi
		exit !(v >= lo && v <= hi)
	}'
}

# ratio A B
ratio() {
	awk -v a="$1" -v b="$2" 'BEGIN { print (b > 0 ? a / b : 0) }'
}

@test "sampling a busy CPU: as many samples as the rate says, in the right function" {
	need_cpu_wide
	run "$TOOL" sample 997 2
	echo "$output"
	[ "$status" -eq 0 ]
	within "$(ratio "$(key samples)" "$(ratio "$(key counted_ns)" 1e9)")" 900 1047
	[ "$(key lost)" -eq 0 ]
	[ "$(key samples)" -eq "$(key in_cells)" ]
	within "$(ratio "$(key in_busy)" "$(key child)")" 0.9 1
}

@test "a ring too small: lost is what was produced less what was received" {
	run "$TOOL" lost
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(key knows_lost)" -eq 1 ] || skip "this kernel (before 6.0) does not count"
	[ "$(key lost)" -gt 4000 ]
	[ "$(key lost)" -eq $(($(key produced) - $(key received))) ]
}

@test "a ring of one page at 19997 Hz: the trial says that samples were lost" {
	need_cpu_wide
	run "$TOOL" sample 19997 0.5 4096
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(key lost)" -gt "$(key samples)" ]
}

@test "a ring made for the trial loses nothing at 19997 Hz" {
	need_cpu_wide
	run "$TOOL" sample 19997 0.5
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(key lost)" -eq 0 ]
	# Timers may come late, but the time they stand for is all there.
	within "$(ratio "$(key weight)" "$(key counted_ns)")" 0.97 1
}

@test "threads there before and born meanwhile are all counted" {
	run "$TOOL" count
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(key rows)" -eq 1 ]
	within "$(ratio "$(key task_clock_ns)" "$(key cpu_time_ns)")" 0.98 1.02
}
