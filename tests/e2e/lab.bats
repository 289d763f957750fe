#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The test bed: up, exec, down; what it leaves behind (nothing); what is in it.
bats_require_minimum_version 1.5.0

# A name of our own, so that a lab of the user's is left alone.
setup() {
	NAME="bats-$$-$BATS_TEST_NUMBER"
	LIVE="${top_builddir:-.}/tests/e2e/lab-live"
	export XDG_RUNTIME_DIR="$BATS_TEST_TMPDIR"
}

teardown() {
	"$SATPROF" lab down --name "$NAME" 2>/dev/null || true
	"$SATPROF" lab down --name "$NAME-b" 2>/dev/null || true
	[ -z "${PUBLIC:-}" ] || rm -rf "$PUBLIC"
	[ -z "${HOLD_PID:-}" ] || kill -9 "$HOLD_PID" 2>/dev/null || true
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

need_lab() {
	[ "$(id -u)" -eq 0 ] || unshare -Urn true 2>/dev/null ||
		skip "no user namespaces here"
}

# Everything that can keep a network namespace: processes, descriptors, mounts.
netns_refs() {
	local inode=$1
	find /proc/[0-9]*/ns/net /proc/[0-9]*/task/[0-9]*/ns/net /proc/[0-9]*/fd/ \
		-maxdepth 1 -lname "net:\[$inode\]" 2>/dev/null | wc -l
	cat /proc/[0-9]*/mountinfo 2>/dev/null | grep -c "net:\[$inode\]" || true
}

assert_no_refs() {
	local i refs=
	for i in 1 2 3 4 5 6 7 8 9 10; do
		refs=$(netns_refs "$1" | tr '\n' ' ')
		[ "$refs" != "0 0 " ] || return 0
		sleep 0.2
	done
	echo "namespace $1 is still held: $refs"
	false
}

links() {
	cat /proc/net/dev | cut -d: -f1 | sort
	ip -o link 2>/dev/null | sed 's/qlen.*//' || true
	ip -o addr 2>/dev/null || true
}

@test "up, exec on both sides, down" {
	need_lab
	run --separate-stderr "$SATPROF" lab up --name "$NAME"
	[ "$status" -eq 0 ]
	[[ $output == *"lab '$NAME' is up"* ]]
	run "$SATPROF" lab exec --name "$NAME" gen -- cat /proc/net/dev
	[ "$status" -eq 0 ]
	[[ $output == *gen0:* && $output == *gen1:* && $output != *sut0:* ]]
	run "$SATPROF" lab exec --name "$NAME" sut -- ls /sys/class/net
	[ "$status" -eq 0 ]
	[[ $output == *sut0* && $output == *sut1* && $output != *gen0* ]]
	run "$SATPROF" lab down --name "$NAME"
	[ "$status" -eq 0 ]
	run "$SATPROF" lab exec --name "$NAME" gen -- true
	[ "$status" -eq 2 ]
	[[ $output == *"no lab named '$NAME' is up"* ]]
}

@test "exec passes the status on, also a signal's; bad commands are 2" {
	need_lab
	"$SATPROF" lab up --name "$NAME"
	run "$SATPROF" lab exec --name "$NAME" sut -- sh -c 'exit 37'
	[ "$status" -eq 37 ]
	run bash -c '"$SATPROF" lab exec --name "$1" gen -- sh -c "kill -TERM \$\$"' _ "$NAME"
	[ "$status" -eq 143 ]
	run "$SATPROF" lab exec --name "$NAME" gen -- /no/such/program
	[ "$status" -eq 2 ]
	[[ $output == *"cannot run /no/such/program"* ]]
	# The broken pipe is the child's, as in any shell.
	run bash -c '"$SATPROF" lab exec --name "$1" gen -- yes | head -1' _ "$NAME"
	[ "$status" -eq 0 ]
	[ "$output" = y ]
}

@test "the same name twice is a clear error and harms nothing" {
	need_lab
	"$SATPROF" lab up --name "$NAME"
	run --separate-stderr "$SATPROF" lab up --name "$NAME"
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == *"'$NAME' is up already"* ]]
	run "$SATPROF" lab exec --name "$NAME" sut -- true
	[ "$status" -eq 0 ]
}

