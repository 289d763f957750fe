#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Placement on several NUMA nodes, in the machine of qemu-lab: what is on the wrong node
# `satprof audit` finds, and the command that it names mends it; `satprof sweep` names
# the node when an outside profiler moves the SUT.
bats_require_minimum_version 1.5.0
load guest
load ../e2e/audit
BATS_TEST_RETRIES=2 # an emulated machine on a busy one is slow

setup() {
	need_guest
	cd "$BATS_TEST_TMPDIR"
}

# well FILE...: each is a valid answer.
well() {
	local f
	for f; do
		echo "$f"
		is_valid <"$f"
	done
}

# as_told: nobody's answer is valid, and says what root's has and it has not; nothing but
# the answer is printed. Of the files that audits() makes.
as_told() {
	well root.json nobody.json
	is_explained root.json nobody.json
	[ ! -s nobody.err ]
	[ "$(notes_of <nobody.txt)" -eq "$(jq '.not_readable | length' nobody.json)" ]
	jq -e 'any(.not_readable[]; .what == "memory of the SUT by node"
		and (.why | contains("numa_maps: not permitted (try as root)")))' nobody.json
	# the same answer as text, but for what the watched CPUs did meanwhile
	local id
	for id in $(jq -r '.findings[].id | select(endswith("-node") or . == "node-empty")' \
		root.json); do
		grep -qF "[$id]" root.txt
	done
}

# What as_told looks at, for the guest; then the tree, to be audited here.
# shellcheck disable=SC2016 # the guest's
audits='
satprof audit --pid $sut --json >root.json
satprof audit --pid $sut >root.txt
as_nobody satprof audit --pid $sut --json >nobody.json 2>nobody.err
as_nobody satprof audit --pid $sut >nobody.txt 2>>nobody.err
record-tree /tmp/tree $sut # the shared folder is slow
tar -C /tmp/tree -czf tree.tar.gz .
echo $sut >pid
'

# replay: the recorded tree, audited by this machine, into again.json.
replay() {
	mkdir -p tree && tar -C tree -xzf tree.tar.gz
	"$SATPROF" audit --root tree --pid "$(cat pid)" --json >again.json
	well again.json
}

@test "a busy thread on another node than its NIC: named, with the command that mends it" {
	guest --nic virtio:1 --nic e1000e:1 <<EOT
forward nic0 --cpu 0
$audits
ip link set nic1 up
as_nobody satprof audit --pid \$sut --in nic0 --out nic1 --json >both.json
as_nobody satprof audit --json >nobody-machine.json
satprof audit --json >machine.json
mend thread-node root.json
sleep 0.5
satprof audit --pid \$sut --json >mended.json
end
EOT
	as_told
	well both.json nobody-machine.json machine.json mended.json
	for f in machine.json nobody-machine.json; do
		[ "$(nodes_of $f)" = "nic0=1 nic1=1" ]
		jq -e '[.nics[] | select(.name | startswith("nic")).driver] | sort ==
			["e1000e", "virtio_net"]' $f
		jq -e 'all(.nics[]; .irqs | any(.queue))' $f
		has_not $f thread-node
	done
	jq -e '[.nics[] | select(.used).name] | sort == ["nic0", "nowhere"]' root.json
	has root.json thread-node "runs on CPU 0 of node 0, but nic0 is on node 1"
	[ "$(cat mend)" = "taskset -pc 1 $(jq '.threads[0].tid' root.json)" ]
	grep -q '^problem: thread fwd (tid' root.txt
	has both.json thread-node "but nic0, nic1 are on node 1"
	has_not mended.json thread-node
	replay
	has again.json thread-node "runs on CPU 0 of node 0, but nic0 is on node 1"
}

@test "memory on another node than its thread" {
	guest --nic virtio:1 <<'EOT'
ip link set nic0 up
for at in 0 1; do
	on_node 1 $at
	satprof audit --pid $sut --in nic0 --json >$at.json
	end
done
EOT
	well 0.json 1.json
	has 0.json memory-node "of the memory of onnode is on node 0, but it runs on node 1"
	jq -e '[.memory[] | select(.node == 0).bytes] | add > 32e6' 0.json
	jq -e '.findings[] | select(.id == "memory-node").mend |
		test("^sudo migratepages [0-9]+ 0 1$")' 0.json
	has_not 0.json thread-node
	has_not 1.json memory-node thread-node
}

