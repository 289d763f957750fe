/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `satprof export`: a run file as other programs read it. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/owner.h"
#include "base/units.h"
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/say.h"
#include "codec/export.h"
#include "codec/run_store.h"
#include "model/verdict.h"
#include "plan/selector.h"

enum opt { OPT_FORMAT = 256, OPT_EVENT, OPT_BETTER, OPT_QUIET };

static const struct argp_option export_options[] = {
	{ "format", OPT_FORMAT, "FORMAT", 0, "What to write; see below", 0 },
	{ "output", 'o', "FILE", 0, "A new file for it (standard output)", 0 },
	{ "event", OPT_EVENT, "NAME", 0,
		"Samples of this event (what the profiler samples)", 0 },
	{ "better", OPT_BETTER, "higher|lower", 0,
		"Which numbers gha takes: one file has one direction (higher)", 0 },
	{ "quiet", OPT_QUIET, NULL, 0, "Do not say what was written", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

struct export_args {
	const char *word, *output, *event;
	const struct export_ops *ops;
	enum export_better better;
	bool has_better;
	bool quiet;
	struct sp_err *err;
};

static error_t better_parse(struct export_args *a, const char *word)
{
	a->has_better = true;
	if (strcmp(word, "higher") == 0) {
		a->better = EXPORT_HIGHER_IS_BETTER;
		return 0;
	}
	a->better = EXPORT_LOWER_IS_BETTER;
	if (strcmp(word, "lower") == 0)
		return 0;
	(void)sp_err_set(a->err, SP_EUSAGE, "'%s' is neither higher nor lower", word);
	return EINVAL;
}

static error_t export_parse(int key, char *arg, struct argp_state *state)
{
	struct export_args *a = state->input;

	switch (key) {
	case OPT_FORMAT:
		return export_find(arg, &a->ops, a->err) == 0 ? 0 : EINVAL;
	case 'o':
		a->output = arg;
		return 0;
	case OPT_EVENT:
		a->event = arg;
		return 0;
	case OPT_BETTER:
		return better_parse(a, arg);
	case OPT_QUIET:
		a->quiet = true;
		return 0;
	case ARGP_KEY_ARG:
		if (a->word != NULL) {
			(void)sp_err_set(a->err, SP_EUSAGE,
				"one run file at a time: '%s' is the second", arg);
			return EINVAL;
		}
		a->word = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		(void)sp_err_set(a->err, SP_EUSAGE,
			"which run? Give the file that `satprof sweep` wrote");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The formats, below the options of --help. */
static char *export_help(int key, const char *text, void *input)
{
	char *all;
	size_t i;

	(void)input;
	if (key != ARGP_KEY_HELP_EXTRA)
		return (char *)(uintptr_t)text; /* argp's own, unchanged */
	all = xstrdup("Formats:");
	for (i = 0; i < export_list_len; i++) {
		char *more = xasprintf("%s\n  %-12s %s", all, export_list[i]->name,
			export_list[i]->summary);

		free(all);
		all = more;
	}
	return all;
}

static const struct argp export_argp = {
	.options = export_options,
	.parser = export_parse,
	.args_doc = "RUN[@SELECTOR]",
	.doc = "Write a run, its samples or its numbers, as other programs read them.\v"
	       "SELECTOR takes some of the trials: below, above, off, on, arm=NAME, "
	       "rate=RATE, trial=N, joined by commas.",
	.help_filter = export_help,
};

/* What is written, and of what. */
struct job {
	const struct export_args *args;
	char *path;
	struct run *run;
	bool *in;
	struct export_input input;
	struct analysis analysis;
	bool has_analysis;
	size_t n_other_events;
};

static bool is_file(const char *path)
{
	return access(path, F_OK) == 0;
}

static int samples_choose(struct job *j, const struct selector *sel, struct sp_err *err)
{
	const struct export_args *a = j->args;
	struct sp_err why;
	int rc = 0;

	if (a->ops->needs == EXPORT_NEEDS_SAMPLES)
		rc = selector_functions_check(j->run, sel, j->path, err);
	if (rc != 0)
		return rc;
	rc = export_event_choose(
		j->run, j->in, a->event, &j->input.event, &j->n_other_events, &why);
	j->input.has_samples = rc == 0;
	/* What can do without them does, unless they were asked for. */
	if (rc == 0 || (a->ops->needs != EXPORT_NEEDS_SAMPLES && a->event == NULL))
		return 0;
	*err = why;
	return sp_err_push(err, "%s", j->path);
}

static int job_load(struct job *j, struct sp_err *err)
{
	char *selector = NULL;
	struct selector sel;
	int rc;

	selector_split(j->args->word, is_file, &j->path, &selector);
	rc = selector_parse(selector, &sel, err);
	if (rc == 0)
		rc = run_store_load(j->path, &j->run, err);
	if (rc == 0) {
		j->in = xcalloc(j->run->n_trials + 1, sizeof(*j->in));
		j->input.run = j->run;
		j->input.in = j->in;
		rc = selector_trials(j->run, &sel, j->in, err);
		if (rc != 0)
			(void)sp_err_push(err, "%s", j->path);
	}
	if (rc == 0)
		rc = samples_choose(j, &sel, err);
	if (rc == 0 && j->args->ops->needs == EXPORT_NEEDS_ANALYSIS) {
		analysis_make(j->run, &j->analysis);
		j->has_analysis = true;
		j->input.analysis = &j->analysis;
	}
	free(selector);
	return rc;
}

static void job_done(struct job *j)
{
	if (j->has_analysis)
		analysis_done(&j->analysis);
	free(j->in);
	run_free(j->run);
	free(j->path);
}

/* Run by sudo, the file is for the one who called it. */
static void owner_set(int fd)
{
	uid_t uid;
	gid_t gid;

	/* A network file system may refuse: a file of root's is better than none. */
	if (owner_of_files(&uid, &gid) && fchown(fd, uid, gid) != 0)
		errno = 0;
}

static int output_open(const char *path, FILE **ret_f, struct sp_err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	FILE *f;

	if (fd < 0 && errno == EEXIST)
		return sp_err_set(err, SP_EUSAGE,
			"%s: it exists: choose another name with -o", path);
	if (fd < 0)
		return sp_err_errno(err, SP_EIO, errno, "%s: cannot create it", path);
	owner_set(fd);
	f = fdopen(fd, "w");
	if (f == NULL) {
		int sys_errno = errno;

		(void)close(fd);
		(void)unlink(path);
		return sp_err_errno(err, SP_EIO, sys_errno, "%s", path);
	}
	*ret_f = f;
	return 0;
}

/* Nothing is left of a file that was not written to its end. */
static int write_file(struct job *j, const char *path, struct sp_err *err)
{
	FILE *f = NULL;
	int rc = output_open(path, &f, err);

	if (rc != 0)
		return rc;
	rc = j->args->ops->write(f, &j->input, err);
	if (fclose(f) != 0 && rc == 0)
		rc = sp_err_errno(err, SP_EIO, errno, "cannot write the export");
	if (rc != 0) {
		(void)unlink(path);
		(void)sp_err_push(err, "%s", path);
	}
	return rc;
}

static int write_stdout(struct job *j, struct sp_err *err)
{
	if (j->args->ops->is_binary && isatty(STDOUT_FILENO) != 0)
		return sp_err_set(err, SP_EUSAGE,
			"%s is not for a terminal: choose a file with -o",
			j->args->ops->name);
	return j->args->ops->write(stdout, &j->input, err);
}

static void say_samples(const struct job *j)
{
	const struct run_event *e = &j->run->events[j->input.event];
	struct export_totals t;

	export_totals_make(&j->input, &t);
	say("%s: %zu trial%s, %" PRIu64 " sample%s of %s, weight %" PRIu64 " %s",
		j->args->ops->name, t.n_sampled, units_s(t.n_sampled), t.n_samples,
		units_s(t.n_samples), e->name, t.weight, e->unit);
	if (t.n_lost > 0)
		say("%" PRIu64 " sample%s of these trials were lost", t.n_lost,
			units_s(t.n_lost));
	if (j->n_other_events > 0)
		say("%zu other event%s left out: see --event", j->n_other_events,
			units_s(j->n_other_events));
}

static int run_export(int argc, char **argv, struct sp_err *err)
{
	struct export_args a = { .err = err };
	struct job j = { .args = &a };
	bool help = false;
	int rc = args_parse(&export_argp, argc, argv, &a, &help, err);

	if (rc == 0 && help)
		return EXIT_DONE;
	if (rc == 0 && a.ops == NULL)
		rc = export_find(NULL, &a.ops, err);
	if (rc == 0 && a.has_better && !a.ops->has_two_ways)
		rc = sp_err_set(err, SP_EUSAGE,
			"--better: %s has all numbers in one file", a.ops->name);
	j.input.better = a.better;
	if (rc == 0)
		rc = job_load(&j, err);
	if (rc == 0)
		rc = a.output != NULL ? write_file(&j, a.output, err)
				      : write_stdout(&j, err);
	if (rc == 0 && j.input.has_samples && !a.quiet &&
		a.ops->needs != EXPORT_NEEDS_ANALYSIS)
		say_samples(&j);
	job_done(&j);
	return rc != 0 ? (int)verdict_exit_code_of_err(err) : EXIT_DONE;
}

const struct command cmd_export = {
	.name = "export",
	.summary = "write a run as other programs read it",
	.run = run_export,
};
