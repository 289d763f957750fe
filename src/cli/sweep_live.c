/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep's surroundings: lab or interfaces, keeper, generator, SUT, bench. */
#include "config.h"

#include "cli/sweep_live.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/sweep_generator.h"
#include "cli/sweep_ports.h"
#include "cli/sweep_setup.h"
#include "os/host.h"
#include "os/keeper.h"
#include "os/lab.h"
#include "os/netns.h"
#include "os/ports.h"
#include "os/restore.h"

#define SUT_STOP_NS        (2 * NS_PER_S)
#define ETHERNET_FCS_BYTES 18u /* header and FCS: what the MTU does not count */
#define DEFAULT_MTU        1500u
#define JUMBO_MTU          9198u

struct sweep_live {
	const struct sweep_options *o;
	struct run *run;
	struct cpuplan cpus;
	char plan[200];
	int root_fd;
	struct lab lab;
	bool in_lab;
	struct keeper *keeper;
	struct keeper *gen_keeper; /* of an outside generator, or NULL */
	struct nl_handle *gen_nl, *sut_nl;
	struct restore *restore; /* what is put back on the user's interfaces */
	const struct generator_ops *gen_ops;
	void *gen;
	const struct sut_ops *sut_ops;
	void *sut;
	struct bench *bench;
};

static bool may_have_lab(void)
{
	cap_t caps = cap_get_proc();
	cap_flag_value_t raw = CAP_CLEAR;

	if (caps == NULL)
		return false;
	(void)cap_get_flag(caps, CAP_NET_RAW, CAP_EFFECTIVE, &raw);
	(void)cap_free(caps);
	return raw == CAP_SET && netns_may_create();
}

/* The links' MTU: what the largest frame needs, 1500 at least. */
static uint32_t lab_mtu(const struct traffic *t)
{
	if (t->kind == TRAFFIC_PCAP)
		return JUMBO_MTU;
	if (t->frame_bytes > DEFAULT_MTU + ETHERNET_FCS_BYTES)
		return t->frame_bytes - ETHERNET_FCS_BYTES;
	return DEFAULT_MTU;
}

static int open_lab(struct sweep_live *l, struct sp_err *err)
{
	const struct sweep_options *o = l->o;
	struct lab_config cfg = {
		.sut_cpus = l->cpus.sut,
		.n_sut_cpus = l->cpus.n_sut,
		.recv_cpu = l->cpus.cpu_recv,
		.mtu = lab_mtu(&o->traffic),
		.has_limit = o->has_limit,
		.limit = o->limit,
		.frame_bytes = o->traffic.mean_frame_bytes,
		.burst = o->traffic.burst,
		.bidir = o->traffic.bidir,
	};

	if (lab_up(&cfg, &l->lab, err) != 0)
		return -(int)err->code;
	l->in_lab = true;
	if (l->lab.steering == LAB_STEER_NONE)
		run_add_note(l->run, "receive work is not steered: %s",
			l->lab.steering_note);
	return 0;
}

static const char *sut_in(const struct sweep_live *l)
{
	return l->in_lab ? LAB_SUT_IN : l->o->sut_in;
}

static const char *sut_out(const struct sweep_live *l)
{
	return l->in_lab ? LAB_SUT_OUT : l->o->sut_out;
}

/* Names that {in} and {out} stand for: the SUT's side where it is known. */
static const char *word_in(const struct sweep_live *l)
{
	return sut_in(l) != NULL ? sut_in(l) : l->o->in;
}

static const char *word_out(const struct sweep_live *l)
{
	return sut_out(l) != NULL ? sut_out(l) : l->o->out;
}

static int open_keeper(struct sweep_live *l, struct sp_err *err)
{
	struct keeper_config cfg = { .netns_fd = l->in_lab ? l->lab.sut_ns : -1,
		/* A profiler of a process that is not ours has to see its id. */
		.weak = l->o->pid != 0,
		.stop = &stop_signal };
	const char *why = NULL;

	if (keeper_start(&cfg, &l->keeper, err) != 0)
		return -(int)err->code;
	if (!keeper_is_strong(l->keeper, &why) && !cfg.weak)
		run_add_note(l->run,
			"a SUT that hides may outlive a kill of satprof: %s", why);
	if (l->o->generator == NULL)
		return 0;
	cfg.netns_fd = l->in_lab ? l->lab.gen_ns : -1;
	cfg.weak = false;
	return keeper_start(&cfg, &l->gen_keeper, err);
}

static int run_setup(struct sweep_live *l, struct sp_err *err)
{
	char *cmd = sut_expand(l->o->setup, word_in(l), word_out(l), l->o->pid);
	int rc = sweep_setup_run(l->keeper, cmd, err);

	free(cmd);
	return rc;
}

