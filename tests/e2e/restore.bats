#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A user's interfaces get their offloads back, also after a crash.
bats_require_minimum_version 1.5.0

setup() {
	TOOL="${top_builddir:-.}/tests/e2e/restore-live"
	NAME="bats-$$-$BATS_TEST_NUMBER"
	export XDG_RUNTIME_DIR="$BATS_TEST_TMPDIR"
	[ "$(id -u)" -eq 0 ] || unshare -Urn true 2>/dev/null ||
		skip "no user namespaces here"
	"$SATPROF" lab up --name "$NAME" >/dev/null
	STATE="$BATS_TEST_TMPDIR/state"
	mkdir "$STATE"
	# As a user's interface would be.
	in_lab set sut0 rx-gro on
	in_lab set sut0 tx-checksum-ip-generic on
	[ "$(in_lab get sut0 rx-gro)" = on ]
}

teardown() {
	"$SATPROF" lab down --name "$NAME" 2>/dev/null || true
}

in_lab() {
	"$SATPROF" lab exec --name "$NAME" sut -- "$TOOL" "$@"
}

# Those of this test's runs: root's are not in a folder of our own.
journals() {
	local dir
	for dir in /run/satprof "$XDG_RUNTIME_DIR/satprof"; do
		find "$dir" -name 'restore-*' -newer "$STATE" 2>/dev/null || true
	done
}

@test "a run turns offloads off and puts back what was on, nothing else" {
	run in_lab run "$STATE" sut0 "'$TOOL' get sut0 rx-gro"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"rx-gro on"* && $output == *"tx-checksum-ip-generic on"* ]]
	[[ $output != *rx-checksum* ]]
	[ "$(tail -1 <<<"$output")" = off ]
	[ "$(in_lab get sut0 rx-gro)" = on ]
	[ "$(in_lab get sut0 tx-checksum-ip-generic)" = on ]
	[ "$(in_lab get sut0 rx-checksum)" = off ]
	[ -z "$(ls "$STATE")" ]
}

@test "after kill -9 the next run puts it back, once" {
	run in_lab crash "$STATE" sut0
	[ "$status" -eq 137 ]
	[ "$(in_lab get sut0 rx-gro)" = off ]
	[ -n "$(ls "$STATE")" ]
	run in_lab pending "$STATE"
	[ "$output" = restored=2 ]
	[ "$(in_lab get sut0 rx-gro)" = on ]
	[ "$(in_lab get sut0 tx-checksum-ip-generic)" = on ]
	[ -z "$(ls "$STATE")" ]
	# What the user changes afterwards stays.
	in_lab set sut0 rx-gro off
	run in_lab pending "$STATE"
	[ "$output" = restored=0 ]
	[ "$(in_lab get sut0 rx-gro)" = off ]
}

@test "a living run's journal is left alone" {
	run in_lab run "$STATE" sut0 "'$TOOL' pending '$STATE' && '$TOOL' get sut0 rx-gro"
	[ "$status" -eq 0 ]
	[[ $output == *restored=0*off ]]
	[ "$(in_lab get sut0 rx-gro)" = on ]
}

@test "another namespace's journal waits for a run in that namespace" {
	run in_lab crash "$STATE" sut0
	run "$SATPROF" lab exec --name "$NAME" gen -- "$TOOL" pending "$STATE"
	[ "$output" = restored=0 ]
	[ "$(in_lab get sut0 rx-gro)" = off ]
	run in_lab pending "$STATE"
	[ "$output" = restored=2 ]
	[ "$(in_lab get sut0 rx-gro)" = on ]
}

@test "ports of a sweep: fit during the run, as before after it" {
	run in_lab ports sut1 sut0 "'$TOOL' get sut0 rx-gro"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"sut0 had rx-gro on"* && $output == *$'\noff' ]]
	# The sender's segmentation was off in the lab, and is again.
	[[ $output == *"sut1 had tx-generic-segmentation off"* ]]
	[ "$(in_lab get sut0 rx-gro)" = on ]
	[ "$(in_lab get sut1 tx-generic-segmentation)" = off ]
}

@test "ports that are fit are left alone, without a journal" {
	in_lab set sut0 rx-gro off
	in_lab set sut0 tx-checksum-ip-generic off
	in_lab set sut1 tx-generic-segmentation on
	run in_lab ports sut1 sut0 true
	[ "$output" = "note: " ]
	[ -z "$(journals)" ]
}

@test "ports: a crashed run's settings are put back first" {
	run in_lab ports sut1 sut0 'kill -9 $PPID'
	[ "$status" -eq 137 ]
	[ "$(in_lab get sut0 rx-gro)" = off ]
	run in_lab ports sut1 sut0 true
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *"that a crashed run left "*" put back"* ]]
	[ "$(in_lab get sut0 rx-gro)" = on ]
}

