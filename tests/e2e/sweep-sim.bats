#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `satprof sweep` and `show` on the simulated SUT: words, codes, files, resume.

load helpers

setup() {
	setup_tmp
}

teardown() {
	teardown_tmp
}

@test "a known capacity comes out, with the verdict of the planted shift" {
	sweep --sim capacity=231k,noise=1%,per-khz=-6% --seed 1 -o a.satprof
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = hurts ]
	near "$(q '.arms[0].knee_pps')" 231000 1
	near "$(q '.arms[1].knee_pps')" 217182 1
	near "$(q '.observer[0].shift_frac * 1000 + 1000')" 940.2 1
	[ "$(q '.arms[0].bound')" = exact ]
	[ "$(q '.schema')" = 1 ]
}

@test "an observer that helps is said as plainly" {
	sweep --sim capacity=100k,noise=1%,attach=9% --seed 2
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = helps ]
	near "$(q '.observer[0].shift_frac * 1000 + 1000')" 1090 1
}

@test "--preset dose: what grows with the sampling rate, and what does not" {
	sweep --sim capacity=231k,noise=0.5%,attach=-1%,per-khz=-4% --seed 5 --preset dose
	[ "$status" -eq 0 ]
	[ "$(q '[.arms[] | "\(.name) \(.blocks)"] | join(",")')" = \
		"off 8,sample@249 8,sample@997 8,sample@3989 8" ]
	near "$(q '.observer[2].slope_frac_per_khz')" -0.04 8
	near "$(q '1 + .observer[2].fixed_frac')" 0.99 0.6
	[ "$(q '.observer[2].dose_is_curved')" = false ]
	# A shift that grows with the square has neither slope nor fixed part.
	sweep --sim capacity=231k,noise=0.5%,khz-curve=-1.5% --seed 5 --preset dose
	[ "$(q '.observer[2].dose_is_curved')" = true ]
	[ "$(q '.observer[2] | has("slope_frac_per_khz")')" = false ]
}

@test "why: a thread that moved, a program beside it, and no difference at all" {
	sweep --sim capacity=100k,noise=0.5%,move=30% --seed 3
	[ "$(q .verdict)" = helps ]
	[ "$(q '.observer[0].causes[0] | "\(.factor) \(.thread) \(.ref_value) \(.arm_value)"')" = \
		"placement fwd cpu 0 cpu 1" ]
	[ "$(q '.observer[0].causes[0] | "\(.confirmed) \(.state)"')" = "false observed" ]
	sweep --sim capacity=100k,noise=0.5%,burn=40% --seed 3
	[ "$(q .verdict)" = hurts ]
	[ "$(q '.observer[0].causes[0].factor')" = contention ]
	[[ "$(q '.observer[0].causes[0].evidence')" == *"(burn: 40 %)"* ]]
	"$SATPROF" sweep --sim capacity=100k,noise=0.5%,attach=-9%,facts-noise=20% \
		--arms off,attach --seed 3 >why.txt
	grep -q "^Why: observed, cause unknown: no recorded fact differs" why.txt
}

@test "no shift is none, and noise that hides it is inconclusive with exit 3" {
	sweep --sim capacity=100k,noise=0.5% --seed 3
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = none ]
	sweep --sim capacity=100k,block-noise=8% --seed 3
	[ "$status" -eq 3 ]
	[ "$(q .verdict)" = inconclusive ]
	[ "$(q '.observer[0].blocks_needed')" -gt 8 ]
}

@test "a generator that cannot keep up is broken, not a knee" {
	sweep --sim capacity=1M,generator=600k,noise=0.5% --seed 4
	[ "$status" -eq 6 ]
	[ "$(q .verdict)" = broken ]
	[ "$(q '.arms[0] | has("knee_pps")')" = false ]
	[ "$(q '.reasons[0]')" != null ]
}

@test "one arm and a ladder are measured" {
	sweep --sim capacity=100k,noise=1% --seed 5 --arms off
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = measured ]
	near "$(q '.arms[0].knee_pps')" 100000 1
	sweep --sim capacity=100k --seed 5 --rates 50k,120k --blocks 6 -o ladder.satprof
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = measured ]
	[ "$(q '.arms[0] | has("knee_pps")')" = false ]
}

