/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts about the machine that say which runs may be compared: CPU model, kernel,
 * virtualisation, governor, clock source, mitigations... Read through a root
 * descriptor, so that recorded trees replay. A fact that cannot be read is absent.
 */
#ifndef SATPROF_OS_HOST_H
#define SATPROF_OS_HOST_H

#include <stddef.h>

#include "model/run.h"

/* Adds: cpu, cpu_count, kernel, arch, virtual, numa_nodes, smt, governor,
 * idle_driver, clocksource, mitigations, thp, hardened (this build). */
void host_fingerprint(int root_fd, struct run *run);

/*
 * Adds line_bps: what the slowest of the interfaces carries, as far as they say, are
 * devices and are in this network namespace (a name may be NULL). memory_bandwidth and
 * pcie_bandwidth: the counters there are of it ("uncore_imc", "resctrl", ...), or "not
 * offered". They are not read.
 */
void host_limits(int root_fd, const char *const *ifnames, size_t n, struct run *run);

#endif
