/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Folded stacks, as FlameGraph's scripts read them: "thread;root;...;leaf WEIGHT", one
 * line a call path. The weight is the sum of the samples' periods in the event's unit,
 * not their number, which would be wrong where periods differ. A name has no ';', which
 * parts frames, and no blanks, since the weight stands behind the last one, and two
 * numbers there mean something else.
 */
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/clean.h"
#include "base/mem.h"
#include "codec/export_fold.h"
#include "codec/export_private.h"

static char *text_label(const char *name)
{
	char *s = clean_utf8(name[0] != '\0' ? name : "[unknown]"), *at;

	for (at = s; *at != '\0'; at++) {
		if (*at == ';')
			*at = ':';
		else if (*at == ' ' || *at == '\t')
			*at = '_';
		else if ((unsigned char)*at < 0x20 || *at == 0x7f)
			*at = '?';
	}
	return s;
}

static char *frame_label(const struct profile *p, uint32_t frame)
{
	char *name = export_frame_name(p, frame), *label = text_label(name);

	free(name);
	return label;
}

static void line_write(FILE *f, const struct profile *p, const struct profile_cell *c,
	uint32_t **frames, size_t *cap)
{
	size_t i, n = export_fold_path(p, c->node, frames, cap);
	char *thread = text_label(p->threads[c->thread].comm);

	if (thread[0] == '#') /* or the line would be a comment to some */
		thread[0] = '_';
	(void)fputs(thread, f); /* failures show in export_finish() */
	for (i = 0; i < n; i++)
		(void)fprintf(
			f, ";%s", p->symbols[p->frames[(*frames)[i]].symbol].name);
	(void)fprintf(f, " %" PRIu64 "\n", c->weight);
	free(thread);
}

static int folded_write(FILE *f, const struct export_input *in, struct sp_err *err)
{
	const struct export_fold_cfg cfg = { .label = frame_label };
	struct export_fold fold;
	uint32_t *frames = NULL;
	size_t i, cap = 0;

	export_fold_make(in, &cfg, &fold);
	for (i = 0; i < fold.profile->n_cells; i++)
		line_write(f, fold.profile, &fold.profile->cells[fold.order[i]],
			&frames, &cap);
	free(frames);
	export_fold_done(&fold);
	return export_finish(f, err);
}

const struct export_ops export_folded = {
	.name = "folded",
	.summary = "call paths for flamegraph.pl and its kin",
	.needs = EXPORT_NEEDS_SAMPLES,
	.write = folded_write,
};
