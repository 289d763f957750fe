#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Profilers of others as arms: perf record, a command of the user's, a wrapper.
bats_require_minimum_version 1.5.0
load helpers
BATS_TEST_RETRIES=2

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	setup_tmp
	need_command jq pgrep
	MARK="8$BASHPID$RANDOM"
}

teardown() {
	teardown_tmp
}

# ladder ARGS...: a short sweep with few trials that asks for no knee.
ladder() {
	sweep --blocks 1 --rates 5k,8k --trial-time 0.2s --burst 1 -o r.satprof "$@"
}

# script LINE...: the profiler p.sh.
script() {
	printf '%s\n' "$@" >p.sh
}

# Processes with the mark in their command line.
marked() {
	pgrep -c -f "sleep $MARK" || true
}

notes() {
	q '.notes[]'
}

@test "usage: what does not go together is exit 2 with one line" {
	local args want
	while IFS='|' read -r args want; do
		eval "run \"\$SATPROF\" sweep -o x $args"
		echo "$args -> $status $output"
		[ "$status" -eq 2 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == *"$want"* ]]
		[ ! -e x ] && [ ! -e x.d ]
	done <<-'END'
		--arms off,profiler|--profiler CMD
		--arms off,wrap|--wrap CMD
		--arms off --profiler true|not among --arms
		--arms off,profiler --profiler true --wrap env|not among --arms
		--profiler ''|empty
		--wrap ' '|empty
		--wrap 'strace -p {pid}'|{pid}
		--wrap env --restart never|--restart
		--wrap env --sut none|--sut none
		--wrap env --in a --out b --pid 1|--pid
		--sut none --profiler 'perf -p {pid}'|{pid}
		--arms off,perf|not an arm
		--arms off,perf@0|perf@0
		--profiler true --profiler-finish x|--profiler-finish
	END
}

@test "perf@997: each trial is observed, its data stay beside the run" {
	need_command perf
	sweep_twice --preset smoke --trial-time 0.2s --arms off,perf@997 -o r.satprof \
		-- satprof forward '{in}' '{out}' --limit 20k
	[[ "$status" =~ ^[03]$ ]]
	[[ "$(q .verdict)" =~ ^(none|helps|hurts|inconclusive)$ ]]
	[ "$(q '.observer[0].arm')" = perf@997 ]
	[ "$(q '[.trials[] | select(.arm == "perf@997" and .valid)] | length')" -ge 30 ]
	# A policer is no matter of CPU time: perf takes none of it, by much.
	near "$(q '1 + .observer[0].shift_frac')" 1 15
	[ "$(ls r.satprof.d | wc -l)" -ge 6 ]
	# Events only inside the trials: 997 Hz while it is on, none in between.
	perf script -i r.satprof.d/perf@997-02/perf.data -F time 2>/dev/null >when.txt
	[ "$(wc -l <when.txt)" -ge 100 ]
	awk '{ t = $1 + 0 } NR > 1 && t - old > 0.035 { n++ } { old = t } END { print n + 1; exit n < 4 }' when.txt
	[ -z "$(find r.satprof.d -type p)" ]
	"$SATPROF" show --json r.satprof | jq -e '.arms[1].name == "perf@997"'
}

@test "perf that is not there, or refuses, is exit 7 and no document" {
	mkdir bin
	ln -s "$(command -v sh)" bin/sh
	PATH="$T/bin" ladder --arms off,perf@997
	[ "$status" -eq 7 ]
	[ -z "$json" ]
	grep -q "perf is not installed" stderr.txt
	printf '#!/bin/sh\necho no such event >&2\nexit 129\n' >bin/perf
	chmod 755 bin/perf
	PATH="$T/bin:$PATH" ladder --arms off,perf@997
	[ "$status" -eq 7 ]
	[ -z "$json" ]
	grep -q "arm perf@997: the profiler did not start: it exited with status 129.*no such event" \
		stderr.txt
}

