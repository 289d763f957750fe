/* SPDX-License-Identifier: GPL-3.0-or-later */
/* satprof probe: what can be done here, and how to get the rest. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/args.h"
#include "cli/commands.h"
#include "model/verdict.h"
#include "os/caps.h"

#define SCHEMA 1

enum { OPT_JSON = 256 };

static const struct argp_option probe_options[] = {
	{ "json", OPT_JSON, NULL, 0, "One JSON document", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

struct probe_args {
	bool json;
};

static error_t probe_option(int key, char *arg, struct argp_state *state)
{
	struct probe_args *a = state->input;

	(void)arg;

	switch (key) {
	case OPT_JSON:
		a->json = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp probe_argp = { probe_options, probe_option, NULL,
	"Tell what this machine, kernel and user can do, and how to get the "
	"rest.\vNothing is left changed. satprof-probe(1) explains each line.",
	NULL, NULL, NULL };

static void print_table(const struct caps *c)
{
	int id;

	for (id = 0; id < CAPS_N; id++) {
		const struct caps_feature *f = &c->features[id];

		(void)printf("%-16s %-8s  %s", caps_name((enum caps_id)id),
			caps_state_name(f->state), f->why);
		if (f->remedy[0] != '\0')
			(void)printf("; try: %s", f->remedy);
		(void)printf("\n");
	}
}

static int print_json(const struct caps *c, struct sp_err *err)
{
	json_t *features = json_array(), *doc;
	int id, rc = 0;
	char *text;

	for (id = 0; id < CAPS_N; id++) {
		const struct caps_feature *f = &c->features[id];

		(void)json_array_append_new(features,
			json_pack("{s:s, s:s, s:s, s:s}", "name",
				caps_name((enum caps_id)id), "state",
				caps_state_name(f->state), "why", f->why, "remedy",
				f->remedy)); /* a bad string shows below */
	}
	doc = json_pack("{s:i, s:o}", "schema", SCHEMA, "features", features);
	text = json_dumps(doc, JSON_INDENT(2));
	if (text == NULL || json_array_size(features) != CAPS_N)
		rc = sp_err_set(err, SP_EIO, "the JSON document cannot be made");
	else
		(void)printf("%s\n", text);
	free(text);
	json_decref(doc);
	return rc;
}

static int probe_run(int argc, char **argv, struct sp_err *err)
{
	struct probe_args a = { .json = false };
	struct caps caps;
	bool help = false;
	int root_fd;

	if (args_parse(&probe_argp, argc, argv, &a, &help, err) != 0)
		return (int)verdict_exit_code_of_err(err);
	if (help)
		return EXIT_DONE;
	root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root_fd < 0) {
		(void)sp_err_errno(err, SP_EIO, errno, "cannot open /");
		return (int)verdict_exit_code_of_err(err);
	}
	caps_probe(root_fd, &caps);
	(void)close(root_fd); /* read only */
	if (!a.json)
		print_table(&caps);
	else if (print_json(&caps, err) != 0)
		return (int)verdict_exit_code_of_err(err);
	return EXIT_DONE;
}

const struct command cmd_probe = {
	.name = "probe",
	.summary = "what this machine, kernel and user can do",
	.run = probe_run,
};
