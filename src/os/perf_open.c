/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf_event_open, its fallbacks and what its errors mean. */
#include "config.h"

#include "os/perf_open.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "os/perf_sys.h"

/* linux/perf_event.h of systems before 6.0 lacks it. */
#define READ_FORMAT_LOST (1U << 4)

void perf_attr_init(struct perf_event_attr *attr, uint32_t type, uint64_t config)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = type;
	attr->config = config;
	attr->disabled = 1;
}

/* True when the limit went up. */
static bool raise_descriptor_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) || lim.rlim_cur >= lim.rlim_max)
		return false;
	lim.rlim_cur = lim.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &lim) == 0;
}

int perf_open(const struct perf_open_request *req)
{
	struct perf_event_attr attr = *req->attr;
	int fd;

	fd = perf_sys_open(
		&attr, req->pid, req->cpu, req->group_fd, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0 && errno == EMFILE && raise_descriptor_limit())
		fd = perf_sys_open(
			&attr, req->pid, req->cpu, req->group_fd, PERF_FLAG_FD_CLOEXEC);
	return fd;
}

/* Takes one optional feature out of attr; false when none is left. */
static bool attr_strip_one(struct perf_event_attr *attr)
{
	if (attr->build_id)
		attr->build_id = 0;
	else if (attr->read_format & READ_FORMAT_LOST)
		attr->read_format &= ~(uint64_t)READ_FORMAT_LOST;
	else if (attr->ksymbol)
		attr->ksymbol = 0;
	else if (attr->exclude_idle)
		attr->exclude_idle = 0; /* Arm's PMUs refuse it */
	else
		return false;
	return true;
}

int perf_open_degrading(const struct perf_open_request *req)
{
	struct perf_event_attr was = *req->attr;
	int first_errno = 0, fd;

	for (;;) {
		fd = perf_open(req);
		if (fd >= 0)
			return fd;
		if (first_errno == 0)
			first_errno = errno;
		if (errno != EINVAL && errno != EOPNOTSUPP && errno != E2BIG)
			break;
		if (!attr_strip_one(req->attr))
			break;
	}
	*req->attr = was; /* it was none of these: say what the full one got */
	errno = first_errno;
	return -1;
}

/* "event 'cycles' on CPU 3", "event 'cycles' on task 812". */
static void describe(const struct perf_open_request *req, char *buf, size_t len)
{
	const char *name = req->name ? req->name : "?";

	if (req->pid == -1)
		(void)snprintf(buf, len, "event '%s' on CPU %d", name, req->cpu);
	else if (req->pid == 0)
		(void)snprintf(buf, len, "event '%s'", name);
	else
		(void)snprintf(buf, len, "event '%s' on task %d", name, (int)req->pid);
}

static int explain_paranoid(struct sp_err *err, const char *what, int paranoid,
	const struct perf_open_request *req)
{
	int wanted = req->pid == -1 ? 0 : req->attr->exclude_kernel ? 2 : 1;

	if (paranoid != PERF_PARANOID_UNKNOWN && paranoid <= wanted)
		return sp_err_set(err, SP_EPERM,
			"%s: the kernel refuses it (EACCES): the process belongs to "
			"another user; run as root or give satprof CAP_PERFMON and "
			"CAP_SYS_PTRACE",
			what);
	return sp_err_set(err, SP_EPERM,
		"%s: kernel.perf_event_paranoid is %d (EACCES); run as root, give "
		"satprof CAP_PERFMON, or set kernel.perf_event_paranoid=%d",
		what, paranoid, wanted);
}

int perf_open_explain(struct sp_err *err, int sys_errno,
	const struct perf_open_request *req, int paranoid, size_t n_needed)
{
	char what[160];

	describe(req, what, sizeof(what));
	switch (sys_errno) {
	case EACCES:
		return explain_paranoid(err, what, paranoid, req);
	case EPERM:
		return sp_err_set(err, SP_EPERM,
			"%s: blocked (EPERM), as a container's seccomp profile or a "
			"security module does; allow perf_event_open there, e.g. "
			"--cap-add PERFMON with a profile that knows it",
			what);
	case ENOSYS:
		return sp_err_set(err, SP_EENV,
			"%s: perf_event_open is not there (ENOSYS): the kernel is "
			"built without perf events, or a seccomp profile hides it "
			"(podman's does without CAP_PERFMON)",
			what);
	case EMFILE:
	case ENFILE:
		return sp_err_errno(err, SP_EENV, sys_errno,
			"%s: perf events take about %zu file descriptors here", what,
			n_needed);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return sp_err_errno(err, SP_EENV, sys_errno,
			"%s: this machine does not count it (no such PMU or event; "
			"virtual machines often have no PMU)",
			what);
	case ESRCH:
		return sp_err_set(err, SP_EBROKEN, "%s: the process is gone", what);
	case EBUSY:
		return sp_err_set(err, SP_EENV,
			"%s: another program holds the counters exclusively (EBUSY)",
			what);
	default:
		return sp_err_errno(err, SP_EIO, sys_errno, "%s", what);
	}
}

enum counter_state perf_open_state(int sys_errno)
{
	switch (sys_errno) {
	case EACCES:
	case EPERM:
		return COUNTER_NOT_PERMITTED;
	case ENOENT:
	case ENODEV:
	case ENOSYS:
	case EOPNOTSUPP:
	case EINVAL: /* an encoding this PMU does not have */
		return COUNTER_NOT_SUPPORTED;
	default:
		return COUNTER_ERROR;
	}
}

/* 0, or the errno of the refusal. */
static int try_clock(pid_t pid, int cpu, bool exclude_kernel)
{
	struct perf_event_attr attr;
	struct perf_open_request req = {
		.attr = &attr, .pid = pid, .cpu = cpu, .group_fd = -1
	};
	int fd;

	perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	attr.exclude_kernel = exclude_kernel;
	attr.exclude_hv = exclude_kernel;
	fd = perf_open(&req);
	if (fd < 0)
		return errno;
	(void)close(fd);
	return 0;
}

void perf_rights_probe(int root_fd, struct perf_rights *ret_rights)
{
	int cpu = sched_getcpu();
	int e;

	memset(ret_rights, 0, sizeof(*ret_rights));
	ret_rights->paranoid =
		(int)perf_sysctl(root_fd, "perf_event_paranoid", PERF_PARANOID_UNKNOWN);
	e = try_clock(0, -1, false);
	ret_rights->task_kernel = e == 0;
	if (e != 0)
		e = try_clock(0, -1, true);
	ret_rights->task = e == 0;
	ret_rights->task_errno = e;
	e = try_clock(-1, cpu < 0 ? 0 : cpu, false);
	ret_rights->cpu_kernel = e == 0;
	if (e != 0)
		e = try_clock(-1, cpu < 0 ? 0 : cpu, true);
	ret_rights->cpu_wide = e == 0;
	ret_rights->cpu_errno = e;
}

long perf_sysctl(int root_fd, const char *name, long fallback)
{
	char path[96], buf[32] = "";
	char *end;
	ssize_t n;
	long v;
	int fd;

	(void)snprintf(path, sizeof(path), "proc/sys/kernel/%s", name);
	fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fallback;
	n = read(fd, buf, sizeof(buf) - 1);
	(void)close(fd);
	if (n <= 0)
		return fallback;
	v = strtol(buf, &end, 10);
	return end == buf ? fallback : v;
}

uint64_t perf_event_id(int fd)
{
	uint64_t id = 0;

	return ioctl(fd, PERF_EVENT_IOC_ID, &id) ? 0 : id;
}
