/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A command's words and CPUs in a memory file: too long for a message, and then
 * only the kernel's own limit on arguments counts.
 */
#ifndef SATPROF_OS_KEEPER_WORDS_H
#define SATPROF_OS_KEEPER_WORDS_H

#include <stddef.h>
#include <stdint.h>

struct keeper_words {
	char *blob;    /* owns what argv points into */
	char **argv;   /* NULL-terminated */
	int32_t *cpus; /* in blob */
	size_t n_cpus;
};

/* A descriptor of the file, or -errno. */
int keeper_words_write(char *const *argv, const int *cpus, size_t n_cpus);
/* 0 or -errno (EPROTO: not such a file). fd stays open. */
int keeper_words_read(int fd, struct keeper_words *ret_w);
void keeper_words_done(struct keeper_words *w);

#endif
