#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# `satprof export`: files, selectors, words and codes; and other programs that read what
# it writes.

load helpers
bats_require_minimum_version 1.5.0

setup() {
	setup_tmp
	MADE="${top_builddir:-.}/tests/e2e/made-run"
	"$MADE" hurts r.satprof
}

teardown() {
	teardown_tmp
}

export_run() {
	run --separate-stderr "$SATPROF" export "$@"
	echo "exit $status: $stderr"
}

# folded_sum: the weights of folded lines on standard input, added up.
folded_sum() {
	awk '{ sum += $NF } END { printf "%.0f\n", sum }'
}

@test "every format goes to standard output and to a file, the same" {
	for format in json csv folded pprof speedscope benchfmt openmetrics otava gha; do
		"$SATPROF" export r.satprof --format $format >out.$format 2>err.txt
		"$SATPROF" export r.satprof --format $format -o file.$format 2>err.txt
		[ -s out.$format ]
		cmp out.$format file.$format
		run ! "$SATPROF" export r.satprof --format $format -o file.$format
		cmp out.$format file.$format
	done
}

@test "a file that exists is left alone: exit 2" {
	echo mine >mine
	export_run r.satprof --format folded -o mine
	[ "$status" -eq 2 ]
	[[ $stderr == *"mine: it exists"* ]]
	[ "$(cat mine)" = mine ]
}

@test "an unknown format names those that there are: exit 2" {
	export_run r.satprof --format svg
	[ "$status" -eq 2 ]
	[[ $stderr == *"'svg' is not a format; there are json, csv, folded, pprof, speedscope"* ]]
	export_run r.satprof
	[ "$status" -eq 2 ]
	[[ $stderr == *"which --format?"*folded* ]]
	[ -z "$output" ]
}

@test "what was written is said in one line" {
	export_run r.satprof@above --format folded
	[ "$status" -eq 0 ]
	sum=$(folded_sum <<<"$output")
	[[ $stderr == "folded: 4 trials, "*" samples of cpu-clock, weight $sum ns" ]]
	export_run r.satprof@above --format folded --quiet
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
}

@test "selectors take some of the trials" {
	"$SATPROF" export r.satprof@below --format json >below.json
	[ "$(jq -c '[.trials[] | [.kind, .rel_rate]] | unique' below.json)" = \
		'[["profile",0.85]]' ]
	"$SATPROF" export 'r.satprof@arm=sample@997,@above' --format json >above.json
	[ "$(jq -c '[.trials[].rel_rate] | unique' above.json)" = '[1.15]' ]
	"$SATPROF" export r.satprof@trial=1..3 --format json >three.json
	[ "$(jq -c '[.trials[].id]' three.json)" = '[1,2,3]' ]
	both=$(jq .event.weight below.json above.json | awk '{ s += $1 } END { printf "%.0f", s }')
	[ "$("$SATPROF" export r.satprof@below,above --format folded | folded_sum)" = "$both" ]
}

@test "a file whose name has an @ is that file" {
	cp r.satprof 'r@off'
	"$SATPROF" export 'r@off' --format folded | grep -q .
	"$SATPROF" export 'r@off@below' --format folded | grep -q .
}

@test "the reference arm has no functions: exit 2; its trials it has" {
	for format in csv folded pprof speedscope; do
		export_run r.satprof@off --format $format
		[ "$status" -eq 2 ]
		[[ $stderr == *"takes no samples"* ]]
		[ -z "$output" ]
	done
	"$SATPROF" export r.satprof@off --format json >off.json
	jq -e '(.trials | length) == 40 and (has("functions") | not)' off.json
}

@test "wrong words are errors of usage: exit 2" {
	for words in 'r.satprof@bleow --format csv' 'r.satprof@arm=perf@97 --format csv' \
		'r.satprof@trial=999 --format csv' 'none.satprof --format csv' \
		'r.satprof r.satprof --format csv' '--format csv' \
		'r.satprof --format csv --event cycles' \
		'r.satprof --format csv --better lower' 'r.satprof --format gha --better up' \
		'r.satprof --format csv -o no/such/folder'; do
		# shellcheck disable=SC2086 # words
		export_run $words
		[ "$status" -eq 2 ]
		[ -n "$stderr" ]
		[ -z "$output" ]
	done
	[ "$(ls)" = r.satprof ]
}