@test "--profiler: started at the arm's start with its words, ended with it" {
	# shellcheck disable=SC2016
	script 'echo "$1 $2 $3 $(readlink "/proc/$1/exe")" >"$4/seen"; exec sleep '"$MARK"
	ladder --profiler "exec sh '$T/p.sh' {pid} {cpus} {arm} {dir}"
	[ "$status" -eq 0 ]
	[ "$(q '[.arms[].name] | join(",")')" = off,profiler ]
	[ "$(marked)" -eq 0 ]
	[ "$(q .fingerprint.profiler)" = "exec sh '$T/p.sh' {pid} {cpus} {arm} {dir}" ]
	read -r pid cpus arm exe <"$T/r.satprof.d/profiler-01/seen"
	[ "$pid" -gt 1 ]
	[[ "$cpus" =~ ^[0-9]+(,[0-9]+)*$ ]]
	[ "$arm" = profiler ]
	[ "$exe" = "$(readlink -f "$SATPROF")" ]
	# A silent one leaves no folder.
	rm -rf r.satprof*
	ladder --profiler "exec sleep $MARK"
	[ "$status" -eq 0 ]
	[ ! -e r.satprof.d ]
}

@test "a profiler that dies in the middle: trials not valid, exit 6, its last words" {
	script 'echo out of licences; sleep 0.6; exit 3'
	ladder --trial-time 0.5s --profiler "exec sh '$T/p.sh'"
	[ "$status" -eq 6 ]
	[ "$(q .verdict)" = broken ]
	[ "$(q '[.trials[] | select(.arm == "off" and (.valid | not))] | length')" -eq 0 ]
	[ "$(q '[.trials[] | select(.arm == "profiler" and (.valid | not))] | length')" -ge 2 ]
	q '.trials[] | select(.arm == "profiler") | .reasons[]' |
		grep -q "the profiler exited with status 3 in the middle: out of licences"
	notes | grep -q "arm profiler: the profiler exited with status 3"
	# The end comes soon where it dies each time.
	rm -rf r.satprof*
	ladder --blocks 50 --trial-time 0.5s --profiler "exec sh '$T/p.sh'"
	[ "$status" -eq 6 ]
	grep -q "failed in 2 starts running.*out of licences" stderr.txt
	[ "$("$SATPROF" show --json r.satprof | jq '.trials | length')" -lt 40 ]
}

@test "a profiler that refuses to start is exit 7 with its last words" {
	script 'echo "no licence here"; exit 4'
	ladder --profiler "exec sh '$T/p.sh'"
	[ "$status" -eq 7 ]
	[ -z "$json" ]
	[ "$(wc -l <stderr.txt)" -eq 1 ]
	grep -q "arm profiler: the profiler did not start: it exited with status 4.*no licence here" \
		stderr.txt
	rm -rf r.satprof*
	ladder --profiler "no-such-profiler -x"
	[ "$status" -eq 7 ]
	grep -q "no-such-profiler: not found" stderr.txt
}

@test "one that ignores SIGINT is ended all the same, and that is said" {
	script "trap '' INT TERM" "while :; do sleep 0.2 $MARK; done"
	ladder --profiler-finish 0.3s --profiler "exec sh '$T/p.sh'"
	[ "$status" -eq 0 ]
	notes | grep -q "did not end within 0.3 s of SIGINT and was ended by SIGKILL"
	run pgrep -f "$MARK"
	[ "$status" -eq 1 ]
}

@test "slow finalisation is waited for and said" {
	# shellcheck disable=SC2016
	script 'trap "sleep 1.3; echo whole >\"$1/out\"; exit 0" INT' 'while :; do sleep 0.1; done'
	ladder --profiler "exec sh '$T/p.sh' {dir}"
	[ "$status" -eq 0 ]
	notes | grep -qE "arm profiler: the profiler took up to [0-9.]+ s to finish, outside the trials"
	[ "$(cat r.satprof.d/profiler-01/out)" = whole ]
	[ "$(notes | grep -c "took up to")" -eq 1 ]
}

@test "a command that does its work and leaves is an arm: taskset at attach" {
	need_command taskset
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
	ladder --cpu-sut 1 --profiler 'taskset -pc 0 {pid}'
	[ "$status" -eq 0 ] || [ "$status" -eq 6 ] # one CPU for all may be too little
	notes | grep -q "ended before the first trial"
	grep -q "new affinity list: 0" r.satprof.d/profiler-01.log
}

