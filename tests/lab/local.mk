# SPDX-License-Identifier: GPL-3.0-or-later
# Tests in a virtual machine of their own (qemu-lab): another kernel, a PMU, NUMA nodes.
# It fetches about 250 MB once.
LAB_TESTS = \
	%D%/numa.bats \
	%D%/permission.bats
LAB_HELPERS = %D%/moveto %D%/onnode
check_PROGRAMS += $(LAB_HELPERS)
%C%_moveto_SOURCES = %D%/moveto.c
%C%_onnode_SOURCES = %D%/onnode.c
EXTRA_DIST += $(LAB_TESTS) %D%/guest.bash %D%/qemu-lab %D%/record-tree

.PHONY: check-lab
check-lab: all
	@$(MAKE) -s $(LAB_HELPERS)
	@$(srcdir)/tests/lab/qemu-lab setup --arch x86_64 || \
		echo 'check-lab: QEMU or its guest cannot be installed: all is skipped' >&2
	@+$(MAKE) -j1 check-TESTS TESTS='$(LAB_TESTS)' TEST_SUITE_LOG=test-suite-lab.log
CLEANFILES += test-suite-lab.log
