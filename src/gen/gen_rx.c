/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classification of received frames; the hot path of receiving. */
#include "config.h"

#include "gen/gen_rx.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "gen/gen_digest.h"
#include "gen/gen_retag.h"
#include "gen/gen_tag.h"

#define MACS_BYTES 12u
#define WORD_BITS  64u

struct gen_rx {
	struct pktring_rx *ring;
	struct gen_rx_config cfg;
	struct gen_rx_times times;
	struct hist *latency;
	struct gen_rx_result n;
	uint64_t n_own;
	size_t cap_words;
	uint64_t *seen; /* a bit a sequence number */
	size_t cap_kinds;
	uint32_t *got_kinds;
};

struct gen_rx *gen_rx_new(struct pktring_rx *ring)
{
	struct gen_rx *rx = xcalloc(1, sizeof(*rx));

	rx->ring = ring;
	return rx;
}

void gen_rx_free(struct gen_rx *rx)
{
	if (rx == NULL)
		return;
	free(rx->seen);
	free(rx->got_kinds);
	free(rx);
}

void gen_rx_begin(
	struct gen_rx *rx, const struct gen_rx_config *cfg, struct hist *latency)
{
	size_t words = (size_t)(cfg->n_seq / WORD_BITS + 1);
	size_t kinds =
		cfg->file != NULL ? gen_digest_set_n_kinds(cfg->file->digests) : 0;

	rx->cfg = *cfg;
	rx->times = (struct gen_rx_times){ .t0_ns = UINT64_MAX };
	rx->latency = latency;
	rx->n = (struct gen_rx_result){ 0 };
	rx->n_own = 0;
	if (words > rx->cap_words) {
		free(rx->seen);
		rx->seen = xcalloc(words, sizeof(*rx->seen));
		rx->cap_words = words;
	} else {
		memset(rx->seen, 0, words * sizeof(*rx->seen));
	}
	if (kinds > rx->cap_kinds) {
		free(rx->got_kinds);
		rx->got_kinds = xcalloc(kinds, sizeof(*rx->got_kinds));
		rx->cap_kinds = kinds;
	} else if (kinds > 0) {
		memset(rx->got_kinds, 0, kinds * sizeof(*rx->got_kinds));
	}
	if (rx->ring != NULL)
		(void)pktring_rx_drops(rx->ring); /* of before */
}

void gen_rx_arm(struct gen_rx *rx, const struct gen_rx_times *times)
{
	rx->times = *times;
}

static uint64_t frame_time_ns(const struct gen_rx *rx, const struct pktring_frame *f)
{
	return f->realtime_ns - (uint64_t)rx->times.realtime_offset_ns;
}

static void count_unique(struct gen_rx *rx, uint64_t t_ns)
{
	if (t_ns >= rx->times.window_from_ns && t_ns < rx->times.window_to_ns)
		rx->n.window_pkts++;
}

/* One of this trial, the first time. */
static void record_latency(struct gen_rx *rx, const struct gen_tag *tag, uint64_t t_ns)
{
	uint64_t ns = (t_ns - tag->time_ns) & GEN_TAG_TIME_NS;

	/* A frame cannot come before it was due; the clocks' offset can be a few
	 * nanoseconds out, which wraps around. */
	if (ns > GEN_TAG_TIME_NS / 2)
		ns = 0;
	hist_record(rx->latency, ns);
}

static void count_tagged(
	struct gen_rx *rx, const struct gen_tag *tag, const struct pktring_frame *f)
{
	uint64_t bit = UINT64_C(1) << tag->seq % WORD_BITS, t_ns;
	uint64_t *word;