@test "two labs at once: same names inside, different namespaces" {
	need_lab
	"$SATPROF" lab up --name "$NAME"
	"$SATPROF" lab up --name "$NAME-b"
	local a b
	a=$("$SATPROF" lab exec --name "$NAME" sut -- readlink /proc/self/ns/net)
	b=$("$SATPROF" lab exec --name "$NAME-b" sut -- readlink /proc/self/ns/net)
	[ -n "$a" ] && [ -n "$b" ] && [ "$a" != "$b" ]
	"$SATPROF" lab down --name "$NAME"
	run "$SATPROF" lab exec --name "$NAME-b" gen -- cat /sys/class/net/gen0/operstate
	[ "$status" -eq 0 ]
	[ "$output" = up ]
}

@test "up leaves no descriptor of ours open in the holder" {
	need_lab
	# With a held pipe, the command substitution would wait for ever.
	run timeout 20 bash -c 'x=$("$SATPROF" lab up --name "$1" 2>&1); echo "$x"' _ "$NAME"
	[ "$status" -eq 0 ]
	[[ $output == *"is up"* ]]
}

@test "the caller's own network is not touched" {
	need_lab
	links >"$BATS_TEST_TMPDIR/before"
	"$SATPROF" lab up --name "$NAME" --limit 20Mbps
	"$SATPROF" lab exec --name "$NAME" sut -- true
	links >"$BATS_TEST_TMPDIR/during"
	"$SATPROF" lab down --name "$NAME"
	links >"$BATS_TEST_TMPDIR/after"
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/during"
	diff "$BATS_TEST_TMPDIR/before" "$BATS_TEST_TMPDIR/after"
}

@test "down leaves nothing: no namespace, no process, no file" {
	need_lab
	"$SATPROF" lab up --name "$NAME"
	local inode
	inode=$("$SATPROF" lab exec --name "$NAME" gen -- readlink /proc/self/ns/net |
		tr -dc 0-9)
	[ "$(netns_refs "$inode" | head -1)" -ge 1 ]
	"$SATPROF" lab down --name "$NAME"
	assert_no_refs "$inode"
	[ ! -e "/run/satprof/lab-$NAME" ]
	[ ! -e "$XDG_RUNTIME_DIR/satprof/lab-$NAME" ]
}

@test "a lab whose holder was killed is gone, and its name is free" {
	need_lab
	"$SATPROF" lab up --name "$NAME"
	local state pid inode
	state=/run/satprof/lab-$NAME
	[ -e "$state" ] || state=$XDG_RUNTIME_DIR/satprof/lab-$NAME
	read -r pid _ <"$state"
	inode=$("$SATPROF" lab exec --name "$NAME" gen -- readlink /proc/self/ns/net |
		tr -dc 0-9)
	kill -9 "$pid"
	assert_no_refs "$inode"
	run "$SATPROF" lab exec --name "$NAME" gen -- true
	[ "$status" -eq 2 ]
	[[ $output == *"is gone"* ]]
	run "$SATPROF" lab up --name "$NAME"
	[ "$status" -eq 0 ]
}

@test "kill -9 of a process with a private lab leaves nothing" {
	need_lab
	"$LIVE" hold >"$BATS_TEST_TMPDIR/inodes" 3>&- &
	HOLD_PID=$!
	local i gen sut
	for i in $(seq 50); do
		[ "$(wc -l <"$BATS_TEST_TMPDIR/inodes")" -lt 2 ] || break
		sleep 0.1
	done
	. "$BATS_TEST_TMPDIR/inodes"
	[ "$(netns_refs "$gen" | head -1)" -ge 1 ]
	[ "$(netns_refs "$sut" | head -1)" -ge 1 ]
	kill -9 "$HOLD_PID"
	wait "$HOLD_PID" || true
	HOLD_PID=
	assert_no_refs "$gen"
	assert_no_refs "$sut"
}

