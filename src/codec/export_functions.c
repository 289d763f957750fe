/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of an export. */
#include "config.h"

#include "codec/export_functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define UNKNOWN_NAME "[unknown]"

/* Its module stands beside it. */
static char *function_label(const struct profile *p, uint32_t frame)
{
	uint32_t symbol = p->frames[frame].symbol;

	return xstrdup(symbol < p->n_symbols ? p->symbols[symbol].name : UNKNOWN_NAME);
}

/* One row a frame of the folded profile, and a last one for samples without a path. */
static void rows_add(const struct profile *p, struct export_functions *f)
{
	size_t i;

	f->n = p->n_frames + 1;
	f->rows = xcalloc(f->n, sizeof(*f->rows));
	for (i = 0; i < p->n_frames; i++) {
		const struct profile_module *m = &p->modules[p->frames[i].module];

		f->rows[i].name = p->symbols[p->frames[i].symbol].name;
		f->rows[i].module = m->path;
		f->rows[i].build_id = m->build_id;
	}
	f->rows[p->n_frames].name = f->rows[p->n_frames].module = UNKNOWN_NAME;
	f->rows[p->n_frames].build_id = "";
	for (i = 0; i < p->n_cells; i++) {
		const struct profile_cell *c = &p->cells[i];
		struct export_function *row = &f->rows[p->n_frames];

		if (c->node != 0)
			row = &f->rows[p->nodes[c->node].frame];
		row->n_samples += c->n_samples;
		row->weight += c->weight;
	}
}

static int row_cmp(const void *x, const void *y)
{
	const struct export_function *a = x, *b = y;
	int c;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	c = strcmp(a->name, b->name);
	if (c == 0)
		c = strcmp(a->module, b->module);
	return c != 0 ? c : strcmp(a->build_id, b->build_id);
}

/* Frames that only call others have no row. */
static void rows_clean(struct export_functions *f)
{
	size_t i, n = 0;

	for (i = 0; i < f->n; i++)
		if (f->rows[i].n_samples > 0 || f->rows[i].weight > 0)
			f->rows[n++] = f->rows[i];
	f->n = n;
}

void export_functions_make(const struct export_input *in, struct export_functions *ret)
{
	const struct export_fold_cfg cfg = { .label = function_label,
		.by_module = true };

	*ret = (struct export_functions){ .n = 0 };
	export_fold_make(in, &cfg, &ret->fold);
	rows_add(ret->fold.profile, ret);
	rows_clean(ret);
	if (ret->n > 0)
		qsort(ret->rows, ret->n, sizeof(*ret->rows), row_cmp);
}

void export_functions_done(struct export_functions *f)
{
	free(f->rows);
	export_fold_done(&f->fold);
	*f = (struct export_functions){ .n = 0 };
}
