/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frequency governor and idle states of each CPU. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "os/audit_private.h"
#include "os/sysfile.h"

#define CPU_DIR "sys/devices/system/cpu/cpu%d/"

static int governor_read(const struct audit_request *req, struct audit_cpu *c)
{
	char path[96];

	(void)snprintf(path, sizeof(path), CPU_DIR "cpufreq/scaling_governor", c->cpu);
	return sysfile_line(req->root_fd, path, c->governor, sizeof(c->governor));
}

/* One state; the deepest that is enabled is kept. */
static int state_read(const struct audit_request *req, struct audit_cpu *c,
	const char *dir, const char *state)
{
	long latency_us, disabled;
	char path[200];
	int rc;

	(void)snprintf(path, sizeof(path), "%s/%s/disable", dir, state);
	rc = sysfile_long(req->root_fd, path, &disabled);
	if (rc != 0)
		return rc;
	(void)snprintf(path, sizeof(path), "%s/%s/latency", dir, state);
	rc = sysfile_long(req->root_fd, path, &latency_us);
	if (rc != 0)
		return rc;
	/* Known from now on, also where the only state is to poll. */
	if (isnan(c->deep_us))
		c->deep_us = 0;
	if (disabled != 0 || (double)latency_us < c->deep_us)
		return 0;
	c->deep_us = (double)latency_us;
	(void)snprintf(path, sizeof(path), "%s/%s/name", dir, state);
	if (sysfile_line(req->root_fd, path, c->deep_state, sizeof(c->deep_state)) != 0)
		(void)snprintf(c->deep_state, sizeof(c->deep_state), "%s", state);
	return 0;
}

static int idle_read(const struct audit_request *req, struct audit_cpu *c)
{
	char dir[96], **states;
	int rc = -ENOENT;
	size_t n = 0, i;

	(void)snprintf(dir, sizeof(dir), CPU_DIR "cpuidle", c->cpu);
	states = sysfile_names(req->root_fd, dir, &n);
	for (i = 0; i < n; i++)
		if (strncmp(states[i], "state", 5) == 0)
			rc = state_read(req, c, dir, states[i]);
	sysfile_names_free(states, n);
	return rc;
}

void audit_cpu_read(const struct audit_request *req, struct audit *a)
{
	char path[96];
	size_t i;
	int rc;

	for (i = 0; i < a->n_cpus; i++) {
		struct audit_cpu *c = &a->cpus[i];

		rc = governor_read(req, c);
		(void)snprintf(
			path, sizeof(path), CPU_DIR "cpufreq/scaling_governor", c->cpu);
		if (rc != 0)
			audit_gap_file(a, "frequency governor", path, rc);
		rc = idle_read(req, c);
		(void)snprintf(path, sizeof(path), CPU_DIR "cpuidle", c->cpu);
		if (rc != 0)
			audit_gap_file(a, "idle states", path, rc);
	}
}
