# SPDX-License-Identifier: GPL-3.0-or-later
# What the lab's tests share: the machine, and what runs in it.
# shellcheck shell=bash
# shellcheck disable=SC2154 # top_srcdir is make's, and output bats'

lab=$top_srcdir/tests/lab/qemu-lab

# need_guest: skip where the machine could not be set up. One that does not boot fails.
need_guest() {
	if ! command -v qemu-system-x86_64 >/dev/null ||
		! "$lab" env --arch x86_64 >/dev/null 2>&1; then
		skip "no virtual machine here: see qemu-lab setup --arch x86_64"
	fi
}

# guest OPTION...: runs the script in standard input as root in a guest, in the current
# folder, which is shared: what it writes there stays. satprof and the lab's programs are
# in its path, and these functions.
guest() {
	local here
	here=$(dirname "$(realpath "$lab")")
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
}
# on_node CPU NODE: a busy program of 32 MiB; its pid in $sut.
on_node() {
	# the kernel would bring the memory to it
	echo 0 >/proc/sys/kernel/numa_balancing
	: >ready
	onnode "$1" "$2" 32 >ready &
	sut=$!
	until grep -q ready ready; do
		[ -e "/proc/$sut" ] || exit 97
		sleep 0.2
	done
}
# end: of the program that forward or on_node started.
end() {
	kill "$sut"
	wait "$sut" || true
}
# frames NIC: some come in at all the others. Where an interrupt is moved to it goes when
# it comes next.
frames() {
	satprof generate "$1" --rate 100 --time 500ms --sleep \
		--dst-mac ff:ff:ff:ff:ff:ff >/dev/null || true # what it sent will do
}
# mend ID FILE: does what the findings of that kind say; migratepages is not there.
mend() {
	jq -r --arg id "$1" ".findings[] | select(.id == \$id).mend" "$2" |
		sed "s/sudo //g; s/; migratepages.*//" >mend
	sh -e ./mend >/dev/null
}'
		cat
	} >script
	run "$lab" run --arch x86_64 --root / --share "$PWD" --share "$top_builddir" \
		--share "$here" "$@" -- \
		env PATH="$top_builddir:$top_builddir/tests/lab:$here:$PATH" sh ./script
	echo "$output"
	[ "$status" -eq 0 ]
}

# has FILE ID WORDS: that finding is in a JSON document, and its text has the words.
has() {
	jq -e --arg id "$2" --arg words "$3" \
		'any(.findings[]; .id == $id and (.what | contains($words)))' "$1"
}

# has_not FILE ID...: none of these is.
has_not() {
	local file=$1
	shift
	jq -e 'all(.findings[]; .id | IN($ARGS.positional[]) | not)' "$file" --args "$@"
}

# The NICs' nodes, as the audit tells them: "nic0=1 nic1=1".
nodes_of() {
	jq -r '[.nics[] | select(.name | startswith("nic")) | "\(.name)=\(.node)"] |
		sort | join(" ")' "$1"
}

# The nodes: "0:cpus 0 memory; 2:cpus  memory", each CPU's node behind it.
machine_of() {
	jq -r '([.nodes[] | "\(.node):\(.cpus)\(if .memory_bytes > 0 then "" else "!" end)"] |
		join(" ")) + " | " +
		([.cpus.list[] | "\(.cpu)@\(.node)"] | join(" "))' "$1"
}
