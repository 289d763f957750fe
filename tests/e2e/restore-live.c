/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Real interfaces for restore.bats; works in the namespace it is run in.
 *   restore-live get IF FEATURE          on or off
 *   restore-live set IF FEATURE on|off
 *   restore-live run DIR IF COMMAND      as a SUT's port wants, COMMAND, put back
 *   restore-live crash DIR IF            the same, but killed instead
 *   restore-live pending DIR             what a next run does
 *   restore-live ports SENDER OTHER COMMAND   as a sweep does it
 */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/ethtool.h"
#include "os/ports.h"
#include "os/restore.h"

static _Noreturn void die(const struct sp_err *err)
{
	(void)fprintf(stderr, "restore-live: %s\n", err->msg);
	exit(1);
}

static int get(const char *ifname, const char *feature)
{
	struct sp_err err = { .code = SP_OK };
	struct ethtool_features feat;
	int fd = -1, at;

	if (ethtool_open(-1, &fd, &err) != 0 ||
		ethtool_features_get(fd, ifname, &feat, &err) != 0)
		die(&err);
	at = ethtool_feature_find(&feat, feature);
	(void)puts(at < 0 ? "unknown" : feat.on[at] ? "on" : "off");
	return 0;
}

static int set(const char *ifname, const char *feature, const char *value)
{
	struct ethtool_change change = { feature, strcmp(value, "on") == 0 };
	struct sp_err err = { .code = SP_OK };
	int fd = -1;

	if (ethtool_open(-1, &fd, &err) != 0 ||
		ethtool_features_set(fd, ifname, &change, 1, &err) != 0)
		die(&err);
	return 0;
}

static int run(const char *dir, const char *ifname, const char *command)
{
	int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sp_err err = { .code = SP_OK };
	struct offload_findings find;
	struct restore *r = NULL;
	char list[300];

	if (restore_begin(dir_fd, &r, &err) != 0 ||
		restore_offloads(r, -1, ifname, OFFLOAD_ROLE_OTHER, &find, &err) != 0)
		die(&err);
	(void)printf("changed: %s\n", offload_format(&find, list, sizeof(list)));
	(void)fflush(stdout);
	if (command == NULL)
		(void)kill(getpid(), SIGKILL);
	if (system(command) != 0)
		(void)puts("the command failed");
	if (restore_undo(r, &err) != 0)
		die(&err);
	return 0;
}

static int pending(const char *dir)
{
	int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sp_err err = { .code = SP_OK };
	size_t n = 0;

	if (restore_pending(dir_fd, &n, &err) != 0)
		die(&err);
	(void)printf("restored=%zu\n", n);
	return 0;
}

static int ports(const char *sender, const char *other, const char *command)
{
	const struct ports_port list[] = { { sender, true }, { other, false },
		{ NULL, false } };
	struct sp_err err = { .code = SP_OK };
	struct restore *r = NULL;
	char note[600];

	if (ports_prepare(list, 3, note, sizeof(note), &r, &err) != 0)
		die(&err);
	(void)printf("note: %s\n", note);
	(void)fflush(stdout);
	if (system(command) != 0)
		(void)puts("the command failed");
	if (restore_undo(r, &err) != 0)
		die(&err);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "get") == 0)
		return get(argv[2], argv[3]);
	if (argc == 5 && strcmp(argv[1], "set") == 0)
		return set(argv[2], argv[3], argv[4]);
	if (argc == 5 && strcmp(argv[1], "run") == 0)
		return run(argv[2], argv[3], argv[4]);
	if (argc == 4 && strcmp(argv[1], "crash") == 0)
		return run(argv[2], argv[3], NULL);
	if (argc == 3 && strcmp(argv[1], "pending") == 0)
		return pending(argv[2]);
	if (argc == 5 && strcmp(argv[1], "ports") == 0)
		return ports(argv[2], argv[3], argv[4]);
	(void)fprintf(stderr, "restore-live: see the comment atop its source\n");
	return 2;
}
