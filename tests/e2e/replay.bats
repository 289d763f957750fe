#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Captures replayed by the built-in generator: byte for byte, or refused.
bats_require_minimum_version 1.5.0
load helpers
BATS_TEST_RETRIES=2

setup() {
	setup_tmp
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	need_command ip ethtool jq tcpdump perl
	N="satprof-r-$$-$BATS_TEST_NUMBER"
	M="satprof-m-$$-$BATS_TEST_NUMBER"
	PID=
	ip netns add "$N"
	ip netns add "$M"
	on sysctl -qw net.ipv6.conf.default.disable_ipv6=1
	ip -n "$N" link add a0 type veth peer name b0
	local dev
	for dev in a0 b0; do
		on ethtool -K "$dev" gro off gso off tso off tx off
		ip -n "$N" link set "$dev" up
	done >ethtool.txt 2>&1
}

teardown() {
	[ -z "$PID" ] || kill -9 "$PID" 2>/dev/null || true
	[ "$(id -u)" -ne 0 ] || {
		ip netns del "$N" 2>/dev/null || true
		ip netns del "$M" 2>/dev/null || true
	}
	teardown_tmp
}

on() {
	ip netns exec "$N" "$@"
}

gen() {
	status=0
	json=$(on "$SATPROF" generate --json "$@" 2>stderr.txt) || status=$?
	echo "generate $*: exit $status: $(cat stderr.txt)"
	[ -z "$json" ] || q -c .
}

# dump NETNS DEV FILE in|inout: capture in the background, ready when it returns.
dump() {
	ip netns exec "$1" tcpdump -i "$2" -Q "$4" -Z root -U --immediate-mode -s 2000 -B 8192 -w "$3" 2>"$3.txt" 3>&- &
	PID=$!
	timeout 10 sh -c "until grep -q listening '$3.txt'; do sleep 0.1; done"
}

# end_dump FILE: when nothing more comes.
end_dump() {
	local size=
	until [ "$size" = "$(stat -c %s "$1")" ]; do
		size=$(stat -c %s "$1")
		sleep 0.5
	done
	kill "$PID" && wait "$PID" || true
	PID=
}

# frames FILE: every frame's bytes, one a line.
frames() {
	tcpdump -nn -t -xx -r "$1" 2>/dev/null |
		awk '/^\t0x/ { sub(/^\t0x[0-9a-f]+: /, ""); gsub(/ /, ""); line = line $0; next }
			line != "" { print line; line = "" } END { print line }'
}

# talk: real traffic of a handful of protocols between two hosts, m0 and m1.
talk() {
	ip -n "$M" link add m0 type veth peer name m1 netns "$N"
	ip netns exec "$M" ethtool -K m0 gro off gso off tso off tx off >ethtool.txt 2>&1
	on ethtool -K m1 gro off gso off tso off tx off >ethtool.txt 2>&1
	on sysctl -qw net.ipv6.conf.m1.disable_ipv6=0
	ip -n "$M" link set m0 up
	ip -n "$N" link set m1 up
	dump "$M" m0 real.pcap inout
	ip -n "$M" addr add 192.0.2.1/24 dev m0
	ip -n "$N" addr add 192.0.2.2/24 dev m1
	ip -n "$M" addr add 2001:db8::1/64 dev m0 nodad
	ip -n "$N" addr add 2001:db8::2/64 dev m1 nodad
	ip netns exec "$N" perl -MIO::Socket::INET -e '
		my $s = IO::Socket::INET->new(Listen => 1, LocalPort => 8080) or die;
		print "ready\n"; STDOUT->flush;
		my $c = $s->accept; my $l = <$c>; print $c "got $l" x 2000; close $c' >ready 3>&- &
	local server=$!
	timeout 10 sh -c 'until grep -q ready ready; do sleep 0.1; done'
	# TCP with data both ways, after ARP.
	ip netns exec "$M" perl -MIO::Socket::INET -e '
		my $c = IO::Socket::INET->new(PeerAddr => "192.0.2.2:8080") or die;
		print $c "hello there\n"; 1 while <$c>'
	wait "$server"
	# UDP to a closed port: the answer is ICMP; the same over IPv6, after ND.
	ip netns exec "$M" bash -c 'echo query >/dev/udp/192.0.2.2/53'
	ip netns exec "$M" bash -c 'echo query >/dev/udp/2001:db8::2/53'
	end_dump real.pcap
}

