/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside os/lab: the links of the test bed and what is configured on them. */
#ifndef SATPROF_OS_LAB_NET_H
#define SATPROF_OS_LAB_NET_H

#include <stdint.h>

#include "base/err.h"

struct lab;
struct lab_config;

/* Settings of a fresh namespace that would otherwise come from the host's. */
int lab_net_quieten(int netns_fd, struct sp_err *err);
/*
 * Both pairs, each end made inside its own namespace (that is when the kernel
 * reads the default steering mask), addresses, neighbours, routes, all up.
 * Fills the MAC addresses of *lab, whose namespaces are open.
 */
int lab_net_make(const struct lab_config *cfg, struct lab *lab, struct sp_err *err);

#endif
