#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Without rights on a kernel that gives none (kernel.perf_event_paranoid 3, Debian's own),
# in the machine of qemu-lab: it runs this build as nobody.
bats_require_minimum_version 1.5.0

load guest

setup() {
	need_guest
}

# as_nobody WORDS: satprof with these words in the guest, as nobody.
as_nobody() {
	run --separate-stderr "$lab" run --arch x86_64 --root / --share "$top_builddir" -- sh -c "
		[ \"\$(cat /proc/sys/kernel/perf_event_paranoid)\" = 3 ] || exit 99
		mkdir /tmp/w && chmod 777 /tmp/w && cd /tmp/w
		PATH='$top_builddir':\$PATH
		exec setpriv --reuid 65534 --regid 65534 --clear-groups satprof $*"
	printf 'exit %s\n%s\n%s\n' "$status" "$output" "$stderr"
}

@test "an arm asked for by name that cannot be: exit 7 and one line with the remedy" {
	as_nobody sweep --quiet --preset smoke --arms off,sample@997
	[ "$status" -eq 7 ]
	[ -z "$output" ]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[[ "$stderr" == *sample@997*perf_event_paranoid*3*CAP_PERFMON* ]]
}

@test "arms not asked for are left out, and it says so" {
	as_nobody "sweep --quiet --preset smoke -- satprof forward '{in}' '{out}' --limit 2000"
	[ "$status" -eq 0 ]
	[[ "$output" == *"only the arm off runs here"*perf_event_paranoid* ]]
	[[ "$output" == *"off saturates at"* ]]
	[[ "$output" == *verdict=measured ]]
}
