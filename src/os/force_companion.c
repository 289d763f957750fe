/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forced beside the SUT: a share of a CPU taken, wake-ups, CPUs kept awake. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/force_private.h"
#include "os/thread.h"

#define PERIOD_NS (10 * NS_PER_MS)
/* How much of its share a companion that was kept from it may catch up with. */
#define DEBT_MAX_NS  (20 * NS_PER_MS)
#define WAKES_MAX_HZ 1e5
#define DMA_LATENCY  "dev/cpu_dma_latency"

static int part_cpu(const struct arm_force_part *p, int *ret_cpu)
{
	char *end;
	long cpu = strtol(p->of, &end, 10);

	if (end == p->of || *end != '\0' || cpu < 0 || cpu > INT32_MAX)
		return -1;
	*ret_cpu = (int)cpu;
	return 0;
}

static int companion_check(
	const struct arm_force *f, const struct force_target *t, struct sp_err *err)
{
	const double max = f->factor == FACTOR_WAKEUPS ? WAKES_MAX_HZ : 1;
	cpu_set_t own;
	size_t i;
	int cpu = 0;

	(void)t;
	CPU_ZERO(&own);
	(void)sched_getaffinity(0, sizeof(own), &own);
	for (i = 0; i < f->n_parts; i++) {
		const struct arm_force_part *p = &f->parts[i];

		if (part_cpu(p, &cpu) != 0 || cpu >= CPU_SETSIZE ||
			!CPU_ISSET((size_t)cpu, &own))
			return sp_err_set(err, SP_EENV,
				"CPU %s is not there or not allowed for this process",
				p->of);
		if (!(p->number > 0 && p->number <= max))
			return sp_err_set(err, SP_EENV,
				"%g on CPU %s is not over 0 and at most %g", p->number,
				p->of, max);
	}
	return 0;
}

static int companion_renew(struct force_child *c, struct sp_err *err)
{
	int cpu = 0;

	if (part_cpu(c->part, &cpu) != 0)
		return sp_err_set(err, SP_EENV, "'%s' is not a CPU", c->part->of);
	thread_sharpen_timers();
	if (thread_pin(cpu, err) == 0)
		return 0;
	err->code = SP_EENV;
	return -SP_EENV;
}

static bool is_asked(const struct force_child *c)
{
	struct pollfd p = { .fd = c->sock, .events = POLLIN };

	return poll(&p, 1, 0) != 0; /* an end is one, too */
}

static uint64_t own_cpu_ns(void)
{
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* Its share of each period, by its own CPU time: the SUT competes for the same CPU. */
static void contention_work(struct force_child *c)
{
	const double share = c->part->number;
	uint64_t period_ns = clock_now_ns(&clock_monotonic);
	uint64_t due_ns = own_cpu_ns(), used_ns = due_ns; /* CPU time */

	while (!is_asked(c)) {
		period_ns += PERIOD_NS;
		due_ns += (uint64_t)(share * (double)PERIOD_NS);
		if (due_ns > used_ns + DEBT_MAX_NS)
			due_ns = used_ns + DEBT_MAX_NS;
		do
			used_ns = own_cpu_ns();
		while (used_ns < due_ns && clock_now_ns(&clock_monotonic) < period_ns);
		clock_sleep_until_ns(&clock_monotonic, period_ns);
		/* Kept from it for long: the periods that are over are over. */
		if (clock_now_ns(&clock_monotonic) > period_ns + DEBT_MAX_NS)
			period_ns = clock_now_ns(&clock_monotonic);
	}
}

static void wakeups_work(struct force_child *c)
{
	const uint64_t gap_ns = (uint64_t)((double)NS_PER_S / c->part->number);
	uint64_t next_ns = clock_now_ns(&clock_monotonic), now_ns;

	while (!is_asked(c)) {
		next_ns += gap_ns;
		now_ns = clock_now_ns(&clock_monotonic);
		if (next_ns < now_ns)
			next_ns = now_ns + gap_ns;
		clock_sleep_until_ns(&clock_monotonic, next_ns);
	}
}

const struct force_ops force_contention = {
	.factor = FACTOR_CONTENTION,
	.check = companion_check,
	.renew = companion_renew,
	.work = contention_work,
};

const struct force_ops force_wakeups = {
	.factor = FACTOR_WAKEUPS,
	.check = companion_check,
	.renew = companion_renew,
	.work = wakeups_work,
};

/* --- idle ------------------------------------------------------------------------- */

/* The kernel keeps to the latency as long as the file is open (PM QoS). */
static int dma_latency_hold(int root_fd, int *ret_fd, struct sp_err *err)
{
	const int32_t none_us = 0;
	int fd = openat(root_fd, DMA_LATENCY, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return sp_err_errno(err, SP_EENV, errno, "cannot open /" DMA_LATENCY);
	if (write(fd, &none_us, sizeof(none_us)) != (ssize_t)sizeof(none_us)) {
		(void)sp_err_errno(err, SP_EENV, errno, "cannot write /" DMA_LATENCY);
		(void)close(fd); /* nothing was written */
		return -SP_EENV;
	}
	*ret_fd = fd;
	return 0;
}

static int idle_check(
	const struct arm_force *f, const struct force_target *t, struct sp_err *err)
{
	int fd = -1;
	int rc = dma_latency_hold(t->root_fd, &fd, err);

	(void)f;
	if (rc == 0)
		(void)close(fd); /* lets it go */
	return rc;
}

/* Held by the descriptor, which ends with the process. */
static int idle_renew(struct force_child *c, struct sp_err *err)
{
	int fd = -1;

	if (c->holds_latency)
		return 0;
	if (dma_latency_hold(c->t.root_fd, &fd, err) != 0)
		return -SP_EENV;
	c->holds_latency = true;
	return 0;
}

const struct force_ops force_idle = {
	.factor = FACTOR_IDLE,
	.check = idle_check,
	.renew = idle_renew,
};
