/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One program held by the keeper: a watcher process, a child subreaper so that
 * whatever the program starts stays below it, and the program itself in a
 * session and process group of its own.
 */
#ifndef SATPROF_OS_KEEPER_CHILD_H
#define SATPROF_OS_KEEPER_CHILD_H

#include <sys/types.h>

struct keeper_child_cfg {
	int sock; /* to satprof: the watcher and the child report there */
	int id;
	int words_fd;  /* keeper_words */
	int output_fd; /* both streams; -1: /dev/null */
	int input_fd;  /* standard input; -1: one that stays open and silent */
};

/* Fork the watcher, in the keeper. Its pid, or -errno. */
pid_t keeper_child_fork(const struct keeper_child_cfg *ask);

/* Signals as an ordinary program expects them; for what is about to exec. */
void keeper_child_default_signals(void);
/* Ignore what a terminal or an eager killer sends; for keeper and watcher. */
void keeper_child_ignore_signals(void);

#endif