@test "kill -9 of lab up at any moment: either a lab that goes down, or none" {
	need_lab
	local i pid
	for i in 001 005 013 021 034 055 089 120 160 200; do
		"$SATPROF" lab up --name "$NAME" >/dev/null 2>&1 3>&- &
		pid=$!
		sleep "0.$i"
		kill -9 "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
		# What is there must be whole: it goes down, or the name is free.
		if "$SATPROF" lab exec --name "$NAME" sut -- test -e /sys/class/net/sut1 \
			2>/dev/null; then
			"$SATPROF" lab down --name "$NAME"
		fi
		"$SATPROF" lab up --name "$NAME" >/dev/null
		"$SATPROF" lab down --name "$NAME"
	done
}

# A copy of satprof where any user can reach it, and a folder for their state.
public_copy() {
	command -v setpriv >/dev/null || skip "no setpriv"
	PUBLIC=$(mktemp -d /tmp/satprof-bats.XXXXXX)
	cp "$SATPROF" "$PUBLIC/satprof"
	mkdir "$PUBLIC/run"
	chown 65534:65534 "$PUBLIC/run"
	chmod 755 "$PUBLIC" "$PUBLIC/satprof"
	AS_NOBODY="env XDG_RUNTIME_DIR=$PUBLIC/run
		setpriv --reuid 65534 --regid 65534 --clear-groups"
	cd "$PUBLIC" || return
	$AS_NOBODY test -x ./satprof || skip "nobody cannot reach $PUBLIC"
	$AS_NOBODY unshare -Urn true 2>/dev/null || skip "no user namespaces here"
}

@test "without root: the same lab in a user namespace" {
	need_root
	public_copy
	run $AS_NOBODY bash -c '
		set -e
		./satprof lab up --name n --limit 20Mbps
		./satprof lab exec --name n sut -- ls /sys/class/net
		./satprof lab exec --name n gen -- sh -c "exit 5" || echo "status $?"
		if [ -e /proc/sys/net/core/rps_default_mask ]; then
			./satprof lab exec --name n sut -- cat /sys/class/net/sut1/queues/rx-0/rps_cpus
			./satprof lab exec --name n sut -- cat /proc/sys/net/core/rps_default_mask
		fi
		./satprof lab down --name n'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *sut0* && $output == *"status 5"* ]]
	[[ $output != *"not steered"* || ! -e /proc/sys/net/core/rps_default_mask ]]
	[ -z "$(ls "$PUBLIC/run/satprof")" ]
}

@test "user namespaces off: the error names the sysctl" {
	need_root
	public_copy
	# The limit of a user namespace holds for what is made inside it.
	run $AS_NOBODY unshare -Ur bash -c '
		echo 0 >/proc/sys/user/max_user_namespaces || exit 99
		exec setpriv --bounding-set=-all --inh-caps=-all ./satprof lab up --name n'
	[ "$status" -ne 99 ] || skip "cannot set the limit in a user namespace"
	echo "$output"
	[ "$status" -eq 7 ]
	[[ $output == *"user.max_user_namespaces=0"* ]]
	[ -z "$(ls "$PUBLIC/run/satprof")" ]
}

@test "root in a user namespace that borrows its network namespace" {
	unshare -Ur true 2>/dev/null || skip "no user namespaces here"
	run unshare -Ur bash -c '
		set -e
		"$0" lab up --name "$1"
		"$0" lab exec --name "$1" sut -- ls /sys/class/net
		"$0" lab down --name "$1"' "$SATPROF" "$NAME"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *sut0* ]]
	run unshare -Ur "$SATPROF" probe
	[[ $output == *"network namespaces and veth pairs, in a user namespace"* ]]
}

