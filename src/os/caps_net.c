/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Namespaces, the lab and packet sockets, tried in a lab that goes with the process;
 * then the keeper inside it. Runs in a child.
 */
#include "config.h"

#include "os/caps_private.h"

#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/caps_gso.h"
#include "os/findprog.h"
#include "os/keeper.h"
#include "os/lab.h"
#include "os/netns.h"
#include "os/perf_open.h"

/* What the generator asks for: enough for what a full SUT keeps in flight. */
#define SEND_BUFFER_BYTES (32 << 20)
#define TOOL_LIMIT_NS     (10 * NS_PER_S)

static const char as_root[] = "sudo satprof probe";

/* In a process of its own: there is no way back out of a user namespace. */
static void probe_user_namespaces(int root_fd, struct caps *c)
{
	const char *fix = "sudo sysctl -w user.max_user_namespaces=15000";
	struct sp_err err = { 0 };
	pid_t pid;

	/* Debian's switch, Ubuntu's switch; else the number of them is what limits. */
	if (perf_sysctl(root_fd, "unprivileged_userns_clone", 1) == 0)
		fix = "sudo sysctl -w kernel.unprivileged_userns_clone=1";
	else if (perf_sysctl(root_fd, "apparmor_restrict_unprivileged_userns", 0) != 0)
		fix = "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0";
	pid = fork();
	if (pid == 0) {
		if (netns_become_userns_root(&err) == 0)
			caps_set(c, CAPS_USER_NAMESPACES, CAPS_OK, NULL,
				"a lab needs no root");
		else
			caps_set(c, CAPS_USER_NAMESPACES, CAPS_MISSING, fix, "%s",
				err.msg);
		_exit(0);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static bool lab_try(struct caps *c, struct lab *lab)
{
	static const int sut_cpus[] = { 0 };
	const struct lab_config cfg = {
		.sut_cpus = sut_cpus, .n_sut_cpus = 1, .recv_cpu = 0, .mtu = 1500
	};
	struct sp_err err = { 0 };
	bool as_user = !netns_may_create();
	int rc = as_user ? netns_become_userns_root(&err) : 0;

	if (rc == 0)
		rc = lab_up(&cfg, lab, &err);
	if (rc != 0) {
		caps_set(c, CAPS_LAB, CAPS_MISSING, as_root, "%s", err.msg);
		return false;
	}
	caps_set(c, CAPS_LAB, CAPS_OK, NULL, "network namespaces and veth pairs%s",
		as_user ? ", in a user namespace" : "");
	return true;
}

static void probe_steering(struct caps *c, const struct lab *lab)
{
	switch (lab->steering) {
	case LAB_STEER_DEFAULT_MASK:
		caps_set(c, CAPS_STEERING, CAPS_OK, NULL,
			"by net.core.rps_default_mask");
		break;
	case LAB_STEER_SYSFS:
		caps_set(c, CAPS_STEERING, CAPS_OK, NULL, "by rps_cpus in /sys");
		break;
	case LAB_STEER_NONE:
		caps_set(c, CAPS_STEERING, CAPS_DEGRADED, as_root,
			"the generator's CPU pays for the SUT's receive work: %s",
			lab->steering_note);
		break;
	}
}

static void probe_tbf(struct caps *c, struct lab *lab)
{
	struct lab_config cfg = { .has_limit = true,
		.limit = { .value = 1e5 },
		.frame_bytes = 64,
		.recv_cpu = -1,
		.mtu = 1500 };
	struct sp_err err = { 0 };

	if (lab_set_limit(lab, &cfg, &err) == 0)
		caps_set(c, CAPS_TBF, CAPS_OK, NULL, "--limit plants a tbf");
	else
		caps_set(c, CAPS_TBF, CAPS_MISSING, "sudo modprobe sch_tbf",
			"--limit cannot plant a tbf: %s", err.msg);
}

static void probe_ring(struct caps *c, int fd)
{
	const struct tpacket_req req = { .tp_block_size = 1 << 16,
		.tp_block_nr = 4,
		.tp_frame_size = 2048,
		.tp_frame_nr = 4 * (1 << 16) / 2048 };
	const int version = TPACKET_V2;

	if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ==
			0 &&
		setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &req, sizeof(req)) == 0)
		caps_set(c, CAPS_PACKET_SOCKET, CAPS_OK, NULL,
			"AF_PACKET with a receive ring");
	else
		caps_set(c, CAPS_PACKET_SOCKET, CAPS_DEGRADED, NULL,
			"AF_PACKET without a receive ring: %s", strerror(errno));
}

