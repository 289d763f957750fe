/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slots to frames to messages; the hot path of sending: no logging, no memory. */
#include "config.h"

#include "gen/gen_sender.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "gen/gen_digest.h"
#include "gen/gen_frame.h"
#include "gen/gen_tag.h"

#define STAGE_BYTES_MIN (TRAFFIC_FRAME_MAX_BYTES + 64u)

struct gen_sender {
	struct gen_sender_config cfg;
	struct gen_flow *flows;
	struct gen_tag tag; /* run, trial and direction stay as they are */
	bool offloaded;
	uint32_t burst;
	uint32_t frame_bytes;    /* TRAFFIC_FIXED: without FCS */
	uint32_t frames_per_msg; /* offload: what one message may carry */
	uint32_t stage_bytes;
	uint8_t *stage; /* PKTTX_MAX_MSGS buffers, headers in place */
	size_t n_msgs;
	struct pkttx_msg msgs[PKTTX_MAX_MSGS];
	uint32_t msg_kind[PKTTX_MAX_MSGS]; /* of a capture's untagged frame */
	uint32_t *sent_kinds;
};

static uint8_t *stage_at(const struct gen_sender *s, size_t i)
{
	return s->stage + i * s->stage_bytes;
}

static void init_stage(struct gen_sender *s)
{
	uint32_t lead = s->offloaded ? PKTTX_VNET_HDR_BYTES : 0;
	size_t i;

	s->stage_bytes = STAGE_BYTES_MIN;
	if (s->offloaded)
		s->stage_bytes = lead + PKTTX_OFFLOAD_MAX_BYTES + GEN_HEADERS_BYTES;
	free(s->stage);
	s->stage = xcalloc(PKTTX_MAX_MSGS, s->stage_bytes);
	for (i = 0; i < PKTTX_MAX_MSGS && s->cfg.file == NULL; i++) {
		uint8_t *m = stage_at(s, i);

		if (s->offloaded)
			pkttx_vnet_hdr(
				m, (uint16_t)(s->frame_bytes - GEN_HEADERS_BYTES));
		gen_frame_init(m + lead, s->cfg.dst_mac, s->cfg.src_mac);
	}
}

struct gen_sender *gen_sender_new(const struct gen_sender_config *cfg)
{
	struct gen_sender *s = xcalloc(1, sizeof(*s));
	uint32_t i;

	s->cfg = *cfg;
	s->tag.run = cfg->run_tag;
	s->tag.is_rev = cfg->is_rev;
	if (cfg->file != NULL) {
		s->sent_kinds = xcalloc(
			gen_digest_set_n_kinds(cfg->file->digests), sizeof(uint32_t));
		return s;
	}
	s->frame_bytes = cfg->traffic->frame_bytes - UNITS_FCS_BYTES;
	s->flows = xcalloc(cfg->traffic->n_flows, sizeof(*s->flows));
	for (i = 0; i < cfg->traffic->n_flows; i++)
		gen_flow_init(&s->flows[i], i, cfg->is_rev);
	return s;
}

void gen_sender_free(struct gen_sender *s)
{
	if (s == NULL)
		return;
	free(s->flows);
	free(s->stage);
	free(s->sent_kinds);
	free(s);
}

void gen_sender_begin(struct gen_sender *s, uint16_t trial_tag, uint32_t burst)
{
	uint32_t payload = s->frame_bytes - GEN_HEADERS_BYTES;
	bool offloaded = s->cfg.offload != NULL && burst > 1 &&
			 s->cfg.traffic->kind == TRAFFIC_FIXED;

	s->tag.trial = trial_tag;
	s->burst = burst;
	if (s->cfg.file != NULL)
		memset(s->sent_kinds, 0,
			gen_digest_set_n_kinds(s->cfg.file->digests) *
				sizeof(uint32_t));
	if (offloaded) {
		s->frames_per_msg =
			(PKTTX_OFFLOAD_MAX_BYTES - GEN_HEADERS_BYTES) / payload;
		if (s->frames_per_msg > PKTTX_OFFLOAD_MAX_FRAMES)
			s->frames_per_msg = PKTTX_OFFLOAD_MAX_FRAMES;
		offloaded = s->frames_per_msg > 1;
	}
	if (s->stage == NULL || offloaded != s->offloaded) {
		s->offloaded = offloaded;
		init_stage(s);
	}
}

bool gen_sender_is_offloaded(const struct gen_sender *s)
{
	return s->offloaded;
}

const uint32_t *gen_sender_sent_kinds(const struct gen_sender *s)
{
	return s->sent_kinds;
}

static int flush(struct gen_sender *s, struct pkttx_count *count)
{
	struct pkttx *tx = s->offloaded ? s->cfg.offload : s->cfg.plain;
	size_t i, n = s->n_msgs;
	int rc;

	s->n_msgs = 0;
	rc = pkttx_send(tx, s->msgs, n, count);
	for (i = 0; i < n && s->cfg.file != NULL; i++)
		if (s->msgs[i].accepted && s->msg_kind[i] != GEN_DIGEST_NONE)
			s->sent_kinds[s->msg_kind[i]]++;
	return rc;
}

