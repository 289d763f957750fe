/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the parts of the probe, the risky ones in a child. */
#include "config.h"

#include "os/caps.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/caps_private.h"

/* Many times what it takes on a busy machine. */
#define CHILD_LIMIT_NS (30 * NS_PER_S)

static const char *const names[CAPS_N] = {
	[CAPS_RIGHTS] = "rights",
	[CAPS_USER_NAMESPACES] = "user-namespaces",
	[CAPS_PID_NAMESPACES] = "pid-namespaces",
	[CAPS_LAB] = "lab",
	[CAPS_STEERING] = "receive-steering",
	[CAPS_TBF] = "rate-limit",
	[CAPS_INTERFACES] = "real-interfaces",
	[CAPS_PACKET_SOCKET] = "packet-socket",
	[CAPS_SEND_BUFFER] = "send-buffer",
	[CAPS_SEGMENTATION] = "udp-segmentation",
	[CAPS_REALTIME] = "realtime",
	[CAPS_PERF_TASK] = "perf-task",
	[CAPS_PERF_CPU] = "perf-cpu",
	[CAPS_PERF_KERNEL] = "perf-kernel",
	[CAPS_PERF_HARDWARE] = "perf-hardware",
	[CAPS_PERF_RATE] = "perf-rate",
	[CAPS_PERF_RING] = "perf-ring",
	[CAPS_KERNEL_SYMBOLS] = "kernel-symbols",
	[CAPS_NMI_WATCHDOG] = "nmi-watchdog",
	[CAPS_CPUS] = "cpus",
	[CAPS_CPU_QUOTA] = "cpu-quota",
	[CAPS_NUMA] = "numa",
	[CAPS_DESCRIPTORS] = "descriptors",
	[CAPS_PERF_TOOL] = "perf",
	[CAPS_VTUNE] = "vtune",
};

const char *caps_name(enum caps_id id)
{
	return names[id];
}

const char *caps_state_name(enum caps_state s)
{
	switch (s) {
	case CAPS_OK:
		return "ok";
	case CAPS_DEGRADED:
		return "degraded";
	case CAPS_MISSING:
		return "missing";
	}
	return "?";
}

void caps_set(struct caps *c, enum caps_id id, enum caps_state state,
	const char *remedy, const char *fmt, ...)
{
	struct caps_feature *f = &c->features[id];
	va_list ap;
	char *p;

	f->state = state;
	va_start(ap, fmt);
	(void)vsnprintf(f->why, sizeof(f->why), fmt, ap); /* cut is fine */
	va_end(ap);
	for (p = f->why; *p != '\0'; p++) /* a tool's own words may be in it */
		if (*p < ' ' || *p > '~')
			*p = '?';
	(void)snprintf(f->remedy, sizeof(f->remedy), "%s", remedy ? remedy : "");
}

static void run_child(int root_fd, struct caps *c, pid_t parent)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	caps_perf_probe(root_fd, c);
	caps_net_probe(root_fd, c);
	_exit(0);
}

static void wait_for_child(pid_t pid)
{
	static const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + CHILD_LIMIT_NS;

	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (clock_now_ns(&clock_monotonic) > deadline_ns) {
			(void)kill(pid, SIGKILL); /* what it found so far counts */
			deadline_ns = UINT64_MAX;
		}
		(void)nanosleep(&pause, NULL); /* early is fine */
	}
}

void caps_probe(int root_fd, struct caps *ret_caps)
{
	pid_t pid, self = getpid();
	struct caps *shared;
	int id;

	/* What the child does not come to say stays like this. */
	for (id = 0; id < CAPS_N; id++)
		caps_set(ret_caps, (enum caps_id)id, CAPS_MISSING, NULL,
			"the probe came to no answer");
	caps_host_probe(root_fd, ret_caps);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return;
	*shared = *ret_caps;
	pid = fork();
	if (pid == 0)
		run_child(root_fd, shared, self);
	if (pid > 0) {
		wait_for_child(pid);
		*ret_caps = *shared;
	}
	(void)munmap(shared, sizeof(*shared)); /* ours */
}
