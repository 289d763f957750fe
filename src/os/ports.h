/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A user's own interfaces made fit to measure on: offloads that glue frames
 * together (or, on virtual links, leave them unfinished) are turned off, journaled
 * first and put back at the end, also by the next run after a crash.
 */
#ifndef SATPROF_OS_PORTS_H
#define SATPROF_OS_PORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct restore;

/* An interface of the caller's namespace. */
struct ports_port {
	const char *ifname; /* NULL: passed over */
	bool is_sender;     /* the generator sends there */
};

/*
 * Put back what crashed runs left, then prepare all ports. *ret_restore is what
 * restore_undo() ends, NULL when nothing had to be changed. note (len bytes) says
 * what was done, for the run's record; "" when nothing was. When a port cannot be
 * made fit, the others are as before and the error is one line that says which and
 * why: SP_EENV, SP_EPERM.
 */
int ports_prepare(const struct ports_port *ports, size_t n_ports, char *note,
	size_t note_len, struct restore **ret_restore, struct sp_err *err);
/*
 * Only put back what crashed runs left in the caller's namespace: what a run that
 * takes no interface of the user's does first. note as above.
 */
void ports_put_back(char *note, size_t note_len);

#endif
