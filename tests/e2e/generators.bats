#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Outside generators: the protocol, what is refused, how they end.
bats_require_minimum_version 1.5.0
load helpers

setup() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	setup_tmp
	export XDG_RUNTIME_DIR="$T"
	[ -x /usr/bin/python3 ] || skip "python3 is not installed"
	FAKE=$BATS_TEST_DIRNAME/fake-generator
}

teardown() {
	teardown_tmp
}

# outside CMD ARGS...: a short sweep with this generator around no SUT.
outside() {
	local cmd=$1
	shift
	sweep --generator "$cmd" --sut none --arms off --preset smoke "$@"
}

# broken CODE WORDS ANSWER: the answer ends the run with this code and one line.
broken() {
	outside "'$FAKE' --answer '$3'" -o x.satprof
	[ "$status" -eq "$1" ] && [ "$(wc -l <stderr.txt)" -eq 1 ] && grep -qF -- "$2" stderr.txt
	rm -f x.satprof
}

@test "the capacity behind an outside generator is found" {
	before=$(leftovers)
	outside "'$FAKE' --capacity 400000 --log log" -o x.satprof
	[ "$status" -eq 0 ]
	near "$(q '.arms[0].knee_pps')" 400000 1
	# What it cannot know is not in the ledger; nothing is made up.
	[ "$(q '.trials[-1].ledgers[0] | has("refused") or has("sut_in") or has("rx_drop") or
		has("duplicate")')" = false ]
	[ "$(q '.trials[-1].ledgers[0] | .intended == .offered + .unsent')" = true ]
	[ "$(q '[.trials[].loss_frac] | min >= 0 and max < 1')" = true ]
	[ "$(q '.trials[-1].latency_ns.p999')" = 3000 ]
	[ "$(head -n1 log)" = '{"op":"hello","schema":1}' ]
	[ "$(tail -n1 log)" = '{"op":"bye"}' ]
	assert_nothing_left "$before"
	"$SATPROF" show x.satprof | grep -q 'generator=.*fake-generator'
}

@test "an answer that cannot be true ends the run, quoted printably" {
	broken 6 'has "sent" that is negative: '"'"'{"ok":true,"sent":-4294967200,' \
		'2={"ok":true,"sent":-4294967200,"received":1,"window_pps":1}'
	broken 6 'has "window_pps" missing' '2={"ok":true,"sent":20,"received":2}'
	broken 6 'more came back than was sent' \
		'2={"ok":true,"sent":20,"received":21,"window_pps":1}'
	broken 6 'is not a JSON object: '"'"'boot?[0m...'"'" '2=boot\x1b[0m...'
	broken 6 "the generator reports 'no link on port 1'" \
		'2={"ok":false,"error":"no link on port 1"}'
	broken 6 "wrote a line it was not asked for: 'more'" \
		'2={"ok":true,"sent":20,"received":2,"window_pps":1}\nmore'
	broken 6 'exited with status 3 before it answered "trial"; its last words: the card' 2=die
}

@test "a generator that never worked is exit 7, one that is not there exit 2" {
	broken 7 'is not a JSON object: '"'"'hi'"'" 0=hi
	broken 7 "the generator reports 'no server'" '0={"ok":false,"error":"no server"}'
	broken 7 'speaks another schema' '0={"ok":true,"schema":2}'
	broken 7 'before it answered "hello"; its last words: the card caught fire' 0=die
	outside ./nope
	[ "$status" -eq 2 ]
	grep -q 'exited with status 127 before it answered "hello"; .*not found' stderr.txt
	[ -z "$(ls -- *.satprof 2>/dev/null)" ]
}

@test "options that only the built-in generator obeys are refused" {
	for option in --burst=4 --flows=2 --bidir --dst-mac=sut --pcap=x --limit=1k; do
		outside "$FAKE" "$option"
		[ "$status" -eq 2 ] && grep -q -- "${option%=*} is for the" stderr.txt
	done
	sweep --generator "$FAKE"
	[ "$status" -eq 2 ] && grep -q 'name the SUT' stderr.txt
	sweep --generator ' ' --sut none
	[ "$status" -eq 2 ] && grep -q 'the command is empty' stderr.txt
}

@test "a signal or a kill in the middle of a trial ends the generator too" {
	before=$(leftovers)
	for signal in TERM KILL; do
		rm -f log x.satprof
		"$SATPROF" sweep --quiet --generator "'$FAKE' --log log --answer 3=silence" \
			--sut none --arms off --preset smoke -o x.satprof >out.txt 2>err.txt 3>&- &
		pid=$!
		for ((i = 0; i < 100; i++)); do
			grep -qs '"trial":3' log && break
			sleep 0.1
		done
		[ "$(pgrep -fc "fake-generator --log log")" -ge 1 ]
		t0=$(date +%s%N)
		kill "-$signal" "$pid"
		code=0
		wait "$pid" || code=$?
		[ "$code" -eq $((128 + $(kill -l "$signal"))) ]
		[ $((($(date +%s%N) - t0) / 1000000)) -lt 4000 ]
		assert_nothing_left "$before"
	done
}

@test "the SUT's own counts close the ledger where the generator cannot" {
	cat >stats <<-'EOF'
		#!/bin/sh
		n=$(cat n 2>/dev/null || echo 0)
		echo $((n + 1)) >n
		echo "{\"in\": ${n}000, \"out\": ${n}000, \"dropped\": 0}"
	EOF
	chmod +x stats
	outside "'$FAKE'" --rates 10k --sut-stats "cd '$T' && ./stats" --blocks 6
	[ "$(q '.trials[-1].ledgers[0] | "\(.sut_in) \(.sut_drop) \(.sut_out)"')" = '1000 0 1000' ]
	[ "$(q '.trials[-1].valid')" = true ]
}

@test "the man page's example is a generator" {
	sed -n '/^#!.usr.bin.python3/,/^\.Ed/p' "$BATS_TEST_DIRNAME/../../man/satprof-generator.5" |
		grep -v '^\.Ed' >example
	chmod +x example
	outside ./example --rates 10k
	[ "$status" -eq 0 ]
	[ "$(q '[.trials[].loss_frac] | max')" = 0 ]
}
