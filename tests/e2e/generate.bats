#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The built-in generator on a veth pair a0-b0 within one namespace: it sends on a0
# and, where a test says so, receives on b0.
bats_require_minimum_version 1.5.0
load helpers
BATS_TEST_RETRIES=2

setup() {
	setup_tmp
	N="satprof-n-$$-$BATS_TEST_NUMBER"
	PID=
}

teardown() {
	local p
	for p in $PID; do
		kill -9 "$p" 2>/dev/null || true
	done
	[ "$(id -u)" -ne 0 ] || ip netns del "$N" 2>/dev/null || true
	teardown_tmp
}

# on CMD...: within the namespace.
on() {
	ip netns exec "$N" "$@"
}

# pair A B: a veth pair, up, quiet, the kernel cutting bursts in software.
pair() {
	local dev
	ip -n "$N" link add "$1" type veth peer name "$2"
	for dev in "$1" "$2"; do
		on ethtool -K "$dev" gro off tso off tx off tx-udp-segmentation off
		ip -n "$N" link set "$dev" up
	done >ethtool.txt 2>&1
}

wire() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	need_command ip ethtool jq
	ip netns add "$N"
	on sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1
	ip -n "$N" link set lo up
	pair a0 b0
}

# gen ARGS...: generate with JSON into $json; its exit code into $status.
gen() {
	status=0
	json=$(on "$SATPROF" generate --json "$@" 2>stderr.txt) || status=$?
	echo "generate $*: exit $status: $(cat stderr.txt)"
	[ -z "$json" ] || q -c .
}

# flowing DEV BEFORE: wait until frames leave.
flowing() {
	local tries=0
	until [ "$(count "$1" tx_packets)" -gt "$2" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] || return 1
		sleep 0.1
	done
}

# count DEV COUNTER: one of the device's own counters.
count() {
	on cat "/sys/class/net/$1/statistics/$2"
}

# closes: every frame is accounted for.
closes() {
	[ "$(q '[.dirs[] | .intended == .unsent + .refused + .accepted] | all')" = true ]
}

# received: nothing was lost, doubled or foreign.
received() {
	[ "$(q '[.dirs[] | .unique == .accepted and .duplicate == 0 and .foreign == 0
		and .late == 0 and .rx_drop == 0] | all')" = true ]
}

