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

struct keeper; /* os/keeper.h */

/* One end of a direction: an interface and the namespace it lives in. */
struct gen_port {
	int netns_fd; /* -1: the caller's namespace; borrowed */
	const char *ifname;
};

struct gen_config {
	const struct traffic *traffic; /* borrowed for the life of the generator */
	/* fwd: tx -> SUT -> rx; rev: the other way. rx.ifname NULL: nobody listens,
	 * then there is one direction and dst_mac must be given. */
	struct gen_port tx, rx;
	/* For --dst-mac sut, which a given MAC is not: that is forward's only. Zero
	 * when unknown. */
	uint8_t sut_in_mac[6], sut_out_mac[6];
	int cpu_gen, cpu_recv; /* -1: leave the affinity alone */
	bool realtime;         /* SCHED_FIFO where permitted, only while it sleeps */
	bool spin;             /* the last 50 us before a slot, on a CPU of its own */
	bool no_offload;       /* keep to one message a frame */
	uint16_t run_tag;      /* distinguishes this run's frames from others' */
	/* Set by a signal handler: the trial ends at once, and result.stopped says so.
	 */
	const volatile sig_atomic_t *stop;
	/* gen_external only: what the shell runs, held by this keeper; both borrowed.
	 * Ports, MACs and tags are then its own business. */
	const char *command;
	struct keeper *keeper;
};

struct gen_trial {
	uint16_t trial_tag;   /* changes every trial, so that late frames show */
	double rate_pps;      /* per direction; INFINITY: flat out, nothing is unsent */
	uint64_t duration_ns; /* 0: a capture once through */
	uint32_t burst;
	uint64_t drain_max_ns; /* the drain ends when quiet, or after this */
};

/*
 * Counts of one direction, as the generator itself knows them. Each is exact as to
 * what the kernel answered: a frame is offered once and either accepted or refused.
 * On a veth a refusal for want of room in the far queue (ENOBUFS) is counted there
 * as tx_dropped too, and an offloaded burst is accepted before it is cut: where the
 * frames went from here only the device's counters say.
 */
struct gen_dir_result {
	uint64_t intended, unsent, refused, accepted;
	uint64_t unique, duplicate, late, foreign;
	uint64_t rx_ring_drop; /* the receiver's own drops */
	bool tracked;          /* false: nobody listened (no receiver) */
	bool outside; /* only intended, unsent, accepted and unique are known */
};

struct gen_result {
	uint64_t t_start_ns;    /* the schedule's first slot, CLOCK_MONOTONIC */
	uint64_t t_send_end_ns; /* the schedule's end, or when stopped */
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
	uint64_t n_late_slots;     /* later than the burst cap allows: left unsent */
	uint64_t n_oversize;       /* received frames longer than sent: GRO is on */
	uint64_t n_csum_not_ready; /* partial checksums seen by the receiver */
	uint64_t sent_gso_frames;  /* accepted through segmentation offload */
	/* The send buffer is too small, or was full: the SUT throttles the sender. */
	bool closed_loop;
	bool stopped; /* by cfg.stop: counts are right, but of a part of the trial */
	char offload_note[160]; /* why no burst is offloaded; "": it can be */
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
/* A command that speaks the protocol of satprof-generator(5). */
extern const struct generator_ops gen_external;

void gen_result_done(struct gen_result *r);

#endif
