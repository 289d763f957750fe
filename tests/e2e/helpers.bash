# SPDX-License-Identifier: GPL-3.0-or-later
# What the e2e tests share: a folder of their own, JSON queries, leftovers.
# shellcheck shell=bash

# A file whose cases measure a shared machine sets BATS_TEST_RETRIES: such a case is tried
# again when the machine stalled it, what the failed try printed is shown, and only a
# failure in every try counts. Cases of a crash, a kill or bad input are not of this kind.

setup_tmp() {
	T=$(mktemp -d "${BATS_TMPDIR:-/tmp}/satprof e2e.XXXXXX")
	cd "$T" || return 1
}

teardown_tmp() {
	if [ -n "${BATS_OUT-}" ] && [ -z "${BATS_TEST_COMPLETED-}" ] &&
		bats_should_retry_test; then
		sed "s/^/# failed in try $BATS_TEST_TRY_NUMBER: /" "$BATS_OUT" >&3
	fi
	cd / && rm -rf "$T"
}

# need_command NAME...: skip where a program is not to be had.
need_command() {
	local c
	for c in "$@"; do
		command -v "$c" >/dev/null || skip "$c is not installed"
	done
}

# sweep ARGS...: run a sweep with JSON into $json; its exit code into $status.
sweep() {
	status=0
	json=$("$SATPROF" sweep --json --quiet "$@" 2>stderr.txt) || status=$?
	echo "exit $status: $(cat stderr.txt)"
}

# sweep_twice ARGS...: once more when the machine spoiled the measurement; when it does
# so twice the test is skipped with the program's own reasons. A SUT that fails, an error
# or a wrong number is no such case: there is a verdict and it names the generator or
# trials without a shape.
sweep_twice() {
	sweep "$@"
	is_spoiled || return 0
	q .reasons
	sweep "$@"
	is_spoiled || return 0
	skip "this machine is too noisy now: $(q '.reasons[0:2] | join("; ")')"
}

is_spoiled() {
	case $(q '.verdict // "none of it"') in
	broken) q '.reasons | join(" ")' | grep -qE 'generator|receiver|neither a knee' ;;
	no-knee) true ;;
	*) false ;;
	esac
}

# has_intervals: the sweep came to its end, with blocks enough for an interval of each shift; if only
# these lack in each try, the machine is no place to measure.
has_intervals() {
	[ -n "$json" ] && [[ "$status" =~ ^[036]$ ]] || return 1
	[ "$(q '[.notes[]? | select(startswith("ended early"))] | length')" -eq 0 ] || return 1
	[ "$(q '[.observer[].blocks] | min')" -ge 6 ] && return 0
	[ "$BATS_TEST_TRY_NUMBER" -gt "$BATS_TEST_RETRIES" ] || return 1
	skip "this machine is too noisy now: $(q '.reasons[0:2] | join("; ")')"
}

# q FILTER: a jq query on $json.
q() {
	jq -r "$1" <<<"$json"
}

# cost_difference_us PAIRS: the median over pairs of sweeps of 1/knee(--cost 60000) -
# 1/knee(--cost 15000), in us. Pairs in turn, since this machine's speed drifts; bursts, since
# an interrupt for each frame costs as much as the work itself on some virtual machines.
cost_difference_us() {
	local i cost
	for ((i = 0; i < $1; i++)); do
		for cost in 15000 60000; do
			sweep --preset smoke --burst 64 --arms off -- \
				satprof forward '{in}' '{out}' --cost "$cost" >&2
			q ".arms[0].knee_pps" | sed "s/^/$cost /"
		done
	done | tee /dev/stderr |
		awk '$1 == 15000 { a = $2 } $1 == 60000 && a > 0 && $2 > 0 { print 1e6 / $2 - 1e6 / a }' |
		sort -g | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "none" }'
}

# What an outside profiler may be: one that takes half of the SUT's CPUs, in 5 ms pieces,
# and one that does nothing.
# shellcheck disable=SC2016,SC2034 # Perl's variables; the tests read them
BURNER='exec taskset -c {cpus} perl -MTime::HiRes=time,sleep -e "for (;;) {
	\$until = time + 0.005; 1 while time < \$until; sleep 0.005 }"'
# shellcheck disable=SC2034
IDLER='exec sleep 3600'

# against PROFILER ARGS...: a smoke sweep of a forwarder of known work without and with it.
against() {
	local profiler=$1
	shift
	sweep --preset smoke --profiler "$profiler" "$@" -- \
		satprof forward '{in}' '{out}' --cost 15000
	q '.verdict, (.observer[0] | [.shift_frac, .lo_frac, .hi_frac] | @json), .reasons[0:3][]'
}

