/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all generators share. */
#include "config.h"

#include "gen/generator.h"

#include <stdlib.h>

void gen_result_done(struct gen_result *r)
{
	free(r->bins);
	r->bins = NULL;
	r->n_bins = 0;
}
