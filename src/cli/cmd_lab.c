/* SPDX-License-Identifier: GPL-3.0-or-later */
/* satprof lab up|down|exec: the test bed on its own, for trying a SUT by hand. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cli/args.h"
#include "cli/commands.h"
#include "model/traffic.h"
#include "model/verdict.h"
#include "os/cpuplan.h"
#include "os/lab.h"
#include "os/lab_pin.h"
#include "os/ports.h"

/* What a frame has beyond the MTU: Ethernet header and FCS. */
#define FRAME_BEYOND_MTU 18u
#define MTU_MIN          1500u

enum opt {
	OPT_NAME = 256,
	OPT_LIMIT,
	OPT_FRAME_SIZE,
	OPT_BURST,
	OPT_BIDIR,
	OPT_CPU_SUT,
	OPT_CPU_RECV,
};

static const struct argp_option lab_options[] = {
	{ "name", OPT_NAME, "NAME", 0, "Which lab (default)", 0 },
	{ NULL, 0, NULL, 0, "For up:", 1 },
	{ "limit", OPT_LIMIT, "RATE", 0, "Plant a limit on the SUT's egress", 1 },
	{ "frame-size", OPT_FRAME_SIZE, "BYTES|imix", 0,
		"Largest frame, with the 4-byte FCS (1518)", 1 },
	{ "burst", OPT_BURST, "N", 0, "Largest burst that will be sent (64)", 1 },
	{ "bidir", OPT_BIDIR, NULL, 0, "Limit the way back, too", 1 },
	{ "cpu-sut", OPT_CPU_SUT, "LIST|none", 0,
		"CPUs for the SUT's receive work (the highest)", 1 },
	{ "cpu-recv", OPT_CPU_RECV, "N", 0,
		"CPU for the receiver's receive work (the lowest)", 1 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

struct lab_args {
	const char *name;
	struct traffic traffic; /* the frame size */
	struct lab_config lab;
	struct cpuplan_request cpus;
	size_t n_words;
	const char *words[2];
	bool too_many;
	struct sp_err *err;
};

static int number(
	struct lab_args *a, const char *s, uint64_t lo, uint64_t hi, uint64_t *ret_v)
{
	return units_u64_parse(s, lo, hi, ret_v, a->err);
}

static error_t lab_option(int key, char *arg, struct argp_state *state)
{
	struct lab_args *a = state->input;
	uint64_t v = 0;
	int rc = 0;

	switch (key) {
	case OPT_NAME:
		a->name = arg;
		break;
	case OPT_LIMIT:
		rc = units_rate_parse(arg, &a->lab.limit, a->err);
		a->lab.has_limit = true;
		break;
	case OPT_FRAME_SIZE:
		rc = traffic_frame_parse(arg, &a->traffic, a->err);
		break;
	case OPT_BURST:
		rc = number(a, arg, 1, TRAFFIC_BURST_MAX, &v);
		a->lab.burst = (uint32_t)v;
		break;
	case OPT_BIDIR:
		a->lab.bidir = true;
		break;
	case OPT_CPU_SUT:
		a->cpus.cpu_sut = arg;
		break;
	case OPT_CPU_RECV:
		rc = number(a, arg, 0, INT32_MAX, &v);
		a->cpus.cpu_recv = (int)v;
		break;
	case ARGP_KEY_ARG:
		if (a->n_words == sizeof(a->words) / sizeof(a->words[0]))
			a->too_many = true;
		else
			a->words[a->n_words++] = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return rc == 0 ? 0 : EINVAL;
}

static const struct argp lab_argp = { lab_options, lab_option,
	"up|down\nexec gen|sut -- CMD [ARG...]",
	"Bring a test bed up and leave it, run a command on one side of it, end it.\v"
	"gen0 (send) --- sut0 [SUT] sut1 --- gen1 (receive): two network namespaces, "
	"gen and sut. satprof-lab(1) is the manual.",
	NULL, NULL, NULL };

static int lab_up_run(struct lab_args *a, struct sp_err *err)
{
	static const char *const how[] = {
		[LAB_STEER_NONE] = "not steered",
		[LAB_STEER_DEFAULT_MASK] = "by the default mask",
		[LAB_STEER_SYSFS] = "by rps_cpus",
	};
	uint32_t frame_bytes =
		a->traffic.kind == TRAFFIC_FIXED ? a->traffic.frame_bytes : 0;
	struct cpuplan plan;
	struct lab lab;
	char cpus[200], note[600];
	int rc;

	ports_put_back(note, sizeof(note));
	if (note[0] != '\0')
		log_note("%s", note);
	rc = cpuplan_make(&a->cpus, AT_FDCWD, &plan, err);
	if (rc != 0)
		return rc;
	a->lab.sut_cpus = plan.sut;
	a->lab.n_sut_cpus = plan.n_sut;
	a->lab.recv_cpu = plan.cpu_recv;
	a->lab.frame_bytes = frame_bytes; /* 0, mixed: only bits/s can limit */
	a->lab.mtu = frame_bytes > MTU_MIN + FRAME_BEYOND_MTU
			     ? frame_bytes - FRAME_BEYOND_MTU
			     : MTU_MIN;
	rc = lab_pin_up(a->name, &a->lab, &lab, err);
	if (rc != 0)
		return rc;
	cpuplan_describe(&plan, cpus, sizeof(cpus));
	(void)printf("lab '%s' is up: gen0 --- sut0 [SUT] sut1 --- gen1, MTU %u\n"
		     "receive work (%s): %s\n",
		a->name, a->lab.mtu, how[lab.steering], cpus);
	if (lab.steering_note[0] != '\0')
		log_warn("receive work is not steered, the generator's CPU does the "
			 "SUT's: %s",
			lab.steering_note);
	/* Exit status 2 says that there is no lab: main() tells why. */
	if (fflush(stdout) != 0 || ferror(stdout))
		(void)lab_pin_down(a->name, err);
	return 0;
}

/* Become the command; its status is then ours. */
static int lab_exec_run(
	const struct lab_args *a, char *const *command, struct sp_err *err)
{
	bool in_sut = strcmp(a->words[1], "sut") == 0;
	int rc;

	rc = lab_pin_enter(a->name, in_sut, err);
	if (rc != 0)
		return rc;
	(void)signal(SIGPIPE, SIG_DFL); /* ignored signals survive an exec */
	(void)signal(SIGXFSZ, SIG_DFL);
	(void)execvp(command[0], command);
	return sp_err_errno(err, SP_EUSAGE, errno, "cannot run %s", command[0]);
}

static int words_check(
	const struct lab_args *a, char *const *command, struct sp_err *err)
{
	const char *verb = a->n_words > 0 ? a->words[0] : "";
	bool is_exec = strcmp(verb, "exec") == 0;

	if (!is_exec && strcmp(verb, "up") != 0 && strcmp(verb, "down") != 0)
		return sp_err_set(err, SP_EUSAGE,
			"say what to do: up, down, or exec gen|sut -- CMD");
	if (!lab_pin_name_is_valid(a->name))
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is not a name for a lab: 1 to 32 letters, digits, '-', '_' "
			"or '.'",
			a->name);
	if (!is_exec && (a->n_words > 1 || command != NULL))
		return sp_err_set(err, SP_EUSAGE, "lab %s takes no command", verb);
	if (is_exec && (a->n_words < 2 || a->too_many ||
			       (strcmp(a->words[1], "gen") != 0 &&
				       strcmp(a->words[1], "sut") != 0)))
		return sp_err_set(
			err, SP_EUSAGE, "which side? satprof lab exec gen|sut -- CMD");
	if (is_exec && (command == NULL || command[0] == NULL))
		return sp_err_set(err, SP_EUSAGE,
			"no command: satprof lab exec %s -- CMD", a->words[1]);
	return 0;
}

static int cmd_lab_run(int argc, char **argv, struct sp_err *err)
{
	struct lab_args a = { .name = "default",
		.cpus = { .cpu_gen = -1, .cpu_recv = -1, .cpu_collect = -1 },
		.err = err };
	char **command = NULL;
	bool help = false;
	int i, rc;

	/* What follows "--" is not ours to look at. */
	for (i = 1; i < argc && command == NULL; i++)
		if (strcmp(argv[i], "--") == 0)
			command = argv + i + 1;
	if (command != NULL)
		argc = (int)(command - argv) - 1;
	rc = traffic_frame_parse("1518", &a.traffic, err);
	if (rc == 0)
		rc = args_parse(&lab_argp, argc, argv, &a, &help, err);
	if (rc == 0 && help)
		return EXIT_DONE;
	if (rc == 0)
		rc = words_check(&a, command, err);
	if (rc == 0 && strcmp(a.words[0], "up") == 0)
		rc = lab_up_run(&a, err);
	else if (rc == 0 && strcmp(a.words[0], "down") == 0)
		rc = lab_pin_down(a.name, err);
	else if (rc == 0)
		rc = lab_exec_run(&a, command, err);
	return rc == 0 ? EXIT_DONE : (int)verdict_exit_code_of_err(err);
}

const struct command cmd_lab = {
	.name = "lab",
	.summary = "the test bed: up, down, exec gen|sut -- CMD",
	.run = cmd_lab_run,
};
