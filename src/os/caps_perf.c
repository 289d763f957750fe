/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What perf events the kernel gives this process: opened, closed, not counted on. */
#include "config.h"

#include "os/caps_private.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "os/perf_hw.h"
#include "os/perf_open.h"

/* Holds a few seconds of samples of one CPU; a whole trial is kept in it. */
#define RING_PAGES 256

/* Why an open call was refused, and the one command that helps. */
static void set_refused(struct caps *c, enum caps_id id, int sys_errno, int paranoid,
	const char *what, int wanted)
{
	static const char allow[] =
		"docker run --cap-add PERFMON --security-opt seccomp=unconfined IMAGE";
	char fix[80];

	switch (sys_errno) {
	case EACCES:
		(void)snprintf(fix, sizeof(fix),
			"sudo sysctl -w kernel.perf_event_paranoid=%d", wanted);
		caps_set(c, id, CAPS_MISSING, fix,
			"%s: refused (EACCES), kernel.perf_event_paranoid is %d and "
			"CAP_PERFMON is not held",
			what, paranoid);
		break;
	case EPERM:
		caps_set(c, id, CAPS_MISSING, allow,
			"%s: blocked (EPERM) by a container's seccomp profile or a "
			"security module; CAP_PERFMON and a profile that knows "
			"perf_event_open are needed",
			what);
		break;
	case ENOSYS:
		caps_set(c, id, CAPS_MISSING, allow,
			"%s: perf_event_open is not there (ENOSYS): a seccomp profile "
			"hides it without CAP_PERFMON, or the kernel lacks perf events",
			what);
		break;
	default:
		caps_set(
			c, id, CAPS_MISSING, NULL, "%s: %s", what, strerror(sys_errno));
		break;
	}
}

static void set_software(struct caps *c, const struct perf_rights *r)
{
	if (r->task)
		caps_set(c, CAPS_PERF_TASK, CAPS_OK, NULL,
			"events on a process of this user open%s",
			r->task_kernel ? "" : ", its user part");
	else
		set_refused(c, CAPS_PERF_TASK, r->task_errno, r->paranoid,
			"events on a process of this user", 2);
	if (r->cpu_wide)
		caps_set(c, CAPS_PERF_CPU, CAPS_OK, NULL,
			"events on a whole CPU open: the cheapest way to sample");
	else
		set_refused(c, CAPS_PERF_CPU, r->cpu_errno, r->paranoid,
			"events on a whole CPU", 0);
	if (r->task_kernel || r->cpu_kernel)
		caps_set(c, CAPS_PERF_KERNEL, CAPS_OK, NULL,
			"the kernel's part is visible");
	else
		set_refused(c, CAPS_PERF_KERNEL,
			r->task_errno != 0 ? r->task_errno : EACCES, r->paranoid,
			"samples in the kernel", 1);
}

static void set_hardware(struct caps *c, const struct perf_rights *r)
{
	struct perf_hw hw;

	if (!r->task && !r->cpu_wide) {
		set_refused(c, CAPS_PERF_HARDWARE, r->task_errno, r->paranoid,
			"hardware events", 2);
		return;
	}
	perf_hw_probe(!r->task_kernel, &hw);
	if (hw.counts && hw.samples)
		caps_set(c, CAPS_PERF_HARDWARE, CAPS_OK, NULL,
			"cycles count and sample (%.2f GHz)", hw.cycles_per_s / 1e9);
	else if (hw.counts)
		caps_set(c, CAPS_PERF_HARDWARE, CAPS_DEGRADED, NULL, "%s", hw.why_not);
	else
		caps_set(c, CAPS_PERF_HARDWARE, CAPS_MISSING, NULL,
			"%s; cpu-clock is sampled instead", hw.why_not);
}

static void set_ring(struct caps *c, const struct perf_rights *r, int root_fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), len = (1 + RING_PAGES) * page;
	struct perf_event_attr attr;
	struct perf_open_request req = { .attr = &attr, .cpu = -1, .group_fd = -1 };
	struct rlimit lim = { 0, 0 };
	void *ring;
	int fd, e;

	if (!r->task) {
		set_refused(c, CAPS_PERF_RING, r->task_errno, r->paranoid,
			"a ring for samples", 2);
		return;
	}
	perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	attr.sample_period = 1000003;
	attr.exclude_kernel = !r->task_kernel;
	attr.exclude_hv = attr.exclude_kernel;
	fd = perf_open(&req);
	if (fd < 0)
		return;
	ring = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	e = errno;
	(void)getrlimit(RLIMIT_MEMLOCK, &lim); /* cannot fail */
	if (ring != MAP_FAILED)
		caps_set(c, CAPS_PERF_RING, CAPS_OK, NULL,
			"a ring of %zu KiB can be mapped", RING_PAGES * page / 1024);
	else
		caps_set(c, CAPS_PERF_RING, CAPS_DEGRADED,
			"sudo sysctl -w kernel.perf_event_mlock_kb=4096",
			"a ring of %zu KiB cannot be mapped (%s): smaller ones lose "
			"samples (kernel.perf_event_mlock_kb %ld, memlock limit %llu KiB)",
			RING_PAGES * page / 1024, strerror(e),
			perf_sysctl(root_fd, "perf_event_mlock_kb", -1),
			(unsigned long long)lim.rlim_cur / 1024);
	if (ring != MAP_FAILED)
		(void)munmap(ring, len); /* ours */
	(void)close(fd);                 /* was for trying */
}

static void set_realtime(struct caps *c)
{
	const struct sched_param fifo = { .sched_priority = 1 };

	/* In the child, which ends soon: nothing to restore. */
	if (sched_setscheduler(0, SCHED_FIFO, &fifo) == 0) {
		const struct sched_param other = { .sched_priority = 0 };

		(void)sched_setscheduler(0, SCHED_OTHER, &other); /* may fail */
		caps_set(c, CAPS_REALTIME, CAPS_OK, NULL,
			"SCHED_FIFO for threads that sleep: they wake in time");
		return;
	}
	caps_set(c, CAPS_REALTIME, CAPS_DEGRADED, "sudo satprof sweep",
		"SCHED_FIFO is refused (%s): on a busy CPU the generator wakes late, "
		"which shows as unsent frames",
		strerror(errno));
}

void caps_perf_probe(int root_fd, struct caps *c)
{
	struct perf_rights r;

	perf_rights_probe(root_fd, &r);
	set_software(c, &r);
	set_hardware(c, &r);
	set_ring(c, &r, root_fd);
	set_realtime(c);
}