static int open_nl(struct sweep_live *l, struct sp_err *err)
{
	int rc = nl_handle_open(l->in_lab ? l->lab.gen_ns : -1, &l->gen_nl, err);

	if (rc == 0 && l->in_lab)
		rc = nl_handle_open(l->lab.sut_ns, &l->sut_nl, err);
	else if (rc == 0 && l->o->sut_in != NULL)
		rc = nl_handle_open(-1, &l->sut_nl, err);
	if (rc == 0 && !l->in_lab)
		rc = sweep_ports_find(l->o, l->gen_nl, err);
	/* A set-up command may bring them up. */
	if (rc == 0 && !l->in_lab && l->o->setup == NULL)
		rc = sweep_ports_check_up(l->o, l->gen_nl, err);
	return rc;
}

/* The user's own interfaces: no offload that falsifies the counts. */
static int open_ports(struct sweep_live *l, struct sp_err *err)
{
	const struct ports_port ports[] = {
		{ l->o->in, true },
		{ l->o->out, false },
		{ l->o->sut_in, false },
		{ l->o->sut_out, false },
	};
	char note[600];
	int rc = ports_prepare(ports, sizeof(ports) / sizeof(ports[0]), note,
		sizeof(note), &l->restore, err);

	if (rc == 0 && note[0] != '\0')
		run_add_note(l->run, "%s", note);
	return rc;
}

static void close_ports(struct sweep_live *l)
{
	struct sp_err err = { .code = SP_OK };

	if (restore_undo(l->restore, &err) != 0)
		log_warn("%s", err.msg);
}

static int open_generator(struct sweep_live *l, struct sp_err *err)
{
	const struct sweep_bed bed = {
		.lab = l->in_lab ? &l->lab : NULL,
		.sut_nl = l->sut_nl,
		.cpus = &l->cpus,
		.keeper = l->gen_keeper,
	};

	return sweep_generator_open(l->o, l->run, &bed, &l->gen_ops, &l->gen, err);
}

static int open_sut(struct sweep_live *l, struct sp_err *err)
{
	const struct sweep_options *o = l->o;
	struct sut_config cfg = {
		.keeper = l->keeper,
		.argv = o->sut_argv,
		.in = word_in(l),
		.out = word_out(l),
		.pid = o->pid,
		.cpus = l->cpus.sut,
		.n_cpus = l->cpus.set_sut_affinity ? l->cpus.n_sut : 0,
		.ready_cmd = o->ready,
		.stats_cmd = o->sut_stats,
		.ready_after_ns = o->ready_after_ns,
		.start_timeout_ns = o->ready_timeout_ns,
		.stop_timeout_ns = SUT_STOP_NS,
	};
	char *const *options = sweep_options_forward(o);

	if (o->sut_none) {
		l->sut_ops = &sut_none;
	} else if (o->pid != 0) {
		l->sut_ops = &sut_pid;
	} else if (options == NULL) {
		l->sut_ops = &sut_command;
	} else {
		cfg.argv = options;
		l->sut_ops = &sut_forward;
	}
	return l->sut_ops->open(&cfg, &l->sut, err);
}

/* Default arms that cannot run here go, with a note; named ones are an error. */
static int open_bench(struct sweep_live *l, struct sp_err *err)
{
	const struct sweep_options *o = l->o;
	struct bench_config cfg = {
		.run = l->run,
		.gen_ops = l->gen_ops,
		.gen = l->gen,
		.sut_ops = l->sut_ops,
		.sut = l->sut,
		.observer_for = observer_for_arm,
		.events = o->events,
		.outside = {
			.keeper = l->keeper,
			.profiler = o->profiler,
			.wrap = o->wrap,
			.in = word_in(l),
			.out = word_out(l),
			.start_wait_ns = o->profiler_after_ns,
			.finish_max_ns = o->profiler_finish_ns,
		},
		.links = {
			.gen_nl = l->gen_nl,
			.sut_nl = l->sut_nl,
			.gen_tx = l->in_lab ? LAB_GEN_TX : o->in,
			.gen_rx = l->in_lab ? LAB_GEN_RX : o->out,
			.sut_in = sut_in(l),
			.sut_out = sut_out(l),
			.veth = l->in_lab,
		},
		.cpus = &l->cpus,
		.root_fd = l->root_fd,
		.restart = o->restart,
		.probe_ready = o->ready == NULL && o->ready_after_ns == 0,
		.ready_timeout_ns = o->ready_timeout_ns,
		.clock = &clock_monotonic,
		.stop = &stop_signal,
	};
	int rc = bench_open(&cfg, &l->bench, err);

	if (rc == 0 || o->arms_by_name || (rc != -SP_EENV && rc != -SP_EPERM))
		return rc;
	run_add_note(l->run, "only the arm off runs here: %s", err->msg);
	l->run->n_arms = 1;
	err->code = SP_OK;
	return bench_open(&cfg, &l->bench, err);
}

static const char *steering_word(enum lab_steering s)
{
	switch (s) {
	case LAB_STEER_NONE:
		return "none";
	case LAB_STEER_DEFAULT_MASK:
		return "rps_default_mask";
	case LAB_STEER_SYSFS:
		return "rps_cpus";
	}
	return "none";
}

