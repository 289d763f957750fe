/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which of sweep's options go together. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/sweep_options_private.h"

/* A key of the model that is there twice has two truths. */
static int check_sim_keys(const char *sim, struct sp_err *err)
{
	char *copy = xstrdup(sim), *rest = copy, *pair;
	const char *other;
	int rc = 0;

	while (rc == 0 && (pair = strsep(&rest, ",")) != NULL) {
		size_t n = strcspn(pair, "=");

		for (other = rest; rc == 0 && other != NULL;
			other = strchr(other, ',')) {
			other += *other == ',';
			if (strncmp(pair, other, n) == 0 && other[n] == '=')
				rc = sp_err_set(err, SP_EUSAGE,
					"--sim: '%.*s' is there twice", (int)n, pair);
		}
	}
	free(copy);
	return rc;
}

static int check_sim(const struct parse_state *s)
{
	if (s->live_only != NULL)
		return sp_err_set(s->err, SP_EUSAGE,
			"--%s has no effect on a simulation: leave it or --sim out",
			s->live_only);
	if (s->o->sut_argv != NULL)
		return sp_err_set(s->err, SP_EUSAGE,
			"the SUT is simulated: leave the command after -- or --sim "
			"out");
	return check_sim_keys(s->o->sim, s->err);
}

/* Generator and SUT where satprof itself runs: no lab, perhaps no interface. */
static int check_outside(const struct sweep_options *o, int n_sut, struct sp_err *err)
{
	if (o->has_limit)
		return sp_err_set(err, SP_EUSAGE,
			"--limit is for the lab: with --generator add --lab");
	if (n_sut == 0 && (o->sut_in == NULL || o->sut_out == NULL))
		return sp_err_set(err, SP_EUSAGE,
			"--generator: name the SUT: a command after --, --pid or --sut "
			"none; or --lab for the private lab");
	return 0;
}

static int check_where(const struct sweep_options *o, struct sp_err *err)
{
	int n_sut = (o->sut_argv != NULL) + (o->pid != 0) + o->sut_none;

	if (n_sut > 1)
		return sp_err_set(err, SP_EUSAGE,
			"give one SUT: a command after --, --pid or --sut none");
	if ((o->in == NULL) != (o->out == NULL))
		return sp_err_set(err, SP_EUSAGE, "--in and --out go together");
	if (o->in != NULL && (o->lab || o->has_limit))
		return sp_err_set(err, SP_EUSAGE,
			"--%s is for the lab, not for --in and --out",
			o->lab ? "lab" : "limit");
	if (o->in == NULL && o->generator != NULL && !o->lab)
		return check_outside(o, n_sut, err);
	if (o->in != NULL && n_sut == 0 && (o->sut_in == NULL || o->sut_out == NULL))
		return sp_err_set(err, SP_EUSAGE,
			"the built-in forwarder needs --sut-in and --sut-out, or name "
			"the SUT: a command after --, --pid or --sut none");
	if (o->in == NULL && (o->sut_in != NULL || o->sut_out != NULL))
		return sp_err_set(err, SP_EUSAGE,
			"--sut-in and --sut-out go with --in and --out");
	if (o->pid != 0 && o->in == NULL)
		return sp_err_set(err, SP_EUSAGE,
			"--pid: a process that runs already is not in the private lab: "
			"name interfaces with --in and --out (`satprof lab up` makes a "
			"lab that stays)");
	return 0;
}

/* An interface in two places would be sender and receiver, or both its sides. */
static int check_interfaces(const struct sweep_options *o, struct sp_err *err)
{
	const struct {
		const char *option, *ifname;
	} ports[] = { { "in", o->in }, { "out", o->out }, { "sut-in", o->sut_in },
		{ "sut-out", o->sut_out } };
	size_t i, k, n = sizeof(ports) / sizeof(ports[0]);

	for (i = 0; i < n; i++)
		for (k = i + 1; k < n; k++)
			if (ports[i].ifname != NULL && ports[k].ifname != NULL &&
				strcmp(ports[i].ifname, ports[k].ifname) == 0)
				return sp_err_set(err, SP_EUSAGE,
					"--%s and --%s are both %s: name two "
					"interfaces",
					ports[i].option, ports[k].option,
					ports[i].ifname);
	return 0;
}

static bool has_arm(const struct sweep_options *o, enum arm_kind kind)
{
	size_t i;

	for (i = 0; i < o->n_arms; i++)
		if (o->arms[i].kind == kind)
			return true;
	return false;
}