static void probe_send_buffer(struct caps *c, int fd)
{
	const int bytes = SEND_BUFFER_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) == 0)
		caps_set(c, CAPS_SEND_BUFFER, CAPS_OK, NULL,
			"SO_SNDBUFFORCE: the loop is open");
	else
		caps_set(c, CAPS_SEND_BUFFER, CAPS_DEGRADED, "sudo satprof sweep",
			"SO_SNDBUFFORCE is refused (%s): several sockets send in turn, "
			"else a full SUT throttles the generator",
			strerror(errno));
}

static void probe_segmentation(struct caps *c, const struct lab *lab)
{
	struct sp_err err = { 0 };

	if (caps_gso_try(lab, &err) == 0)
		caps_set(c, CAPS_SEGMENTATION, CAPS_OK, NULL,
			"one send call carries a burst of frames");
	else
		caps_set(c, CAPS_SEGMENTATION, CAPS_DEGRADED, NULL,
			"each frame of a burst needs its own place in a send call, which "
			"halves the highest rate: %s",
			err.msg);
}

static void probe_sockets(struct caps *c, const struct lab *lab)
{
	struct sp_err err = { 0 };
	int back = -1, fd;

	if (netns_enter(lab->gen_ns, &back, &err) != 0)
		return;
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		caps_set(c, CAPS_PACKET_SOCKET, CAPS_MISSING, as_root,
			"AF_PACKET: %s (CAP_NET_RAW, or a seccomp profile)",
			strerror(errno));
	} else {
		probe_ring(c, fd);
		probe_send_buffer(c, fd);
		probe_segmentation(c, lab);
		(void)close(fd); /* was for trying */
	}
	netns_leave(back);
}

static void probe_perf_tool(struct caps *c, struct keeper *k)
{
	static const char fix[] = "apt install linux-perf";
	char perf[] = "perf", version[] = "version", text[160] = "";
	char *argv[] = { perf, version, NULL };
	struct keeper_cmd cmd = { .argv = argv };
	struct sp_err err = { 0 };
	int status = -1;
	ssize_t n;

	if (!findprog_exists(perf)) {
		caps_set(c, CAPS_PERF_TOOL, CAPS_MISSING, fix,
			"not in PATH; only perf@HZ arms and perf.data files need it");
		return;
	}
	cmd.output_fd = memfd_create("satprof-probe", MFD_CLOEXEC);
	if (cmd.output_fd < 0)
		return;
	(void)keeper_run(k, &cmd, TOOL_LIMIT_NS, &status, &err);
	n = pread(cmd.output_fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	(void)close(cmd.output_fd); /* read */
	if (status == 0)
		caps_set(c, CAPS_PERF_TOOL, CAPS_OK, NULL, "%s", text);
	else /* some systems have a wrapper that looks for the kernel's own */
		caps_set(c, CAPS_PERF_TOOL, CAPS_DEGRADED, fix, "does not run: %s",
			text[0] != '\0' ? text : err.msg);
}

static void probe_keeper(struct caps *c, int netns_fd)
{
	const struct keeper_config cfg = { .netns_fd = netns_fd };
	struct sp_err err = { 0 };
	struct keeper *k = NULL;
	const char *why = "";

	if (keeper_start(&cfg, &k, &err) != 0) {
		caps_set(c, CAPS_PID_NAMESPACES, CAPS_MISSING, as_root, "%s", err.msg);
		return;
	}
	if (keeper_is_strong(k, &why))
		caps_set(c, CAPS_PID_NAMESPACES, CAPS_OK, NULL,
			"the kernel ends all that satprof started");
	else
		caps_set(c, CAPS_PID_NAMESPACES, CAPS_DEGRADED, as_root,
			"a SUT that hides may outlive a kill of satprof: %s", why);
	probe_perf_tool(c, k);
	keeper_stop(k);
}

void caps_net_probe(int root_fd, struct caps *c)
{
	struct lab lab = { .gen_ns = -1, .sut_ns = -1 };
	static const enum caps_id in_lab[] = { CAPS_STEERING, CAPS_TBF,
		CAPS_PACKET_SOCKET, CAPS_SEND_BUFFER, CAPS_SEGMENTATION };
	size_t i;

	probe_user_namespaces(root_fd, c);
	if (lab_try(c, &lab)) {
		probe_steering(c, &lab);
		probe_sockets(c, &lab);
		probe_tbf(c, &lab);
	} else {
		for (i = 0; i < sizeof(in_lab) / sizeof(in_lab[0]); i++)
			caps_set(c, in_lab[i], CAPS_MISSING, as_root,
				"not tried: there is no lab to try it in");
	}
	probe_keeper(c, lab.sut_ns);
	lab_down(&lab);
}
