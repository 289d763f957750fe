/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside os/lab: the planted capacity, a token bucket on the SUT's egress. */
#ifndef SATPROF_OS_LAB_TBF_H
#define SATPROF_OS_LAB_TBF_H

#include <stdint.h>

#include "base/err.h"

struct nl_handle;
struct lab_config;

/* What the kernel is told. Bytes count the FCS. */
struct lab_tbf {
	uint64_t rate_bytes_per_s;
	uint32_t bucket_bytes; /* largest run of frames at line speed */
	uint32_t queue_bytes;  /* what may wait; more is dropped */
};

/* From the limit of cfg; SP_EUSAGE for a rate that cannot be planted. Pure. */
int lab_tbf_compute(
	const struct lab_config *cfg, struct lab_tbf *ret_tbf, struct sp_err *err);
/* Make or change the bucket at the root of ifname. */
int lab_tbf_set(struct nl_handle *nl, const char *ifname, const struct lab_tbf *tbf,
	struct sp_err *err);
/* Take it away; none there is not an error. */
int lab_tbf_clear(struct nl_handle *nl, const char *ifname, struct sp_err *err);

#endif
