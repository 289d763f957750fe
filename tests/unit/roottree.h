/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A root folder of its own for a test, to be filled with the /proc and /sys files
 * of any machine. setup and teardown are cmocka fixtures; *state is the tree.
 */
#ifndef SATPROF_TESTS_ROOTTREE_H
#define SATPROF_TESTS_ROOTTREE_H

struct roottree {
	char path[64];
	int fd; /* what the code under test gets as root_fd */
};

int roottree_setup(void **state);
int roottree_teardown(void **state);
/* Write a file, with its folders; path without a slash at its front. */
void roottree_put(const struct roottree *t, const char *path, const char *text);
/* The same for a symbolic link. */
void roottree_link(const struct roottree *t, const char *path, const char *target);

#endif