static void put_tag(struct gen_sender *s, uint8_t *at, uint64_t seq, uint64_t due_ns)
{
	s->tag.seq = seq;
	s->tag.time_ns = due_ns;
	gen_tag_pack(at, &s->tag);
}

/* The flow follows the slot: round robin by burst, on either path. */
static const struct gen_flow *flow_of(const struct gen_sender *s, uint64_t frame)
{
	return &s->flows[frame / s->burst % s->cfg.traffic->n_flows];
}

static void put_own(
	struct gen_sender *s, const struct gen_pace_slot *slot, uint64_t frame)
{
	uint32_t len = s->frame_bytes;
	uint8_t *f = stage_at(s, s->n_msgs);

	if (s->cfg.traffic->kind == TRAFFIC_IMIX) {
		len = traffic_imix_bytes[frame % TRAFFIC_IMIX_LEN] - UNITS_FCS_BYTES;
		/* A longer frame may have left its tag in what is payload now. */
		memset(f + GEN_HEADERS_BYTES, 0, len - GEN_HEADERS_BYTES);
	}
	put_tag(s, f + len - GEN_TAG_BYTES, frame, slot->due_ns);
	gen_frame_seal(f, len, flow_of(s, frame));
	s->msgs[s->n_msgs++] = (struct pkttx_msg){ f, len, 1, false };
}

static void put_captured(
	struct gen_sender *s, const struct gen_pace_slot *slot, uint64_t frame)
{
	const struct gen_pcapfile *file = s->cfg.file;
	const struct gen_pcapfile_frame *fr = &file->frames[frame % file->n_frames];
	const uint8_t *data = file->bytes + fr->at;

	if (fr->tag.tag_at != 0) {
		uint8_t *f = stage_at(s, s->n_msgs);

		memcpy(f, data, fr->len);
		put_tag(s, f + fr->tag.tag_at, frame, slot->due_ns);
		gen_retag_seal(&fr->tag, f);
		data = f;
	}
	s->msg_kind[s->n_msgs] = fr->kind;
	s->msgs[s->n_msgs++] = (struct pkttx_msg){ data, fr->len, 1, false };
}

static int send_plain(struct gen_sender *s, const struct gen_pace_slot *slot,
	struct pkttx_count *count)
{
	uint32_t i;
	int rc;

	for (i = 0; i < slot->n_frames; i++) {
		if (s->cfg.file != NULL)
			put_captured(s, slot, slot->first_frame + i);
		else
			put_own(s, slot, slot->first_frame + i);
		if (s->n_msgs == PKTTX_MAX_MSGS && (rc = flush(s, count)) != 0)
			return rc;
	}
	return 0;
}

/* A burst longer than the kernel takes goes out as several messages. */
static int send_burst(struct gen_sender *s, const struct gen_pace_slot *slot,
	struct pkttx_count *count)
{
	uint32_t payload = s->frame_bytes - GEN_HEADERS_BYTES;
	const struct gen_flow *flow = flow_of(s, slot->first_frame);
	uint32_t done, n, i;
	int rc;

	for (done = 0; done < slot->n_frames; done += n) {
		uint8_t *m = stage_at(s, s->n_msgs), *f = m + PKTTX_VNET_HDR_BYTES;
		uint8_t *tag_at = f + s->frame_bytes - GEN_TAG_BYTES;

		n = slot->n_frames - done;
		n = n < s->frames_per_msg ? n : s->frames_per_msg;
		for (i = 0; i < n; i++, tag_at += payload)
			put_tag(s, tag_at, slot->first_frame + done + i, slot->due_ns);
		gen_frame_seal_burst(f, GEN_HEADERS_BYTES + n * payload, flow);
		s->msgs[s->n_msgs++] = (struct pkttx_msg){ m,
			PKTTX_VNET_HDR_BYTES + GEN_HEADERS_BYTES + n * payload, n,
			false };
		if (s->n_msgs == PKTTX_MAX_MSGS && (rc = flush(s, count)) != 0)
			return rc;
	}
	return 0;
}

static int send_slots(void *ctx, const struct gen_pace_slot *slots, size_t n_slots,
	struct pkttx_count *count)
{
	struct gen_sender *s = ctx;
	size_t i;
	int rc;

	for (i = 0; i < n_slots; i++) {
		rc = s->offloaded ? send_burst(s, &slots[i], count)
				  : send_plain(s, &slots[i], count);
		if (rc != 0)
			return rc;
	}
	return s->n_msgs > 0 ? flush(s, count) : 0;
}

struct gen_tx_sink gen_sender_sink(struct gen_sender *s)
{
	return (struct gen_tx_sink){ .send = send_slots, .ctx = s };
}
