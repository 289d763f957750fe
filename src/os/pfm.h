/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Event names to perf_event attributes, through libpfm4: "instructions",
 * "skx::cpu_clk_unhalted:thread_p:u". What libpfm4 does not know is tried as a
 * raw event ("r01c0", hexadecimal, as perf writes it) and as a generic name of
 * the kernel's. A name that encodes may still not open, and one that opens may
 * not count: those are the kernel's to say. libpfm4 keeps global tables: main
 * thread only.
 */
#ifndef SATPROF_OS_PFM_H
#define SATPROF_OS_PFM_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define PFM_NAME_MAX 160

struct pfm_event {
	char name[PFM_NAME_MAX];     /* as asked for, lower case kept as typed */
	struct perf_event_attr attr; /* type, config*, exclude_*; see perf_attr_init */
	bool is_software;            /* never needs a hardware counter */
};

/*
 * One event. SP_EUSAGE: not known; the message suggests the nearest name where
 * one is near. Guests are counted (exclude_guest 0) unless the name has mg or mh.
 */
int pfm_event_encode(const char *name, struct pfm_event *ret_event, struct sp_err *err);

/* "a,b,c"; SP_EUSAGE for an empty list or element. Caller frees *ret_events. */
int pfm_list_encode(const char *list, struct pfm_event **ret_events, size_t *ret_n,
	struct sp_err *err);

#endif
