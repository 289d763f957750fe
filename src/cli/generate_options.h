/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `satprof generate`. Strings are borrowed from argv. */
#ifndef SATPROF_CLI_GENERATE_OPTIONS_H
#define SATPROF_CLI_GENERATE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/units.h"
#include "model/traffic.h"

struct generate_options {
	const char *ifname;
	const char *rx_ifname; /* NULL: nobody listens */
	bool max;              /* flat out */
	struct units_rate rate;
	uint64_t duration_ns; /* 0: a capture once through */
	struct traffic traffic;
	int cpu, cpu_rx; /* -1: any */
	bool realtime, sleep, no_offload;
	bool json;
};

/* *ret_help: --help was printed. SP_EUSAGE for what does not parse or fit. */
int generate_options_parse(int argc, char **argv, struct generate_options *ret_options,
	bool *ret_help, struct sp_err *err);
/* SP_EUSAGE for more packets/s than anything sends; a frame size of 0 is not known
 * yet. */
int generate_rate_check(struct units_rate rate, double frame_bytes, struct sp_err *err);

#endif
