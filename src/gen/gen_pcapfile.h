/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A capture in memory, checked so that every frame can be sent: pcap and pcapng
 * through libpcap, with nanosecond times. What cannot be replayed is refused here,
 * before a frame leaves, by file, packet number (from 1) and reason. Read-only
 * once loaded, so threads may share it.
 */
#ifndef SATPROF_GEN_GEN_PCAPFILE_H
#define SATPROF_GEN_GEN_PCAPFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "gen/gen_digest.h"
#include "gen/gen_retag.h"

struct gen_pcapfile_frame {
	size_t at; /* in bytes[] */
	uint32_t len;
	uint32_t kind; /* in digests; GEN_DIGEST_NONE: it carries a tag */
	struct gen_retag tag;
};

struct gen_pcapfile {
	size_t n_frames; /* >= 1 */
	struct gen_pcapfile_frame *frames;
	uint8_t *bytes;
	uint64_t *offsets_ns; /* from the first; ascending when times were asked for */
	/* From a frame to its repetition: the span and one mean gap; 1 s where the
	 * capture has no span. */
	uint64_t cycle_ns;
	uint64_t total_bytes; /* without FCS */
	uint32_t max_bytes;
	struct gen_digest_set *digests; /* of the frames that carry no tag */
	uint32_t *kind_count;           /* times each kind is in the capture */
};

struct gen_pcapfile_config {
	const char *path;
	bool tag;           /* put a tag into the frames that can carry one */
	bool times;         /* the captured pace is asked for: times must ascend */
	uint32_t mtu_bytes; /* of the sending interface; 0: not checked */
	const char *ifname; /* for the message */
};

/* SP_EUSAGE: cannot be replayed (or read, with libpcap's own words). */
int gen_pcapfile_load(const struct gen_pcapfile_config *cfg,
	struct gen_pcapfile **ret_file, struct sp_err *err);
void gen_pcapfile_free(struct gen_pcapfile *f); /* NULL is a no-op */

#endif
