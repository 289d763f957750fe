#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# scripts/setup and the package list, with apt-get, dpkg-query and id replaced.
bats_require_minimum_version 1.5.0

setup() {
	bin=$BATS_TEST_TMPDIR/bin
	state=$BATS_TEST_TMPDIR/state
	mkdir "$bin" "$state"
	fake dpkg-query 'for last; do :; done
		grep -qx "$last" "$state/installed" && echo installed'
	fake apt-cache 'grep -qx "$2" "$state/known"'
	fake apt-get 'echo "$*" >>"$state/calls"
		case "$*" in
		*update) cp "$state/mirror" "$state/known" ;;
		*install*) [ ! -e "$state/stale" ] || { rm "$state/stale"; exit 100; }
			for p; do case $p in -* | install) ;; *) echo "$p" >>"$state/installed" ;;
			esac; done ;;
		esac'
	fake id 'echo "${FAKE_UID-0}"'
	export state PATH=$bin:$PATH
	packages >"$state/mirror"
	: >"$state/installed"
	: >"$state/known"
	: >"$state/calls"
}

fake() {
	printf '#!/bin/sh\n%s\n' "$2" >"$bin/$1"
	chmod +x "$bin/$1"
}

packages() {
	grep -v '^\[\|^#\|^$' "$top_srcdir/scripts/packages"
}

@test "the list is sorted, without doubles, in three sections" {
	[ -z "$(packages | sort | uniq -d)" ]
	[ "$(grep '^\[' "$top_srcdir/scripts/packages" | tr '\n' ' ')" = '[build] [test] [peers] ' ]
	awk '/^\[/ { last = ""; next } /^[a-z]/ { if ($1 < last) bad = 1; last = $1 }
		END { exit bad }' "$top_srcdir/scripts/packages"
}

@test "a fresh machine: lists are fetched, then all is installed, once" {
	run "$top_srcdir/scripts/setup" -y
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *'to be installed: '*bats*' '*libjansson-dev* ]]
	[ "$(grep -c update "$state/calls")" -eq 1 ]
	[ "$(grep -c install "$state/calls")" -eq 1 ]
	grep -qx bats "$state/installed"
	! grep -qx tcpreplay "$state/installed"
}

@test "nothing to do: no word, no call, no root needed" {
	packages >"$state/installed"
	FAKE_UID=1000 run "$top_srcdir/scripts/setup"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ ! -s "$state/calls" ]
}

@test "only what is missing is installed" {
	packages | grep -vx 'bats\|libpfm4-dev' >"$state/installed"
	packages >"$state/known"
	run "$top_srcdir/scripts/setup" -y
	[ "$status" -eq 0 ]
	[ "$(cat "$state/calls")" = '-q install -y --no-install-recommends bats libpfm4-dev' ]
}

@test "package lists that are out of date are fetched again" {
	packages >"$state/known"
	touch "$state/stale"
	run "$top_srcdir/scripts/setup" -y build
	[ "$status" -eq 0 ]
	[ "$(grep -c update "$state/calls")" -eq 1 ]
	[ "$(grep -c install "$state/calls")" -eq 2 ]
}

@test "without -y it asks, and no is no" {
	run "$top_srcdir/scripts/setup" <<<n
	[ "$status" -eq 1 ]
	[[ $output == *'nothing was installed'* ]]
	[ ! -s "$state/calls" ]
	run "$top_srcdir/scripts/setup" </dev/null
	[ "$status" -eq 1 ]
	run "$top_srcdir/scripts/setup" <<<y
	[ "$status" -eq 0 ]
	grep -q install "$state/calls"
}

@test "a user with sudo installs through it; without, is told the command" {
	fake sudo 'echo "sudo $*" >>"$state/calls"; exec "$@"'
	packages | grep -vx bats >"$state/installed"
	packages >"$state/known"
	FAKE_UID=1000 run "$top_srcdir/scripts/setup" -y
	[ "$status" -eq 0 ]
	grep -q '^sudo env DEBIAN_FRONTEND=noninteractive apt-get .*install.* bats' \
		"$state/calls"
	rm "$bin/sudo"
	packages | grep -vx bats >"$state/installed"
	if PATH=${PATH#*:} command -v sudo >/dev/null; then
		skip 'this machine has a sudo of its own'
	fi
	FAKE_UID=1000 run "$top_srcdir/scripts/setup" -y
	[ "$status" -eq 1 ]
	[[ $output == *'as root, run: apt-get install bats'* ]]
}

@test "wrong use of setup, check and demo exits 2 and does nothing" {
	local script
	for script in setup check demo; do
		run "$top_srcdir/scripts/$script" --frobnicate
		[ "$status" -eq 2 ]
		[[ $output == *"Usage: scripts/$script"* ]]
	done
	[ ! -s "$state/calls" ]
}
