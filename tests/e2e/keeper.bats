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
