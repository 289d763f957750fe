#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The built-in forwarder between two veth pairs, gen0-sut0 and sut1-gen1.
bats_require_minimum_version 1.5.0
load helpers
BATS_TEST_RETRIES=2

setup() {
	setup_tmp
	LIVE="${top_builddir:-.}/tests/e2e/forward-live"
	LIVE=$(cd "$OLDPWD" && realpath "$LIVE")
	G="satprof-g-$$-$BATS_TEST_NUMBER"
	S="satprof-s-$$-$BATS_TEST_NUMBER"
	PID=
}

teardown() {
	[ -z "$PID" ] || kill -9 "$PID" 2>/dev/null || true
	[ "$(id -u)" -ne 0 ] || {
		ip netns del "$G" 2>/dev/null || true
		ip netns del "$S" 2>/dev/null || true
	}
	teardown_tmp
}

# wires MTU: the two pairs, up, quiet, without offloads.
wires() {
	local mtu=${1:-1500} end ns dev
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	need_command ip ethtool
	ip netns add "$G"
	ip netns add "$S"
	for ns in "$G" "$S"; do
		ip netns exec "$ns" sysctl -qw net.ipv6.conf.default.disable_ipv6=1
	done
	ip -n "$G" link add gen0 mtu "$mtu" type veth peer sut0 mtu "$mtu" netns "$S"
	ip -n "$G" link add gen1 mtu "$mtu" type veth peer sut1 mtu "$mtu" netns "$S"
	for end in "$G gen0" "$G gen1" "$S sut0" "$S sut1"; do
		read -r ns dev <<<"$end"
		ip netns exec "$ns" ethtool -K "$dev" gro off gso off tso off tx off
		ip -n "$ns" link set "$dev" up
	done >ethtool.txt 2>&1
}

