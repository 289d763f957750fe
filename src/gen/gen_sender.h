/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns slots of the schedule into frames and hands them to the packet sockets:
 * own frames of fixed size (plain, or bursts that the kernel cuts), the IMIX
 * sequence, or a capture. One per direction; one thread.
 *
 * Which path, and why. On a veth pair, 64-byte frames, one CPU, no receiver,
 * relative to trafgen (scripts/bench/generator): plain sendmmsg of 64 frames is
 * level with it, bursts of 32 and 64 cut by the kernel reach more than twice its
 * rate, since socket and device work is paid once a burst. So bursts of equal UDP
 * frames are offloaded where the kernel can, everything else goes out plain. All
 * frames of an offloaded burst share 5-tuple and planned time, and so do those of
 * a plain burst: which path is taken never changes what is sent.
 */
#ifndef SATPROF_GEN_GEN_SENDER_H
#define SATPROF_GEN_GEN_SENDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/gen_pcapfile.h"
#include "gen/gen_tx.h"
#include "model/traffic.h"
#include "os/pkttx.h"

struct gen_sender;

struct gen_sender_config {
	const struct traffic *traffic;   /* borrowed for the sender's life */
	const struct gen_pcapfile *file; /* NULL: own frames; borrowed likewise */
	struct pkttx *plain;             /* borrowed likewise */
	struct pkttx *offload;           /* NULL: not possible here */
	uint8_t dst_mac[6], src_mac[6];
	uint16_t run_tag;
	bool is_rev;
};

struct gen_sender *gen_sender_new(const struct gen_sender_config *cfg);
void gen_sender_free(struct gen_sender *s); /* NULL is a no-op */
/* Before each trial. */
void gen_sender_begin(struct gen_sender *s, uint16_t trial_tag, uint32_t burst);
/* The sink for gen_tx_begin(). */
struct gen_tx_sink gen_sender_sink(struct gen_sender *s);
/* True when bursts of this trial are cut by the kernel. */
bool gen_sender_is_offloaded(const struct gen_sender *s);
/* Frames accepted since gen_sender_begin, of each kind of the capture's digests. */
const uint32_t *gen_sender_sent_kinds(const struct gen_sender *s);

#endif
