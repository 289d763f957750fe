# SPDX-License-Identifier: GPL-3.0-or-later
# Tests in a virtual machine of their own (qemu-lab): another kernel, a PMU, NUMA nodes.
# It fetches about 250 MB once.
LAB_TESTS = %D%/permission.bats
EXTRA_DIST += $(LAB_TESTS) %D%/qemu-lab

.PHONY: check-lab
check-lab: all
	$(srcdir)/tests/lab/qemu-lab setup --arch x86_64
	@+$(MAKE) -j1 check-TESTS TESTS='$(LAB_TESTS)' TEST_SUITE_LOG=test-suite-lab.log
CLEANFILES += test-suite-lab.log
