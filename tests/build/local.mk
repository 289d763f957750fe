# SPDX-License-Identifier: GPL-3.0-or-later
# Tests of the build itself and of the scripts that check the tree.
BUILD_TESTS = \
	%D%/checks.bats \
	%D%/configure.bats \
	%D%/scripts.bats
TESTS += $(BUILD_TESTS)
EXTRA_DIST += $(BUILD_TESTS) %D%/matrix.sh
