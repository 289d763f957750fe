/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `satprof show`: the answer of a run file again. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <stddef.h>

#include "cli/answer.h"
#include "cli/args.h"
#include "cli/commands.h"
#include "codec/run_store.h"
#include "model/verdict.h"

enum opt { OPT_JSON = 256 };

static const struct argp_option show_options[] = {
	{ "json", OPT_JSON, NULL, 0, "Print one JSON document", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

struct show {
	const char *path;
	bool json;
	struct sp_err *err;
};

static error_t show_parse(int key, char *arg, struct argp_state *state)
{
	struct show *s = state->input;

	switch (key) {
	case OPT_JSON:
		s->json = true;
		return 0;
	case ARGP_KEY_ARG:
		if (s->path != NULL) {
			(void)sp_err_set(s->err, SP_EUSAGE,
				"one run file at a time: '%s' is the second", arg);
			return EINVAL;
		}
		s->path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		(void)sp_err_set(s->err, SP_EUSAGE,
			"which run? Give the file that `satprof sweep` wrote");
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp show_argp = {
	.options = show_options,
	.parser = show_parse,
	.args_doc = "RUN",
	.doc = "Print the answer of a run file again, as text or JSON.",
};

static int run_show(int argc, char **argv, struct sp_err *err)
{
	struct show s = { .err = err };
	enum exit_code code = EXIT_DONE;
	struct run *run = NULL;
	bool help = false;
	int rc = args_parse(&show_argp, argc, argv, &s, &help, err);

	if (rc == 0 && help)
		return EXIT_DONE;
	if (rc == 0)
		rc = run_store_load(s.path, &run, err);
	if (rc == 0)
		rc = answer_print(run, NULL, s.json, &code, err);
	run_free(run);
	return rc != 0 ? (int)verdict_exit_code_of_err(err) : (int)code;
}

const struct command cmd_show = {
	.name = "show",
	.summary = "print the answer of a run file again",
	.run = run_show,
};
