#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Placement on several NUMA nodes, in the machine of qemu-lab: what is on the wrong node
# `satprof audit` finds, and the command that it names mends it.
bats_require_minimum_version 1.5.0

setup() {
	lab=$top_srcdir/tests/lab/qemu-lab
	"$lab" run --arch x86_64 --root / -- true ||
		skip "set up first: qemu-lab setup --arch x86_64"
	cd "$BATS_TEST_TMPDIR"
}

# guest OPTION...: runs the script in standard input as root in the guest, in a folder
# that is shared; satprof and onnode are in its path. What it writes stays.
guest() {
	{
		# shellcheck disable=SC2016 # the guest's
		echo 'set -eu
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
# forward NIC ARG...: a forwarder that spins between it and nowhere (all NICs are on one
# hub: what one sends comes in at the others); its pid in $sut.
forward() {
	nic=$1
	shift
	ip link set "$nic" up
	ip link add nowhere type dummy 2>/dev/null || true
	ip link set nowhere up
	satprof forward "$nic" nowhere --busy "$@" >/dev/null &
	sut=$!
	while [ "$(wc -l </proc/net/packet)" -lt 3 ]; do
		[ -e "/proc/$sut" ] || exit 98
		sleep 0.2
	done
}'
		cat
	} >script
	run "$lab" run --arch x86_64 --root / --share "$PWD" --share "$top_builddir" \
		--share "$(dirname "$(realpath "$lab")")" "$@" -- \
		env PATH="$top_builddir:$top_builddir/tests/lab:$(dirname "$(realpath "$lab")"):$PATH" \
		sh ./script
	echo "$output"
	[ "$status" -eq 0 ]
}

# has FILE ID WORDS: that finding is in a JSON document, and its text has the words.
has() {
	jq -e --arg id "$2" --arg words "$3" \
		'any(.findings[]; .id == $id and (.what | contains($words)))' "$1"
}

has_not() {
	jq -e --arg id "$2" 'all(.findings[]; .id != $id)' "$1"
}

# The nodes of nic0 and nic1, as the audit tells them.
nodes_of() {
	jq -r '[.nics[] | select(.name | startswith("nic")) | "\(.name)=\(.node)"] |
		sort | join(" ")' "$1"
}

@test "a busy thread on another node than its NIC: named, with the command that mends it" {
	guest --nic virtio:1 --nic e1000e:1 <<'EOT'
forward nic0 --cpu 0
satprof audit --pid $sut --json >wrong.json
satprof audit --pid $sut >wrong.txt
ip link set nic1 up
as_nobody satprof audit --pid $sut --in nic0 --out nic1 --json >nobody.json
as_nobody satprof audit --json >nobody-machine.json
satprof audit --json >machine.json
record-tree /tmp/tree $sut # the shared folder is slow
tar -C /tmp/tree -czf tree.tar.gz .
echo $sut >pid
# what it says is done, but for sudo
jq -r '.findings[] | select(.id == "thread-node").mend | split(";")[0]' wrong.json |
	sed 's/sudo //g' >mend
sh -e ./mend >/dev/null
sleep 0.5
satprof audit --pid $sut --json >mended.json
kill $sut
EOT
	jq -e '.schema == 1' wrong.json nobody.json nobody-machine.json machine.json mended.json
	for f in machine.json nobody-machine.json; do
		[ "$(nodes_of $f)" = "nic0=1 nic1=1" ]
		jq -e '[.nics[] | select(.name | startswith("nic")).driver] | sort ==
			["e1000e", "virtio_net"]' $f
		jq -e 'all(.nics[]; .irqs | any(.queue))' $f
		has_not $f thread-node
	done
	jq -e '[.nics[] | select(.used).name] | sort == ["nic0", "nowhere"]' wrong.json
	has wrong.json thread-node "runs on CPU 0 of node 0, but nic0 is on node 1"
	[ "$(cat mend)" = "taskset -pc 1 $(jq '.threads[0].tid' wrong.json)" ]
	grep -q '^problem: thread fwd (tid' wrong.txt
	has nobody.json thread-node "but nic0, nic1 are on node 1"
	jq -e 'any(.not_readable[]; .what == "memory of the SUT by node")' nobody.json
	has_not mended.json thread-node
	# The same from the recorded tree.
	mkdir tree && tar -C tree -xzf tree.tar.gz
	"$SATPROF" audit --root tree --pid "$(cat pid)" --json >again.json
	has again.json thread-node "runs on CPU 0 of node 0, but nic0 is on node 1"
}

@test "memory on another node than its thread" {
	guest --nic virtio:1 <<'EOT'
ip link set nic0 up
for at in 0 1; do
	onnode 1 $at 32 >ready & sut=$!
	until grep -q ready ready; do sleep 0.2; done
	satprof audit --pid $sut --in nic0 --json >$at.json
	kill $sut
	wait $sut || true
	: >ready
done
EOT
	has 0.json memory-node "of the memory of onnode is on node 0, but it runs on node 1"
	jq -e '[.memory[] | select(.node == 0).bytes] | add > 32e6' 0.json
	jq -e '.findings[] | select(.id == "memory-node").mend |
		test("^sudo migratepages [0-9]+ 0 1$")' 0.json
	has_not 0.json thread-node
	has_not 1.json memory-node
	has_not 1.json thread-node
}
