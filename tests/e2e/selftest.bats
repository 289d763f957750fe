#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `satprof selftest`: the same against itself; accuracy on the simulated SUT only.

load helpers

setup() {
	setup_tmp
}

teardown() {
	teardown_tmp
}

# selftest ARGS...: with JSON into $json; its exit code into $status.
selftest() {
	status=0
	json=$("$SATPROF" selftest --json --quiet "$@" 2>stderr.txt) || status=$?
	echo "exit $status: $(cat stderr.txt)"
}

@test "a quiet machine is ok, with what it can tell" {
	selftest --sim capacity=231k,noise=0.5%,block-noise=1% --seed 1 -o a.satprof
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = ok ]
	[ "$(q .blocks)" -eq 20 ]
	[ "$(q .mde_frac)" = 0.03 ]
	# Each knee wanders by 1 %, so their difference by 1.4 %; 2.8 sd / sqrt(0.955 n).
	[ "$(q '.sd_frac > 0.009 and .sd_frac < 0.021')" = true ]
	near "$(q .smallest_visible_frac)" "$(q '2.802 * .sd_frac / (0.955 * 20 | sqrt)')" 2
	[ "$(q '.lo_frac < 0 and .hi_frac > 0')" = true ]
	[ "$(q '.false_alarm_frac < 0.01')" = true ]
	[ "$(q '.tolerance_frac >= 0.005 and .tolerance_frac <= 0.015')" = true ]
	[ "$(q '.blocks_needed >= 6 and .blocks_needed <= 8')" = true ]
	# 2 arms x (5 trials of 0.4 + 0.15 s, and 0.3 s)
	near "$(q .block_ns)" 6100000000 4
	[ "$(q '.needed_ns == .block_ns * .blocks_needed')" = true ]
	[ "$("$SATPROF" show --json a.satprof | jq -r '[.arms[].name] | join(",")')" = off,again ]
	[ "$("$SATPROF" show --json a.satprof | jq -r .verdict)" = none ]
}

@test "a machine that cannot see the shift asked for is noisy, exit 3" {
	selftest --sim capacity=231k,block-noise=6% --seed 2
	[ "$status" -eq 3 ]
	[ "$(q .verdict)" = noisy ]
	[ "$(q '.smallest_visible_frac > 0.03')" = true ]
	[ "$(q '.blocks_needed > 20')" = true ]
	[[ "$(q '.reasons[0]')" == *"blocks would do"* ]]
	# The same noise is good enough for a greater shift.
	selftest --sim capacity=231k,block-noise=6% --seed 2 --mde 15%
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = ok ]
	selftest --sim capacity=231k,noise=0.5%,bands=8% --seed 2
	[ "$status" -eq 3 ]
	[ "$(q .verdict)" = noisy ]
}

@test "a difference where there is none is biased, exit 6" {
	selftest --sim capacity=231k,noise=0.5%,later=-4% --seed 3
	[ "$status" -eq 6 ]
	[ "$(q .verdict)" = biased ]
	near "$(q '1 + .order_frac')" 0.92 1
	[ "$(q '.order_hi_frac < 0')" = true ]
	[[ "$(q '.reasons[0]')" == *"runs second"* ]]
}

@test "where nothing can be compared there is no number" {
	selftest --sim capacity=231k,noise=0.5%,generator=200k --seed 4
	[ "$status" -eq 6 ]
	[ "$(q .verdict)" = broken ]
	[ "$(q 'has("smallest_visible_frac") or has("blocks_needed")')" = false ]
	selftest --sim capacity=231k,noise=0.5% --blocks 5
	[ "$status" -eq 6 ]
	[ "$(q .verdict)" = broken ]
}

@test "text ends in the verdict and names the run file" {
	run "$SATPROF" selftest --sim capacity=231k,noise=0.5% --seed 1 --quiet -o t.satprof
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = verdict=ok ]
	[[ "$output" == *"noise floor"* && "$output" == *t.satprof* ]]
	[[ "$output" == *"to see a shift of 3.0 %"* ]]
}

@test "usage errors: observers, ladders and nonsense are exit 2 and leave no file" {
	local args
	while read -r args; do
		echo "selftest $args"
		# shellcheck disable=SC2086
		selftest $args
		[ "$status" -eq 2 ]
		[ -z "$json" ]
		[ "$(wc -l <stderr.txt)" -eq 1 ]
	done <<-'END'
		--arms off
		--profiler true
		--wrap env
		-e cycles
		--rates 10k
		--ndr light
		--latency
		--until-decided
		--margin 3%
		--mde 0
		--mde 100%
		--mde
		--sim capacity=100k --lab
		--sim
		word
	END
	[ -z "$(ls ./*.satprof 2>/dev/null)" ]
	selftest --mde 0
	grep -q -- --mde stderr.txt
}

@test "a run is gone on with by the command that began it" {
	local pid
	"$SATPROF" selftest --sim capacity=231k,noise=0.5% --blocks 300 --quiet \
		-o r.satprof >out.txt 2>&1 &
	pid=$!
	while kill -0 "$pid" && ! [ -s r.satprof ]; do
		sleep 0.02
	done
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 143 ]
	sweep --resume r.satprof
	[ "$status" -eq 2 ]
	grep -q "selftest" stderr.txt
	selftest --resume r.satprof
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = ok ]
	[ "$(q .blocks)" -eq 300 ]
}

@test "with packets: a legal word and its code" {
	need_command ip
	selftest --preset smoke --blocks 6
	case $status in
	0) [ "$(q .verdict)" = ok ] ;;
	3) [ "$(q .verdict)" = noisy ] || [ "$(q .verdict)" = no-knee ] ;;
	6) [ "$(q .verdict)" = biased ] || [ "$(q .verdict)" = broken ] ;;
	*) false ;;
	esac
	[ "$(q .run)" = "$(ls satprof-*.satprof)" ]
}
