/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Private to the built-in generator: its state, shared by the file that opens it
 * and the file that runs its trials. ports[0] is where forward traffic enters,
 * ports[1] where it comes out; direction 0 sends on ports[0], direction 1 (bidir)
 * on ports[1].
 */
#ifndef SATPROF_GEN_GEN_AFPACKET_H
#define SATPROF_GEN_GEN_AFPACKET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "gen/gen_frame.h"
#include "gen/gen_pcapfile.h"
#include "gen/gen_rx.h"
#include "gen/gen_sender.h"
#include "gen/gen_tx.h"
#include "gen/generator.h"
#include "os/pktring_rx.h"
#include "os/pkttx.h"
#include "stat/hist.h"

struct afpacket {
	struct gen_config cfg;
	const struct traffic *traffic;
	struct gen_port ports[2];
	size_t n_dirs;
	struct gen_pcapfile *file; /* NULL: own frames */
	uint32_t frame_bytes_max;  /* without FCS */
	struct pkttx *plain[2], *offload[2];
	struct pktring_rx *ring[2]; /* by direction: where its frames come out */
	struct gen_sender *sender[2];
	struct gen_rx *rx[2]; /* NULL: nobody listens */
	struct gen_tx tx[2];
	struct hist *latency, *lateness;
	char offload_note[160]; /* why bursts are not offloaded */
};

int gen_afpacket_trial(void *gen, const struct gen_trial *spec,
	struct gen_result *ret_result, struct sp_err *err);

#endif
