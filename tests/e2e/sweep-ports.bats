#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Interfaces of the caller's that cannot work are refused at once, by the option.
bats_require_minimum_version 1.5.0
load helpers

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