@test "rates are exact to 0.1 % or one packet, from 1 pps up" {
	wire
	local row rate time tries ok
	for row in "1 3" "7 2" "100 2" "10k 1" "100k 1"; do
		read -r rate time <<<"$row"
		# A machine that stalls for longer than the burst cap may try again.
		for tries in 1 2 3 4 5; do
			gen a0 --rx b0 --rate "$rate" --time "$time" --realtime
			[ "$status" -eq 0 ]
			closes
			received
			ok=$(q '.dirs[0].accepted as $n |
				(.rate_pps * .seconds - $n | fabs) as $d |
				$d <= 1 or $d <= 0.001 * .rate_pps * .seconds')
			[ "$ok" = true ] && break
		done
		[ "$ok" = true ] || [ "$(q .late_slots)" -eq 0 ] ||
			skip "this machine stalls for over 10 ms"
		[ "$ok" = true ]
	done
}

@test "1 pps does not go flat out, and takes its time" {
	wire
	local t0 t1
	t0=$(date +%s%N)
	gen a0 --rate 1 --time 3
	t1=$(date +%s%N)
	[ "$(q '.dirs[0].accepted')" -eq 3 ]
	[ "$(count a0 tx_packets)" -eq 3 ]
	[ $(((t1 - t0) / 1000000)) -ge 2900 ]
	[ $(((t1 - t0) / 1000000)) -le 6000 ]
}

@test "rates below the burst keep to the rate" {
	wire
	gen a0 --rx b0 --rate 10 --burst 64 --time 1
	[ "$(q '.dirs[0].accepted')" -eq 10 ]
	received
}

@test "bursts are cut by the kernel, and every frame arrives" {
	wire
	gen a0 --rx b0 --rate 20k --burst 32 --time 500ms --realtime
	[ "$(q .path)" = offload ]
	closes
	received
	[ "$(count b0 rx_packets)" -eq "$(q '.dirs[0].unique')" ]
	[ "$(count b0 rx_bytes)" -eq "$((60 * $(q '.dirs[0].unique')))" ]
}

@test "an interface that takes bursts whole gets single frames, with the reason" {
	wire
	on ethtool -K a0 tx on tx-udp-segmentation on >ethtool.txt 2>&1
	gen a0 --rx b0 --rate 1k --burst 32 --time 500ms
	[ "$(q .path)" = plain ]
	received
	grep -q 'ethtool -K a0 tx-udp-segmentation off' stderr.txt
}

@test "checksums are right at the far end, in every size and on either path" {
	wire
	need_command tcpdump
	local row want=0
	ip netns exec "$N" tcpdump -i b0 -nn -vv -l -s 2000 -B 65536 udp >dump.txt 2>tcpdump.txt 3>&- &
	PID=$!
	timeout 10 sh -c 'until grep -q listening tcpdump.txt; do sleep 0.1; done'
	for row in "64 1" "64 16" "65 8" "67 1" "512 16" "1518 64" "imix 12"; do
		gen a0 --frame-size "${row% *}" --burst "${row#* }" --rate 2k --time 100ms \
			--flows 7
		[ "$status" -eq 0 ]
		want=$((want + $(q '.dirs[0].accepted')))
	done
	timeout 20 sh -c "until [ \$(grep -c '^ .*udp sum' dump.txt) -ge $want ]; do sleep 0.2; done"
	kill "$PID" && wait "$PID" || true
	PID=
	[ "$(grep -c 'udp sum ok' dump.txt)" -eq "$want" ]
	run ! grep -q 'bad' dump.txt
	# As many 5-tuples as were asked for.
	[ "$(sed -nE 's/^ +(198[0-9.]+ > 198[0-9.]+):.*/\1/p' dump.txt | sort -u | wc -l)" -eq 7 ]
}

@test "own frames are not received, whichever path they take" {
	wire
	gen a0 --rx a0 --rate 1k --time 500ms
	[ "$(q '.dirs[0] | .unique + .duplicate + .late + .foreign')" -eq 0 ]
	gen a0 --rx a0 --rate 1k --time 500ms --burst 16
	[ "$(q '.dirs[0] | .unique + .duplicate + .late + .foreign')" -eq 0 ]
	gen a0 --rx b0 --rate 1k --time 500ms --burst 16 --no-offload
	received
	gen a0 --rx b0 --rate 1k --time 500ms --burst 16
	received
	gen lo --rx lo --rate 1k --time 500ms
	received
}

@test "both directions at once are kept apart" {
	wire
	gen a0 --rx b0 --bidir --rate 5k --time 500ms --realtime
	closes
	received
	[ "$(q '.dirs | length')" -eq 2 ]
	[ "$(count a0 rx_packets)" -eq "$(q '.dirs[1].accepted')" ]
}

@test "noise is foreign, and costs nothing" {
	wire
	ip netns exec "$N" "$SATPROF" generate a0 --rate 2k --time 30 --json >noise.json 3>&- &
	PID=$!
	flowing a0 100
	gen a0 --rx b0 --rate 1k --time 500ms --realtime
	kill -INT "$PID" && wait "$PID" || true
	PID=
	[ "$(q '.dirs[0].unique == .dirs[0].accepted')" = true ]
	[ "$(q '.dirs[0].foreign')" -gt 500 ]
	[ "$(q '.dirs[0].duplicate + .dirs[0].late')" -eq 0 ]
}

@test "duplicates are counted apart: two forwarders on one wire" {
	wire
	pair c0 d0
	local i
	for i in 1 2; do
		ip netns exec "$N" "$SATPROF" forward b0 c0 --stats "stats$i" 3>&- &
		PID="$PID $!"
	done
	timeout 10 sh -c 'until [ -e stats1 ] && [ -e stats2 ]; do sleep 0.1; done'
	gen a0 --rx d0 --rate 1k --time 500ms
	# shellcheck disable=SC2086
	kill $PID && wait $PID || true
	PID=
	[ "$(q '.dirs[0].unique')" -eq "$(q '.dirs[0].accepted')" ]
	[ "$(q '.dirs[0].duplicate')" -eq "$(q '.dirs[0].accepted')" ]
	[ "$(q '.window_pps <= .rate_pps * 1.01')" = true ]
}

@test "a dead link sends nothing and is exit 6" {
	wire
	ip -n "$N" link set b0 down
	gen a0 --rate 1k --time 1
	[ "$status" -eq 6 ]
	grep -q 'a0 is down or has no carrier' stderr.txt
	[ "$(count a0 tx_packets)" -eq 0 ]
}

@test "a link that goes down meanwhile ends it with exit 6" {
	wire
	ip netns exec "$N" "$SATPROF" generate a0 --rate 1k --time 20 2>stderr.txt 3>&- &
	PID=$!
	flowing a0 100
	ip -n "$N" link set b0 down
	status=0
	wait "$PID" || status=$?
	PID=
	[ "$status" -eq 6 ]
	grep -q 'went down during a trial' stderr.txt
}

@test "every MTU has its largest frame, and one byte more is refused" {
	wire
	local mtu
	for mtu in 1280 1500 9000; do
		ip -n "$N" link set a0 mtu "$mtu"
		ip -n "$N" link set b0 mtu "$mtu"
		gen a0 --rx b0 --rate 500 --time 200ms --frame-size "$((mtu + 18))" --burst 4
		[ "$status" -eq 0 ]
		[ "$(q .path)" = offload ]
		received
		gen a0 --rx b0 --rate 500 --time 200ms --frame-size "$((mtu + 18))"
		received
		local before
		before=$(count a0 tx_packets)
		gen a0 --rate 500 --time 200ms --frame-size "$((mtu + 19))"
		[ "$status" -eq 2 ]
		grep -q "need an MTU of $((mtu + 1)), a0 has $mtu" stderr.txt
		[ "$(count a0 tx_packets)" -eq "$before" ]
	done
}

@test "a signal ends it at once, and what was accepted is what the device sent" {
	wire
	local burst
	for burst in 1 32; do
		local before
		before=$(count a0 tx_packets)
		ip netns exec "$N" "$SATPROF" generate a0 --max --burst "$burst" --time 20 --json >out.json \
			2>stderr.txt 3>&- &
		PID=$!
		flowing a0 $((before + 5))
		sleep 0.3
		kill -INT "$PID"
		status=0
		wait "$PID" || status=$?
		PID=
		[ "$status" -eq 130 ]
		json=$(cat out.json)
		closes
		[ "$(q .stopped)" = true ]
		[ "$(q '.seconds < 5')" = true ]
		# What the far queue had no room for was taken, and counted as dropped.
		local took=$(($(count a0 tx_packets) + $(count a0 tx_dropped) - before))
		if [ "$burst" = 1 ]; then
			[ "$(q '.dirs[0].accepted')" -eq \
				$(($(count a0 tx_packets) - before)) ]
		else # the probe for offload is a drop of its own
			[ "$(q '.dirs[0].accepted')" -le "$took" ]
			[ "$(q '.dirs[0].accepted')" -ge $((took - 3)) ]
		fi
	done
}

@test "a starved sender leaves frames unsent and does not stretch" {
	wire
	gen a0 --rate 20M --time 500ms --cpu 0
	closes
	[ "$(q '.dirs[0].unsent > 0')" = true ]
	[ "$(q '.late_slots > 0')" = true ]
	[ "$(q '.seconds < 0.51')" = true ]
	grep -q 'generator-limited' stderr.txt
}

@test "a receiver thread of its own accounts the same" {
	wire
	[ "$(nproc)" -gt 1 ] || skip "one CPU"
	gen a0 --rx b0 --rate 20k --time 500ms --cpu 0 --cpu-rx 1
	closes
	received
}

@test "latency is there for single frames, not for bursts" {
	wire
	gen a0 --rx b0 --rate 1k --time 500ms
	[ "$(q '.latency_ns.n')" -eq "$(q '.dirs[0].unique')" ]
	[ "$(q '.latency_ns.p50 > 0 and .latency_ns.p50 <= .latency_ns.max')" = true ]
	gen a0 --rx b0 --rate 1k --time 500ms --burst 4
	[ "$(q 'has("latency_ns")')" = false ]
}

@test "without the right to packet sockets it says which, exit 7" {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	need_command setpriv
	run setpriv --bounding-set -all --inh-caps -all --reuid 65534 --clear-groups \
		"$SATPROF" generate lo
	echo "$output"
	[ "$status" -eq 7 ]
	[[ "$output" == *CAP_NET_RAW* ]]
	run -7 "$SATPROF" generate no-such-interface0
	[[ "$output" == *no-such-interface0* ]]
}

@test "what does not go together is exit 2" {
	local args
	for args in "" "lo --rate 0" "lo --rate 5 --max" "lo --frame-size 63" \
		"lo --burst 65" "lo --bidir" "lo --pcap-tag" "lo --pace 1" \
		"lo --dst-mac sut" "lo lo" "lo --time 0" "lo --no-such"; do
		# shellcheck disable=SC2086
		run -2 "$SATPROF" generate $args
	done
}
