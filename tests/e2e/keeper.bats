#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# SUTs that will not go: whatever ends satprof ends them.
bats_require_minimum_version 1.5.0
load helpers

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	setup_tmp
	need_command pgrep setsid setpriv unshare
	# A mark in the children's command line; nobody sleeps that long.
	MARK="9$BASHPID$RANDOM"
	# Ignores what it can, leaves its group and session, forks twice, stops.
	cat >awkward.sh <<-EOF
		trap '' HUP INT
		trap 'echo term >>"$T/term"' TERM
		setsid sh -c "trap '' TERM HUP; (setsid sleep $MARK &); sleep $MARK" &
		(sh -c 'kill -STOP \$\$; sleep $MARK' &)
		echo up >"$T/up"
		while :; do sleep $MARK & wait; done
	EOF
	chmod 755 . awkward.sh
	chmod 1777 "$T"
}

teardown() {
	teardown_tmp
}

# Processes of ours that are left.
marked() {
	pgrep -c -f "sleep $MARK" || true
}

wait_for_file() {
	local tries=0
	until [ -s "$1" ]; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || { echo "no $1: $(cat err.txt)"; return 1; }
		sleep 0.05
	done
}

# none_within MS
none_within() {
	local t0 now n
	t0=$(date +%s%N)
	while :; do
		n=$(marked)
		now=$(date +%s%N)
		[ "$n" -eq 0 ] && { echo "gone after $(((now - t0) / 1000000)) ms"; return 0; }
		[ $(((now - t0) / 1000000)) -lt "$1" ] || break
	done
	echo "$n left after $1 ms"
	return 1
}

# Start a sweep whose SUT is never ready; its pid into $pid.
start_sweep() {
	"$@" sweep --quiet --arms off --ready false -o "$T/r$RANDOM.satprof" \
		-- sh "$T/awkward.sh" >/dev/null 2>err.txt &
	pid=$!
}

@test "kill -9 at random moments ends a SUT that ignores, escapes and stops" {
	local i
	RANDOM=20261130
	for i in 1 2 3 4 5 6 7 8 9 10; do
		rm -f up
		start_sweep "$SATPROF"
		if [ $((i % 2)) -eq 0 ]; then
			wait_for_file up
			[ "$(marked)" -ge 1 ]
		fi
		sleep "0.$((RANDOM % 4))$((RANDOM % 10))"
		kill -9 $pid
		wait $pid || true
		none_within 1000
	done
}

@test "Ctrl-C asks the SUT first, then ends what is left; exit 130" {
	local code=0
	start_sweep "$SATPROF"
	wait_for_file up
	[ ! -e term ]
	kill -INT $pid
	wait $pid || code=$?
	[ "$code" -eq 130 ] || { cat err.txt; false; }
	[ -s term ]
	none_within 1000
}

@test "TERM, HUP and QUIT end it as Ctrl-C does, and nohup keeps it" {
	local code sig
	for sig in 15 1 3; do
		code=0
		rm -f up term
		start_sweep "$SATPROF"
		wait_for_file up
		kill -$sig $pid
		wait $pid || code=$?
		[ "$code" -eq $((128 + sig)) ] || { echo "signal $sig: $code"; cat err.txt; false; }
		[ "$(wc -l <err.txt)" -eq 1 ]
		[ -s term ]
		none_within 1000
	done
	rm -f up
	start_sweep nohup "$SATPROF"
	wait_for_file up
	kill -HUP $pid
	sleep 0.3
	kill -0 $pid
	kill -TERM $pid
	wait $pid || true
	none_within 1000
}

@test "a set-uid child ends, too" {
	cp "$(command -v sleep)" suid-sleep
	chown nobody suid-sleep
	chmod 4755 suid-sleep
	cat >awkward.sh <<-EOF
		setsid "$T/suid-sleep" $MARK &
		echo up >"$T/up"
		exec "$T/suid-sleep" $MARK
	EOF
	start_sweep "$SATPROF"
	wait_for_file up
	[ "$(ps -o euser= -p "$(pgrep -n -f "suid-sleep $MARK")")" = nobody ]
	kill -9 $pid
	wait $pid || true
	none_within 1000
}

