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

@test "a bad value is refused in one line with its option's name" {
	local args option
	while read -r args; do
		# shellcheck disable=SC2086
		run --separate-stderr "$SATPROF" $args
		echo "$args -> $status $stderr"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		option=${args##* --}
		[[ $stderr == *": --${option%% *}: "* ]]
	done <<-'END'
		generate lo --rate 99999999999999999999
		generate lo --rate 600Gbps
		generate lo --rate 0
		generate lo --time 0
		generate lo --time 1x
		generate lo --frame-size 63
		generate lo --flows 0
		generate lo --burst 65
		generate lo --dst-mac xx
		generate lo --dst-mac sut
		generate lo --dst-mac 0:0:0:0:0:0
		generate lo --pcap x --pace 0
		generate lo --cpu -1
		generate lo --rx lo --cpu-rx x
		forward a b --cpu 1k
		forward a b --cost x
		forward a b --cost-iterations -1
		forward --calibrate-cost 1h
		forward a b --limit 1e300
		forward a b --table 0
		lab up --limit 99999999999999999999Gbps
		lab up --frame-size 1
		lab up --burst 0
		lab up --cpu-recv x
		sweep --cpu-gen x
		sweep --margin 2
		sweep --seed -1
		sweep --restart x
		sweep --ndr x
		sweep --pid 0
	END
}

@test "an empty command or path is refused, not passed over" {
	local option arms
	for option in setup ready sut-stats pcap generator profiler wrap; do
		arms=off
		case $option in profiler | wrap) arms=off,$option ;; esac
		run --separate-stderr "$SATPROF" sweep "--$option" '' --arms $arms -- cat
		echo "$option -> $status $stderr"
		[ "$status" -eq 2 ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == *"--$option: the "*" is empty" ]]
	done
	run --separate-stderr "$SATPROF" generate lo --pcap ''
	[ "$status" -eq 2 ]
	[ "$stderr" = 'satprof generate: --pcap: the path is empty' ]
}

@test "a capture and a frame size exclude each other in both orders" {
	local args
	for args in '--pcap x --frame-size 100' '--frame-size 100 --pcap x' \
		'--pcap x --frame-size imix'; do
		# shellcheck disable=SC2086 # these are words
		run --separate-stderr "$SATPROF" generate no-such-if $args
		echo "generate $args -> $status $stderr"
		[ "$status" -eq 2 ]
		[[ $stderr == *'--pcap brings its own frames: no --frame-size' ]]
		# shellcheck disable=SC2086
		run --separate-stderr "$SATPROF" sweep $args
		[ "$status" -eq 2 ]
		[[ $stderr == *'--frame-size does not go with --pcap' ]]
	done
}

@test "the built-in forwarder takes no --sut-stats, under either name" {
	local sut
	for sut in '' '-- satprof forward {in} {out}' '-- /x/satprof forward {in} {out} --cost 1us'; do
		# shellcheck disable=SC2086 # these are words
		run --separate-stderr "$SATPROF" sweep --quiet --sut-stats true $sut
		echo "$sut -> $status $stderr"
		[ "$status" -eq 2 ]
		[[ $stderr == *'--sut-stats is for a SUT of your own'* ]]
	done
}

@test "messages name only commands and options that there are" {
	local cmd
	{
		# Options of other programs that remedies are made of.
		printf -- '--%s\n' args help version cap-add nofile scope security-opt slice \
			update-kernel
		for cmd in $("$SATPROF" --help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p'); do
			"$SATPROF" "$cmd" --help | grep -oE -- '--[a-z][a-z-]+'
		done
	} | sort -u >"$BATS_TEST_TMPDIR/there"
	run comm -13 "$BATS_TEST_TMPDIR/there" \
		<(grep -aoE -- "[\` '(]--[a-z][a-z-]+" "$SATPROF" |
			grep -oE -- '--.*' | sort -u)
	[ "$output" = "" ] || { echo "not there: $output"; false; }
	run grep -aoE "[\`']satprof [a-z]+" "$SATPROF"
	[ "${#lines[@]}" -gt 2 ]
	for cmd in "${lines[@]#?satprof }"; do
		"$SATPROF" --help | grep -q "^  $cmd " || { echo "no '$cmd'"; false; }
	done
}
