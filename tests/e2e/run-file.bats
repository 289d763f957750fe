#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Run files where the world is not kind: full and read-only disks, other owners,
# junk; and how `show` looks on a terminal.

load helpers
bats_require_minimum_version 1.5.0

setup() {
	setup_tmp
}

teardown() {
	teardown_tmp
}

# in_mounts CMD: in a mount namespace of its own, as root or as its own root.
in_mounts() {
	if unshare -m true 2>/dev/null; then
		unshare -m bash -euc "$1"
	elif unshare -Urm true 2>/dev/null; then
		unshare -Urm bash -euc "$1"
	else
		skip "no mount namespaces here"
	fi
}

@test "a full disk ends the sweep with a file that opens, and resume goes on" {
	mkdir small
	export SATPROF
	in_mounts '
		mount -t tmpfs -o size=180k tmpfs small
		code=0
		"$SATPROF" sweep --quiet --sim capacity=100k,noise=1% --seed 1 \
			-o small/run.satprof >out.txt 2>err.txt || code=$?
		echo "exit $code: $(cat err.txt)"
		[ "$code" -eq 2 ]
		grep -q "make room" err.txt
		grep -q -- "--resume small/run.satprof" err.txt
		[ "$(wc -l <err.txt)" -eq 1 ]
		"$SATPROF" show --json small/run.satprof >full.json || [ $? -eq 6 ]
		[ "$(jq ".trials | length" full.json)" -gt 0 ]
		jq -e ".finished == false" full.json
		mount -o remount,size=8m small
		"$SATPROF" sweep --json --quiet --resume small/run.satprof >all.json
		jq -e ".finished and .valid" all.json
		ls small >left.txt
	'
	[ "$(jq -c '[.trials[0:3][] | .window_pps]' full.json)" = \
		"$(jq -c '[.trials[0:3][] | .window_pps]' all.json)" ]
	[ "$(jq '.trials | length' all.json)" -gt "$(jq '.trials | length' full.json)" ]
	[ "$(cat left.txt)" = run.satprof ]
}

@test "a run file whose name is not UTF-8 can be resumed" {
	local run=$'r\xff\xc3.satprof' code=0
	(
		ulimit -f 170 # KiB
		"$SATPROF" sweep --quiet --sim capacity=100k,noise=1% --seed 1 -o "$run" \
			>out.txt 2>err.txt
	) || code=$?
	cat -v err.txt
	[ "$code" -eq 2 ]
	"$SATPROF" sweep --json --quiet --resume "$run" >all.json
	jq -e '.finished and .valid and (.run | startswith("r"))' all.json
}

@test "where no file can be made nothing is left, and the reason is one line" {
	mkdir ro
	export SATPROF
	in_mounts '
		mount -t tmpfs -o size=64k tmpfs ro
		code=0
		"$SATPROF" sweep --quiet --sim capacity=100k -o ro/a 2>err.txt || code=$?
		[ "$code" -eq 2 ]
		grep -q "No space left.*" err.txt
		grep -q "make room" err.txt
		[ -z "$(ls -A ro)" ]
		mount -o remount,ro ro
		"$SATPROF" sweep --quiet --sim capacity=100k -o ro/a 2>err.txt || code=$?
		[ "$code" -eq 2 ]
		grep -q "Read-only" err.txt
		[ "$(wc -l <err.txt)" -eq 1 ]
		[ -z "$(ls -A ro)" ]
	'
}

@test "a limit on file sizes is an error like a full disk" {
	code=0
	(
		ulimit -f 160
		exec "$SATPROF" sweep --quiet --sim capacity=100k,noise=1% --seed 1 \
			-o a.satprof >out.txt 2>err.txt
	) || code=$?
	echo "exit $code: $(cat err.txt)"
	[ "$code" -eq 2 ]
	grep -q "make room" err.txt
	"$SATPROF" show --json a.satprof >a.json || [ $? -ne 2 ]
	[ "$(jq ".trials | length" a.json)" -gt 0 ]
}

@test "under sudo the file is the caller's" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	SUDO_UID=12345 SUDO_GID=54321 "$SATPROF" sweep --quiet \
		--sim capacity=100k,noise=1% --seed 1 -o a.satprof >out.txt
	[ "$(stat -c %u:%g a.satprof)" = 12345:54321 ]
}

@test "what is no run file is exit 2, and standard output stays empty" {
	echo "time,goodput" >junk
	head -c 5000 /dev/urandom >noise
	mkfifo pipe
	for f in junk noise pipe . missing /dev/null; do
		run --separate-stderr "$SATPROF" show --json "$f"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done
}

@test "a terminal gets braille and colors, and neither when it is told not to" {
	need_command script
	"$SATPROF" sweep --quiet --sim capacity=100k,noise=1% --seed 1 -o a.satprof \
		>plain.txt
	export SATPROF TERM=xterm
	LC_ALL=C.UTF-8 script -qec '"$SATPROF" show a.satprof' /dev/null >tty.txt
	grep -q $'\033\\[1m' tty.txt
	LC_ALL=C grep -q $'\xe2[\xa0-\xa3]' tty.txt
	NO_COLOR=1 LC_ALL=C script -qec '"$SATPROF" show a.satprof' /dev/null |
		tr -d '\r' >dull.txt
	diff plain.txt dull.txt
	run ! grep -q '[^ -~]' plain.txt
	[ "$(wc -L <plain.txt)" -le 100 ]
}
