/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What offers the load and counts what comes back. One generator serves a whole
 * run; trial() is called from the main thread and blocks until the drain is over
 * (a back end may use a second thread when the receiver has its own CPU). Nothing
 * is written to disk and nothing is read from /proc inside trial().
 */
#ifndef SATPROF_GEN_GENERATOR_H
#define SATPROF_GEN_GENERATOR_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/traffic.h"
#include "model/trial.h"

/* One end of a direction: an interface and the namespace it lives in. */
struct gen_port {
	int netns_fd; /* -1: the caller's namespace; borrowed */
	const char *ifname;
};

struct gen_config {
	const struct traffic *traffic; /* borrowed for the life of the generator */
	struct gen_port tx, rx;        /* fwd: tx -> SUT -> rx; rev: the other way */
	uint8_t sut_in_mac[6];         /* for --dst-mac sut; zero when unknown */
	int cpu_gen, cpu_recv;         /* -1: leave the affinity alone */
	bool realtime;    /* SCHED_FIFO where permitted, only while it sleeps */
	uint16_t run_tag; /* distinguishes this run's frames from others' */
	/* Set by a signal handler: the trial ends at once, marked invalid. */
	const volatile sig_atomic_t *stop;
};

struct gen_trial {
	uint16_t trial_tag; /* changes every trial, so that late frames show */
	double rate_pps;    /* per direction */
	uint64_t duration_ns;
	uint32_t burst;
	uint64_t drain_max_ns; /* the drain ends when quiet, or after this */
};

/* Counts of one direction, as the generator itself knows them. */
struct gen_dir_result {
	uint64_t intended, unsent, refused, accepted;
	uint64_t unique, duplicate, late, foreign;
	uint64_t rx_ring_drop; /* the receiver's own drops */
	bool tracked;          /* false: untagged and not accounted for */
};

struct gen_result {
	uint64_t t_start_ns;    /* the schedule's first slot, CLOCK_MONOTONIC */
	uint64_t t_send_end_ns; /* the schedule's end */
	uint64_t t_end_ns;      /* after the drain */
	size_t n_dirs;
	struct gen_dir_result dirs[2];
	/* Steady window: from 25 % of the send time to its end, both directions. */
	uint64_t window_ns, window_pkts;
	bool has_latency; /* absent when the clocks' offset moved by more than 1 us */
	struct latency_summary latency;
	size_t n_bins;
	struct hist_bin *bins; /* owned by the result: gen_result_done() */
	struct latency_summary lateness;
	uint64_t n_late_slots;     /* sent later than the burst cap allows */
	uint64_t n_oversize;       /* received frames longer than sent: GRO is on */
	uint64_t n_csum_not_ready; /* partial checksums seen by the receiver */
	uint64_t sent_gso_frames;  /* accepted through segmentation offload */
	bool closed_loop; /* without a large send buffer the SUT throttles the sender */
};

struct generator_ops {
	const char *name;
	const char *summary;
	/* Opens sockets and rings, builds frames. Errors: SP_EPERM without
	 * CAP_NET_RAW, SP_EUSAGE for a capture that cannot be replayed. */
	int (*open)(const struct gen_config *cfg, void **ret_gen, struct sp_err *err);
	/* The number of frames and mean size, known after open (pcap). */
	double (*mean_frame_bytes)(const void *gen);
	int (*trial)(void *gen, const struct gen_trial *spec,
		struct gen_result *ret_result, struct sp_err *err);
	/* NULL is a no-op. */
	void (*close)(void *gen);
};

extern const struct generator_ops gen_afpacket;

void gen_result_done(struct gen_result *r);

#endif