/* An arm without its command, or a command without its arm. */
static int check_command(const struct sweep_options *o, enum arm_kind kind,
	const char *option, const char *command, struct sp_err *err)
{
	bool has = has_arm(o, kind);

	if (has && command == NULL)
		return sp_err_set(err, SP_EUSAGE,
			"the arm %s needs its command: --%s CMD", option, option);
	if (!has && command != NULL)
		return sp_err_set(err, SP_EUSAGE,
			"--%s is for the arm %s, which is not among --arms", option,
			option);
	if (command != NULL && command[strspn(command, " \t\n")] == '\0')
		return sp_err_set(err, SP_EUSAGE, "--%s: the command is empty", option);
	return 0;
}

static int check_profilers(const struct parse_state *s)
{
	const struct sweep_options *o = s->o;
	int rc = check_command(o, ARM_PROFILER, "profiler", o->profiler, s->err);

	if (rc == 0)
		rc = check_command(o, ARM_WRAP, "wrap", o->wrap, s->err);
	if (rc != 0)
		return rc;
	if (o->profiler != NULL && o->sut_none && strstr(o->profiler, "{pid}") != NULL)
		return sp_err_set(s->err, SP_EUSAGE,
			"--profiler: with --sut none there is no process for {pid}");
	if (o->wrap == NULL)
		return 0;
	if (o->sut_none || o->pid != 0)
		return sp_err_set(s->err, SP_EUSAGE,
			"--wrap is for a SUT that is started here, not for --%s",
			o->pid != 0 ? "pid" : "sut none");
	if (o->restart != BENCH_RESTART_ARM)
		return sp_err_set(s->err, SP_EUSAGE,
			"--wrap needs a SUT that is started at every arm: leave "
			"--restart out");
	if (strstr(o->wrap, "{pid}") != NULL)
		return sp_err_set(s->err, SP_EUSAGE,
			"--wrap: {pid} is not known before the SUT is started");
	return 0;
}

static int check_load(const struct parse_state *s)
{
	const struct sweep_options *o = s->o;

	if (o->ready != NULL && o->sut_argv == NULL)
		return sp_err_set(
			s->err, SP_EUSAGE, "--ready goes with a command after --");
	if (o->sut_stats != NULL && sweep_options_forward(o) != NULL)
		return sp_err_set(s->err, SP_EUSAGE,
			"--sut-stats is for a SUT of your own: the built-in forwarder "
			"counts by itself");
	if (o->generator != NULL && s->own_load != NULL)
		return sp_err_set(s->err, SP_EUSAGE,
			"--%s is for the built-in generator: an outside one has "
			"settings of its own",
			s->own_load);
	if (o->traffic.pcap_path[0] != '\0' && s->frame_given)
		return sp_err_set(
			s->err, SP_EUSAGE, "--frame-size does not go with --pcap");
	if (o->traffic.pcap_tag && o->traffic.pcap_path[0] == '\0')
		return sp_err_set(s->err, SP_EUSAGE, "--pcap-tag goes with --pcap");
	if (o->has_limit && !o->limit.is_bps && o->traffic.kind != TRAFFIC_FIXED)
		return sp_err_set(s->err, SP_EUSAGE,
			"--limit in packets/s needs frames of one size: use bits/s");
	if (o->config.ndr != NDR_NONE && o->config.n_rates > 0)
		return sp_err_set(s->err, SP_EUSAGE,
			"--ndr does not go with --rates: it searches around the knee");
	if (o->config.until_decided && o->config.n_rates > 0)
		return sp_err_set(s->err, SP_EUSAGE,
			"--until-decided does not go with --rates: they ask for no "
			"verdict");
	if (o->config.n_confirm > 0 && (o->config.n_rates > 0 || o->n_arms < 2))
		return sp_err_set(s->err, SP_EUSAGE,
			"--confirm is of a shift of the knee: it goes with two arms or "
			"more, and not with --rates");
	if (o->events != NULL && !has_arm(o, ARM_COUNT))
		return sp_err_set(s->err, SP_EUSAGE,
			"--event is for an arm that counts: add --arms off,count");
	return 0;
}

int sweep_options_check(struct parse_state *s)
{
	int rc = s->o->sim != NULL ? check_sim(s) : 0;

	if (rc == 0)
		rc = check_where(s->o, s->err);
	if (rc == 0)
		rc = check_interfaces(s->o, s->err);
	if (rc == 0)
		rc = check_profilers(s);
	return rc == 0 ? check_load(s) : rc;
}
