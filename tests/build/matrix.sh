#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Build variants, each judged by its warnings and its unit tests; TAP. Run from a build
# folder: matrix.sh [CC:SANITIZERS[:CONFIGURE-OPTION]]..., all of them when none is named.
# Builds are kept in matrix/ there, so that the next run is quick.
set -u
# A relative way to the sources: configure refuses blanks in an absolute one.
build=$PWD
srcdir=$(realpath --relative-to="$build" "$(dirname "$0")/../..")

variants=("$@")
# shellcheck disable=SC2054 # the commas are the sanitizers'
[ ${#variants[@]} -gt 0 ] || variants=(
	gcc:none
	gcc:none:--disable-hardening
	gcc:address,undefined
	gcc:thread
	gcc:none:CFLAGS=-O0
	gcc:none:CFLAGS=-O3
	clang:none
	clang:none:--disable-hardening
	clang:address,undefined
	clang:thread
)

# variant CC SANITIZERS OPTION: configure, build, test in the current folder.
variant() {
	local options=(--enable-werror -q CC="$1")
	[ "$2" = none ] || options+=("--enable-sanitizers=$2")
	[ -z "$3" ] || options+=("$3")
	[ -f Makefile ] || "../../$srcdir/configure" "${options[@]}" || return
	make -s -j"$(nproc)" check-unit
}

n=0
bad=0
for spec in "${variants[@]}"; do
	IFS=: read -r cc sanitizers option <<<"$spec"
	n=$((n + 1))
	dir=$build/matrix/${spec//[:=]/_}
	mkdir -p "$dir" && cd "$dir" || exit 1
	if ! command -v "$cc" >/dev/null; then
		echo "ok $n - $spec # SKIP $cc is missing (package $cc)"
	elif variant "$cc" "$sanitizers" "${option-}" >matrix.out 2>&1; then
		echo "ok $n - $spec: $(sed -n 's/^# PASS: *//p' matrix.out) unit tests"
	else
		bad=$((bad + 1))
		echo "not ok $n - $spec"
		grep -vE '^(PASS|make|checking|  (CC|AR|CCLD) )' matrix.out | tail -n 40 |
			sed 's/^/# /'
	fi
done
echo "1..$n"
[ "$bad" -eq 0 ]