/* What the bed adds to the fingerprint. */
static void add_facts(struct sweep_live *l)
{
	char buf[64];
	const char *const ports[] = { l->o->in, l->o->out, l->o->sut_in,
		l->o->sut_out };
	struct run *run = l->run;

	host_fingerprint(l->root_fd, run);
	host_limits(l->root_fd, ports, l->in_lab ? 0 : 4, run);
	run_set_fact(run, "sut", l->sut_ops->name, false);
	run_set_fact(run, "bed",
		l->in_lab          ? "lab"
		: l->o->in != NULL ? "interfaces"
				   : "outside",
		false);
	if (l->o->generator != NULL)
		run_set_fact(run, "generator", l->o->generator, false);
	if (l->o->profiler != NULL)
		run_set_fact(run, "profiler", l->o->profiler, false);
	if (l->o->wrap != NULL)
		run_set_fact(run, "wrap", l->o->wrap, false);
	if (l->in_lab)
		run_set_fact(run, "steering", steering_word(l->lab.steering), false);
	(void)snprintf(buf, sizeof(buf), "%d", l->cpus.cpu_gen);
	run_set_fact(run, "cpu_gen", buf, true);
	(void)snprintf(buf, sizeof(buf), "%d", l->cpus.cpu_recv);
	run_set_fact(run, "cpu_recv", buf, true);
	run_set_fact(run, "cpu_plan", l->plan, false);
	run_set_fact(run, "shared_core", l->cpus.shared_core ? "true" : "false", true);
	if (l->cpus.shared_core)
		run_add_note(run, "%s", l->cpus.why_shared);
}

/* An earlier run on interfaces of the caller's may have been killed. */
static void put_back(struct sweep_live *l)
{
	char note[600];

	ports_put_back(note, sizeof(note));
	if (note[0] != '\0')
		run_add_note(l->run, "%s", note);
}

static int bring_up(struct sweep_live *l, struct sp_err *err)
{
	const struct sweep_options *o = l->o;
	int rc = 0;

	if (o->in == NULL || o->generator != NULL)
		put_back(l); /* ports_prepare() does it else */
	if (sweep_options_wants_lab(o) && !may_have_lab()) {
		rc = netns_become_userns_root(err);
		if (rc == 0)
			run_add_note(
				l->run, "without root: the lab is in a user namespace");
	}
	if (rc == 0) {
		l->root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (l->root_fd < 0)
			rc = sp_err_set(err, SP_EIO, "cannot open /");
	}
	if (rc == 0)
		rc = cpuplan_make(&o->cpus, l->root_fd, &l->cpus, err);
	if (rc == 0)
		cpuplan_describe(&l->cpus, l->plan, sizeof(l->plan));
	if (rc == 0 && sweep_options_wants_lab(o))
		rc = open_lab(l, err);
	if (rc == 0)
		rc = open_nl(l, err);
	/* What an outside generator sends is not told apart by its frames. */
	if (rc == 0 && !l->in_lab && o->generator == NULL)
		rc = open_ports(l, err);
	if (rc == 0)
		rc = open_keeper(l, err);
	if (rc == 0 && o->setup != NULL)
		rc = run_setup(l, err);
	if (rc == 0 && o->setup != NULL && !l->in_lab)
		rc = sweep_ports_check_up(o, l->gen_nl, err);
	if (rc == 0)
		rc = open_generator(l, err);
	if (rc == 0)
		rc = open_sut(l, err);
	if (rc == 0)
		rc = open_bench(l, err);
	return rc;
}

int sweep_live_open(const struct sweep_options *o, struct run *run,
	struct sweep_live **ret_live, struct sp_err *err)
{
	struct sweep_live *l = xcalloc(1, sizeof(*l));
	int rc;

	l->o = o;
	l->run = run;
	l->root_fd = -1;
	l->lab.gen_ns = l->lab.sut_ns = -1;
	rc = bring_up(l, err);
	if (rc != 0) {
		sweep_live_close(l);
		return rc;
	}
	add_facts(l);
	*ret_live = l;
	return 0;
}

struct bench *sweep_live_bench(const struct sweep_live *live)
{
	return live->bench;
}

const char *sweep_live_plan(const struct sweep_live *live)
{
	return live->plan;
}

void sweep_live_keep_output(const struct sweep_live *live, struct run *run)
{
	const char *out = live->sut_ops->output(live->sut);

	free(run->sut_output);
	run->sut_output = out != NULL && out[0] != '\0' ? xstrdup(out) : NULL;
}

void sweep_live_close(struct sweep_live *live)
{
	if (live == NULL)
		return;
	bench_close(live->bench);
	if (live->sut_ops != NULL && live->sut != NULL)
		live->sut_ops->close(live->sut);
	if (live->gen_ops != NULL && live->gen != NULL)
		live->gen_ops->close(live->gen);
	keeper_stop(live->keeper);
	keeper_stop(live->gen_keeper);
	nl_handle_close(live->gen_nl);
	nl_handle_close(live->sut_nl);
	close_ports(live);
	lab_down(&live->lab);
	if (live->root_fd >= 0)
		(void)close(live->root_fd);
	free(live);
}
