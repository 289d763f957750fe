/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what an audit looks at (model/audit.h) from a live machine or a recorded tree
 * of its /proc and /sys. Changes nothing. Needs a single thread: hwloc takes its root
 * folder from the environment, which is set, and cleared of other HWLOC_ variables,
 * meanwhile.
 */
#ifndef SATPROF_OS_AUDIT_READ_H
#define SATPROF_OS_AUDIT_READ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/audit.h"

struct audit_request {
	int root_fd;  /* of "/", or of the recorded tree; O_PATH will do */
	bool is_live; /* the tree is this machine: it can be asked twice, and by ioctl
		       */
	pid_t pid;    /* the SUT, with all its descendants; 0: none */
	const char *in, *out; /* its interfaces; NULL: as its sockets say */
	uint64_t busy_ns;     /* how long to watch the CPUs of a live machine; 0: not */
};

/* SP_EUSAGE: no such process or interface. Else what cannot be read is a gap of *ret,
 * which the caller frees (audit_done). Blocks for busy_ns. */
int audit_read(const struct audit_request *req, struct audit *ret, struct sp_err *err);

#endif
