/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which observer an arm stands for. */
#include "config.h"

#include "observe/observer.h"

const struct observer_ops *observer_for_arm(const struct arm *a)
{
	switch (a->kind) {
	case ARM_OFF:
		return NULL;
	case ARM_ATTACH:
	case ARM_COUNT:
	case ARM_SAMPLE:
		return &observe_perf;
	case ARM_PERF:
		return &observe_perf_record;
	case ARM_PROFILER:
		return &observe_profiler;
	case ARM_WRAP:
		return &observe_wrap;
	}
	return NULL;
}