# What changes the SUT and nothing else, and what keeps two CPUs from sleeping without
# taking anything from others.
# shellcheck disable=SC2034
MOVER_TO_1='taskset -a -p -c 1 {pid} && exec sleep 3600'
# shellcheck disable=SC2034
MOVER_TO_0='taskset -a -p -c 0 {pid} && exec sleep 3600'
# shellcheck disable=SC2016,SC2034
WAKER='for cpu in 0 1; do
	taskset -c $cpu chrt --idle 0 perl -e "1 while 1" &
done; wait'

# story CPU PROFILER ARGS...: the story of the mission. A forwarder whose thread is
# pinned to CPU 0, the generator's, or well placed on CPU 1; without PROFILER and with
# it, and then what seems to be the cause is forced without it. In bursts of 4: where
# the generator wakes for each frame, goodput beside it breaks down above the knee by
# half in one trial and not in the next, and a mini-sweep has no corner.
story() {
	local cpu=$1 profiler=$2
	shift 2
	sweep --cpu-gen 0 --cpu-recv 0 --cpu-collect 0 --cpu-sut 0,1 --confirm --burst 4 \
		--profiler "$profiler" "$@" -- \
		taskset -c "$cpu" "$SATPROF" forward '{in}' '{out}' --cost 15000
	q '.verdict, (.observer[0] | [.shift_frac, .lo_frac, .hi_frac] | @json),
		(.observer[0].causes[]? | [.factor, .evidence, .state] | @json),
		(.confirmations[]? | [.factor, .forced, .state, .why,
			.forced_against_ref.lo_frac, .forced_against_ref.hi_frac,
			.forced_against_arm.lo_frac, .forced_against_arm.hi_frac] | @json),
		.no_confirmation // empty, .reasons[]'
}

# story_took: seconds from the first trial of the sweep to its last, without what the
# confirmation took.
story_took() {
	q '[.trials[] | select(has("confirmation") | not).t_start_ns] |
		(max - min) / 1e9 | ceil'
}

# first_cause FACTOR THREAD_AND_VALUES STATE: the strongest suspect is this one.
first_cause() {
	[ "$(q '.observer[0].causes[0] | [.factor, .ref_value, .arm_value, .state] | @json')" = \
		"[\"$1\",\"$2\",\"$3\",\"$4\"]" ]
}

# no_cause FACTOR: nothing is blamed on it.
no_cause() {
	[ "$(q "[.observer[0].causes[]? | select(.factor == \"$1\")] | length")" -eq 0 ]
}

# nothing_confirmed
nothing_confirmed() {
	[ "$(q '[.confirmations[]? | select(.state == "confirmed")] | length')" -eq 0 ]
}

# against_with_hogs: the same with nothing to find, while for 5 s of it every CPU is
# wanted by somebody else.
against_with_hogs() {
	local hogs
	(
		sleep 12
		for _ in $(seq "$(nproc)"); do
			timeout 5 perl -e '1 while 1' &
		done
		wait
	) 3>&- &
	hogs=$!
	against "$IDLER"
	wait "$hogs" || true
}

# near VALUE TRUTH PERCENT: fail unless VALUE lies within PERCENT of TRUTH.
near() {
	awk -v v="$1" -v t="$2" -v p="$3" 'BEGIN {
		d = 100 * (v / t - 1)
		printf "%s against %s: %+.2f %% (allowed %s %%)\n", v, t, d, p
		exit !(d <= p && d >= -p)
	}'
}

# The network namespaces that processes live in, and satprof's own processes.
leftovers() {
	readlink /proc/[0-9]*/ns/net 2>/dev/null | sort -u
	local p
	for p in /proc/[0-9]*/exe; do
		[ "$(readlink "$p" 2>/dev/null)" = "$(readlink -f "$SATPROF")" ] &&
			echo "running: ${p%/exe}"
	done
	ip -o link | cut -d: -f2
	ls -d /tmp/satprof-* 2>/dev/null
	true
}

# assert_nothing_left BEFORE: what leftovers() printed before is what there is.
assert_nothing_left() {
	local after tries=0
	while [ "$tries" -lt 10 ]; do
		tries=$((tries + 1))
		after=$(leftovers)
		[ "$after" = "$1" ] && return 0
		sleep 0.2
	done
	diff <(echo "$1") <(echo "$after")
	return 1
}