@test "a real capture is replayed byte for byte" {
	talk
	local what
	for what in arp icmp tcp icmp6 'udp and ip' 'udp and ip6'; do
		[ "$(tcpdump -r real.pcap "$what" 2>/dev/null | wc -l)" -ge 1 ]
	done
	dump "$N" b0 seen.pcap in
	gen a0 --rx b0 --pcap real.pcap --rate 2k --realtime
	end_dump seen.pcap
	[ "$status" -eq 0 ]
	frames real.pcap >real.txt
	frames seen.pcap >seen.txt
	[ "$(wc -l <real.txt)" -ge 20 ]
	diff real.txt seen.txt
	[ "$(q '.dirs[0].unique')" -eq "$(wc -l <real.txt)" ]
	[ "$(q '.dirs[0] | .duplicate + .late + .foreign')" -eq 0 ]
}

@test "its own pace is kept, and can be scaled" {
	talk
	local span
	span=$(tcpdump -tt -nn -r real.pcap 2>/dev/null |
		awk 'NR == 1 { a = $1 } { b = $1 } END { print b - a }')
	gen a0 --rx b0 --pcap real.pcap --pace 1 --realtime
	near "$(q .seconds)" "$span" 0.1
	[ "$(q '.dirs[0].unique == .dirs[0].intended')" = true ]
	gen a0 --pcap real.pcap --pace 4 --realtime
	near "$(q '.seconds * 4')" "$span" 0.1
}

@test "tags go where there is room, with right checksums" {
	talk
	dump "$N" b0 seen.pcap in
	gen a0 --rx b0 --pcap real.pcap --pcap-tag --rate 200 --time 2s --realtime
	end_dump seen.pcap
	[ "$(q '.dirs[0].unique == .dirs[0].accepted')" = true ]
	[ "$(q '.dirs[0].accepted')" -gt 300 ]
	[ "$(q '.dirs[0] | .duplicate + .late + .foreign')" -eq 0 ]
	[ "$(q '.latency_ns.n > 0')" = true ]
	[ "$(q '.latency_ns.n < 400')" = true ] # ARP and such carry none
	tcpdump -nn -vv -r seen.pcap >seen.txt 2>/dev/null
	run ! grep -E 'cksum 0x[0-9a-f]+ \(incorrect|bad udp cksum|wrong icmp cksum' seen.txt
	[ "$(grep -c '(correct)' seen.txt)" -gt 100 ]
}

@test "repeats are not duplicates" {
	talk
	gen a0 --rx b0 --pcap real.pcap --rate 1k --time 500ms --realtime
	[ "$(q '.dirs[0].accepted')" -gt 400 ]
	[ "$(q '.dirs[0].unique == .dirs[0].accepted')" = true ]
	[ "$(q '.dirs[0].duplicate')" -eq 0 ]
}

@test "a VLAN tag survives the trip" {
	# One frame of VLAN 5, written by hand.
	{
		printf '\324\303\262\241\2\0\4\0\0\0\0\0\0\0\0\0\377\377\0\0\1\0\0\0'
		printf '\1\0\0\0\0\0\0\0\100\0\0\0\100\0\0\0'
		printf '\2\0\0\0\0\1\2\0\0\0\0\2\201\0\140\5\210\265'
		head -c 46 /dev/zero | tr '\0' x
	} >vlan.pcap
	dump "$N" b0 seen.pcap in
	gen a0 --rx b0 --pcap vlan.pcap --rate 100
	end_dump seen.pcap
	[ "$(q '.dirs[0].unique')" -eq 1 ]
	diff <(frames vlan.pcap) <(frames seen.pcap)
}

@test "what cannot be replayed is refused before a frame leaves" {
	local before
	talk
	before=$(on cat /sys/class/net/a0/statistics/tx_packets)
	head -c 1000 real.pcap >cut.pcap
	gen a0 --pcap cut.pcap --rate 100
	[ "$status" -eq 2 ]
	grep -q 'cut.pcap: packet [0-9]*: truncated' stderr.txt
	on ip link set a0 mtu 1000
	gen a0 --pcap real.pcap --rate 100
	[ "$status" -eq 2 ]
	grep -qE 'real.pcap: packet [0-9]+: 1514 bytes do not fit the MTU of a0' stderr.txt
	: >empty.pcap
	gen a0 --pcap empty.pcap
	[ "$status" -eq 2 ]
	gen a0 --pcap no-such.pcap
	[ "$status" -eq 2 ]
	[ "$(on cat /sys/class/net/a0/statistics/tx_packets)" -eq "$before" ]
}
