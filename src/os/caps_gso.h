/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside os/caps: does the kernel cut one large datagram into a burst of frames? */
#ifndef SATPROF_OS_CAPS_GSO_H
#define SATPROF_OS_CAPS_GSO_H

#include "base/err.h"

struct lab;

/*
 * Send a burst as one datagram from gen0 and see that its frames arrive at sut0.
 * Called in the generator's namespace.
 */
int caps_gso_try(const struct lab *lab, struct sp_err *err);

#endif
