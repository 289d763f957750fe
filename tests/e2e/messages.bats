#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a command says: one printable line an error, whatever names carry, and a
# standard output that cannot be written is told once.
bats_require_minimum_version 1.5.0
load helpers

setup() {
	setup_tmp
	# A line of its own, terminal sequences in 7 and 8 bits, what is no UTF-8.
	H=$'a\nverdict=none\e[2J\x9b2J\xff\xe2\x80\xae\r'
	SIM="capacity=300k"
}

teardown() {
	teardown_tmp
}

# printable FILE: nothing in it steers a terminal.
printable() {
	! LC_ALL=C grep -nP '[^\x20-\x7e]' "$1"
}

# one_error CODE ARGS...: this exit code, nothing on stdout, one line on stderr.
one_error() {
	local want=$1 code=0
	shift
	"$SATPROF" "$@" >out.txt 2>err.txt || code=$?
	echo "$(printf '%q ' "$@"): exit $code: $(cat -v err.txt)"
	[ "$code" -eq "$want" ] && [ ! -s out.txt ] && [ "$(wc -l <err.txt)" -eq 1 ] &&
		printable err.txt
}

@test "names of strangers cannot steer the terminal or forge a line" {
	one_error 2 "$H"
	one_error 2 "--$H"
	one_error 2 show "$H"
	one_error 2 show a "$H"
	one_error 2 show "--$H"
	one_error 2 sweep "$H"
	one_error 2 sweep "-$H"
	one_error 2 sweep --sim "$H"
	one_error 2 sweep --arms "$H"
	one_error 2 sweep --rates "$H"
	one_error 2 sweep --resume "$H"
	one_error 2 sweep --sim "$SIM" --quiet -o "/nowhere/$H"
	one_error 7 generate "$H"
	one_error 2 generate lo --pcap "$H"
	one_error 2 generate lo --rate "$H"
	one_error 7 forward "$H" x
	one_error 2 forward lo lo --cpu "$H"
	one_error 2 lab "$H"
	one_error 2 lab up --name "$H"
	touch "$H"
	one_error 2 sweep --sim "$SIM" -o "$H"
	one_error 2 show "$H"
}

@test "in a UTF-8 locale a name is shown as it is" {
	locale -a | grep -qi '^c\.utf-\?8$' || skip "no C.UTF-8"
	LC_ALL=C.UTF-8 run --separate-stderr "$SATPROF" show $'\xc3\xbcber\xc2\x9b\e'
	[ "$status" -eq 2 ]
	[[ $stderr == *$'\xc3\xbcber??'* ]]
}

@test "the path of a run file does not forge a verdict" {
	"$SATPROF" sweep --sim "$SIM" --seed 1 --quiet -o "$H" >out.txt
	printable out.txt
	[ "$(grep -c ^verdict= out.txt)" -eq 1 ]
	"$SATPROF" show "$H" >again.txt
	cmp out.txt again.txt
}

@test "a SUT's last words stay within the line" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	local code=0
	"$SATPROF" sweep --quiet --arms off -o r -- sh -c \
		"printf 'a\nverdict=none\033[2J\233\377\n'; exit 3" >out.txt 2>err.txt ||
		code=$?
	cat -v err.txt
	[ "$code" -eq 6 ]
	[ "$(wc -l <err.txt)" -eq 1 ]
	printable err.txt
	grep -q 'exited with status 3 .*; its last output: a|verdict=none?\[2J??$' err.txt
	printable out.txt
	[ "$(grep ^verdict= out.txt)" = verdict=broken ]
}

@test "what ends before a sweep begins is told with how it ended" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	one_error 2 sweep --quiet --arms off -o r --setup 'kill -9 $$'
	[ "$(cat err.txt)" = 'satprof sweep: --setup was ended by signal 9 (Killed)' ]
	one_error 2 sweep --quiet --arms off -o r --setup 'exit 4'
	[ "$(cat err.txt)" = 'satprof sweep: --setup failed (status 4)' ]
	one_error 2 sweep --quiet --arms off -o r --setup 'echo why; exit 4'
	[ "$(cat err.txt)" = 'satprof sweep: --setup failed (status 4): why' ]
	one_error 7 sweep --quiet --arms wrap -o r --wrap false
	grep 'forwarder exited with status 1 at its start; its last output: (none)$' err.txt
}

# unwritable ARGS...: a full and a closed standard output, each told once.
unwritable() {
	local code=0
	rm -f "$T/run"
	"$SATPROF" "$@" >/dev/full 2>err.txt || code=$?
	echo "$*: full: exit $code: $(cat err.txt)"
	[ "$code" -eq 2 ] && [ "$(wc -l <err.txt)" -eq 1 ] || return 1
	grep -q 'cannot write.*No space left' err.txt || return 1
	rm -f "$T/run"
	code=0
	"$SATPROF" "$@" >&- 2>err.txt || code=$?
	echo "$*: closed: exit $code: $(cat err.txt)"
	[ "$code" -eq 2 ] && [ "$(wc -l <err.txt)" -eq 1 ] || return 1
	grep -q 'cannot write.*Bad file descriptor' err.txt
}

@test "an output that cannot be written is one error and exit 2" {
	[ -c /dev/full ] || skip "no /dev/full"
	"$SATPROF" sweep --sim "$SIM" --seed 1 --quiet -o kept >/dev/null
	unwritable --help
	unwritable --version
	unwritable show kept
	unwritable show --json kept
	unwritable show --help
	unwritable sweep --sim "$SIM" --quiet -o "$T/run"
	unwritable sweep --sim "$SIM" --quiet --json -o "$T/run"
	unwritable forward --calibrate-cost 100
	unwritable probe
	unwritable probe --json
}

@test "a run file is whole although standard output was closed" {
	"$SATPROF" sweep --sim "$SIM" --seed 1 --quiet -o run >&- 2>err.txt || true
	"$SATPROF" show run | grep '^verdict='
}

# few_files N ARGS...: with at most N descriptors it works, or says in one line what
# stands in the way.
few_files() {
	local code=0 n=$1
	shift
	rm -f run.satprof
	(
		exec 3>&- 4>&- 5>&- 6>&- 7>&-
		ulimit -n "$n"
		exec "$SATPROF" "$@"
	) >out.txt 2>err.txt || code=$?
	echo "$n: exit $code: $(cat err.txt)"
	if [ "$code" -eq 0 ]; then
		worked=$((worked + 1))
	else
		refused=$((refused + 1))
		[ "$(wc -l <err.txt)" -eq 1 ] && grep -q 'Too many open files.*ulimit -n' err.txt
	fi
}

@test "too few file descriptors are named, with the remedy" {
	local n worked=0 refused=0
	for n in 4 5 6 7 8; do
		few_files $n sweep --sim "$SIM" --quiet -o run.satprof
	done
	"$SATPROF" sweep --sim "$SIM" --quiet -o kept >/dev/null
	few_files 4 show kept
	[ $worked -gt 0 ]
	[ $refused -gt 1 ]
}

@test "too few file descriptors are named wherever a sweep comes to need them" {
	local n worked=0 refused=0
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	for n in $(seq 6 24); do
		few_files "$n" sweep --arms off,count --rates 1k --blocks 1 --trial-time 50ms \
			--quiet -o run.satprof
	done
	[ $worked -gt 0 ]
	[ $refused -gt 5 ]
}
