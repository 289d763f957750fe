# SPDX-License-Identifier: GPL-3.0-or-later
# Scripts that check the tree itself; each speaks TAP and can be run by hand.
SOURCE_CHECKS = \
	%D%/check-format \
	%D%/check-headers \
	%D%/check-layers \
	%D%/check-links \
	%D%/check-man \
	%D%/check-shell \
	%D%/check-size \
	%D%/check-symbols
TESTS += $(SOURCE_CHECKS)
EXTRA_DIST += $(SOURCE_CHECKS) %D%/check-symbols.allow %D%/tap.bash

# From a clone to a built, tried or checked program.
EXTRA_DIST += \
	.ci/run \
	%D%/bench/forwarder \
	%D%/bench/generator \
	%D%/bench/observer \
	%D%/bench/search \
	%D%/bench/signed-rank.awk \
	%D%/build.bash \
	%D%/check \
	%D%/coverage \
	%D%/demo \
	%D%/packages \
	%D%/setup \
	%D%/soak

# Adapters of sweep's --generator.
generatorsdir = $(pkglibexecdir)/generators
dist_generators_SCRIPTS = %D%/generators/http %D%/generators/trex
