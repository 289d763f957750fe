#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# satprof probe: as root and as nobody, in containers' conditions, leaving nothing.
bats_require_minimum_version 1.5.0
load helpers

setup() {
	setup_tmp
	SHIM="${top_builddir:-.}/tests/e2e/without-perf"
}

teardown() {
	teardown_tmp
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# A copy that another user can reach.
copy_for_nobody() {
	BIN=$(mktemp -d /tmp/satprof-e2e-bin.XXXXXX)
	chmod 755 "$BIN"
	cp "$SATPROF" "$BIN/satprof"
}

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# state NAME: of the JSON in $output.
state() {
	jq -r --arg n "$1" '.features[] | select(.name == $n).state' <<<"$output"
}

why() {
	jq -r --arg n "$1" '.features[] | select(.name == $n).why' <<<"$output"
}

remedy() {
	jq -r --arg n "$1" '.features[] | select(.name == $n).remedy' <<<"$output"
}

# Everything global that a careless probe could change.
global_state() {
	cat /proc/sys/kernel/perf_event_* /proc/sys/kernel/kptr_restrict \
		/proc/sys/kernel/nmi_watchdog /proc/sys/net/core/rps_default_mask \
		/proc/sys/net/ipv6/conf/all/disable_ipv6 \
		/proc/self/mountinfo 2>/dev/null || true
}

@test "the man page's jq example gives an answer" {
	need_command jq
	local filter code=0
	filter=$(sed -n "/^\.Dl.*| jq -e/s/.*jq -e '\(.*\)'$/\1/p" \
		"$BATS_TEST_DIRNAME/../../man/satprof-probe.1" | sed 's/\\(dq/"/g')
	[ -n "$filter" ]
	"$SATPROF" probe --json | jq -e "$filter" >out.txt || code=$?
	[ "$code" -le 1 ] # 1: the answer is no
	grep -qx 'true\|false' out.txt
}

@test "one line a feature, each with a known state, exit 0" {
	run --separate-stderr "$SATPROF" probe
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${#lines[@]}" -ge 20 ]
	local line
	for line in "${lines[@]}"; do
		[[ $line =~ ^[a-z-]+\ +(ok|degraded|missing)\ +[^\ ] ]] ||
			{ echo "odd line: $line"; false; }
		[[ $line != *"no answer"* ]]
	done
}

@test "--json: schema 1, four strings a feature, remedies where something lacks" {
	need_command jq
	run --separate-stderr "$SATPROF" probe --json
	[ "$status" -eq 0 ]
	jq -e '.schema == 1' <<<"$output"
	jq -e '.features | length >= 20' <<<"$output"
	jq -e 'all(.features[]; keys == ["name", "remedy", "state", "why"])' <<<"$output"
	jq -e 'all(.features[]; .state == "ok" or .state == "degraded" or .state == "missing")' <<<"$output"
	jq -e 'all(.features[]; .why != "")' <<<"$output"
	jq -e 'all(.features[]; .state != "ok" or .remedy == "")' <<<"$output"
	jq -e '[.features[].name] | length == (unique | length)' <<<"$output"
}

@test "wrong usage: exit 2, nothing on stdout" {
	run --separate-stderr "$SATPROF" probe everything
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	run --separate-stderr "$SATPROF" probe --jso
	[ "$status" -eq 2 ]
}

@test "root has a lab, packet sockets and a strong keeper" {
	need_root
	need_command jq
	run --separate-stderr "$SATPROF" probe --json
	[ "$(state rights)" = ok ]
	[ "$(state lab)" = ok ]
	[ "$(state packet-socket)" = ok ]
	[ "$(state send-buffer)" = ok ]
	[ "$(state pid-namespaces)" = ok ]
	[ "$(state real-interfaces)" = ok ]
}

@test "nothing is left and nothing is changed" {
	need_root
	local before
	before=$(leftovers)
	global_state >before
	run "$SATPROF" probe
	[ "$status" -eq 0 ]
	global_state >after
	diff before after
	assert_nothing_left "$before"
}

@test "nobody: what is missing is named, with the right and a remedy" {
	need_root
	need_command jq setpriv
	copy_for_nobody
	run --separate-stderr as_nobody "$BIN/satprof" probe --json
	rm -r "$BIN"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "$(state rights)" = degraded ]
	[[ $(why rights) == *CAP_NET_RAW* ]]
	[ "$(state real-interfaces)" = missing ]
	[[ $(remedy real-interfaces) == sudo* ]]
	if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 1 ]; then
		[ "$(state perf-cpu)" = missing ]
		[[ $(why perf-cpu) == *perf_event_paranoid*CAP_PERFMON* ]]
		[[ $(remedy perf-cpu) == *"sysctl -w kernel.perf_event_paranoid=0" ]]
	fi
	if [ "$(state user-namespaces)" = ok ]; then
		[ "$(state lab)" = ok ]
		[[ $(why lab) == *"user namespace"* ]]
		[ "$(state send-buffer)" = degraded ]
	fi
}