@test "fewer than 6 blocks give no verdict" {
	sweep --sim capacity=100k,noise=1% --seed 6 --blocks 3
	[ "$status" -eq 6 ]
	[ "$(q .verdict)" = broken ]
}

@test "text ends in the verdict, show repeats it and exits alike" {
	"$SATPROF" sweep --sim capacity=100k,noise=1%,per-khz=-8% --seed 7 -o t.satprof \
		>sweep.txt 2>err.txt
	[ "$(tail -n 1 sweep.txt)" = verdict=hurts ]
	"$SATPROF" show t.satprof >show.txt
	diff sweep.txt show.txt
	"$SATPROF" show t.satprof --json | jq -e '.verdict == "hurts"'
	if grep -q "$(printf "\033")" sweep.txt; then false; fi
	grep -q t.satprof sweep.txt
}

@test "the same seed makes the same run" {
	sweep --sim capacity=100k,noise=1% --seed 8 -o a.satprof
	a=$(q 'del(.run)')
	sweep --sim capacity=100k,noise=1% --seed 8 -o b.satprof
	[ "$a" = "$(q 'del(.run)')" ]
}

@test "sweeps of one second have files of their own" {
	local i
	for i in 1 2 3 4; do
		"$SATPROF" sweep --sim capacity=100k --blocks 6 --quiet >/dev/null
	done
	ls
	[ "$(find . -name 'satprof-*.satprof' | wc -l)" -eq 4 ]
}

@test "an existing run file is not overwritten" {
	echo precious >x.satprof
	run "$SATPROF" sweep --sim capacity=100k -o x.satprof
	[ "$status" -eq 2 ]
	[[ "$output" == *"x.satprof exists"* ]]
	[ "$(cat x.satprof)" = precious ]
}

@test "bad usage is exit 2 with one line that says what to do" {
	while IFS='|' read -r args want; do
		# shellcheck disable=SC2086
		run "$SATPROF" sweep $args
		echo "$args -> $status $output"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == *"$want"* ]]
	done <<-'END'
		--nonsense|not an option
		--rate 5k|not an option
		--rates|needs a value
		--rates 5x|not a rate
		--frame-size 63|64
		--frame-size 9217|9216
		--burst 0|whole number
		--rates 1k,1000|twice
		--rates 1e30|thousand million
		--ready-timeout 0|100ms
		--resume x.satprof --blocks 1|only --json
		--arms sampel@997|not an arm
		--arms off,off|named twice
		--arms sample@0|whole number
		--preset huge|not smoke
		--blocks x|whole number
		--trial-time 1ms|50ms
		--sim nonsense|KEY=VALUE
		--sim capcity=1k|not a key
		--sim noise=1%|capacity
		--in eth0|go together
		--lab --in a --out b --sut none|for the lab
		--pid 1 --sut none|one SUT
		stray|not an option
		--resume nothing.satprof|nothing.satprof
		--max-time 0|--max-time: it must be above 0
		--max-time 0ns|--max-time: it must be above 0
		-e cycles|--event is for an arm that counts
		--arms off,attach -e cycles|--event is for an arm that counts
		--rates 1e20|--rates: '1e20' is out of range: 0.001 to 10 thousand million packets/s
		--limit 99999999999999999999|--limit: '9999
		--sim capacity=1k,capacity=2k|--sim: 'capacity' is there twice
		--sim noise=1%,capacity=1k,noise=2%|--sim: 'noise' is there twice
		--in a --out a --sut none|--in and --out are both a
		--in a --out b --sut-in c --sut-out a|--in and --sut-out are both a
	END
}