	if (tag->run != rx->cfg.run_tag || tag->is_rev != rx->cfg.is_rev) {
		rx->n.foreign++;
		return;
	}
	if (tag->trial != rx->cfg.trial_tag) {
		rx->n.late++;
		return;
	}
	if (tag->seq >= rx->cfg.n_seq) {
		rx->n.foreign++;
		return;
	}
	rx->n_own++;
	rx->n.n_oversize += f->len > rx->cfg.sent_bytes_max;
	rx->n.n_csum_not_ready += f->is_csum_not_ready;
	word = &rx->seen[tag->seq / WORD_BITS];
	if ((*word & bit) != 0) {
		rx->n.duplicate++;
		return;
	}
	*word |= bit;
	rx->n.unique++;
	t_ns = frame_time_ns(rx, f);
	count_unique(rx, t_ns);
	if (rx->latency != NULL && rx->cfg.latency)
		record_latency(rx, tag, t_ns);
}

/* The digest of the frame as it was on the wire, with the VLAN tag in its place. */
static uint64_t wire_digest(const struct pktring_frame *f)
{
	const uint8_t vlan[4] = {
		(uint8_t)(f->vlan_tpid >> 8),
		(uint8_t)f->vlan_tpid,
		(uint8_t)(f->vlan_tci >> 8),
		(uint8_t)f->vlan_tci,
	};
	const struct gen_digest_piece pieces[3] = {
		{ f->data, MACS_BYTES },
		{ vlan, f->has_vlan ? sizeof(vlan) : 0 },
		{ f->data + MACS_BYTES, f->len - MACS_BYTES },
	};

	return gen_digest_of(pieces, 3);
}

/* Without a tag: a frame of the capture, or not ours. */
static void count_untagged(struct gen_rx *rx, const struct pktring_frame *f)
{
	const struct gen_pcapfile *file = rx->cfg.file;
	uint32_t kind = GEN_DIGEST_NONE;
	uint64_t t_ns = frame_time_ns(rx, f);

	if (file != NULL && f->cap_bytes == f->len && f->len > MACS_BYTES)
		kind = gen_digest_set_find(file->digests, wire_digest(f));
	if (kind == GEN_DIGEST_NONE) {
		rx->n.foreign++;
		rx->n.n_oversize += file != NULL && f->len > rx->cfg.sent_bytes_max;
		return;
	}
	if (t_ns < rx->times.t0_ns) {
		rx->n.late++;
		return;
	}
	rx->n_own++;
	rx->n.n_csum_not_ready += f->is_csum_not_ready;
	if (++rx->got_kinds[kind] <= file->kind_count[kind] * rx->cfg.n_rounds)
		count_unique(rx, t_ns);
}

void gen_rx_frame(struct gen_rx *rx, const struct pktring_frame *frame)
{
	uint32_t at = gen_retag_find(frame->data, frame->cap_bytes);
	struct gen_tag tag;

	if (at != 0 && gen_tag_unpack(frame->data + at, &tag))
		count_tagged(rx, &tag, frame);
	else
		count_untagged(rx, frame);
}

size_t gen_rx_step(struct gen_rx *rx, size_t max)
{
	struct pktring_frame f;
	size_t n = 0;

	while (n < max && pktring_rx_next(rx->ring, &f)) {
		gen_rx_frame(rx, &f);
		n++;
	}
	return n;
}

uint64_t gen_rx_n_own(const struct gen_rx *rx)
{
	return rx->n_own;
}

void gen_rx_end(
	struct gen_rx *rx, const uint32_t *sent_kinds, struct gen_rx_result *ret_result)
{
	size_t kinds = rx->cfg.file != NULL
			       ? gen_digest_set_n_kinds(rx->cfg.file->digests)
			       : 0;
	size_t i;

	for (i = 0; i < kinds && sent_kinds != NULL; i++) {
		uint32_t got = rx->got_kinds[i];
		uint32_t unique = got < sent_kinds[i] ? got : sent_kinds[i];

		rx->n.unique += unique;
		rx->n.duplicate += got - unique;
	}
	if (rx->ring != NULL)
		rx->n.ring_drop = pktring_rx_drops(rx->ring);
	*ret_result = rx->n;
}
