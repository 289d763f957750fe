/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The SUT's own counts by --sut-stats: a command run through the shell in the
 * SUT's namespace that prints {"in": N, "out": N, "dropped": N}. For SUTs whose
 * interfaces have no kernel counters (DPDK, VPP).
 */
#ifndef SATPROF_SUT_SUT_COUNTS_H
#define SATPROF_SUT_SUT_COUNTS_H

#include "sut/sut.h"

/*
 * False when there is no command (err->code stays SP_OK), or when it fails or a count
 * is missing: then err says so with the command and its last output, SP_EUSAGE;
 * SP_EINTR when asked to stop meanwhile. err->code has to be SP_OK before.
 */
bool sut_counts_read(const struct sut_config *cfg, pid_t pid,
	struct sut_stats *ret_stats, struct sp_err *err);
/* The same from the text that the command printed. */
bool sut_counts_parse(const char *text, struct sut_stats *ret_stats);

#endif
