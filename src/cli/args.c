/* SPDX-License-Identifier: GPL-3.0-or-later */
/* argp with exact names and our own error lines. */
#include "config.h"

#include "cli/args.h"

#include <stdio.h>
#include <string.h>

/* The row of a long option, or NULL. len: up to "=" or the end. */
static const struct argp_option *find_long(
	const struct argp *argp, const char *name, size_t len)
{
	const struct argp_option *o;

	for (o = argp->options; o->name != NULL || o->key != 0 || o->doc != NULL; o++)
		if (o->name != NULL && strlen(o->name) == len &&
			strncmp(o->name, name, len) == 0)
			return o;
	return NULL;
}

static const struct argp_option *find_short(const struct argp *argp, char c)
{
	const struct argp_option *o;

	for (o = argp->options; o->name != NULL || o->key != 0 || o->doc != NULL; o++)
		if (o->key == c && c != 0)
			return o;
	return NULL;
}

static bool takes_value(const struct argp_option *o)
{
	return o->arg != NULL && (o->flags & OPTION_ARG_OPTIONAL) == 0;
}

/* One word that begins with "--"; *ret_skip: the next word is its value. */
static int check_long(const struct argp *argp, const char *word, bool is_last,
	bool *ret_skip, struct sp_err *err)
{
	size_t len = strcspn(word + 2, "=");
	const struct argp_option *o = find_long(argp, word + 2, len);
	bool has_value = word[2 + len] == '=';

	if (o == NULL)
		return sp_err_set(err, SP_EUSAGE, "'%.*s' is not an option: see --help",
			(int)len + 2, word);
	if (has_value && o->arg == NULL)
		return sp_err_set(err, SP_EUSAGE, "--%s takes no value", o->name);
	if (!has_value && takes_value(o) && is_last)
		return sp_err_set(
			err, SP_EUSAGE, "--%s needs a value: %s", o->name, o->arg);
	*ret_skip = !has_value && takes_value(o);
	return 0;
}

static int check_short(const struct argp *argp, const char *word, bool is_last,
	bool *ret_skip, struct sp_err *err)
{
	const char *c;

	for (c = word + 1; *c != '\0'; c++) {
		const struct argp_option *o = find_short(argp, *c);

		if (o == NULL)
			return sp_err_set(err, SP_EUSAGE,
				"'-%c' is not an option: see --help", *c);
		if (!takes_value(o))
			continue;
		if (c[1] == '\0' && is_last)
			return sp_err_set(
				err, SP_EUSAGE, "-%c needs a value: %s", *c, o->arg);
		*ret_skip = c[1] == '\0';
		break;
	}
	return 0;
}

/* Everything getopt would be vague about; stops at "--". */
static int check_words(const struct argp *argp, int argc, char **argv, bool *ret_help,
	struct sp_err *err)
{
	int i, rc = 0;

	for (i = 1; rc == 0 && i < argc; i++) {
		bool skip = false, is_last = i + 1 == argc;

		if (strcmp(argv[i], "--") == 0)
			break;
		if (strcmp(argv[i], "--help") == 0) {
			*ret_help = true;
			break;
		}
		if (strncmp(argv[i], "--", 2) == 0)
			rc = check_long(argp, argv[i], is_last, &skip, err);
		else if (argv[i][0] == '-' && argv[i][1] != '\0')
			rc = check_short(argp, argv[i], is_last, &skip, err);
		else if ((argp->args_doc == NULL || argp->args_doc[0] == '\0'))
			rc = sp_err_set(err, SP_EUSAGE,
				"'%s' is not an option: see --help", argv[i]);
		i += skip;
	}
	return rc;
}

/* What stands between argp and a command's parser. */
struct parse {
	const struct argp *argp;
	void *input; /* the parser's */
	struct sp_err *err;
};

const char *args_option_name(const struct argp *argp, int key)
{
	const struct argp_option *o;

	for (o = argp->options; o->name != NULL || o->key != 0 || o->doc != NULL; o++)
		if (o->key == key && o->name != NULL)
			return o->name;
	return NULL;
}

/* The command's parser; an error about a value gets its option's name. */
static error_t parse_named(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;
	const char *name = args_option_name(p->argp, key);
	error_t rc;

	state->input = p->input;
	rc = p->argp->parser(key, arg, state);
	state->input = p;
	if (rc != 0 && name != NULL && p->err->code != SP_OK)
		(void)sp_err_push(p->err, "--%s", name);
	return rc;
}

int args_parse(const struct argp *argp, int argc, char **argv, void *input,
	bool *ret_help, struct sp_err *err)
{
	struct parse p = { argp, input, err };
	struct argp named = *argp;
	int rc;

	*ret_help = false;
	rc = check_words(argp, argc, argv, ret_help, err);
	if (rc != 0)
		return rc;
	if (*ret_help) {
		argp_help(
			argp, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK, argv[0]);
		return 0;
	}
	named.parser = parse_named;
	if (argp_parse(&named, argc, argv,
		    ARGP_NO_EXIT | ARGP_NO_ERRS | ARGP_NO_HELP | ARGP_IN_ORDER, NULL,
		    &p) != 0 &&
		err->code == SP_OK)
		return sp_err_set(
			err, SP_EUSAGE, "the options do not parse: see --help");
	return -(int)err->code;
}
