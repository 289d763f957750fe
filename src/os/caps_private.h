/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside os/caps: the parts of the probe. */
#ifndef SATPROF_OS_CAPS_PRIVATE_H
#define SATPROF_OS_CAPS_PRIVATE_H

#include "os/caps.h"

/* remedy NULL: none. */
void caps_set(struct caps *c, enum caps_id id, enum caps_state state,
	const char *remedy, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Reading only. */
void caps_host_probe(int root_fd, struct caps *c);
/* These two run in a child process, in this order: the second ends up in
 * namespaces of its own. */
void caps_perf_probe(int root_fd, struct caps *c);
void caps_net_probe(int root_fd, struct caps *c);

#endif
