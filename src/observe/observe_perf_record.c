/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The arm `perf@HZ`: perf record, started with its events off at the arm's start and
 * switched on and off at each trial's edges through its control fifo.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "observe/outside.h"
#include "observe/outside_words.h"
#include "os/findprog.h"
#include "os/perf_open.h"

/* It reads all of /proc first, which is long on a large machine. */
#define UP_MAX_NS     (20 * NS_PER_S)
#define ANSWER_MAX_NS (2 * NS_PER_S)
#define LOOK_MS       10
#define CPUS_TEXT_MAX 4096

struct perf_record {
	struct outside o;
	struct perf_rights rights;
	double hz;
	int ctl_fd, ack_fd; /* -1: none */
};

static void fifos_close(struct perf_record *p)
{
	if (p->ctl_fd >= 0)
		(void)close(p->ctl_fd); /* nothing is buffered */
	if (p->ack_fd >= 0)
		(void)close(p->ack_fd); /* nothing is buffered */
	p->ctl_fd = p->ack_fd = -1;
}

static void op_close(void *obs)
{
	struct perf_record *p = obs;

	if (p == NULL)
		return;
	outside_done(&p->o);
	fifos_close(p);
	free(p);
}

static int op_open(
	const struct observer_config *cfg, void **ret_obs, struct sp_err *err)
{
	struct perf_record *p;

	if (cfg->outside.keeper == NULL)
		return sp_err_set(err, SP_EUSAGE, "perf needs a live run");
	if (!findprog_exists("perf"))
		return sp_err_set(err, SP_EENV,
			"perf is not installed (package linux-perf or linux-tools)");
	p = xcalloc(1, sizeof(*p));
	outside_init(&p->o, cfg);
	p->hz = cfg->arm.hz;
	p->ctl_fd = p->ack_fd = -1;
	perf_rights_probe(cfg->root_fd, &p->rights);
	if (!p->rights.cpu_wide && !p->rights.task) {
		free(p);
		return sp_err_set(err, SP_EPERM,
			"the kernel refuses perf events here: CAP_PERFMON or a lower "
			"kernel.perf_event_paranoid is needed");
	}
	*ret_obs = p;
	return 0;
}

/* A fifo open at both ends, so that neither side waits for the other to open it. */
static int fifo_open(const char *path, int *ret_fd, struct sp_err *err)
{
	int fd = -1;

	if (mkfifo(path, 0600) == 0)
		fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return sp_err_errno(
			err, SP_EIO, errno, "the fifo %s to control perf", path);
	*ret_fd = fd;
	return 0;
}

static bool is_for_cpus(const struct perf_record *p, const struct observer_target *t)
{
	return p->rights.cpu_wide && t->n_cpus > 0;
}

static bool sees_kernel(const struct perf_record *p, bool cpus)
{
	return cpus ? p->rights.cpu_kernel : p->rights.task_kernel;
}

/* The words of perf record; those that vary are in text. */
struct perf_words {
	char fixed[13][12];
	char control[2 * 4096 + 16], output[4096], rate[16], where[CPUS_TEXT_MAX];
	char *argv[20];
};

static void words_make(struct perf_words *w, const struct perf_record *p,
	const struct observer_target *t)
{
	static const char fixed[13][12] = { "perf", "record", "-q", "-N", "-g", "-D",
		"-1", "--control", "-o", "-F", "-C", "-p", "--all-user" };
	const char *dir = p->o.dir.dir;
	bool cpus = is_for_cpus(p, t);
	size_t n;

	memcpy(w->fixed, fixed, sizeof(fixed)); /* words for exec may be written */
	(void)snprintf(w->control, sizeof(w->control), "fifo:%s/ctl,%s/ack", dir, dir);
	(void)snprintf(w->output, sizeof(w->output), "%s/perf.data", dir);
	(void)snprintf(w->rate, sizeof(w->rate), "%.0f", p->hz);
	if (cpus)
		outside_words_cpus(t->cpus, t->n_cpus, w->where, sizeof(w->where));
	else
		(void)snprintf(w->where, sizeof(w->where), "%d", (int)t->ns_pid);
	for (n = 0; n < 8; n++)
		w->argv[n] = w->fixed[n];
	w->argv[n++] = w->control;
	w->argv[n++] = w->fixed[8];
	w->argv[n++] = w->output;
	w->argv[n++] = w->fixed[9];
	w->argv[n++] = w->rate;
	w->argv[n++] = w->fixed[cpus ? 10 : 11];
	w->argv[n++] = w->where;
	if (!sees_kernel(p, cpus))
		w->argv[n++] = w->fixed[12];
	w->argv[n] = NULL;
}

