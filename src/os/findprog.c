/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looks for a program in PATH. */
#include "config.h"

#include "os/findprog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static bool is_executable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

bool findprog_exists(const char *name)
{
	const char *path = getenv("PATH"), *p, *end;
	bool found = false;
	char *full;

	if (strchr(name, '/') != NULL)
		return is_executable(name);
	/* execvp's own default where there is none */
	for (p = path != NULL ? path : "/bin:/usr/bin"; !found; p = end + 1) {
		end = strchrnul(p, ':');
		full = xasprintf("%.*s/%s", end > p ? (int)(end - p) : 1,
			end > p ? p : ".", name);
		found = is_executable(full);
		free(full);
		if (*end == '\0')
			break;
	}
	return found;
}

int findprog_check(const char *name, struct sp_err *err)
{
	if (name[0] == '\0')
		return sp_err_set(err, SP_EUSAGE, "the command is empty");
	if (findprog_exists(name))
		return 0;
	if (strchr(name, '/') == NULL)
		return sp_err_set(err, SP_EUSAGE,
			"cannot execute %s: no such program in PATH", name);
	if (access(name, F_OK) != 0)
		return sp_err_errno(err, SP_EUSAGE, errno, "cannot execute %s", name);
	return sp_err_set(err, SP_EUSAGE,
		"cannot execute %s: it is not an executable file (chmod +x?)", name);
}
