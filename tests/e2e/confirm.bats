#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# --confirm of a SUT that stays, and without root: what is forced and undone, and what
# cannot be.

load helpers
BATS_TEST_RETRIES=2 # it measures, see helpers.bash

setup() {
	setup_tmp
	need_command jq perl taskset
	taskset -c 0,1 true 2>/dev/null || skip "needs CPUs 0 and 1"
	export XDG_RUNTIME_DIR="$T"
	lab="confirm-$BASHPID"
	sut=
}

teardown() {
	[ -z "$sut" ] || kill "$sut" || true
	[ -z "$sut" ] || "$SATPROF" lab down --name "$lab" || true
	teardown_tmp
}

# start_sut CPU: a forwarder in a lab of its own, as somebody else would have started it.
start_sut() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	"$SATPROF" lab up --name "$lab"
	"$SATPROF" lab exec --name "$lab" sut -- taskset -c "$1" \
		"$SATPROF" forward sut0 sut1 --cost 15000 >/dev/null 2>&1 3>&- &
	sut=$!
	sleep 0.5
	taskset -pc "$1" "$sut"
}

# sweep_pid COMMAND... -- ARGS...: a sweep of it, started by the command.
sweep_pid() {
	local -a by=()
	while [ "$1" != -- ]; do
		by+=("$1")
		shift
	done
	shift
	status=0
	json=$("$SATPROF" lab exec --name "$lab" gen -- "${by[@]}" "$SATPROF" sweep --json \
		--quiet --in gen0 --out gen1 --pid "$sut" --preset smoke --burst 4 \
		-o pid.satprof "$@" 2>stderr.txt) || status=$?
	cat stderr.txt
	q '.verdict, (.observer[0].causes[]? | [.factor, .evidence, .state] | @json),
		(.confirmations[]? | [.factor, .forced, .state, .why] | @json),
		.no_confirmation // empty, .reasons[]'
}

@test "--pid: a placement is confirmed, and the SUT is left as it was found" {
	start_sut 1
	sweep_pid env -- --cpu-gen 0 --cpu-recv 0 --cpu-collect 0 --confirm \
		--profiler "taskset -a -p -c 0 $sut && exec sleep 3600"
	run taskset -pc "$sut"
	[[ "$output" == *": 1" ]]
	has_intervals
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = hurts ]
	first_cause placement "cpu 1" "cpu 0" confirmed
}

@test "--pid: what cannot be forced is one line, and the verdict stands" {
	start_sut 0
	# It may not run on CPU 1 itself, so it cannot tell that anybody may.
	sweep_pid taskset -c 0 -- --confirm \
		--profiler "taskset -a -p -c 1 $sut && exec sleep 3600"
	has_intervals
	[ "$(q .verdict)" = helps ]
	[ "$(q '.confirmations | length')" -eq 0 ]
	[[ "$(q .no_confirmation)" == \
		"placement: cannot be forced here: CPU 1 is not there or not allowed for this process"* ]]
	run "$SATPROF" show pid.satprof
	[ "$status" -eq 0 ]
	[[ "$(tr -s ' \n' ' ' <<<"$output")" == *"nothing was forced: placement: cannot be forced here: CPU 1 is not there"* ]]
}

@test "without root: a program on the SUT's CPU is confirmed by a companion there" {
	local as=() dir=$T
	if [ "$(id -u)" -eq 0 ]; then
		need_command setpriv
		as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
		dir=$(mktemp -d /tmp/satprof-e2e.XXXXXX)
		install -m 755 "$SATPROF" "$dir/satprof"
		chmod 777 "$dir"
		cd "$dir"
	else
		cp "$SATPROF" satprof
	fi
	"${as[@]}" unshare -Urn true || skip "no user namespaces here"
	status=0
	json=$("${as[@]}" ./satprof sweep --json --quiet --preset smoke --confirm \
		--profiler "$BURNER" -- ./satprof forward '{in}' '{out}' --cost 15000 \
		2>stderr.txt) || status=$?
	cat stderr.txt
	cd "$T"
	[ "$dir" = "$T" ] || rm -rf "$dir"
	q '.verdict, (.observer[0].causes[]? | [.factor, .evidence, .state] | @json),
		(.confirmations[]? | [.factor, .forced, .state, .why] | @json), .reasons[]'
	has_intervals
	[ "$status" -eq 0 ]
	[ "$(q .verdict)" = hurts ]
	[ "$(q '.confirmations[0].factor')" = contention ]
	[ "$(q '.confirmations[0].state')" != refuted ]
}
