/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs --setup. */
#include "config.h"

#include "cli/sweep_setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/keeper.h"

#define SETUP_TIMEOUT_NS (60 * NS_PER_S)

static int failed(int status, char *tail, struct sp_err *err)
{
	size_t n = strlen(tail);
	char how[64];

	while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == ' '))
		tail[--n] = '\0';
	if (WIFSIGNALED(status))
		(void)snprintf(how, sizeof(how), "was ended by signal %d (%s)",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		(void)snprintf(
			how, sizeof(how), "failed (status %d)", WEXITSTATUS(status));
	return sp_err_set(err, SP_EUSAGE, "--setup %s%s%s", how,
		tail[0] != '\0' ? ": " : "", tail);
}

int sweep_setup_run(struct keeper *keeper, char *command, struct sp_err *err)
{
	char sh[] = "/bin/sh", c[] = "-c";
	char *argv[] = { sh, c, command, NULL };
	char path[] = "/tmp/satprof-setup-XXXXXX", tail[300] = "";
	struct keeper_cmd kc = { .argv = argv, .output_path = path };
	int status = 0, rc, fd = mkstemp(path);
	ssize_t n;

	if (fd < 0)
		return sp_err_set(err, SP_EIO, "cannot make a file in /tmp");
	rc = keeper_run(keeper, &kc, SETUP_TIMEOUT_NS, &status, err);
	n = read(fd, tail, sizeof(tail) - 1);
	tail[n > 0 ? n : 0] = '\0';
	(void)close(fd);
	(void)unlink(path);
	if (rc == 0 && status != 0)
		rc = failed(status, tail, err);
	return rc;
}
