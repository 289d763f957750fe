/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of audit_read(), in the order in which they are called: the later ones use
 * what the earlier ones found. What cannot be read each of them adds as a gap. */
#ifndef SATPROF_OS_AUDIT_PRIVATE_H
#define SATPROF_OS_AUDIT_PRIVATE_H

#include "os/audit_read.h"

/* Nodes, CPUs and cores, by hwloc. */
void audit_topology_read(const struct audit_request *req, struct audit *a);
/* Governor and idle states of each CPU. */
void audit_cpu_read(const struct audit_request *req, struct audit *a);
/* Threads of the SUT, where they may run and where their memory is. */
void audit_task_read(const struct audit_request *req, struct audit *a);
/* How busy CPUs and threads are: watches for req->busy_ns. */
void audit_busy_read(const struct audit_request *req, struct audit *a);
/* Interfaces in the SUT's network namespace. */
int audit_nic_read(
	const struct audit_request *req, struct audit *a, struct sp_err *err);
/* The folder of an interface's device, "sys/devices/...", or false: it has none, or is
 * in another network namespace and its bus is not known. */
bool audit_nic_dir(const struct audit_request *req, const struct audit_nic *nic,
	char *buf, size_t len);
/* Marks the interfaces that the SUT has packet sockets on, and adds the devices that it
 * drives itself (vfio). fd: for questions to the kernel; -1: a recorded tree. */
void audit_used_read(const struct audit_request *req, struct audit *a, int fd);
/* Interrupts of all NICs, and where they land. */
void audit_irq_read(const struct audit_request *req, struct audit *a);
/* A socket in the SUT's network namespace; -1, with a gap, where there is none to be
 * had. */
int audit_ethtool_open(const struct audit_request *req, struct audit *a);
/* Driver and device, where /sys did not tell. */
void audit_ethtool_driver(int fd, struct audit_nic *nic);
/* Rings and offloads of each NIC. */
void audit_ethtool_read(int fd, struct audit *a);
/* Whether /sys shows the interfaces of the SUT's network namespace. */
bool audit_ethtool_is_here(const struct audit_request *req);
/* Settings of the machine, and the SUT's control group. */
void audit_host_read(const struct audit_request *req, struct audit *a);

/* The gap of a file that cannot be read: its name and why. */
void audit_gap_file(struct audit *a, const char *what, const char *path, int rc);

#endif
