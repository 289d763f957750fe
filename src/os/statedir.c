/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A private folder that lives until the next boot. */
#include "config.h"

#include "os/statedir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void path_choose(char *buf, size_t len)
{
	const char *runtime = getenv("XDG_RUNTIME_DIR");

	/* Root in a user namespace or a container may not write there. */
	if (geteuid() == 0 && access("/run", W_OK) == 0)
		(void)snprintf(buf, len, "/run/satprof");
	else if (runtime != NULL && runtime[0] == '/')
		(void)snprintf(buf, len, "%s/satprof", runtime);
	else
		(void)snprintf(buf, len, "/tmp/satprof-%u", (unsigned)geteuid());
}

int statedir_open(bool create, int *ret_fd, struct sp_err *err)
{
	char path[PATH_MAX];
	struct stat st;
	int fd;

	path_choose(path, sizeof(path));
	if (create && mkdir(path, 0700) != 0 && errno != EEXIST)
		return sp_err_errno(err, SP_EIO, errno, "cannot make %s", path);
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return sp_err_errno(err, errno == ENOENT ? SP_EENV : SP_EIO, errno,
			"cannot open %s", path);
	/* In /tmp anyone could have made it first. */
	if (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & 0077) != 0) {
		(void)close(fd); /* read only */
		return sp_err_set(err, SP_EIO,
			"%s is not this user's own, or others may enter it: remove it",
			path);
	}
	*ret_fd = fd;
	return 0;
}
