/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A SUT that runs already: left as it was found. */
#include "config.h"

#include "sut/sut.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/pidstat.h"
#include "os/proctree.h"
#include "sut/sut_counts.h"

/* Where a thread was allowed to run when we came. */
struct home {
	pid_t tid;
	cpu_set_t cpus;
};

struct pid_sut {
	struct sut_config cfg;
	int root_fd;
	uint64_t start_ticks; /* tells a reused pid */
	size_t n_homes, cap_homes;
	struct home *homes;
};

/* False when the process is gone or only its zombie is left. */
static bool read_start(const struct pid_sut *s, uint64_t *ret_ticks)
{
	struct pidstat st;

	if (!proctree_stat(s->root_fd, s->cfg.pid, &st) || st.state == 'Z' ||
		st.state == 'X')
		return false;
	*ret_ticks = st.start_ticks;
	return true;
}

static void pid_close(void *sut)
{
	struct pid_sut *s = sut;

	if (s == NULL)
		return;
	if (s->root_fd >= 0)
		(void)close(s->root_fd); /* read only */
	free(s->homes);
	free(s);
}

static int pid_open(const struct sut_config *cfg, void **ret_sut, struct sp_err *err)
{
	struct pid_sut *s = xcalloc(1, sizeof(*s));
	int rc = 0;

	s->cfg = *cfg;
	s->root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (s->root_fd < 0)
		rc = sp_err_errno(err, SP_EIO, errno, "cannot open /");
	else if (cfg->pid <= 0 || !read_start(s, &s->start_ticks))
		rc = sp_err_set(
			err, SP_EUSAGE, "no process has the id %d", (int)cfg->pid);
	if (rc != 0) {
		pid_close(s);
		return rc;
	}
	*ret_sut = s;
	return 0;
}

static bool pid_alive(void *sut, struct sut_end *ret_end)
{
	const struct pid_sut *s = sut;
	uint64_t ticks;

	if (read_start(s, &ticks) && ticks == s->start_ticks)
		return true;
	*ret_end = (struct sut_end){ 0 }; /* not our child: nobody tells how */
	return false;
}

static bool knows(const struct pid_sut *s, pid_t tid)
{
	size_t i;

	for (i = 0; i < s->n_homes; i++)
		if (s->homes[i].tid == tid)
			return true;
	return false;
}

/* Threads known from an earlier start keep the place they had then. */
static void remember_process(struct pid_sut *s, pid_t pid, struct proctree_ids *tids)
{
	struct home h;
	size_t i;

	proctree_threads(s->root_fd, pid, tids);
	for (i = 0; i < tids->n; i++) {
		h.tid = tids->ids[i];
		if (knows(s, h.tid) ||
			sched_getaffinity(h.tid, sizeof(h.cpus), &h.cpus) != 0)
			continue; /* gone meanwhile */
		s->homes = xgrow(s->homes, s->n_homes, &s->cap_homes, sizeof(h));
		s->homes[s->n_homes++] = h;
	}
}

static void remember_homes(struct pid_sut *s)
{
	struct proctree_ids pids = { 0 }, tids = { 0 };
	size_t i;

	proctree_descendants(s->root_fd, s->cfg.pid, &pids);
	remember_process(s, s->cfg.pid, &tids);
	for (i = 0; i < pids.n; i++)
		remember_process(s, pids.ids[i], &tids);
	proctree_ids_done(&pids);
	proctree_ids_done(&tids);
}

static int pid_start(void *sut, struct sp_err *err)
{
	struct pid_sut *s = sut;
	struct sut_end end;

	if (!pid_alive(s, &end))
		return sp_err_set(err, SP_EBROKEN, "the SUT (process %d) has gone",
			(int)s->cfg.pid);
	remember_homes(s);
	return 0;
}

static int pid_stop(void *sut, struct sp_err *err)
{
	struct pid_sut *s = sut;
	struct sut_end end;
	cpu_set_t now;
	int rc = 0;
	size_t i;

	if (!pid_alive(s, &end)) /* its ids may be somebody else's by now */
		return 0;
	for (i = 0; i < s->n_homes; i++) {
		const struct home *h = &s->homes[i];

		if (sched_getaffinity(h->tid, sizeof(now), &now) != 0 ||
			CPU_EQUAL(&now, &h->cpus))
			continue;
		if (sched_setaffinity(h->tid, sizeof(h->cpus), &h->cpus) != 0 &&
			errno != ESRCH)
			rc = sp_err_errno(err, errno == EPERM ? SP_EPERM : SP_EIO,
				errno,
				"cannot restore the affinity of thread %d of the SUT "
				"(process %d)",
				(int)h->tid, (int)s->cfg.pid);
	}
	return rc;
}

static pid_t pid_pid(const void *sut)
{
	const struct pid_sut *s = sut;

	return s->cfg.pid;
}

static const char *pid_output(void *sut)
{
	(void)sut; /* its streams are its owner's */
	return "";
}

static bool pid_stats(void *sut, struct sut_stats *ret_stats, struct sp_err *err)
{
	const struct pid_sut *s = sut;

	return sut_counts_read(&s->cfg, s->cfg.pid, ret_stats, err);
}

const struct sut_ops sut_pid = {
	.name = "pid",
	.summary = "a process that runs already",
	.open = pid_open,
	.start = pid_start,
	.alive = pid_alive,
	.pid = pid_pid,
	.output = pid_output,
	.stats = pid_stats,
	.stop = pid_stop,
	.close = pid_close,
	.restarts = false,
};
