/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The built-in forwarder as SUT: `satprof forward` in a process of its own, started
 * like any command, with its counters in memory shared through standard input. The
 * planted cost is calibrated once, so that all instances of a run do the same work.
 */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "sut/forward_cost.h"
#include "sut/forward_stats.h"
#include "sut/sut.h"

#define STATS_POLL_NS NS_PER_MS

struct sut_forward_state {
	struct sut_config cfg;
	char **argv; /* owned words */
	size_t n_argv, cap_argv;
	int stats_fd;
	struct forward_stats *stats; /* of the instance that runs, or NULL */
	void *inner;
};

static void push_word(struct sut_forward_state *s, const char *word)
{
	s->argv = xgrow(s->argv, s->n_argv, &s->cap_argv, sizeof(*s->argv));
	s->argv[s->n_argv++] = word != NULL ? xstrdup(word) : NULL;
}

/* This program's file, by name where it still has one. */
static void push_self(struct sut_forward_state *s)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	push_word(s, n > 0 && access(path, X_OK) == 0 ? path : "/proc/self/exe");
}

/* Calibrate where the SUT will run, then go back. */
static uint64_t calibrate(const struct sut_config *cfg, uint64_t cost_ns)
{
	cpu_set_t old, set;
	uint64_t n;
	bool moved = false;

	if (cfg->n_cpus > 0 && sched_getaffinity(0, sizeof(old), &old) == 0) {
		CPU_ZERO(&set);
		CPU_SET((size_t)cfg->cpus[0], &set);
		moved = sched_setaffinity(0, sizeof(set), &set) == 0;
	}
	n = forward_cost_calibrate(&clock_thread_cpu, cost_ns);
	if (moved)
		(void)sched_setaffinity(0, sizeof(old), &old); /* was allowed before */
	return n;
}

/* The options as given, with the cost in iterations beside it. */
static int push_options(struct sut_forward_state *s, struct sp_err *err)
{
	char *const *w;
	uint64_t cost_ns = 0;
	const char *cost = NULL;

	for (w = s->cfg.argv; *w != NULL; w++) {
		push_word(s, *w);
		if (strcmp(*w, "--cost") == 0 && w[1] != NULL)
			cost = w[1];
		else if (strncmp(*w, "--cost=", 7) == 0)
			cost = *w + 7;
	}
	if (cost != NULL) {
		char *n;

		if (units_u64_parse(cost, 0, NS_PER_S, &cost_ns, err) != 0)
			return sp_err_push(err, "forward --cost");
		n = xasprintf("--cost-iterations=%llu",
			(unsigned long long)calibrate(&s->cfg, cost_ns));
		push_word(s, n);
		free(n);
	}
	return 0;
}

static void sut_forward_close(void *sut)
{
	struct sut_forward_state *s = sut;
	size_t i;

	if (s == NULL)
		return;
	sut_command.close(s->inner);
	forward_stats_close(s->stats);
	for (i = 0; i < s->n_argv; i++)
		free(s->argv[i]);
	free(s->argv);
	if (s->stats_fd >= 0)
		(void)close(s->stats_fd);
	free(s);
}

static int build(struct sut_forward_state *s, struct sp_err *err)
{
	s->stats_fd = memfd_create("satprof-forward", MFD_CLOEXEC);
	if (s->stats_fd < 0)
		return sp_err_errno(err, SP_EIO, errno, "memfd_create");
	push_self(s);
	push_word(s, "forward");
	push_word(s, s->cfg.in);
	push_word(s, s->cfg.out);
	if (push_options(s, err) != 0)
		return -(int)err->code;
	push_word(s, "--stats=-");
	push_word(s, NULL);
	s->cfg.argv = s->argv;
	s->cfg.input_fd = s->stats_fd;
	return sut_command.open(&s->cfg, &s->inner, err);
}

static int sut_forward_open(
	const struct sut_config *cfg, void **ret_sut, struct sp_err *err)
{
	struct sut_forward_state *s = xcalloc(1, sizeof(*s));

	s->cfg = *cfg;
	s->stats_fd = -1;
	if (build(s, err) != 0) {
		sut_forward_close(s);
		return -(int)err->code;
	}
	*ret_sut = s;
	return 0;
}

