/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The caller's interfaces, judged before a sweep starts anything. */
#include "config.h"

#include "cli/sweep_ports.h"

#include <stdio.h>
#include <sys/stat.h>

struct port {
	const char *option, *ifname; /* NULL: not given */
	bool is_sut;
};

#define N_PORTS 4

static void ports_list(const struct sweep_options *o, struct port ret_ports[N_PORTS])
{
	const struct port ports[N_PORTS] = {
		{ "in", o->in, false },
		{ "out", o->out, false },
		{ "sut-in", o->sut_in, true },
		{ "sut-out", o->sut_out, true },
	};
	size_t i;

	for (i = 0; i < N_PORTS; i++)
		ret_ports[i] = ports[i];
}

/* A process we may not look at passes. */
static int check_pid_netns(const struct sweep_options *o, struct sp_err *err)
{
	struct stat ours, its;
	char path[40];

	(void)snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)o->pid);
	if (o->pid == 0 || o->sut_in == NULL || stat("/proc/self/ns/net", &ours) != 0 ||
		stat(path, &its) != 0 || ours.st_ino == its.st_ino)
		return 0;
	return sp_err_set(err, SP_EUSAGE,
		"--pid: process %d is in another network namespace than %s: leave "
		"--sut-in and --sut-out out when its interfaces are over there, or run "
		"satprof there (nsenter -t %d -n)",
		(int)o->pid, o->sut_in, (int)o->pid);
}

int sweep_ports_find(
	const struct sweep_options *o, struct nl_handle *nl, struct sp_err *err)
{
	struct port ports[N_PORTS];
	struct nl_link link;
	size_t i;

	ports_list(o, ports);
	for (i = 0; i < N_PORTS; i++) {
		if (ports[i].ifname == NULL)
			continue;
		if (nl_link_get(nl, ports[i].ifname, &link, err) != 0)
			return sp_err_push(err, "--%s", ports[i].option);
		if (link.loopback)
			return sp_err_set(err, SP_EUSAGE,
				"--%s: %s is the loopback: what is sent there never "
				"reaches a SUT; name an interface that is wired to it, "
				"or use the lab",
				ports[i].option, ports[i].ifname);
	}
	return check_pid_netns(o, err);
}

int sweep_ports_check_up(
	const struct sweep_options *o, struct nl_handle *nl, struct sp_err *err)
{
	struct port ports[N_PORTS];
	struct nl_link link;
	size_t i;

	ports_list(o, ports);
	for (i = 0; i < N_PORTS; i++) {
		if (ports[i].ifname == NULL || (ports[i].is_sut && o->sut_argv != NULL))
			continue;
		if (nl_link_get(nl, ports[i].ifname, &link, err) != 0)
			return sp_err_push(err, "--%s", ports[i].option);
		if (!link.up)
			return sp_err_set(err, SP_EUSAGE,
				"--%s: interface %s is down: `ip link set %s up` first",
				ports[i].option, ports[i].ifname, ports[i].ifname);
	}
	return 0;
}
