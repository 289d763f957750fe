# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What the check-* scripts share: where the tree is, and how a result is said (TAP).
#
# top_srcdir and top_builddir come from make; a check run by hand finds the tree by
# its own place and takes the current folder for the build folder.

set -u
export LC_ALL=C
top_srcdir=${top_srcdir:-$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}
top_builddir=${top_builddir:-$PWD}
tap_n=0
tap_bad=0

# tap_skip_all REASON: nothing to test here.
tap_skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# tap_skip NAME REASON: one rule that cannot be tested here.
tap_skip() {
	tap_n=$((tap_n + 1))
	echo "ok $tap_n - $1 # SKIP $2"
}

# tap_report NAME FILE: passes when FILE, the list of violations, is empty.
tap_report() {
	tap_n=$((tap_n + 1))
	if [ -s "$2" ]; then
		tap_bad=$((tap_bad + 1))
		echo "not ok $tap_n - $1"
		sed 's/^/# /' "$2"
	else
		echo "ok $tap_n - $1"
	fi
}

# tap_need TOOL PACKAGE: without the tool the whole check is skipped.
tap_need() {
	command -v "$1" >/dev/null || tap_skip_all "$1 is missing (package $2)"
}

tap_done() {
	echo "1..$tap_n"
	[ "$tap_bad" -eq 0 ]
}

# A folder for lists of violations, gone at the end.
tap_tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tap_tmp"' EXIT
