#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Outside generators: the protocol, what is refused, how they end.
bats_require_minimum_version 1.5.0
load helpers
BATS_TEST_RETRIES=2

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

# none_runs SECONDS: no generator of this test is there, at the latest then.
none_runs() {
	local tries=$(($1 * 10))
	while pgrep -f -- "--log $T/log" >&2; do
		[ "$tries" -gt 0 ] || return 1
		tries=$((tries - 1))
		sleep 0.1
	done
}

@test "the capacity behind an outside generator is found" {
	outside "'$FAKE' --capacity 400000 --log '$T/log'" -o x.satprof
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
	none_runs 0
	# The text may be folded between its words.
	[[ "$("$SATPROF" show x.satprof --json | jq -r .fingerprint.generator)" == *fake-generator* ]]
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
	for signal in TERM KILL; do
		rm -f log x.satprof
		"$SATPROF" sweep --quiet --generator "'$FAKE' --log '$T/log' --answer 3=silence" \
			--sut none --arms off --preset smoke -o x.satprof >out.txt 2>err.txt 3>&- &
		pid=$!
		for ((i = 0; i < 100; i++)); do
			grep -qs '"trial":3' log && break
			sleep 0.1
		done
		pgrep -f -- "--log $T/log --answer" >/dev/null
		t0=$(date +%s%N)
		kill "-$signal" "$pid"
		code=0
		wait "$pid" || code=$?
		[ "$code" -eq $((128 + $(kill -l "$signal"))) ]
		[ $((($(date +%s%N) - t0) / 1000000)) -lt 4000 ]
		none_runs 2
	done
}

@test "the SUT's own counts close the ledger where the generator cannot" {
	cat >stats <<-'EOF'
		#!/bin/sh
		n=$(cat n 2>/dev/null || echo 1)
		echo $((n + 1)) >n
		echo "{\"in\": ${n}000, \"out\": ${n}000, \"dropped\": 0}"
	EOF
	chmod +x stats
	outside "'$FAKE'" --rates 10k --sut-stats "cd '$T' && ./stats" --blocks 6
	[ "$(q '.trials[-1].ledgers[0] | "\(.sut_in) \(.sut_drop) \(.sut_out)"')" = '1000 0 1000' ]
	[ "$(q '.trials[-1].valid')" = true ]
}

@test "counts of the SUT that never come are exit 2, that stop coming are a note" {
	outside "'$FAKE'" --rates 10k --sut-stats 'echo no such port >&2; exit 3' -o x.satprof
	[ "$status" -eq 2 ] && [ -z "$json" ] && [ "$(wc -l <stderr.txt)" -eq 1 ]
	grep 'such port >&2; exit 3` ended with status 3; its last output: no such port$' stderr.txt
	outside "'$FAKE'" --rates 10k --sut-stats true -o y.satprof
	[ "$status" -eq 2 ]
	grep -F '`true` did not print {"in": N' stderr.txt
	cat >stats <<-'EOF'
		#!/bin/sh
		[ ! -e seen ] || { echo gone; exit 1; }
		touch seen
		echo '{"in": 0, "out": 0, "dropped": 0}'
	EOF
	chmod +x stats
	outside "'$FAKE'" --rates 10k --sut-stats "cd '$T' && ./stats" --blocks 6 -o z.satprof
	[ "$(q '[.notes[] | select(contains("own counts are missing") and
		contains("status 1; its last output: gone"))] | length')" = 1 ]
	[ "$(q '.trials[-1].ledgers[0] | has("sut_in")')" = false ]
}

@test "the man page's example is a generator" {
	sed -n '/^#!.usr.bin.python3/,/^\.Ed/p' "$BATS_TEST_DIRNAME/../../man/satprof-generator.5" |
		grep -v '^\.Ed' >example
	chmod +x example
	outside ./example --rates 10k
	[ "$status" -eq 0 ]
	[ "$(q '[.trials[].loss_frac] | max')" = 0 ]
}

# A web server in the lab that lets through 300 requests/s and refuses the rest.
start_http() {
	need_command nginx httperf
	HTTP=$BATS_TEST_DIRNAME/../../scripts/generators/http
	mkdir www
	echo ok >www/page
	cat >nginx.conf <<-EOF
		daemon off;
		user root;
		worker_processes 1;
		pid "$T/nginx.pid";
		error_log stderr crit;
		events { worker_connections 4096; }
		http {
			access_log off;
			limit_req_zone \$server_port zone=all:1m rate=300r/s;
			client_body_temp_path "$T/a";
			proxy_temp_path "$T/b";
			fastcgi_temp_path "$T/c";
			uwsgi_temp_path "$T/d";
			scgi_temp_path "$T/e";
			server {
				listen 8080 backlog=4096;
				root "$T/www";
				limit_req zone=all burst=5 nodelay;
			}
		}
	EOF
}

@test "http: the limit of a web server in the lab is found, a request a packet" {
	start_http
	sweep_twice --lab --generator "'$HTTP' http://198.18.255.1:8080/page" --arms off \
		--preset smoke --trial-time 0.6s --ready "test -s '$T/nginx.pid'" -- \
		nginx -c "$T/nginx.conf"
	[ "$status" -eq 0 ]
	near "$(q '.arms[0].knee_pps')" 300 8
	[ "$(q '.arms[0].limited_by')" = sut ]
	[ "$(q '[.trials[] | .loss_frac] | min >= 0')" = true ]
	[ "$(q '[.trials[] | select(.rate_pps > 350) | .loss_frac] | max > 0.05')" = true ]
}

