#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# configure, where something is missing: what it says, and that it says all of it.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	# configure refuses blanks in the way to it, and the checkout may have some.
	ln -s "$top_srcdir" tree
}

@test "libraries that are missing are named with their Debian packages, all at once" {
	# No pkg-config file is found, and the headers of those without are hidden.
	run env PKG_CONFIG_LIBDIR="$BATS_TEST_TMPDIR" \
		ac_cv_header_perfmon_pfmlib_perf_event_h=no ac_cv_header_csv_h=no \
		./tree/configure -q
	echo "$output"
	[ "$status" -ne 0 ]
	local package
	for package in $(sed -n '/^\[build\]/,/^\[/s/^lib\(.*\)/lib\1/p' \
		"$top_srcdir/scripts/packages"); do
		case $package in
		libc6-dev | libnl-3-dev) continue ;; # with the compiler; with libnl-route-3-dev
		esac
		grep -q "(package $package)" <<<"$output" || { echo "no $package"; false; }
		grep -q "^Debian: apt-get install.* $package" <<<"$output"
	done
	[ ! -e Makefile ]
}

@test "one library that is missing is the only one named" {
	local dir file
	mkdir pc
	for dir in $(pkg-config --variable pc_path pkg-config | tr : ' '); do
		for file in "$dir"/*.pc; do
			[ ! -f "$file" ] || ln -sf "$file" pc/
		done
	done
	[ -e pc/jansson.pc ]
	rm pc/jansson.pc
	run env PKG_CONFIG_LIBDIR="$PWD/pc" ./tree/configure -q
	echo "$output"
	[ "$status" -ne 0 ]
	[ "$(grep -c '(package ' <<<"$output")" -eq 1 ]
	[[ $output == *'jansson (package libjansson-dev)'* ]]
	[[ $output == *'apt-get install libjansson-dev'* ]]
}
