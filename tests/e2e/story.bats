#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The story that satprof exists for: a thread beside the generator, and an observer that
# moves it. And its mirrors. scripts/soak does many of each.

load helpers
BATS_TEST_RETRIES=2 # it measures, see helpers.bash

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	setup_tmp
	need_command jq perl taskset chrt
	taskset -c 0,1 true 2>/dev/null || skip "needs CPUs 0 and 1"
}

teardown() {
	teardown_tmp
}

@test "an observer that moves a thread to a free CPU helps, by that, confirmed" {
	local t0=$SECONDS
	story 0 "$MOVER_TO_1"
	has_intervals
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = helps ]
	[ "$(q '.observer[0].shift_frac > 0.03')" = true ]
	first_cause placement "cpu 0" "cpu 1" confirmed
	[ "$(q '.confirmations[0].state')" = confirmed ]
	[ "$(story_took)" -le 90 ]
	[ $((SECONDS - t0)) -le 180 ]
}

@test "one that pins a well-placed thread beside the generator hurts, by that" {
	story 1 "$MOVER_TO_0"
	has_intervals
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = hurts ]
	first_cause placement "cpu 1" "cpu 0" confirmed
}

@test "one that burns the SUT's CPU hurts, by contention" {
	against "$BURNER" --preset default --confirm
	has_intervals
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = hurts ]
	[ "$(q '.observer[0].causes[0].factor')" = contention ]
	[ "$(q '.confirmations[0].factor')" = contention ]
	[ "$(q '.confirmations[0].state')" != refuted ]
}

@test "one that keeps the CPUs awake is not blamed for placement" {
	story 1 "$WAKER"
	has_intervals
	no_cause placement
}

@test "one that does nothing has no cause that is confirmed" {
	story 1 "$IDLER"
	is_spoiled || [[ "$(q .verdict)" =~ ^(none|inconclusive)$ ]]
	nothing_confirmed
}