/* 1: perf did as told; 0: it has ended; -1: no answer in time. */
static int tell(struct perf_record *p, const char *command, uint64_t max_ns)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + max_ns;
	struct pollfd pfd = { .fd = p->ack_fd, .events = POLLIN };
	char buf[64];
	ssize_t len = (ssize_t)strlen(command);

	/* The answer to a command that was given up is none to this one. */
	while (read(p->ack_fd, buf, sizeof(buf)) > 0)
		;
	if (write(p->ctl_fd, command, (size_t)len) != len)
		return -1; /* the fifo is full: it reads nothing */
	do {
		if (poll(&pfd, 1, LOOK_MS) > 0 && read(p->ack_fd, buf, sizeof(buf)) > 0)
			return 1;
		if (!outside_is_running(&p->o))
			return 0;
	} while (clock_now_ns(&clock_monotonic) < deadline_ns);
	return -1;
}

static int start(struct perf_record *p, const struct observer_target *t,
	const char *ctl, const char *ack, struct sp_err *err)
{
	struct perf_words *w = xcalloc(1, sizeof(*w));
	char how[96] = "did not answer on its control fifo (perf 5.10 or later is "
		       "needed)";
	int rc = fifo_open(ctl, &p->ctl_fd, err);

	if (rc == 0)
		rc = fifo_open(ack, &p->ack_fd, err);
	if (rc == 0) {
		words_make(w, p, t);
		rc = outside_spawn(&p->o, w->argv, err);
	}
	free(w);
	if (rc != 0)
		return rc;
	/* They are off already: what counts is that it answers. */
	switch (tell(p, "disable\n", UP_MAX_NS)) {
	case 1:
		return 0;
	case 0:
		outside_describe_end(&p->o, how, sizeof(how));
		break;
	default:
		break;
	}
	return outside_refused(&p->o, how, err);
}

static int op_attach(void *obs, const struct observer_target *t, struct sp_err *err)
{
	struct perf_record *p = obs;
	char *ctl, *ack;
	int rc;

	if (!is_for_cpus(p, t) && t->ns_pid <= 0)
		return sp_err_set(err, SP_EENV,
			"CPU-wide events are refused here, and there is no process to "
			"follow");
	if (!is_for_cpus(p, t))
		run_add_note(p->o.run,
			"arm %s: CPU-wide events are refused: perf follows the SUT's "
			"process",
			p->o.arm);
	if (!sees_kernel(p, is_for_cpus(p, t)))
		run_add_note(p->o.run,
			"arm %s: the kernel's part is not visible to perf "
			"(kernel.perf_event_paranoid)",
			p->o.arm);
	rc = outside_prepare(&p->o, err);
	if (rc != 0)
		return rc;
	ctl = xasprintf("%s/ctl", p->o.dir.dir);
	ack = xasprintf("%s/ack", p->o.dir.dir);
	rc = start(p, t, ctl, ack, err);
	/* Both sides have them open, or there is no other side. */
	(void)unlink(ctl);
	(void)unlink(ack);
	free(ctl);
	free(ack);
	p->o.has_started |= rc == 0;
	return rc;
}

/* Switch the events; what goes wrong is a fault of this trial. */
static void switch_events(struct perf_record *p, const char *command)
{
	char how[64];

	if (p->o.is_faulty)
		return;
	switch (tell(p, command, ANSWER_MAX_NS)) {
	case 1:
		return;
	case 0:
		outside_describe_end(&p->o, how, sizeof(how));
		break;
	default:
		(void)snprintf(how, sizeof(how), "did not answer '%.*s' within 2 s",
			(int)strcspn(command, "\n"), command);
	}
	outside_fault(&p->o, how);
}

static int op_begin(void *obs, struct sp_err *err)
{
	(void)err; /* the trial says so */
	switch_events(obs, "enable\n");
	return 0;
}

static int op_end(void *obs, struct trial *t, struct sp_err *err)
{
	struct perf_record *p = obs;

	(void)err; /* the trial says so */
	switch_events(p, "disable\n");
	outside_judge(&p->o, t);
	return 0;
}

static int op_collect(
	void *obs, struct trial *t, struct profile *profile, struct sp_err *err)
{
	(void)obs; /* its samples stay in perf.data */
	(void)t;
	(void)profile;
	(void)err;
	return 0;
}

static int op_detach(void *obs, struct sp_err *err)
{
	struct perf_record *p = obs;
	int rc = outside_stop(&p->o, err);

	fifos_close(p);
	return rc;
}

const struct observer_ops observe_perf_record = {
	.name = "perf-record",
	.summary = "perf record beside the SUT, switched at the trials' edges",
	.open = op_open,
	.attach = op_attach,
	.begin = op_begin,
	.end = op_end,
	.collect = op_collect,
	.detach = op_detach,
	.close = op_close,
};