@test "a run that is broken has no numbers: exit 6" {
	"$MADE" short short.satprof
	for format in benchfmt openmetrics otava gha; do
		export_run short.satprof --format $format -o x
		[ "$status" -eq 6 ]
		[ ! -e x ]
	done
	"$SATPROF" export short.satprof --format folded | grep -q .
}

@test "the numbers of which less is better are another file" {
	"$SATPROF" export r.satprof --format gha >more.json
	"$SATPROF" export r.satprof --format gha --better lower >less.json
	[ "$(jq -c '[.[].unit] | unique' more.json)" = '["packets/s"]' ]
	[ "$(jq -c '[.[].unit] | unique' less.json)" = '["ns/packet"]' ]
}

@test "all that is odd in a run comes out as what each format is" {
	"$MADE" full full.satprof
	"$SATPROF" export full.satprof@on --format json | jq -e '.functions | length > 0'
	"$SATPROF" export full.satprof@on --format speedscope | jq -e '.profiles | length > 0'
	"$SATPROF" export full.satprof@on --format folded >folded.txt
	[ "$(grep -cvE '^[^ ;]+(;[^ ;]+)* [0-9]+$' folded.txt)" -eq 0 ]
	"$SATPROF" export full.satprof@on --format pprof | gunzip >/dev/null
	iconv -f UTF-8 -t UTF-8 folded.txt >/dev/null
}

# What https://www.speedscope.app/file-format-schema.json asks of a sampled profile.
@test "speedscope's schema holds" {
	"$SATPROF" export r.satprof --format speedscope >s.json
	jq -e '
		(.shared.frames | length) as $n |
		."$schema" == "https://www.speedscope.app/file-format-schema.json" and
		(.shared.frames | all(.name | type == "string")) and
		(.profiles | length > 0 and all(
			.type == "sampled" and (.name | type == "string") and
			(.unit | IN("none", "nanoseconds", "microseconds", "milliseconds",
				"seconds", "bytes")) and
			.startValue == 0 and .endValue == (.weights | add) and
			(.samples | length) == (.weights | length) and
			(.samples | all(length > 0 and all(. >= 0 and . < $n and . == floor)))))
	' s.json
}

@test "go tool pprof opens it and finds the weight" {
	need_command go
	"$SATPROF" export r.satprof@above --format pprof -o p.pb.gz 2>err.txt
	weight=$("$SATPROF" export r.satprof@above --format folded --quiet | folded_sum)
	HOME=$T go tool pprof -raw p.pb.gz >raw.txt
	grep -q 'cpu-clock/nanoseconds' raw.txt
	[ "$(awk '/^Samples:/ { on = 1; getline; next } /^Locations/ { on = 0 }
		on && /^ *[0-9]+ +[0-9]+:/ { sum += $2 } END { printf "%.0f\n", sum }' raw.txt)" = \
		"$weight" ]
	HOME=$T go tool pprof -top p.pb.gz >top.txt
	grep -q 'veth_xmit' top.txt
	HOME=$T go tool pprof -tags p.pb.gz >tags.txt
	grep -q 'sample@997' tags.txt
}

@test "pprof is not for a terminal" {
	need_command script
	script -qec "'$SATPROF' export r.satprof --format pprof" typescript >out.txt || code=$?
	[ "${code-0}" -eq 2 ]
	grep -q 'not for a terminal' out.txt
}

@test "a full disk leaves nothing behind: exit 2" {
	export SATPROF
	unshare -Urm true 2>/dev/null || unshare -m true 2>/dev/null || skip "no mount namespaces here"
	mkdir small
	# shellcheck disable=SC2016 # for the inner shell
	in_small='mount -t tmpfs -o size=4k tmpfs small
		code=0
		"$SATPROF" export r.satprof --format json -o small/x 2>err.txt || code=$?
		cat err.txt
		[ "$code" -eq 2 ]
		grep -q "No space left" err.txt
		[ -z "$(ls small)" ]'
	unshare -m bash -euc "$in_small" || unshare -Urm bash -euc "$in_small"
}