@test "nobody, in a user namespace: kill -9 leaves nothing" {
	setpriv --reuid=65534 --regid=65534 --clear-groups unshare -Urn true ||
		skip "no user namespaces here"
	cp "$SATPROF" satprof
	start_sweep setpriv --reuid=65534 --regid=65534 --clear-groups ./satprof
	wait_for_file up
	[ "$(marked)" -ge 1 ]
	kill -9 $pid
	wait $pid || true
	none_within 1000
}

# As in a container: parts of /proc are covered, so that no fresh one may be mounted.
@test "with a covered /proc the keeper is weaker, says so, and still ends all" {
	need_command jq
	setpriv --reuid=65534 --regid=65534 --clear-groups unshare -Urn true ||
		skip "no user namespaces here"
	cp "$SATPROF" satprof
	cat >container <<-EOF
		#!/bin/sh
		mount --bind /dev/null /proc/kallsyms || exit 99
		exec setpriv --reuid=65534 --regid=65534 --clear-groups ./satprof "\$@"
	EOF
	chmod 755 container
	run --separate-stderr unshare -m ./container probe --json
	[ "$status" -eq 0 ]
	jq -e '.features[] | select(.name == "pid-namespaces") | .state == "degraded"' <<<"$output"
	jq -e '.features[] | select(.name == "pid-namespaces") | .why | contains("mounting /proc is refused")' <<<"$output"
	jq -e '.features[] | select(.name == "lab") | .state == "ok"' <<<"$output"
	start_sweep unshare -m ./container
	wait_for_file up
	[ "$(marked)" -ge 1 ]
	kill -9 $pid
	wait $pid || true
	none_within 1000
}

@test "a SUT given by --pid is left running, where it ran" {
	need_command jq taskset
	[ "$(nproc)" -ge 2 ] || skip "needs two CPUs"
	export XDG_RUNTIME_DIR="$T"
	local lab="keeper-$BASHPID" sut i code=0
	"$SATPROF" lab up --name "$lab"
	"$SATPROF" lab exec --name "$lab" sut -- "$SATPROF" forward sut0 sut1 \
		>/dev/null 2>&1 &
	sut=$!
	sleep 0.5
	taskset -pc 0-1 $sut
	"$SATPROF" lab exec --name "$lab" gen -- "$SATPROF" sweep --in gen0 --out gen1 \
		--pid $sut --arms off --rates 2000,4000 --blocks 6 --trial-time 0.3s \
		--setup "readlink /proc/{pid}/exe >'$T/setup'" \
		--quiet --json -o "$T/pid.satprof" >pid.json 2>err.txt &
	pid=$!
	for i in $(seq 100); do
		[ -s pid.satprof ] && break
		sleep 0.05
	done
	taskset -pc 0 $sut # as an observer might
	# Back at the arm's edge, long before the run ends.
	for i in $(seq 60); do
		run taskset -pc $sut
		[[ $output == *[01][,-]1* ]] && break
		sleep 0.05
	done
	kill -0 $pid
	taskset -pc 1 $sut
	wait $pid || code=$?
	cat err.txt
	[ "$(cat setup)" = "$(readlink -f "$SATPROF")" ]
	[[ $output == *"affinity list: 0,1"* || $output == *"affinity list: 0-1"* ]]
	run taskset -pc $sut
	kill $sut
	"$SATPROF" lab down --name "$lab"
	# 6: a busy machine starved the generator, which is not the point here
	[ "$code" -eq 0 ] || [ "$code" -eq 6 ] || { echo "exit $code"; false; }
	[[ $output == *"affinity list: 0,1"* || $output == *"affinity list: 0-1"* ]]
	jq -e '[.trials[].window_pps] | length >= 12 and max > 500' pid.json
}
