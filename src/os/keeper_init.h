/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper's own process: what runs on the other side of the socket, as init
 * of a PID namespace or as a child subreaper.
 */
#ifndef SATPROF_OS_KEEPER_INIT_H
#define SATPROF_OS_KEEPER_INIT_H

#include <stdbool.h>
#include <sys/types.h>

struct keeper_init_cfg {
	int sock;
	int netns_fd; /* -1: stay */
	bool strong;  /* a PID namespace, or fail */
	pid_t parent; /* who must still be there */
};

/* Runs in the forked process until satprof goes away; reports READY or FAILED. */
void keeper_init_run(const struct keeper_init_cfg *cfg) __attribute__((noreturn));

#endif
