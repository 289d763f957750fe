#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Facts of each trial, in the run file: where the SUT ran, how it was launched, and who
# else was there.

load helpers
bats_require_minimum_version 1.5.0
BATS_TEST_RETRIES=2

setup() {
	need_command sqlite3 taskset
	setup_tmp
	# The last CPU that we may use, which is the one the SUT gets.
	cpu=$(taskset -pc $$ | sed 's/.*[ ,-]//')
}

teardown() {
	teardown_tmp
}

# ladder ARGS...: two short blocks at one rate into f.satprof. How good they are does not
# matter here.
ladder() {
	sweep --rates 5k --trial-time 0.3s --burst 1 --blocks 2 -o f.satprof "$@"
	[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || [ "$status" -eq 6 ]
}

# fact KEY: "ARM|OBJECT|VALUE" of all trials, each one once.
fact() {
	sqlite3 f.satprof "SELECT DISTINCT arm.name, k.object, ifnull(t.text, f.value)
		FROM fact AS f JOIN fact_key AS k ON k.id = f.key JOIN trial ON
		trial.id = f.trial JOIN arm ON arm.id = trial.arm
		LEFT JOIN fact_text AS t ON t.id = f.text WHERE k.key = '$1'"
}

@test "every trial says where the SUT ran and how it was launched" {
	FACT_MARK=not-for-others ladder --arms off,again -- satprof forward '{in}' '{out}'
	# No trial without: off and again, two blocks and what came before them.
	[ "$(sqlite3 f.satprof "SELECT count(*) FROM trial WHERE id NOT IN (SELECT trial
		FROM fact JOIN fact_key ON fact_key.id = fact.key
		WHERE fact_key.key = 'thread_cpu')")" -eq 0 ]
	fact thread_cpu
	fact thread_cpu | grep -q "^off|fwd|$cpu.0$"
	fact thread_cpu | grep -q "^again|fwd|$cpu.0$"
	[ "$(fact cpus_allowed | cut -d'|' -f3 | sort -u)" = "$cpu" ]
	fact environment | grep -q "FACT_MARK="
	fact environment | grep -q "PATH="
	# Names only: what a variable holds stays out of the file.
	[ "$(grep -c "not-for-others" f.satprof)" -eq 0 ]
	fact limits | grep -q "nofile=[0-9]"
	[ "$(fact cwd | cut -d'|' -f3 | sort -u)" = "$PWD" ]
	fact busy_ns | grep -q "|$cpu|[0-9]"
	fact run_ns | grep -q "|fwd|[1-9]"
	# Both arms launch it alike, and each text is there once.
	[ "$(fact environment | cut -d'|' -f3 | sort -u | wc -l)" -eq 1 ]
	[ "$(sqlite3 f.satprof 'SELECT count(*) - count(DISTINCT text) FROM fact_text')" -eq 0 ]
}

@test "what the kernel lacks is named in a note, and what it has is not" {
	ladder --arms off -- satprof forward '{in}' '{out}'
	local key n
	for key in thread_cpu cpus_allowed environment busy_ns others_ns migrations wait_ns \
		idle_entries frequency_hz throttled memory_bytes clock_source numa_migrated; do
		echo "$key: $(fact "$key" | head -n 1)"
		if [ -n "$(fact "$key")" ]; then n=0; else n=1; fi
		[ "$(q '.notes[]' | grep -cE "not readable here.* ${key}[ ,]")" -eq "$n" ]
	done
}

@test "who else runs on the SUT's CPU is told by name" {
	local burner
	# Ahead of what else may want this CPU now, where that is permitted.
	nice -n -5 taskset -c "$cpu" perl -e 'alarm 60; 1 while 1' 3>&- &
	burner=$!
	ladder --arms off -- satprof forward '{in}' '{out}' --cost 1000
	kill "$burner"
	fact others_top
	fact others_top | grep -qE "^off\|$cpu\|perl [0-9]+ %$"
	[ "$(fact others_ns | awk -F'|' -v c="$cpu" '$2 == c && $3 > 3e7' | wc -l)" -gt 0 ]
}

@test "what a wrapper changes is seen in its arm only, also when it stays" {
	ladder --wrap "env EXTRA=1 nice -n 3" -- satprof forward '{in}' '{out}'
	fact environment | grep "^wrap|" | grep -q " EXTRA="
	[ "$(fact environment | grep "^off|" | grep -c " EXTRA=")" -eq 0 ]
	[ "$(fact thread_nice | grep -c '^wrap|fwd|3.0$')" -eq 1 ]
	[ "$(fact thread_nice | grep -c '^off|fwd|0.0$')" -eq 1 ]
	rm -rf f.satprof*
	# The shell stays the root of the tree, but it is not the SUT.
	# shellcheck disable=SC2016
	printf '%s\n' 'cd /; exec 3<&0; "$@" <&3 & trap "kill $!; wait; exit 0" INT TERM' \
		'while :; do wait; done' >stay.sh
	ladder --wrap "sh '$T/stay.sh'" -- satprof forward '{in}' '{out}'
	fact cwd
	[ "$(fact cwd | grep -c '^wrap||/$')" -eq 1 ]
	[ "$(fact run_ns | grep -c '^wrap|fwd|')" -gt 0 ]
}

# in_mounts COMMANDS: from here on satprof runs where the shell COMMANDS have mounted
# something, and nobody else sees it.
in_mounts() {
	printf '#!/bin/sh\nexec unshare -m sh -c '\''%s && exec "$0" "$@"'\'' "%s" "$@"\n' \
		"$1" "$SATPROF" >mounted
	chmod +x mounted
	SATPROF=$T/mounted
}

@test "waits for kernel locks are counted in all arms alike" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	local mount='mount -t tracefs tracefs /sys/kernel/tracing'
	unshare -m sh -c "$mount && cat /sys/kernel/tracing/events/lock/contention_begin/id" ||
		skip "this kernel has no tracefs or no lock:contention_begin"
	in_mounts "$mount"
	ladder --arms off,again
	[ "$(fact lock_waits | grep -c "^off|$cpu|[0-9]")" -gt 0 ]
	[ "$(fact lock_waits | grep -c "^again|$cpu|[0-9]")" -gt 0 ]
	[ "$(sqlite3 f.satprof "SELECT count(*) FROM trial WHERE id NOT IN (SELECT trial
		FROM fact JOIN fact_key ON fact_key.id = fact.key
		WHERE fact_key.key = 'lock_waits')")" -eq 0 ]
	[ "$(q '[.notes[] | select(contains("kernel locks"))] | length')" -eq 0 ]
}

@test "where they cannot be counted a note says why, and there is no 0" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	local mount='mount -t tmpfs none /sys/kernel/tracing'
	[ ! -d /sys/kernel/debug ] || mount="$mount && mount -t tmpfs none /sys/kernel/debug"
	unshare -m sh -c "$mount" || skip "nothing may be mounted over /sys/kernel/tracing"
	in_mounts "$mount"
	ladder --arms off
	q '.notes[]' | grep "waits for kernel locks are not counted: tracefs is not mounted"
	[ -z "$(fact lock_waits)" ]
	[ "$(q '[.arms[].resources | has("lock_waits_per_pkt")] | any')" = false ]
}
