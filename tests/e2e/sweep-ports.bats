#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Interfaces of the caller's that cannot work are refused at once, by the option.
bats_require_minimum_version 1.5.0
load helpers
BATS_TEST_RETRIES=2

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	setup_tmp
	need_command ip
	export XDG_RUNTIME_DIR="$T"
	LAB="ports-$BASHPID"
	"$SATPROF" lab up --name "$LAB" >/dev/null
}

teardown() {
	[ -z "$LAB" ] || "$SATPROF" lab down --name "$LAB"
	teardown_tmp
}

gen() {
	"$SATPROF" lab exec --name "$LAB" gen -- "$@"
}

# refused CODE WORDS ARGS...: within two seconds, one line with these words, no file.
refused() {
	local code=0 want=$1 words=$2 t0
	shift 2
	t0=$(date +%s%N)
	gen "$SATPROF" sweep --quiet -o "$T/x" "$@" >out.txt 2>err.txt || code=$?
	echo "$*: exit $code after $((($(date +%s%N) - t0) / 1000000)) ms: $(cat err.txt)"
	[ "$code" -eq "$want" ] && [ "$(wc -l <err.txt)" -eq 1 ] && [ ! -s out.txt ] &&
		[ ! -e x ] && grep -qF -- "$words" err.txt &&
		[ $((($(date +%s%N) - t0) / 1000000)) -lt 2000 ]
}

@test "an interface that is not there, is the loopback, or is named twice" {
	refused 7 "--in: cannot read link: no interface 'nope'" --in nope --out gen1 --sut none
	refused 7 "--out: cannot read link: no interface 'nope'" --in gen0 --out nope --sut none
	refused 7 "--sut-in: cannot read link: no interface 'a'" --in gen0 --out gen1 \
		--sut-in a --sut-out b
	refused 2 "--in: lo is the loopback" --in lo --out gen1 --sut none
	refused 2 "--out: lo is the loopback" --in gen0 --out lo --sut none
	gen ip link add d0 type veth peer name d1
	refused 2 "--sut-out: lo is the loopback" --in gen0 --out gen1 --sut-in d0 --sut-out lo
	refused 2 "--in and --out are both gen0" --in gen0 --out gen0 --sut none
}

@test "an interface that is down is said with the command that helps" {
	gen ip link set gen1 down
	refused 2 '--out: interface gen1 is down: `ip link set gen1 up` first' \
		--in gen0 --out gen1 --sut none
	gen ip link set gen1 up
	gen ip link set gen0 down
	refused 2 '--in: interface gen0 is down: `ip link set gen0 up` first' \
		--in gen0 --out gen1 --sut none
	# A set-up command is waited for, and what it leaves is judged.
	refused 2 '--in: interface gen0 is down' --in gen0 --out gen1 --sut none --setup true
	code=0
	gen "$SATPROF" sweep --quiet -o "$T/x" --in gen0 --out gen1 --sut none \
		--setup 'ip link set {in} up' --ready-timeout 100ms --arms off 2>err.txt ||
		code=$?
	cat err.txt
	[ "$code" -eq 6 ] # nothing forwards there
	grep -q 'none of the probe packets' err.txt
}

@test "a process in another network namespace than its interfaces" {
	sleep 60 3>&- &
	local pid=$!
	gen ip link add d0 type veth peer name d1
	gen ip link set d0 up
	gen ip link set d1 up
	refused 2 "process $pid is in another network namespace than d0" --in gen0 --out gen1 \
		--sut-in d0 --sut-out d1 --pid "$pid"
	refused 2 "a process that runs already is not in the private lab" --pid "$pid"
	refused 2 "a process that runs already is not in the private lab" --lab --pid "$pid"
	kill "$pid"
	wait "$pid" || true
	refused 2 "no process has the id $pid" --in gen0 --out gen1 --pid "$pid"
}

# changed WORDS CODE...: the shell code, run after some trials, ends the sweep with exit 6,
# one line with these words, and a run file.
changed() {
	local words=$1 i code=0 pid forwarder
	shift
	rm -f x
	# A new one each time: a link that goes down ends it.
	sut "$SATPROF" forward sut0 sut1 >forward.txt 2>&1 3>&- &
	forwarder=$!
	gen "$SATPROF" sweep --quiet -o "$T/x" --in gen0 --out gen1 --sut none --arms off \
		--rates 5k --trial-time 0.4s >out.txt 2>err.txt 3>&- &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		[ "$(sqlite3 -readonly x 'select count(*) from trial' 2>/dev/null || echo 0)" -ge 2 ] && break
		sleep 0.1
	done
	"$@"
	wait "$pid" || code=$?
	echo "$*: exit $code: $(cat err.txt)"
	kill "$forwarder" 2>/dev/null || true
	wait "$forwarder" || true
	[ "$code" -eq 6 ] && [ "$(wc -l <err.txt)" -eq 1 ] && grep -qE -- "$words" err.txt &&
		"$SATPROF" show x | grep -q "ended early: "
}

flap() {
	sut ip link set sut1 down
	sut ip link set sut1 up
}

sut() {
	"$SATPROF" lab exec --name "$LAB" sut -- "$@"
}

@test "an interface that goes down or changes its MTU in the middle of a run" {
	need_command sqlite3
	changed 'gen1.* (went down|is down)' gen ip link set gen1 down
	gen ip link set gen1 up
	changed 'gen0.* (went down|is down)' gen ip link set gen0 down
	gen ip link set gen0 up
	changed 'gen1 .*(carrier|went down)' sut ip link set sut1 down
	sut ip link set sut1 up
	changed 'the MTU of gen0 changed from 1500 to 1400 during the run' \
		gen ip link set gen0 mtu 1400
	gen ip link set gen0 mtu 1500
	changed 'gen1 lost its carrier for a while|gen0 or gen1 went down|is down' flap
}