static bool sut_forward_alive(void *sut, struct sut_end *ret_end)
{
	struct sut_forward_state *s = sut;

	return sut_command.alive(s->inner, ret_end);
}

/* How it ended, and its last output where there is any. */
static int ended_at_start(const struct sut_forward_state *s, const struct sut_end *end,
	struct sp_err *err)
{
	const char *out = sut_command.output(s->inner);
	char how[64];

	if (end->signaled)
		(void)snprintf(how, sizeof(how), "was ended by signal %d", end->status);
	else
		(void)snprintf(how, sizeof(how), "exited with status %d", end->status);
	return sp_err_set(err, SP_EBROKEN,
		"the built-in forwarder %s at its start; its last output: %s", how,
		out[0] != '\0' ? out : "(none)");
}

/* Its counters appear a moment after its start, when the rings are open. */
static int wait_for_stats(struct sut_forward_state *s, struct sp_err *err)
{
	uint64_t deadline = clock_now_ns(&clock_monotonic) + s->cfg.start_timeout_ns;
	struct sut_end end;

	while (forward_stats_open_fd(s->stats_fd, &s->stats, err) != 0) {
		uint64_t now = clock_now_ns(&clock_monotonic);

		if (!sut_command.alive(s->inner, &end))
			return ended_at_start(s, &end, err);
		if (now > deadline)
			return sp_err_push(err, "the built-in forwarder");
		clock_sleep_until_ns(&clock_monotonic, now + STATS_POLL_NS);
	}
	return 0;
}

static int sut_forward_start(void *sut, struct sp_err *err)
{
	struct sut_forward_state *s = sut;
	int rc;

	/* What the last instance left would look like a start. */
	if (ftruncate(s->stats_fd, 0) != 0)
		return sp_err_errno(err, SP_EIO, errno, "ftruncate");
	rc = sut_command.start(s->inner, err);
	if (rc == 0)
		rc = wait_for_stats(s, err);
	err->code = rc == 0 ? SP_OK : err->code;
	return rc;
}

static pid_t sut_forward_pid(const void *sut)
{
	const struct sut_forward_state *s = sut;

	return sut_command.pid(s->inner);
}

static pid_t sut_forward_ns_pid(const void *sut)
{
	const struct sut_forward_state *s = sut;

	return sut_command.ns_pid(s->inner);
}

static void sut_forward_wrap(void *sut, const struct sut_wrap *w)
{
	struct sut_forward_state *s = sut;

	sut_command.wrap(s->inner, w);
}

static void sut_forward_launch(void *sut, const struct launch *l)
{
	struct sut_forward_state *s = sut;

	sut_command.launch(s->inner, l);
}

static const char *sut_forward_output(void *sut)
{
	struct sut_forward_state *s = sut;

	return sut_command.output(s->inner);
}

static bool sut_forward_stats(
	void *sut, struct sut_stats *ret_stats, struct sp_err *err)
{
	struct sut_forward_state *s = sut;
	struct sut_stats out = { 0 };
	struct forward_counts c;
	size_t i;

	(void)err; /* it has them, or has none */
	if (s->stats == NULL)
		return false;
	forward_stats_read(s->stats, &c);
	for (i = 0; i < c.n_dirs; i++) {
		const struct forward_dir_counts *d = &c.dirs[i];

		out.in += d->rx_packets + d->rx_ring_drop;
		out.out += d->forwarded;
		out.refused += d->tx_refused;
		out.dropped += d->rx_ring_drop + d->tx_refused + d->policed +
			       d->oversize + d->bad_csum;
	}
	*ret_stats = out;
	return true;
}

static int sut_forward_stop(void *sut, struct sp_err *err)
{
	struct sut_forward_state *s = sut;

	forward_stats_close(s->stats);
	s->stats = NULL;
	return sut_command.stop(s->inner, err);
}

const struct sut_ops sut_forward = {
	.name = "forward",
	.summary = "the built-in forwarder",
	.open = sut_forward_open,
	.start = sut_forward_start,
	.alive = sut_forward_alive,
	.pid = sut_forward_pid,
	.ns_pid = sut_forward_ns_pid,
	.wrap = sut_forward_wrap,
	.launch = sut_forward_launch,
	.output = sut_forward_output,
	.stats = sut_forward_stats,
	.stop = sut_forward_stop,
	.close = sut_forward_close,
	.restarts = true,
};