@test "what has no effect on a simulation is refused by its name" {
	local args want
	while IFS='|' read -r args want; do
		# shellcheck disable=SC2086
		run "$SATPROF" sweep --sim capacity=100k -o x $args
		echo "$args -> $status $output"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == *"${want:-${args%% *} has no effect on a simulation}"* ]]
		[ ! -e x ]
		echo "${args%% *}" >>refused.txt
	done <<-'END'
		--lab|
		--limit 1k|
		--in a --out b|
		--out b --in a|
		--sut-in a|
		--sut-out a|
		--pid 1|
		--sut none|
		--setup true|
		--ready true|
		--ready-after 1s|
		--ready-timeout 1s|
		--sut-stats true|
		--restart block|
		--flows 8|
		--pcap x.pcap|
		--pcap-tag|
		--bidir|
		--dst-mac sut|
		--generator true|
		--event cycles|
		-e cycles|--event has no effect
		--arms off,count -e cycles|--event has no effect
		--generator true|
		--profiler true|
		--wrap env|
		--profiler-after 1s|
		--profiler-finish 1s|
		--cpu-gen 0|
		--cpu-recv 0|
		--cpu-collect 0|
		--cpu-sut 0|
		-- true|the SUT is simulated
	END
	# An option that is new belongs above, or here, with what a simulation has.
	printf -- '--%s\n' arms blocks burst confirm frame-size help json latency margin \
		max-time ndr output preset quiet rates resume seed sim trial-time \
		until-decided >>refused.txt
	run comm -13 <(sort -u refused.txt) \
		<("$SATPROF" sweep --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--.*' | sort -u)
	[ "$output" = "" ] || { echo "neither refused nor of use: $output"; false; }
}

@test "of an option given twice the last counts" {
	"$SATPROF" sweep --sim capacity=100k --quiet --blocks 8 --blocks 6 -o a -o b
	[ ! -e a ]
	[ "$("$SATPROF" show --json b | jq .arms[0].blocks)" -eq 6 ]
}

@test "help prints the options and exits 0" {
	run "$SATPROF" sweep --help
	[ "$status" -eq 0 ]
	[[ "$output" == *--preset* ]]
}

@test "--ndr finds NDR and PDR of the reference arm, and says when it does not" {
	sweep --sim capacity=231k,queue=4096 --seed 9 --ndr light -o n.satprof
	[ "$status" -eq 0 ]
	near "$(q '.arms[0].ndr_pps')" 231000 1
	near "$(q '.arms[0].pdr_pps')" 231000 1
	[ "$(q '.arms[0].ndr_bound')" = exact ]
	[ "$(q '.arms[1] | has("ndr_pps")')" = false ]
	"$SATPROF" show n.satprof | grep -q 'NDR (no loss)'
	sweep --sim capacity=231k,loss=0.2% --seed 9 --ndr light
	[ "$status" -eq 3 ]
	[ "$(q '.verdict')" = none ]
	[ "$(q '.arms[0].ndr_bound')" = below-min ]
	[ "$(q '.arms[0] | has("ndr_pps")')" = false ]
	near "$(q '.arms[0].pdr_pps')" 231000 1
	sweep --sim capacity=231k --ndr fast
	[ "$status" -eq 2 ]
	sweep --sim capacity=231k --ndr light --rates 10k
	[ "$status" -eq 2 ]
}

@test "two bands, drift and a shape that is no knee are named and give no number" {
	sweep --sim capacity=231k,noise=0.5%,bands=8% --seed 2 --arms off --blocks 16
	[ "$status" -eq 3 ]
	[ "$(q .verdict)" = inconclusive ]
	[ "$(q '.noise[0].kind')" = two-bands ]
	[ "$(q '.noise[0] | .lo_blocks + .hi_blocks')" = 16 ]
	near "$(q '.noise[0].hi_pps')" 231000 1
	[[ "$(q '.reasons[0]')" == *"two bands"* ]]
	sweep --sim capacity=231k,noise=0.5%,drift=-500% --seed 2 --blocks 12
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = none ]
	[ "$(q '.noise[0].kind')" = drift ]
	[ "$(q '.drift_frac < -0.05')" = true ]
	sweep --sim capacity=231k,noise=0.5%,inversion=6%,inversion-from=150k,inversion-to=180k
	[ "$status" -eq 3 ]
	[ "$(q .verdict)" = no-knee ]
	[ "$(q '.arms[0] | has("knee_pps")')" = false ]
	[ "$(q '.observer[0] | has("shift_frac")')" = false ]
}

