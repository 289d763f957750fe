/* SPDX-License-Identifier: GPL-3.0-or-later */
/* {pid} {cpus} {dir} {arm} {in} {out} in the shell commands of outside profilers. */
#ifndef SATPROF_OBSERVE_OUTSIDE_WORDS_H
#define SATPROF_OBSERVE_OUTSIDE_WORDS_H

#include <stddef.h>
#include <sys/types.h>

/* What the names stand for; NULL (and pid 0, no CPUs): left as it is. */
struct outside_words {
	pid_t pid;
	const int *cpus;
	size_t n_cpus;
	const char *dir, *arm, *in, *out;
};

/*
 * Replace each {name} in a shell command. A value with characters that mean
 * something to the shell is quoted as its place asks: in the open, between single
 * or between double quotes. Caller frees.
 */
char *outside_words_expand(const char *command, const struct outside_words *w);
/* "0,1,5" into buf. */
void outside_words_cpus(const int *cpus, size_t n_cpus, char *buf, size_t len);

#endif
