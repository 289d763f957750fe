/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs --sut-stats and reads what it prints. */
#include "config.h"

#include "sut/sut_counts.h"

#include <jansson.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/keeper.h"

#define LIMIT_NS (2 * NS_PER_S)

static bool take(const json_t *o, const char *key, uint64_t *ret)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return false;
	*ret = (uint64_t)json_integer_value(v);
	return true;
}

bool sut_counts_parse(const char *text, struct sut_stats *ret_stats)
{
	json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	struct sut_stats s = { 0 };
	/* A count that is missing is not 0. */
	bool ok = take(o, "in", &s.in) && take(o, "out", &s.out) &&
		  take(o, "dropped", &s.dropped);

	json_decref(o);
	if (ok)
		*ret_stats = s;
	return ok;
}

bool sut_counts_read(
	const struct sut_config *cfg, pid_t pid, struct sut_stats *ret_stats)
{
	char sh[] = "/bin/sh", c[] = "-c", text[4096];
	char *argv[] = { sh, c, NULL, NULL };
	struct keeper_cmd cmd = { .argv = argv };
	struct sp_err ignored;
	bool ok = false;
	int status = 0;
	ssize_t n;

	if (cfg->stats_cmd == NULL || cfg->keeper == NULL)
		return false;
	cmd.output_fd = memfd_create("satprof-sut-stats", MFD_CLOEXEC);
	if (cmd.output_fd < 0)
		return false;
	argv[2] = sut_expand(cfg->stats_cmd, cfg->in, cfg->out, pid);
	if (keeper_run(cfg->keeper, &cmd, LIMIT_NS, &status, &ignored) == 0 &&
		status == 0) {
		n = pread(cmd.output_fd, text, sizeof(text) - 1, 0);
		text[n > 0 ? n : 0] = '\0';
		ok = sut_counts_parse(text, ret_stats);
	}
	free(argv[2]);
	(void)close(cmd.output_fd); /* read */
	return ok;
}
