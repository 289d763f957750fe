/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A command's words, its CPUs and what it is launched with in a memory file: too long
 * for a message, and then only the kernel's own limit on arguments counts.
 */
#ifndef SATPROF_OS_KEEPER_WORDS_H
#define SATPROF_OS_KEEPER_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "os/launch.h"

struct keeper_words {
	char *blob;    /* owns what argv points into */
	char **argv;   /* NULL-terminated */
	int32_t *cpus; /* in blob */
	size_t n_cpus;
	char **env; /* NULL-terminated words in blob; NULL: as the keeper's, and then
		     * cwd and set mean nothing */
	char *cwd;  /* in blob */
	struct launch_settings set;
};

/* A descriptor of the file, or -errno. launch may be NULL. */
int keeper_words_write(
	char *const *argv, const int *cpus, size_t n_cpus, const struct launch *launch);
/* 0 or -errno (EPROTO: not such a file). fd stays open. */
int keeper_words_read(int fd, struct keeper_words *ret_w);
void keeper_words_done(struct keeper_words *w);

#endif
