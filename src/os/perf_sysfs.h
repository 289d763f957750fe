/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Perf events as the kernel itself describes them: a PMU's events/ and format/ below
 * /sys/bus/event_source/devices (Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-{events,format}). For what libpfm4 does not know:
 * uncore PMUs, and cores that are newer than it. Any thread; nothing is opened.
 */
#ifndef SATPROF_OS_PERF_SYSFS_H
#define SATPROF_OS_PERF_SYSFS_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "base/err.h"

#define PERF_SYSFS_DEVICES "sys/bus/event_source/devices"

/*
 * Encode an event of a PMU. terms_or_event: "cas_count_read", or terms of format/ as
 * in "event=0x04,umask=0x3", or an event with terms that change it; besides these
 * config, config1, config2 and period, as perf has them. A term without a value is 1.
 * A value is put bit by bit into the places that its format lists ("config1:1,6-10,44":
 * its lowest bit into bit 1), and one that has no room there is refused, not cut.
 *
 * attr: as perf_attr_init() makes it, with type and configs set; the caller chooses the
 * rest. ret_unit (NULL, or unit_len bytes): of the event ("MiB"), "" where it has none;
 * ret_scale (NULL, or): what one count is of the unit, 1 where nothing says it.
 * attr, ret_unit and ret_scale are untouched on failure: SP_EENV (no such PMU, event or
 * term here), SP_EUSAGE (a value that does not fit, or is none), SP_EFORMAT (a sysfs
 * file that is not as documented). Returns -err->code then, else 0.
 */
int perf_sysfs_encode(int root_fd, const char *pmu, const char *terms_or_event,
	struct perf_event_attr *attr, char *ret_unit, size_t unit_len,
	double *ret_scale, struct sp_err *err);

#endif