# forward ARGS...: start it between the wires and wait until it is ready.
forward() {
	rm -f stats
	ip netns exec "$S" "$SATPROF" forward --stats stats "$@" 2>line.txt &
	PID=$!
	local tries=0
	until [ -e stats ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || { cat line.txt; return 1; }
		sleep 0.05
	done
}

# stop [SIGNAL]: end it; its status goes to $status and its last line to $line.
stop() {
	kill -"${1:-TERM}" "$PID"
	ended
}

ended() {
	status=0
	wait "$PID" || status=$?
	PID=
	line=$(cat line.txt)
	echo "exit $status: $line"
}

live() {
	ip netns exec "$G" "$LIVE" "$@"
}

# count NAME: the number after these words in the last line.
count() {
	sed -n "s/.*$1 \([0-9][0-9]*\).*/\1/p" <<<"$line"
}

@test "wrong usage is exit 2 with one line that says what" {
	local args
	while read -r args; do
		# shellcheck disable=SC2086
		run --separate-stderr "$SATPROF" forward $args
		[ "$status" -eq 2 ] || { echo "forward $args: $status"; false; }
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
	done <<-'END'

		lo
		lo lo
		a b c
		a b --poll --busy
		a b --cost
		a b --cost -1
		a b --cost 1e3
		a b --cost 2m
		a b --cost-iterations 1.5
		a b --limit 0
		a b --limit fast
		a b --table 0
		a b --table 99999999999
		a b --cpu x
		a b --calibrate-cost 5
		--calibrate-cost 5 --cost 5
		a b --nonsense
	END
}

@test "an interface that is not there is exit 7, one that is down exit 2" {
	run --separate-stderr "$SATPROF" forward lo nosuch0
	[ "$status" -eq 7 ]
	[[ $stderr == *"'nosuch0'"* ]]
	wires
	ip -n "$S" link set sut1 down
	run --separate-stderr ip netns exec "$S" "$SATPROF" forward sut0 sut1
	[ "$status" -eq 2 ]
	[[ $stderr == *"sut1 is down"*"ip link set sut1 up"* ]]
}

@test "the planted functions have names, and the calibration repeats" {
	need_command nm
	nm "$SATPROF" | grep -q ' [Tt] forward_cost$'
	nm "$SATPROF" | grep -q ' [Tt] forward_lookup$'
	local n min=999999999 max=0
	for _ in 1 2 3; do
		n=$("$SATPROF" forward --calibrate-cost 10000)
		[ "$n" -lt "$min" ] && min=$n
		[ "$n" -gt "$max" ] && max=$n
	done
	near "$max" "$min" 5
	[ "$("$SATPROF" forward --calibrate-cost 0)" -eq 0 ]
}

@test "every frame leaves as it came, in order: all sizes, no tag to two" {
	wires
	forward sut0 sut1
	run live exact gen0 gen1 0 60 1514 3000
	[ "$output" = "sent 3000 exact 3000 wrong 0" ]
	run live exact gen0 gen1 1 60 1518 1500
	[ "$output" = "sent 1500 exact 1500 wrong 0" ]
	# The kernel lets only a single 802.1Q tag exceed the MTU.
	run live exact gen0 gen1 2 60 1514 1500
	[ "$output" = "sent 1500 exact 1500 wrong 0" ]
	# The other way nothing goes.
	run live exact gen1 gen0 0 60 100 16
	[ "$output" = "sent 16 exact 0 wrong 0" ]
	stop
	[ "$status" -eq 0 ]
	[ "$(count received)" -eq 6000 ]
	[ "$(count forwarded)" -eq 6000 ]
	[[ $line == *"sut0 -> sut1"* ]]
	[ "$(wc -l <line.txt)" -eq 1 ]
}

@test "--bidir and --busy: both ways, and what leaves does not come back" {
	wires
	forward sut0 sut1 --bidir --busy
	run live exact gen0 gen1 0 60 300 1000
	[ "$output" = "sent 1000 exact 1000 wrong 0" ]
	run live exact gen1 gen0 1 60 300 500
	[ "$output" = "sent 500 exact 500 wrong 0" ]
	stop INT
	[ "$status" -eq 0 ]
	[[ $line == *"sut0 -> sut1: received 1000, forwarded 1000;"* ]]
	[[ $line == *"sut1 -> sut0: received 500, forwarded 500;"* ]]
}

@test "jumbo frames up to an MTU of 9216" {
	wires 9216
	forward sut0 sut1
	run live exact gen0 gen1 1 9000 9234 500
	[ "$output" = "sent 500 exact 500 wrong 0" ]
	run live exact gen0 gen1 0 60 9230 300
	[ "$output" = "sent 300 exact 300 wrong 0" ]
	stop
	[ "$status" -eq 0 ]
	[ "$(count forwarded)" -eq 800 ]
}

@test "frames longer than the way out are counted, others pass" {
	wires
	ip -n "$S" link set sut1 mtu 1000
	forward sut0 sut1
	run live exact gen0 gen1 0 60 1014 955
	[ "$output" = "sent 955 exact 955 wrong 0" ]
	# In the middle of a batch, and by a byte; an 802.1Q tag does not count.
	live exact gen0 gen1 0 1013 1016 16
	live exact gen0 gen1 1 1017 1020 16
	stop
	[ "$status" -eq 0 ]
	[ "$(count oversize)" -eq 16 ]
	[ "$(count received)" -eq 987 ]
	[ "$(count forwarded)" -eq 971 ]
}

@test "checksums left to hardware are filled in" {
	wires
	ip netns exec "$G" ethtool -K gen0 tx on >/dev/null
	forward sut0 sut1
	run live csum gen0 gen1 1500
	[ "$output" = "sent 1500 exact 1500 wrong 0" ]
	stop
	[ "$status" -eq 0 ]
	[[ $line == *"1500 partial checksums filled in"* ]]
	[ "$(count forwarded)" -eq 1500 ]
}

@test "frames that hardware should have cut are counted and explained" {
	wires
	ip netns exec "$G" ethtool -K gen0 tx on sg on gso on tso on \
		tx-udp-segmentation on >/dev/null
	forward sut0 sut1
	live gso gen0 5
	run live exact gen0 gen1 0 60 100 16
	[ "$output" = "sent 16 exact 16 wrong 0" ]
	stop
	[ "$status" -eq 0 ]
	[ "$(count oversize)" -eq 10 ]
	[ "$(count forwarded)" -eq 16 ]
	[[ $line == *"ethtool -K sut0 gro off"* ]]
}

@test "--limit polices to the rate, and all that came in is accounted for" {
	local seconds=3 out
	wires
	forward sut0 sut1 --limit 1k
	out=$(live flood gen0 5000 "$seconds")
	stop
	[ "$status" -eq 0 ]
	[ "$out" = "sent $(count received)" ]
	[ "$(count received)" -eq $(($(count forwarded) + $(count policed))) ]
	near "$(count forwarded)" $((1000 * seconds + 32)) 2
	# 60 bytes given to the socket are 64 on the wire, 512 bits.
	forward sut0 sut1 --limit 512kbps
	live flood gen0 5000 "$seconds"
	stop
	near "$(count forwarded)" $((1000 * seconds + 32)) 2
}

@test "--cost and --table lose nothing, and say what they are" {
	wires
	forward sut0 sut1 --cost 2us --table 4
	run live exact gen0 gen1 1 60 300 500
	[ "$output" = "sent 500 exact 500 wrong 0" ]
	stop
	[ "$status" -eq 0 ]
	[[ $line =~ "cost "[0-9]+" iterations a frame" ]]
	forward sut0 sut1 --cost 5000 --cost-iterations 77
	stop
	[[ $line == *"cost 77 iterations a frame"* ]]
}

@test "--stats: the counters as others read them" {
	wires
	forward sut0 sut1
	live exact gen0 gen1 0 60 100 160
	stop
	# magic, version, directions, polls, empty polls, empty poll's time, time;
	# then received, ring drops, forwarded
	run od -A n -t u8 -w8 -v stats
	[ "${lines[1]// /}" -eq 1 ]
	[ "${lines[2]// /}" -eq 1 ]
	[ "${lines[3]// /}" -ge "${lines[4]// /}" ]
	[ "${lines[4]// /}" -gt 0 ]
	[ "${lines[7]// /}" -eq 160 ]
	[ "${lines[8]// /}" -eq 0 ]
	[ "${lines[9]// /}" -eq 160 ]
	run --separate-stderr ip netns exec "$S" "$SATPROF" forward sut0 sut1 \
		--stats no/such/folder/stats
	[ "$status" -eq 2 ]
	[[ $stderr == *"no/such/folder"* ]]
}

@test "--cpu: it runs there and nowhere else" {
	wires
	forward sut0 sut1 --cpu 0
	grep -Eq '^Cpus_allowed_list:[[:space:]]*0$' "/proc/$PID/status"
	stop
	[ "$status" -eq 0 ]
	run --separate-stderr ip netns exec "$S" "$SATPROF" forward sut0 sut1 --cpu 1023
	[ "$status" -eq 2 ]
	[[ $stderr == *"CPU 1023"* ]]
}

@test "a shaper on the way out is not bypassed" {
	wires
	need_command tc
	tc -n "$S" qdisc add dev sut1 root tbf rate 100mbit burst 20k limit 100k
	forward sut0 sut1
	run live exact gen0 gen1 0 60 300 320
	[ "$output" = "sent 320 exact 320 wrong 0" ]
	stop
	[ "$status" -eq 0 ]
	[[ $(tc -n "$S" -s qdisc show dev sut1) == *" 320 pkt "* ]]
}

@test "an interface that goes down or away ends it with exit 6 and its name" {
	local idle
	for idle in --poll --busy; do
		wires
		forward sut0 sut1 "$idle"
		live exact gen0 gen1 0 60 60 16
		ip -n "$S" link set sut0 down
		ended
		[ "$status" -eq 6 ]
		[[ $line == *"interface sut0 "* ]]
		[[ $line == *"forwarded 16"* ]]
		ip -n "$S" link set sut0 up
		forward sut0 sut1 "$idle"
		ip -n "$S" link del sut0
		ended
		[ "$status" -eq 6 ]
		[[ $line == *"sut0 vanished"* ]]
		ip netns del "$G"
		ip netns del "$S"
	done
}

@test "frames that a full queue drops are tried once and counted" {
	wires
	need_command tc
	tc -n "$S" qdisc add dev sut1 root tbf rate 1mbit burst 2k limit 3k
	forward sut0 sut1
	live flood gen0 20000 1
	stop
	[ "$status" -eq 0 ]
	[ "$(count 'send refused')" -gt 1000 ]
	[ "$(count received)" -eq \
		$(($(count forwarded) + $(count 'send refused') + $(count full))) ]
	[[ $(tc -n "$S" -s qdisc show dev sut1) == *"dropped $(count 'send refused'),"* ]]
}

@test "a way out that goes down is noticed by the first frame" {
	wires
	forward sut0 sut1
	ip -n "$S" link set sut1 down
	live exact gen0 gen1 0 60 60 1 || true
	ended
	[ "$status" -eq 6 ]
	[[ $line == *"sut1 went down"* ]]
	[ "$(count received)" -eq $(($(count forwarded) + $(count 'send refused'))) ]
}
