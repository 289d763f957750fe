/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No process: the kernel forwards, or a box elsewhere does. */
#include "config.h"

#include "sut/sut.h"

#include <stdlib.h>

#include "base/mem.h"
#include "sut/sut_counts.h"

static int none_open(const struct sut_config *cfg, void **ret_sut, struct sp_err *err)
{
	struct sut_config *copy = xcalloc(1, sizeof(*copy));

	(void)err;
	*copy = *cfg;
	*ret_sut = copy;
	return 0;
}

static int none_start(void *sut, struct sp_err *err)
{
	(void)sut;
	(void)err;
	return 0;
}

static bool none_alive(void *sut, struct sut_end *ret_end)
{
	(void)sut;
	(void)ret_end;
	return true;
}

static pid_t none_pid(const void *sut)
{
	(void)sut;
	return 0;
}

static const char *none_output(void *sut)
{
	(void)sut;
	return "";
}

static bool none_stats(void *sut, struct sut_stats *ret_stats, struct sp_err *err)
{
	return sut_counts_read(sut, 0, ret_stats, err);
}

static void none_close(void *sut)
{
	free(sut);
}

const struct sut_ops sut_none = {
	.name = "none",
	.summary = "no process: the kernel forwards",
	.open = none_open,
	.start = none_start,
	.alive = none_alive,
	.pid = none_pid,
	.output = none_output,
	.stats = none_stats,
	.stop = none_start,
	.close = none_close,
	.restarts = false,
};
