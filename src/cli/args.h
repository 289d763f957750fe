/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * argp as every command uses it: exact long names only, no exit from inside the
 * library, errors as one line in a struct sp_err, --help on standard output.
 */
#ifndef SATPROF_CLI_ARGS_H
#define SATPROF_CLI_ARGS_H

#include <argp.h>
#include <stdbool.h>

#include "base/err.h"

/*
 * Parse argv[1..argc-1] (argv[0] is "satprof COMMAND"). The argp's parser may fill
 * err itself and return EINVAL, and the option's name is put before it; for what is no
 * option, lacks its value or must not
 * have one the message is made here. *ret_help is true when --help was asked for
 * and has been printed: the command returns 0 then.
 */
int args_parse(const struct argp *argp, int argc, char **argv, void *input,
	bool *ret_help, struct sp_err *err);

/* The long name of a key's row; NULL: none has it. */
const char *args_option_name(const struct argp *argp, int key);

#endif
