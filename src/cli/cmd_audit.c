/* SPDX-License-Identifier: GPL-3.0-or-later */
/* satprof audit: where things are and how the machine is set, and what is wrong with
 * it. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "cli/answer.h"
#include "cli/args.h"
#include "cli/commands.h"
#include "codec/run_store.h"
#include "model/verdict.h"
#include "os/audit_read.h"
#include "plan/audit.h"
#include "report/report_audit.h"

/* Enough that a tick of 10 ms is not yet others' work (plan/audit_host.c). */
#define BUSY_NS (500 * NS_PER_MS)

enum opt { OPT_PID = 256, OPT_IN, OPT_OUT, OPT_ROOT, OPT_JSON };

static const struct argp_option audit_options[] = {
	{ "pid", OPT_PID, "PID", 0, "The program to audit, with all its children", 0 },
	{ "in", OPT_IN, "IF", 0, "An interface it uses; others are left out", 0 },
	{ "out", OPT_OUT, "IF", 0, "The other one", 0 },
	{ "root", OPT_ROOT, "DIR", 0,
		"Read a recorded /proc and /sys below DIR, not this machine's", 0 },
	{ "json", OPT_JSON, NULL, 0, "Print one JSON document", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

struct audit_args {
	uint64_t pid;
	const char *in, *out, *root, *run;
	bool json;
	struct sp_err *err;
};

static error_t audit_parse(int key, char *arg, struct argp_state *state)
{
	struct audit_args *a = state->input;

	switch (key) {
	case OPT_PID:
		return units_u64_parse(arg, 1, INT_MAX, &a->pid, a->err) == 0 ? 0
									      : EINVAL;
	case OPT_IN:
		a->in = arg;
		return 0;
	case OPT_OUT:
		a->out = arg;
		return 0;
	case OPT_ROOT:
		a->root = arg;
		return 0;
	case OPT_JSON:
		a->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->run != NULL) {
			(void)sp_err_set(a->err, SP_EUSAGE,
				"one run file at a time: '%s' is the second", arg);
			return EINVAL;
		}
		a->run = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp audit_argp = {
	.options = audit_options,
	.parser = audit_parse,
	.args_doc = "[RUN]",
	.doc = "Look at where NICs, interrupts, threads and memory are and how the machine "
	       "is set, and say what of it costs capacity.\vNothing is changed. With RUN, "
	       "what that run recorded is looked at.",
};

/* A run is judged arm by arm; what is shown beside is of the first with facts. */
static int load_run(const char *path, struct audit *ret, struct audit_findings *found,
	struct sp_err *err)
{
	struct run *run = NULL;
	struct audit gaps;
	int rc = run_store_load(path, &run, err);
	size_t i;

	if (rc != 0)
		return rc;
	audit_init(&gaps);
	audit_judge_run(run, found, &gaps);
	audit_init(ret);
	for (i = 0; i < run->n_arms && ret->n_threads == 0; i++) {
		audit_done(ret);
		(void)audit_of_run(run, i, ret); /* nothing is left as nothing */
	}
	if (gaps.n_gaps == 0)
		audit_add_gap(ret, "this run",
			"it holds no facts of its trials, so nothing of it can be "
			"judged");
	for (i = 0; i < gaps.n_gaps; i++)
		audit_add_gap(ret, gaps.gaps[i].what, "%s", gaps.gaps[i].why);
	audit_done(&gaps);
	run_free(run);
	return 0;
}

static int load_machine(const struct audit_args *a, struct audit *ret,
	struct audit_findings *found, struct sp_err *err)
{
	const char *root = a->root != NULL ? a->root : "/";
	struct audit_request req = {
		.is_live = a->root == NULL,
		.pid = (pid_t)a->pid,
		.in = a->in,
		.out = a->out,
		.busy_ns = BUSY_NS,
	};
	int rc;

	req.root_fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (req.root_fd < 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot open %s", root);
	rc = audit_read(&req, ret, err);
	(void)close(req.root_fd); /* read only */
	if (rc == 0)
		audit_judge(ret, found);
	return rc;
}

static int print(const struct audit *a, const struct audit_findings *found, bool json,
	struct sp_err *err)
{
	struct report_options o = answer_options();
	char *text;

	if (!json)
		return report_audit_text(stdout, a, found, &o, err);
	text = report_audit_json(a, found);
	errno = 0;
	(void)puts(text); /* a failure shows below */
	free(text);
	return report_finish(stdout, err);
}

static int audit_run(int argc, char **argv, struct sp_err *err)
{
	struct audit_args args = { .err = err };
	struct audit_findings found = { 0 };
	struct audit a;
	bool help = false;
	int rc;

	audit_init(&a);
	rc = args_parse(&audit_argp, argc, argv, &args, &help, err);
	if (rc == 0 && help)
		return EXIT_DONE;
	if (rc == 0 && args.run != NULL &&
		(args.pid != 0 || args.in != NULL || args.out != NULL ||
			args.root != NULL))
		rc = sp_err_set(err, SP_EUSAGE,
			"a run file says itself what it was of: --pid, --in, --out and "
			"--root are for a machine");
	if (rc == 0)
		rc = args.run != NULL ? load_run(args.run, &a, &found, err)
				      : load_machine(&args, &a, &found, err);
	if (rc == 0)
		rc = print(&a, &found, args.json, err);
	audit_findings_done(&found);
	audit_done(&a);
	return rc != 0 ? (int)verdict_exit_code_of_err(err) : EXIT_DONE;
}

const struct command cmd_audit = {
	.name = "audit",
	.summary = "where things are and how the machine is set, and what is wrong",
	.run = audit_run,
};