@test "nothing is sent that nobody sent" {
	need_lab
	run "$LIVE" quiet 2
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = $'gen0=0\nsut0=0\nsut1=0\ngen1=0' ]
}

@test "segmented sends arrive as single frames with right checksums" {
	need_lab
	run "$LIVE" gso 16
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *sent=800* && $output == *rx_packets=800* ]]
	[[ $output == *frames=800* && $output == *right_length=800* ]]
	[[ $output == *right_checksum=800* ]]
}

@test "receive work runs where two machines would do it" {
	need_lab
	[ "$(nproc)" -ge 2 ] || skip "one CPU"
	[ -e /proc/sys/net/core/rps_default_mask ] || skip "no rps_default_mask"
	run "$LIVE" steer default
	echo "$output"
	[ "$status" -eq 0 ]
	local last
	last=$(sed -n 's/^last_cpu=//p' <<<"$output")
	[[ $output == *"sut_cpu$last=200"* ]]
	[[ $output == *"gen_cpu0=200"* ]]
}

@test "receive work is steered through sysfs where there is no default mask" {
	need_root
	[ "$(nproc)" -ge 2 ] || skip "one CPU"
	run "$LIVE" steer sysfs
	echo "$output"
	[ "$status" -eq 0 ]
	local last
	last=$(sed -n 's/^last_cpu=//p' <<<"$output")
	[[ $output == *"sut_cpu$last=200"* ]]
	[[ $output == *"gen_cpu0=200"* ]]
}

@test "a planted limit lets through what it says" {
	need_root
	# Within half a per cent in one of three tries: a busy machine scatters it.
	local ppm
	for _ in 1 2 3; do
		ppm=$("$LIVE" limit 20Mbps 512 1 | sed -n 's/^median_ppm=//p')
		echo "error: $ppm ppm"
		if [ "$ppm" -ge -5000 ] && [ "$ppm" -le 5000 ]; then
			return 0
		fi
	done
	false
}

@test "up to 9216-byte frames, and IPv6 off" {
	need_lab
	"$SATPROF" lab up --name "$NAME" --frame-size 9216
	local side end
	for end in gen0 gen1 sut0 sut1; do
		side=${end%?}
		run "$SATPROF" lab exec --name "$NAME" "$side" -- cat \
			"/sys/class/net/$end/mtu" "/proc/sys/net/ipv6/conf/$end/disable_ipv6"
		[ "$output" = $'9198\n1' ] || [[ $output == 9198* && ! -e /proc/sys/net/ipv6 ]]
	done
}

@test "a lab that cannot be told of does not stay up" {
	run bash -c '"$1" lab up --name unheard >&-' sh "$SATPROF"
	echo "$output"
	[ "$status" -eq 2 ]
	[[ "$output" == *"standard output"* ]]
	run "$SATPROF" lab down --name unheard
	[ "$status" -eq 2 ]
	[[ "$output" == *"no lab named 'unheard'"* ]]
}

@test "wrong usage exits 2 and says what is wrong" {
	local words
	while read -r words; do
		# shellcheck disable=SC2086 # a list of words
		run --separate-stderr "$SATPROF" lab $words
		echo "lab $words: $status $stderr"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[[ $stderr == "satprof lab: "* ]]
	done <<-EOF

		sideways
		up now
		up -- true
		down gen
		exec
		exec gen
		exec gen --
		exec dut -- true
		exec gen sut -- true
		exec gen true
		up --name
		up --name a/b
		up --name .hidden
		up --limit fast
		up --limit 100k --frame-size imix
		up --frame-size 63
		up --frame-size 9217
		up --burst 0
		up --cpu-recv -1
		up --nonsense
		down --name never-was
	EOF
}
