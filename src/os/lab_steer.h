/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inside os/lab: who pays for receiving a frame. A veth sender's CPU does its
 * peer's receive work too, so that the generator would pay for the SUT and
 * saturate first; receive packet steering moves that work to named CPUs, as a
 * NIC's interrupts would be pinned.
 */
#ifndef SATPROF_OS_LAB_STEER_H
#define SATPROF_OS_LAB_STEER_H

#include <stddef.h>

#include "base/err.h"

/* The kernel's bitmap notation ("3", "1,00000000"): groups of 32 bits, highest
 * first. CPUs outside [0, 8192) are left out. buf is returned. */
char *lab_steer_mask(const int *cpus, size_t n_cpus, char *buf, size_t len);
/*
 * Steer every interface made from now on in that namespace; needs no root. SP_EENV
 * when the kernel is older than this setting (about Linux 6.3).
 */
int lab_steer_default(int netns_fd, const char *mask, struct sp_err *err);
/* Steer every receive queue of an interface that is there; needs root. */
int lab_steer_sysfs(
	int netns_fd, const char *ifname, const char *mask, struct sp_err *err);

#endif
