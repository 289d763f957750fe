/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes and removes a root folder for a test. */
#include "config.h"

#include "roottree.h"

#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

int roottree_setup(void **state)
{
	struct roottree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	(void)snprintf(t->path, sizeof(t->path), "/tmp/satprof-test-root-XXXXXX");
	assert_non_null(mkdtemp(t->path));
	t->fd = open(t->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(t->fd >= 0);
	*state = t;
	return 0;
}

static int drop(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

int roottree_teardown(void **state)
{
	struct roottree *t = *state;

	(void)close(t->fd);
	assert_int_equal(nftw(t->path, drop, 8, FTW_DEPTH | FTW_PHYS), 0);
	free(t);
	return 0;
}

/* The whole path, and its folders. */
static void make_folders(const struct roottree *t, const char *path, char full[256])
{
	char *slash;

	(void)snprintf(full, 256, "%s/%s", t->path, path);
	for (slash = full + strlen(t->path) + 1; (slash = strchr(slash, '/'));
		slash++) {
		*slash = '\0';
		(void)mkdir(full, 0755);
		*slash = '/';
	}
}

void roottree_put(const struct roottree *t, const char *path, const char *text)
{
	char full[256];
	FILE *f;

	make_folders(t, path, full);
	f = fopen(full, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

void roottree_link(const struct roottree *t, const char *path, const char *target)
{
	char full[256];

	make_folders(t, path, full);
	assert_int_equal(symlink(target, full), 0);
}
