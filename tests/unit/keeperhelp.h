/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the keeper's tests share: a keeper as a fixture, scripts as children, and
 * counting processes by a mark.
 */
#ifndef SATPROF_TESTS_KEEPERHELP_H
#define SATPROF_TESTS_KEEPERHELP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "os/keeper.h"

/* A busy machine is slow; a test that hangs is wrong. */
#define KEEPERHELP_LIMIT_NS (20 * NS_PER_S)
/* Words for exec may be written; literals may not. */
#define WORD(s) ((char[]){ s })

/* Fixtures; *state is the keeper. The weak one does without a PID namespace. */
int keeperhelp_setup(void **state);
int keeperhelp_setup_weak(void **state);
int keeperhelp_teardown(void **state);

struct keeper *keeperhelp_start(bool weak);
/* out_fd <= 0: dropped. */
struct keeper_child keeperhelp_spawn_sh(
	struct keeper *k, const char *script, int out_fd);

/* The file's text, cut to len - 1; buf is returned. */
char *keeperhelp_contents(int fd, char *buf, size_t len);
/* Until the file holds the text; the test fails after a while. */
void keeperhelp_wait_for_text(int fd, const char *text);

/*
 * Put $MARK into the environment: processes on this machine that run
 * `sleep N$MARK` are counted by N. Two runs of a program do not meet.
 */
void keeperhelp_set_mark(void);
int keeperhelp_count_marked(int n_mark);
void keeperhelp_wait_for_marked(int n_mark, int at_least);
/* Milliseconds until none is left, or -1. */
int keeperhelp_ms_until_none(int n_mark, int limit_ms);

#endif