@test "four nodes: threads, memory and interrupts that are on the wrong one of them" {
	guest --timeout 900 --node 1:256 --node 1:256 --node 1:256 --node 1:256 \
		--nic virtio:2:pxb --nic e1000e:3:pxb <<EOT
# what comes up from now on interrupts CPU 0; virtio's interrupts are up already
echo 1 >/proc/irq/default_smp_affinity
ip link set nic1 up
forward nic0 --cpu 1
for i in \$(sed -n 's/^ *\([0-9]*\):.* virtio[0-9]*-input[.].*/\1/p' /proc/interrupts); do
	echo 0 >/proc/irq/\$i/smp_affinity_list
done
frames nic1
satprof audit --json >machine.json
$audits
satprof audit --pid \$sut --in nic0 --out nic1 --json >both.json
mend irq-node root.json
mend thread-node root.json
frames nic1
sleep 0.5
satprof audit --pid \$sut --json >mended.json
end
on_node 2 3
satprof audit --pid \$sut --in nic0 --json >memory.json
end
EOT
	as_told
	well machine.json both.json mended.json memory.json
	[ "$(machine_of machine.json)" = "0:0 1:1 2:2 3:3 | 0@0 1@1 2@2 3@3" ]
	[ "$(nodes_of machine.json)" = "nic0=2 nic1=3" ]
	jq -e '.nodes[0].distances == {"0": 10, "1": 20, "2": 20, "3": 20}' machine.json
	local nic=' of nic0 lands? on CPU 0, but nic0 is on node 2$'
	jq -e --arg r "^interrupts? [0-9 ]+$nic" \
		'any(.findings[]; .id == "irq-node" and (.what | test($r)))' root.json
	nic=' of nic1 lands? on CPU 0, but nic1 is on node 3$'
	jq -e --arg r "^interrupts? [0-9 ]+$nic" \
		'any(.findings[]; .id == "irq-node" and (.what | test($r)))' machine.json
	has root.json thread-node "runs on CPU 1 of node 1, but nic0 is on node 2"
	has both.json thread-node "runs on CPU 1 of node 1, but nic0, nic1 are on nodes 2-3"
	has both.json nic-nodes "nic0 is on node 2 and nic1 on node 3"
	has_not mended.json thread-node irq-node
	# A page or two of what was read from a file may be elsewhere.
	jq -e 'any(.findings[]; .id == "memory-node" and (.what |
		test("of the memory of onnode is on nodes? ([01],)*3, but it runs on node 2")))' \
		memory.json
	has_not memory.json thread-node
	replay
	[ "$(machine_of again.json)" = "0:0 1:1 2:2 3:3 | 0@0 1@1 2@2 3@3" ]
	[ "$(nodes_of again.json)" = "nic0=2 nic1=3" ]
	has again.json thread-node "runs on CPU 1 of node 1, but nic0 is on node 2"
	has again.json irq-node "on CPU 0, but nic0 is on node 2"
}

@test "a node without CPUs and one without memory: the nearest count as their own" {
	# Node 2 is beside node 0 and has no memory; node 3 is beside node 1, without CPUs.
	# Linux counts nodes without CPUs last, whatever their numbers are here.
	guest --timeout 900 --node 1:256 --node 1:256 --node 1:0 --node 0:256 \
		--distance 0:2:15 --distance 1:3:15 \
		--nic virtio:3:pxb --nic e1000e:2:pxb <<EOT
ip link set nic1 up
forward nic0 --cpu 0
$audits
mend thread-node root.json
sleep 0.5
satprof audit --pid \$sut --json >mended.json
end
for at in 0 1; do
	on_node 2 \$at
	satprof audit --pid \$sut --in nic1 --json >\$at.json
	end
done
EOT
	as_told
	well mended.json 0.json 1.json
	for f in root.json nobody.json; do
		[ "$(machine_of $f)" = "0:0 1:1 2:2! 3: | 0@0 1@1 2@2" ]
		jq -e '.nodes[3].distances == {"0": 20, "1": 15, "2": 20, "3": 10}' $f
		[ "$(nodes_of $f)" = "nic0=3 nic1=2" ]
	done
	has root.json thread-node "runs on CPU 0 of node 0, but nic0 is on node 3"
	has root.json node-empty "nic0 is on node 3, which has no CPUs; the nearest are 1"
	[ "$(cat mend)" = "taskset -pc 1 $(jq '.threads[0].tid' root.json)" ]
	has_not mended.json thread-node
	# on the node without memory: of what is nearest nothing is wrong
	has_not 0.json memory-node thread-node
	has 1.json memory-node "is on node 1, but it runs on node 2, whose nearest memory is on node 0"
	has_not 1.json thread-node
	replay
	[ "$(machine_of again.json)" = "0:0 1:1 2:2! 3: | 0@0 1@1 2@2" ]
	has again.json thread-node "runs on CPU 0 of node 0, but nic0 is on node 3"
}

# A forwarder on node 0, beside the generator, which the profiler moves to node 1, with
# its memory. The machine is emulated: how much that helps is of no interest, only that
# the nodes are named where there is something to explain.
@test "a sweep whose profiler moves the forwarder to the other node names both nodes" {
	guest --timeout 900 <<'EOT'
work=$(satprof forward --calibrate-cost 30000)
rm -f run.satprof # of an earlier try
code=0
satprof sweep --json --quiet --preset smoke --burst 4 --cpu-gen 0 --cpu-recv 0 \
	--cpu-collect 0 --cpu-sut 0,1 -o run.satprof \
	--profiler 'moveto {pid} 1 1 && exec sleep 3600' -- \
	taskset -c 0 satprof forward '{in}' '{out}' --cost-iterations "$work" \
	>sweep.json || code=$?
echo $code >code
satprof show run.satprof >show.txt || true
EOT
	cat code show.txt
	if jq -e '.observer[0] | (.blocks // 0) < 6' sweep.json; then
		[ "$BATS_TEST_TRY_NUMBER" -gt "$BATS_TEST_RETRIES" ] || return 1
		skip "this machine is too busy to emulate another: $(cat code)"
	fi
	jq -e '.observer[0].causes[0] | .factor == "placement"' sweep.json
	jq -e 'any(.observer[0].causes[]; .factor == "placement" and (.evidence |
		test("ran on CPU 0 with off and on CPU 1 with profiler, node 0 and node 1")))' \
		sweep.json
	jq -e 'any(.observer[0].causes[]; .factor == "memory" and (.evidence |
		test("of the SUT.s memory was on node 1 with profiler")))' sweep.json
	grep -q 'node 0 and node 1' show.txt
}
