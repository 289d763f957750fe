#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# satprof audit on this machine: as root and as nobody, of a process, of a run.
bats_require_minimum_version 1.5.0
load helpers
load audit

setup() {
	setup_tmp
}

teardown() {
	[ -z "${spinner-}" ] || kill "$spinner" 2>/dev/null || true
	teardown_tmp
}

need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

as_nobody() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

# A copy that another user can reach.
copy_for_nobody() {
	BIN=$(mktemp -d /tmp/satprof-e2e-bin.XXXXXX)
	chmod 755 "$BIN"
	cp "$SATPROF" "$BIN/satprof"
}

# spin CPU: a busy process pinned there; its pid in $spinner.
spin() {
	taskset -c "$1" perl -e '1 while 1' 3>&- &
	spinner=$!
	until [ "$(cat "/proc/$spinner/comm")" = perl ]; do sleep 0.05; done
}

@test "the machine alone: text, JSON, exit 0, nothing on standard error" {
	need_command jq
	run --separate-stderr "$SATPROF" audit
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ "$output" == *Machine* ]]
	[[ "$output" != *"Threads of the SUT"* ]]
	run --separate-stderr "$SATPROF" audit --json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	is_valid <<<"$output"
	jq -e '.threads == [] and .memory == []' <<<"$output"
	# what the kernel tells elsewhere
	[ "$(jq -r '[.cpus.list[].cpu] | length' <<<"$output")" -eq \
		"$(grep -c '^cpu[0-9]' /proc/stat)" ]
	[ "$(jq -r .host.clock_source <<<"$output")" = \
		"$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource)" ]
	[ "$(jq -r '.nodes | length' <<<"$output")" -eq \
		"$(find /sys/devices/system/node -maxdepth 1 -name 'node[0-9]*' | wc -l)" ]
}

@test "every interface with a device is there, and no other" {
	need_command jq
	local want
	want=$(for i in /sys/class/net/*; do
		[[ $(readlink "$i") == *devices/virtual* ]] || echo "${i##*/}"
	done | sort)
	run --separate-stderr "$SATPROF" audit --json
	[ "$(jq -r '.nics[].name' <<<"$output" | sort)" = "$want" ]
	jq -e 'all(.nics[]; .virtual == false and (.irqs | length > 0))' <<<"$output" ||
		jq -e 'any(.not_readable[]; .what | startswith("interrupts of"))' <<<"$output"
}

@test "a process: its threads, where they may run, its memory" {
	need_command jq taskset perl
	spin 0
	run --separate-stderr "$SATPROF" audit --pid "$spinner" --json
	[ "$status" -eq 0 ]
	is_valid <<<"$output"
	jq -e --argjson p "$spinner" '.threads == [.threads[0]]
		and (.threads[0] | .pid == $p and .tid == $p and .comm == "perl"
			and .cpu == 0 and .allowed_cpus == "0")' <<<"$output"
	# how busy depends on who else runs here
	jq -e '.threads[0].busy_frac > 0.05' <<<"$output"
	if [ -r "/proc/$spinner/numa_maps" ]; then
		jq -e '[.memory[].bytes] | add > 100000' <<<"$output"
	else
		jq -e 'any(.not_readable[]; .what == "memory of the SUT by node")' <<<"$output"
	fi
	run --separate-stderr "$SATPROF" audit --pid "$spinner"
	[ "$status" -eq 0 ]
	[[ "$output" == *"perl (tid $spinner): CPU 0, node "* ]]
}

@test "another program on the SUT's CPU is found and named" {
	need_command jq taskset perl
	spin 0
	taskset -c 0 sh -c 'while :; do :; done' 3>&- &
	local hog=$!
	run --separate-stderr "$SATPROF" audit --pid "$spinner" --json
	kill "$hog"
	jq -e 'any(.findings[]; .id == "cpu-shared" and (.what | test("of CPU 0")))' \
		<<<"$output"
	# somebody is named; on a busy machine it need not be this one
	jq -e 'any(.findings[]; .id == "cpu-shared" and (.what | test("[(].+, pid [0-9]+[)]$"))
		and (.mend == "" or (.mend | test("^sudo taskset -apc [0-9,-]+ [0-9]+$"))))' \
		<<<"$output"
}

@test "the SUT's interface is known by its socket, also in another namespace" {
	need_root
	need_command jq ip unshare
	# shellcheck disable=SC2016 # the inner shell's
	unshare -n -m sh -c '
		mount -t sysfs none /sys
		ip link add va type veth peer name vb
		ip link set va up && ip link set vb up
		"$1" forward va vb >/dev/null 2>&1 & echo "$! "; wait' sh "$SATPROF" >pid 3>&- &
	local outer=$!
	for _ in $(seq 50); do
		[ -s pid ] && grep -q . "/proc/$(tr -d ' ' <pid)/net/packet" && break
		sleep 0.1
	done
	sleep 0.5
	run --separate-stderr "$SATPROF" audit --pid "$(tr -d ' ' <pid)" --json
	kill "$(tr -d ' ' <pid)" "$outer" || true
	[ "$status" -eq 0 ]
	is_valid <<<"$output"
	jq -e '[.nics[] | select(.used) | .name] | sort == ["va", "vb"]' <<<"$output"
	jq -e 'all(.nics[]; .node == null and .driver == "veth")' <<<"$output"
}

