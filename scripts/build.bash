# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# What demo and check share: configure and build in ./build, out of tree. The path of
# the checkout may hold blanks, so configure is always called as ../configure.

# build_tree CONFIGURE-OPTION...: (re)configures when an option is not in force.
build_tree() (
	[ -x configure ] || autoreconf -fi
	mkdir -p build
	cd build || exit
	in_force=$(./config.status --config 2>/dev/null || echo none)
	for option in "$@"; do
		[[ $in_force == *"$option"* ]] || in_force=none
	done
	[ "$in_force" != none ] || ../configure -q "$@"
	make -s -j"$(nproc)"
)