@test "root of a user namespace is not root of the machine" {
	need_command jq unshare
	unshare -Urn true || skip "no user namespaces here"
	run --separate-stderr unshare -Urn "$SATPROF" probe --json
	[ "$status" -eq 0 ]
	[ "$(state rights)" = degraded ]
	[[ $(why rights) == *"user namespace"* ]]
	[ "$(state real-interfaces)" = missing ]
	[ "$(state lab)" = ok ]
}

@test "a seccomp profile that says EPERM or ENOSYS: two messages, never 'files'" {
	need_command jq
	run --separate-stderr "$SHIM" EPERM "$SATPROF" probe --json
	[ "$status" -eq 0 ]
	local f
	for f in perf-task perf-cpu perf-kernel perf-hardware perf-ring; do
		[ "$(state $f)" = missing ]
		[[ $(why $f) == *EPERM*seccomp*CAP_PERFMON* ]] || [ "$f" = perf-kernel ]
		[[ $(why $f) != *"open files"* ]]
	done
	[[ $(remedy perf-cpu) == *PERFMON* ]]
	run --separate-stderr "$SHIM" ENOSYS "$SATPROF" probe --json
	[ "$status" -eq 0 ]
	for f in perf-task perf-cpu perf-hardware perf-ring; do
		[ "$(state $f)" = missing ]
		[[ $(why $f) == *ENOSYS*seccomp*CAP_PERFMON* ]]
	done
}

@test "mount refused: the weaker keeper, and it says so" {
	need_command jq
	run --separate-stderr "$SHIM" MOUNT "$SATPROF" probe --json
	[ "$status" -eq 0 ]
	[ "$(state pid-namespaces)" = degraded ]
	[[ $(why pid-namespaces) == *"may outlive"*"Operation not permitted"* ]]
	# programs run all the same
	[ "$(state perf)" != degraded ]
}

@test "few files, little locked memory: said, not failed" {
	need_root
	need_command jq prlimit setpriv
	run --separate-stderr prlimit --nofile=64 "$SATPROF" probe --json
	[ "$status" -eq 0 ]
	[ "$(state descriptors)" = degraded ]
	[[ $(why descriptors) == *"64 open files"* ]]
	copy_for_nobody
	run --separate-stderr prlimit --memlock=0 setpriv --reuid=65534 --regid=65534 \
		--clear-groups "$BIN/satprof" probe --json
	rm -r "$BIN"
	[ "$status" -eq 0 ]
	[ "$(state perf-task)" = ok ] || return 0
	# the kernel's own allowance is counted by the CPU: 257 pages may still fit
	if [ $(($(cat /proc/sys/kernel/perf_event_mlock_kb) * $(nproc --all))) -ge 1028 ]; then
		[ "$(state perf-ring)" = ok ]
	else
		[ "$(state perf-ring)" = degraded ]
		[[ $(why perf-ring) == *perf_event_mlock_kb* ]]
	fi
}

@test "one CPU: degraded, with the reason" {
	need_command jq taskset
	run --separate-stderr taskset -c 0 "$SATPROF" probe --json
	[ "$status" -eq 0 ]
	[ "$(state cpus)" = degraded ]
	[[ $(why cpus) == *"one CPU"* ]]
}

@test "no PMU is ENOENT, not a zero" {
	need_command jq
	run --separate-stderr "$SATPROF" probe --json
	[ "$(state perf-hardware)" = missing ] || skip "this machine has a PMU"
	[[ $(why perf-hardware) == *PMU* ]]
}