@test "nobody: valid, and what is not permitted is listed" {
	need_root
	need_command jq setpriv taskset perl
	copy_for_nobody
	spin 0
	"$SATPROF" audit --pid "$spinner" --json >root.json
	run --separate-stderr as_nobody "$BIN/satprof" audit --pid "$spinner" --json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	is_valid <<<"$output"
	jq -e '.threads[0].cpu == 0' <<<"$output"
	jq -e '.memory == []' <<<"$output"
	jq -e 'any(.not_readable[]; .what == "memory of the SUT by node"
		and (.why | test("not permitted|not there")))' <<<"$output"
	jq -e 'any(.not_readable[]; .what == "which interfaces the SUT uses"
		and (.why | test("/fd: not permitted .try as root, or .*--in and --out")))' \
		<<<"$output"
	jq . <<<"$output" >nobody.json
	is_explained root.json nobody.json
	run --separate-stderr as_nobody "$BIN/satprof" audit --pid "$spinner"
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ "$output" == *"Not readable"* ]]
	[ "$(notes_of <<<"$output")" -eq "$(jq '.not_readable | length' nobody.json)" ]
	# a process that is not there is one that nobody may not see, too
	run --separate-stderr as_nobody "$BIN/satprof" audit --pid 2147483647
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	rm -r "$BIN"
}

@test "a recorded tree without anything: all is a gap, nothing is found" {
	need_command jq
	mkdir root
	run --separate-stderr "$SATPROF" audit --root root --json
	[ "$status" -eq 0 ]
	is_valid <<<"$output"
	jq -e '.findings == [] and (.not_readable | length > 10)' <<<"$output"
}

@test "a quota is found, with the file that mends it" {
	need_command jq
	mkdir -p root/proc/self root/sys/fs/cgroup/box
	echo '0::/box' >root/proc/self/cgroup
	echo '50000 100000' >root/sys/fs/cgroup/box/cpu.max
	printf 'nr_periods 9\nnr_throttled 4\nthrottled_usec 700\n' \
		>root/sys/fs/cgroup/box/cpu.stat
	run --separate-stderr "$SATPROF" audit --root root --json
	jq -e '[.findings[].id] == ["cpu-throttled", "cpu-quota"]' <<<"$output"
	jq -e '.findings[0].mend == "echo max | sudo tee /sys/fs/cgroup/box/cpu.max"' \
		<<<"$output"
	jq -e '.host.quota_cpus == 0.5 and .host.throttled == 4' <<<"$output"
}

@test "a run without facts says that it has none" {
	need_command jq
	"$SATPROF" sweep --quiet --sim capacity=100k,noise=0.5% --seed 3 -o run.satprof \
		>/dev/null 2>&1
	run --separate-stderr "$SATPROF" audit run.satprof --json
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	is_valid <<<"$output"
	jq -e '.findings == [] and any(.not_readable[]; .why | test("no facts"))' <<<"$output"
	run --separate-stderr "$SATPROF" audit run.satprof
	[ "$status" -eq 0 ]
	[[ "$output" == *"Nothing wrong was found."* ]]
	run "$SATPROF" show run.satprof
	[[ "$output" != *"satprof audit"* ]]
}

@test "a run of the test bed: the SUT's threads and links are judged by its facts" {
	need_root
	need_command jq
	"$SATPROF" sweep --quiet --rates 20k --arms off --blocks 1 --trial-time 0.3s \
		-o run.satprof >/dev/null
	run --separate-stderr "$SATPROF" audit run.satprof --json
	[ "$status" -eq 0 ]
	is_valid <<<"$output"
	jq -e '.threads | length > 0' <<<"$output"
	jq -e 'all(.threads[]; .comm != "" and (has("tid") | not))' <<<"$output"
	# what audit finds show tells, too
	local n what
	n=$(jq '.findings | length' <<<"$output")
	what=$(jq -r '.findings[0].what // "" | .[0:30]' <<<"$output")
	run "$SATPROF" show run.satprof
	if [ "$n" -gt 0 ]; then
		[[ "$output" == *"Placement and settings"*"$what"* ]]
	else
		[[ "$output" != *"Placement and settings"* ]]
	fi
}

@test "wrong usage: exit 2, one line, nothing on standard output" {
	local words
	for words in '--pid 0' '--pid x' '--pid 2147483647' '--in nosuch0' '--root /nosuch' \
		'a b' '--pid 1 run.satprof' '--root / run.satprof' nosuch.satprof '--jso'; do
		# shellcheck disable=SC2086 # words are split
		run --separate-stderr "$SATPROF" audit $words
		echo "$words: $status $output $stderr"
		[ "$status" -eq 2 ]
		[ -z "$output" ]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
	echo 'not a run' >junk
	run --separate-stderr "$SATPROF" audit junk
	[ "$status" -eq 2 ]
}

@test "a full disk is an error, not an answer" {
	[ -c /dev/full ] || skip "no /dev/full"
	local code=0
	"$SATPROF" audit --json >/dev/full 2>stderr.txt || code=$?
	[ "$code" -eq 2 ]
	[ "$(wc -l <stderr.txt)" -eq 1 ]
}

@test "nothing is changed" {
	need_root
	local before after
	state() {
		cat /proc/irq/*/smp_affinity_list /proc/sys/kernel/numa_balancing \
			/sys/kernel/mm/transparent_hugepage/enabled \
			/sys/class/net/*/queues/*/rps_cpus 2>/dev/null || true
	}
	before=$(state)
	"$SATPROF" audit >/dev/null
	after=$(state)
	[ "$before" = "$after" ]
}

@test "the man page's jq example gives an answer" {
	need_command jq
	local filter code=0
	filter=$(sed -n "/^\.Dl.*| jq -e/s/.*jq -e '\(.*\)'$/\1/p" \
		"$BATS_TEST_DIRNAME/../../man/satprof-audit.1" | sed 's/\\(dq/"/g')
	[ -n "$filter" ]
	"$SATPROF" audit --json | jq -e "$filter" >out.txt || code=$?
	[ "$code" -le 1 ] # 1: the answer is no
	grep -qx 'true\|false' out.txt
}