@test "ports: one that is not there is one clear line" {
	run in_lab ports sut1 nope0 true
	[ "$status" -eq 1 ]
	[[ $output == *"no interface 'nope0'"* ]]
	[ "$(in_lab get sut1 tx-generic-segmentation)" = off ]
}

@test "ports: without the right to change them the run is refused" {
	command -v setpriv >/dev/null || skip "no setpriv"
	run "$SATPROF" lab exec --name "$NAME" sut -- setpriv --bounding-set=-all \
		--inh-caps=-all "$TOOL" ports sut1 sut0 true
	echo "$output"
	[ "$status" -eq 1 ]
	[[ $output == *"offloads of sut"*CAP_NET_ADMIN* ]]
	[ -z "$(journals)" ]
	[ "$(in_lab get sut0 rx-gro)" = on ]
}

# A sweep over the lab's ports as if they were a user's own; the SUT is a bridge.
sweep_ports() {
	"$SATPROF" lab exec --name "$NAME" sut -- sh -c '
		ip link add br0 type bridge && ip link set sut0 master br0 &&
		ip link set sut1 master br0 && ip link set br0 up' || return
	"$SATPROF" lab exec --name "$NAME" gen -- "$TOOL" set gen1 rx-gro on
}

one_sweep() {
	"$SATPROF" lab exec --name "$NAME" gen -- "$SATPROF" sweep --in gen0 --out gen1 \
		--sut none --rates 2k --blocks 1 --arms off --quiet "$@"
}

gen1_gro() {
	"$SATPROF" lab exec --name "$NAME" gen -- "$TOOL" get gen1 rx-gro
}

@test "sweep on a user's interfaces: says what it changed, and puts it back" {
	command -v ip >/dev/null || skip "no ip(8)"
	sweep_ports
	run one_sweep --trial-time 0.3s -o "$BATS_TEST_TMPDIR/a.satprof"
	echo "$output"
	# The machine may be too busy for a valid trial; that is not what is asked.
	[ "$status" -eq 0 ] || [ "$status" -eq 6 ]
	[[ $output == *"gen1 had rx-gro on"* ]]
	[ "$(gen1_gro)" = on ]
	[ -z "$(journals)" ]
}

@test "sweep killed: the next one puts back what it left" {
	command -v ip >/dev/null || skip "no ip(8)"
	sweep_ports
	# exec: lab exec becomes the sweep, so one process is all of it.
	(exec "$SATPROF" lab exec --name "$NAME" gen -- "$SATPROF" sweep --in gen0 \
		--out gen1 --sut none --rates 2k --blocks 1 --arms off --quiet \
		--trial-time 20s -o "$BATS_TEST_TMPDIR/a.satprof") >/dev/null 2>&1 3>&- &
	local pid=$!
	for _ in $(seq 50); do
		[ "$(gen1_gro)" = on ] || break
		sleep 0.1
	done
	[ "$(gen1_gro)" = off ]
	kill -9 "$pid"
	wait "$pid" || true
	[ "$(gen1_gro)" = off ]
	run one_sweep --trial-time 0.3s -o "$BATS_TEST_TMPDIR/b.satprof"
	echo "$output"
	[[ $output == *"that a crashed run left "*" put back"* ]]
	[ "$(gen1_gro)" = on ]
	[ -z "$(journals)" ]
}

@test "any later sweep or lab puts back what a killed run left" {
	run in_lab ports sut1 sut0 'kill -9 $PPID'
	[ "$status" -eq 137 ]
	[ "$(in_lab get sut0 rx-gro)" = off ]
	# In a lab of its own, it has no use for these interfaces.
	run "$SATPROF" lab exec --name "$NAME" sut -- "$SATPROF" sweep --rates 2k \
		--blocks 1 --arms off --trial-time 50ms --quiet \
		-o "$BATS_TEST_TMPDIR/c.satprof"
	echo "$output"
	[[ $output == *"that a crashed run left "*" put back"* ]]
	[ "$(in_lab get sut0 rx-gro)" = on ]
	[ -z "$(journals)" ]
	run in_lab ports sut1 sut0 'kill -9 $PPID'
	[ "$(in_lab get sut0 rx-gro)" = off ]
	run "$SATPROF" lab exec --name "$NAME" sut -- "$SATPROF" lab up --name "$NAME.2"
	echo "$output"
	[ "$status" -eq 0 ]
	"$SATPROF" lab down --name "$NAME.2"
	[[ $output == *"that a crashed run left "*" put back"* ]]
	[ "$(in_lab get sut0 rx-gro)" = on ]
	[ -z "$(journals)" ]
}
