#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The front door: usage, version, unknown commands, broken output.
bats_require_minimum_version 1.5.0

@test "no command: usage on stderr, exit 2" {
	run --separate-stderr "$SATPROF"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"Usage: satprof COMMAND"* ]]
}

@test "--help: usage on stdout, exit 0" {
	run --separate-stderr "$SATPROF" --help
	[ "$status" -eq 0 ]
	[[ $output == "Usage: satprof COMMAND"* ]]
	[ -z "$stderr" ]
}

@test "--version: name and version" {
	run "$SATPROF" --version
	[ "$status" -eq 0 ]
	[[ $output =~ ^satprof\ [0-9]+\.[0-9]+ ]]
}

@test "an unknown command is named and exits 2" {
	run --separate-stderr "$SATPROF" frobnicate
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"'frobnicate' is not a command"* ]]
}

@test "a full output device is an error, not a success" {
	[ -c /dev/full ] || skip "no /dev/full"
	run bash -c '"$SATPROF" --version >/dev/full'
	[ "$status" -eq 2 ]
	[[ $output == *"cannot write"* ]]
}

@test "each command answers --help with exit 0 and usage with exit 2" {
	local cmd
	for cmd in $("$SATPROF" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
		run --separate-stderr "$SATPROF" "$cmd" --help
		[ "$status" -eq 0 ] || { echo "$cmd --help: $status"; false; }
		[[ $output == *Usage:* ]]
		run --separate-stderr "$SATPROF" "$cmd" --no-such-option
		[ "$status" -eq 2 ] || { echo "$cmd --no-such-option: $status"; false; }
		[ -z "$output" ]
	done
}