@test "--wrap: the SUT is launched under it in its arm only" {
	need_command taskset
	# shellcheck disable=SC2016
	printf '%s\n' 'echo "${WRAPPED-none} $(taskset -pc $$ | sed "s/.*: //")" >>"$1"' \
		'exec "$2" forward "$3" "$4"' >sut.sh
	ladder --wrap "env 'WRAPPED={arm}' taskset -c 0" \
		-- sh "$T/sut.sh" "$T/seen" "$SATPROF" '{in}' '{out}'
	[ "$status" -eq 0 ] || [ "$status" -eq 6 ]
	[ "$(q '[.arms[].name] | join(",")')" = off,wrap ]
	sort -u seen
	grep -q "^wrap 0$" seen
	grep -q "^none" seen
	[ "$(grep -c "^wrap" seen)" -le "$(grep -c "^none" seen)" ]
	rm -rf r.satprof*
	ladder --wrap "no-such-wrapper" -- "$SATPROF" forward '{in}' '{out}'
	[ "$status" -eq 7 ]
	grep -q "arm wrap: under the command of --wrap: .*no-such-wrapper: not found" stderr.txt
}

@test "--wrap: one that stays beside the SUT may finish its data, also perf stat" {
	# shellcheck disable=SC2016
	script 'd=$1; shift' 'exec 3<&0; "$@" <&3 &' \
		'trap "kill $!; wait; sleep 1.2; echo whole >\"$d/trace\"; exit 0" INT' \
		'while :; do wait; done'
	ladder --wrap "sh '$T/p.sh' {dir}" -- "$SATPROF" forward '{in}' '{out}'
	[ "$status" -eq 0 ]
	[ "$(cat r.satprof.d/wrap-01/trace)" = whole ]
	notes | grep -qE "arm wrap: the SUT and its wrapper took [0-9.]+ s to finish"
	need_command perf
	rm -rf r.satprof*
	ladder --wrap "perf stat -e task-clock -o {dir}/stat --" \
		-- "$SATPROF" forward '{in}' '{out}'
	[ "$status" -eq 0 ]
	grep -q task-clock r.satprof.d/wrap-01/stat
}

@test "kill -9 leaves no profiler; --resume goes on with it" {
	BATS_TEST_RETRIES=0
	local pid tries=0 code=0
	script "setsid sh -c \"trap '' INT TERM HUP; sleep $MARK\" &" \
		"sleep $MARK"
	"$SATPROF" sweep --quiet --rates 5k --trial-time 0.2s --burst 1 --blocks 3 \
		--profiler "echo up; exec sh '$T/p.sh'" \
		-o r.satprof >out.txt 2>err.txt &
	pid=$!
	until [ "$(marked)" -ge 2 ]; do
		tries=$((tries + 1))
		[ $tries -lt 400 ] || { cat err.txt; false; }
		sleep 0.05
	done
	kill -9 $pid
	wait $pid || code=$?
	[ "$code" -eq 137 ]
	for tries in $(seq 20); do
		[ "$(marked)" -eq 0 ] && break
		sleep 0.05
	done
	[ "$(marked)" -eq 0 ]
	sweep --resume r.satprof
	[ "$status" -eq 0 ]
	[ "$(marked)" -eq 0 ]
	[ "$(q '[.trials[] | select(.arm == "profiler" and .valid and .block > 0)] | length')" -eq 3 ]
	[ -e r.satprof.d/profiler-02.log ]
}

@test "--confirm: what the SUT was launched with is forced without the wrapper" {
	[ "$(id -u)" -eq 0 ] || skip "needs root" # else it is measured too coarsely
	# shellcheck disable=SC2016 # the SUT's own shell reads its environment
	sweep --preset smoke --confirm --wrap 'env SUT_COST=60000' -- \
		sh -c 'echo "cost ${SUT_COST-own}" >>seen
			exec "$0" forward "$1" "$2" --cost "${SUT_COST-15000}"' \
		"$SATPROF" '{in}' '{out}'
	q '.verdict, (.observer[0].causes[] | [.factor, .evidence, .state] | @json),
		(.confirmations[] | [.factor, .forced, .state, .why] | @json), .notes[]'
	has_intervals
	[ "$(q .verdict)" = hurts ]
	[ "$(q '.confirmations[0] | [.factor, .forced_arm, .state] | @json')" = \
		'["launch","off+launch","confirmed"]' ]
	[[ "$(q '.confirmations[0].forced')" == "the same environment"* ]]
	[ "$(q '[.observer[0].causes[] | select(.confirmed) | .fact] | @json')" = \
		'["environment"]' ]
	[[ "$(q '.observer[0].causes[] | select(.confirmed) | .evidence')" == *SUT_COST* ]]
	# What a variable holds stays out of it; and the off arm was launched as ever.
	[[ "$(q '.observer[0].causes[0].evidence')" != *60000* ]]
	grep -q '^cost own$' seen
	grep -q '^cost 60000$' seen
}