@test "http: no server, no URL" {
	start_http
	sweep --lab --generator "'$HTTP' http://198.18.255.1:8080/page" --arms off \
		--preset smoke --ready-timeout 1s --sut none
	[ "$status" -eq 6 ]
	grep -q 'none of the probe packets' stderr.txt
	outside "'$HTTP' ftp://198.18.255.1/"
	[ "$status" -eq 7 ]
	grep -q 'exited with status 2 .*not an http:// URL: ftp://198.18.255.1/' stderr.txt
}

# start_trex ARGS...: a fake server; its RPC port in $rpc, what it was asked in trex.log.
start_trex() {
	/usr/bin/python3 -c 'import zmq' 2>/dev/null || skip "python3-zmq is not installed"
	TREX=$BATS_TEST_DIRNAME/../../scripts/generators/trex
	rm -f port
	"$BATS_TEST_DIRNAME/fake-trex" port --log trex.log "$@" 3>&- &
	server=$!
	for ((i = 0; i < 100; i++)); do
		[ -s port ] && break
		sleep 0.1
	done
	rpc=$(cat port)
}

# end_trex: and every port that was taken has been given back.
end_trex() {
	kill "$server" 2>/dev/null
	wait "$server" || true
	cat trex.log
	[ "$(grep -c acquire trex.log)" -eq "$(grep -c release trex.log)" ]
}

# told ARGS...: hello, a trial of 800 packets and bye to the adapter, its answers in $told.
told() {
	told=$(printf '{"op":%s}\n' '"hello","schema":1' \
		'"trial","rate_pps":2000,"seconds":0.4,"frame_bytes":64,"trial":1' '"bye"' |
		timeout 20 "$TREX" 127.0.0.1 --port "$rpc" --timeout 1 "$@" 2>adapter.txt)
	echo "$told"
}

# one TRIAL-FIELD: of the answer to the trial.
one() {
	sed -n 2p <<<"$told" | jq -r ".$1"
}

@test "trex: the capacity behind a server is found, and its ports are given back" {
	start_trex --capacity 20000 --zip --lag 0.05
	sweep --generator "'$TREX' 127.0.0.1 --port $rpc" --sut none --arms off --rates 40k \
		--trial-time 0.4s --blocks 6
	[ "$status" -eq 0 ]
	near "$(q '[.trials[] | select(.block > 0) | .window_pps] |
		sort | .[length / 2]')" 20000 5
	[ "$(q '[.trials[].loss_frac] | min >= 0')" = true ]
	end_trex
}

@test "trex: plain and compressed replies, busy, in progress, counters that lag" {
	for args in '' --zip '--busy 3' '--ticket 3' '--lag 0.2'; do
		# shellcheck disable=SC2086
		start_trex --capacity 1500 $args
		told
		[ "$(one sent)" -eq 800 ] && [ "$(one received)" -eq 600 ]
		near "$(one window_pps)" 1500 5
		end_trex
	done
}

@test "trex: counters that cannot be true are measured again, then an error" {
	for args in '--wrap 1' '--foreign 1'; do
		# shellcheck disable=SC2086
		start_trex $args
		told
		[ "$(one sent) $(one received)" = '800 800' ]
		end_trex
	done
	start_trex --wrap 9
	told
	[[ $(one error) == 'the counters ran backwards: opackets '*', 3 times in a row' ]]
	end_trex
	start_trex --foreign 9
	told
	[ "$(one error)" = '803 packets received of 800 sent, 3 times in a row' ]
	end_trex
}

@test "trex: a server that refuses, is busy for ever or sends garbage" {
	start_trex --api-mismatch
	told
	[[ $told == *"refused api_sync_v2: API type 'STL' version mismatch - server: 4.0"* ]]
	end_trex
	start_trex --taken
	told
	[[ $told == *"refused acquire: port is already taken by 'alice'"* ]]
	[ "$(wc -l <<<"$told")" -eq 3 ]
	told --force
	[ "$(one sent)" -eq 800 ]
	kill "$server"
	start_trex --busy 100000
	told
	[ "$(one error)" = 'the TRex server was busy with start_traffic for 5 s' ]
	end_trex
	start_trex --zip --garbage add_stream
	told
	[[ $(one error) == 'the TRex server'*'add_stream is garbage: b'* ]]
	end_trex
}

@test "trex: a server that dies, or was never there, ends the run in time" {
	start_trex --die-at 2
	t0=$(date +%s)
	outside "'$TREX' 127.0.0.1 --port $rpc --timeout 1" --rates 10k
	[ "$status" -eq 6 ]
	grep -q "did not answer get_port_stats within 1 s" stderr.txt
	outside "'$TREX' 127.0.0.1 --port $rpc --timeout 1" --rates 10k
	[ "$status" -eq 7 ]
	grep -q "did not answer api_sync_v2 within 1 s" stderr.txt
	[ $(($(date +%s) - t0)) -lt 15 ]
}

@test "trex: a signal in the middle of a trial gives the ports back" {
	start_trex
	"$SATPROF" sweep --quiet --generator "'$TREX' 127.0.0.1 --port $rpc" --sut none \
		--arms off --rates 10k --trial-time 5s -o x.satprof >out.txt 2>err.txt 3>&- &
	pid=$!
	for ((i = 0; i < 200; i++)); do
		[ "$(grep -c start_traffic trex.log)" -ge 4 ] && break
		sleep 0.1
	done
	kill -TERM "$pid"
	code=0
	wait "$pid" || code=$?
	[ "$code" -eq 143 ]
	[ "$(tail -n1 trex.log)" = 'release 1' ]
	end_trex
}