@test "--until-decided goes on until there is a verdict" {
	sweep --sim capacity=100k,noise=2%,block-noise=1% --seed 3
	[ "$(q .verdict)" = inconclusive ]
	sweep --sim capacity=100k,noise=2%,block-noise=1% --seed 3 --until-decided \
		-o u.satprof
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = none ]
	[ "$(q '.observer[0].blocks')" -gt 8 ]
	[ "$(q '.observer[0] | .hi_frac <= 0.03 and .lo_frac >= -0.03')" = true ]
	[[ "$(q '.notes[0]')" == *"until it was decided"* ]]
	# The file knows that it was looked at after each block.
	json=$("$SATPROF" show --json u.satprof)
	[ "$(q .verdict)" = none ]
	sweep --sim capacity=100k --until-decided --rates 10k
	[ "$status" -eq 2 ]
}

@test "--confirm: what the sampling rate does is confirmed at half of it" {
	sweep --sim capacity=231k,noise=0.5%,per-khz=-4% --seed 1 --arms off,sample@3989 \
		--confirm -o a.satprof
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = hurts ]
	[ "$(q '.confirmations | length')" -eq 1 ]
	[ "$(q '.confirmations[0] | [.factor, .state, .forced_arm] | @json')" = \
		'["sampling","confirmed","sample@1994+sampling"]' ]
	near "$(q '1 + .confirmations[0].forced_against_ref.shift_frac')" 0.92 1
	[ "$(q '[.trials[] | select(.confirmation == 1)] | length')" -ge 120 ]
	[ "$(q '[.arms[].name] | @json')" = '["off","sample@3989"]' ]
	run "$SATPROF" show a.satprof
	[ "$status" -eq 0 ]
	[[ "$output" == *"Confirmation"*"sampling: 1994 Hz; confirmed"* ]]
	[ "$("$SATPROF" show a.satprof --json | jq -S .)" = "$(jq -S . <<<"$json")" ]
}

@test "--confirm: the planted cause is confirmed, of several suspects the right one" {
	sweep --sim capacity=231k,noise=1%,move=15% --seed 3 --arms off,count --confirm
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = helps ]
	[ "$(q '.observer[0].causes[0] | [.factor, .thread, .arm_value, .state] | @json')" = \
		'["placement","fwd","cpu 1","confirmed"]' ]
	[ "$(q '.confirmations[0] | [.forced_arm, .state] | @json')" = \
		'["off+placement","confirmed"]' ]
	sweep --sim capacity=231k,noise=1%,burn=20% --seed 3 --arms off,count --confirm
	[ "$(q .verdict)" = hurts ]
	[ "$(q '.confirmations[0] | [.factor, .state] | @json')" = \
		'["contention","confirmed"]' ]
	# The thread moves as well, but is not what takes the capacity.
	sweep --sim capacity=231k,noise=1%,burn=30%,move=0.01% --seed 3 --arms off,count \
		--confirm=2
	[ "$(q '[.confirmations[] | "\(.factor) \(.state)"] | join(", ")')" = \
		"placement refuted, contention confirmed" ]
	[ "$(q '[.observer[0].causes[] | "\(.factor) \(.state)"] | join(", ")')" = \
		"placement refuted, contention confirmed" ]
}

@test "--confirm without a shift forces nothing, in one line" {
	sweep --sim capacity=231k,noise=0.5% --seed 1 --confirm=2
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = none ]
	[ "$(q '.confirmations | length')" -eq 0 ]
	[ "$(q .no_confirmation)" = "sample@997 does not move the knee" ]
	[ "$(q '[.trials[] | select(has("confirmation"))] | length')" -eq 0 ]
}

@test "--confirm that has nothing to confirm is wrong usage" {
	local words
	for words in "--arms off" "--rates 10k,20k" "--confirm=0" "--confirm=99"; do
		# shellcheck disable=SC2086 # words
		run "$SATPROF" sweep --sim capacity=231k --confirm $words
		[ "$status" -eq 2 ]
		[[ "$output" == *confirm* ]]
	done
}

@test "too few blocks for an interval are said to be before they are measured" {
	run "$SATPROF" sweep --sim capacity=1M --blocks 5 -o few.satprof
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *"fewer than 6 blocks"*"--blocks 6"* ]]
	run "$SATPROF" sweep --sim capacity=1M --blocks 6 -o six.satprof
	[[ "$output" != *"fewer than 6 blocks"* ]]
}
