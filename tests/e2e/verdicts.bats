#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Verdicts over real packets where the truth is known; one of each kind that
# scripts/soak does many of.

load helpers
BATS_TEST_RETRIES=2 # it measures, see helpers.bash

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	setup_tmp
	need_command jq perl taskset
}

teardown() {
	teardown_tmp
}

@test "a profiler that takes half of the SUT's CPU hurts" {
	against "$BURNER"
	has_intervals
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = hurts ]
	[ "$(q '.observer[0].hi_frac < -0.1')" = true ]
	[ "$(q '.arms[0].limited_by')" = sut ]
}

@test "a profiler that does nothing neither helps nor hurts" {
	against "$IDLER"
	is_spoiled || [[ "$(q .verdict)" =~ ^(none|inconclusive)$ ]]
}

@test "busy loops of others in the middle give no wrong verdict, and are named" {
	against_with_hogs
	is_spoiled || [[ "$(q .verdict)" =~ ^(none|inconclusive)$ ]] || [ "$status" -eq 6 ]
	q '.reasons[]' | grep -qE 'had the SUT wait for a CPU|generator'
}

@test "the shift grows with the sampling rate" {
	sweep_twice --preset smoke --arms off,sample@997,sample@19997 -- \
		satprof forward '{in}' '{out}' --cost 15000
	q '.observer[] | [.arm, .shift_frac, .lo_frac, .hi_frac, .slope_frac_per_khz] | @json'
	has_intervals
	[ "$(q '.observer[1].shift_frac < .observer[0].shift_frac')" = true ]
	[ "$(q '.observer[1].hi_frac < 0')" = true ]
	[ "$(q '.observer[1].slope_frac_per_khz < 0')" = true ]
}

@test "perf and the built-in sampler at one rate, in one sweep" {
	need_command perf
	sweep_twice --preset smoke --arms off,perf@3989,sample@3989 -- \
		satprof forward '{in}' '{out}' --cost 15000
	q '.observer[] | [.arm, .shift_frac, .lo_frac, .hi_frac] | @json'
	has_intervals
	[ "$(q '[.observer[] | select(.lo_frac < .hi_frac).arm] | @json')" = \
		'["perf@3989","sample@3989"]' ]
}
