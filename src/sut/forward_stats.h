/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The forwarder's counters, in memory that `--stats FILE` shares: the forwarder is
 * the one writer, anyone may map the file and read (the engine does, at trial
 * edges). Each counter is a relaxed atomic, so a value is never torn; two counters
 * read while frames flow may belong to different moments. A file stands for one
 * forwarder: the next one puts a new file in its place, so a reader opens it anew
 * after each start.
 */
#ifndef SATPROF_SUT_FORWARD_STATS_H
#define SATPROF_SUT_FORWARD_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define FORWARD_STATS_VERSION  1u
#define FORWARD_STATS_MAX_DIRS 2u

/* One direction, frames since the start. received = the sum of all but csum_fixed
 * (what is in the loop's hands at the moment apart). */
struct forward_dir_counts {
	uint64_t rx_packets;   /* taken out of the receive ring */
	uint64_t rx_ring_drop; /* the ring was full; read every 10 ms */
	uint64_t forwarded;    /* the kernel took them */
	uint64_t tx_refused;   /* the kernel refused them: queue or buffer full */
	uint64_t policed;      /* over --limit */
	uint64_t oversize;     /* longer than OUT's MTU, or merged by an offload */
	uint64_t bad_csum;     /* a partial checksum that could not be filled in */
	uint64_t csum_fixed;   /* had a partial checksum, which was filled in */
};

struct forward_counts {
	size_t n_dirs;
	struct forward_dir_counts dirs[FORWARD_STATS_MAX_DIRS]; /* IN to OUT first */
	uint64_t polls;         /* looks into the rings */
	uint64_t empty_polls;   /* of these, with nothing there */
	uint64_t empty_poll_ns; /* the shortest time from one empty look to the next:
				 * what one costs when nothing interrupts; 0: none */
	uint64_t updated_ns;    /* CLOCK_MONOTONIC of the last write */
};

struct forward_stats;

/*
 * The writer's: path NULL keeps it private, "-" is the file that is standard input
 * (its length is set). An existing file is replaced, not
 * overwritten, so that whoever maps the old one is not harmed.
 */
int forward_stats_create(const char *path, size_t n_dirs,
	struct forward_stats **ret_stats, struct sp_err *err);
/* Publish all counters; counts->n_dirs is not looked at. Never fails. */
void forward_stats_write(struct forward_stats *s, const struct forward_counts *counts);

/* A reader's. SP_EIO: no such file (yet); SP_EFORMAT: it is no such file. */
int forward_stats_open(
	const char *path, struct forward_stats **ret_stats, struct sp_err *err);

/* The same from an open file, which is borrowed for the call. */
int forward_stats_open_fd(int fd, struct forward_stats **ret_stats, struct sp_err *err);

/* Either side. */
void forward_stats_read(
	const struct forward_stats *s, struct forward_counts *ret_counts);
void forward_stats_close(struct forward_stats *s); /* NULL is a no-op; file stays */

#endif
