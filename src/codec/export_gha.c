/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON for github-action-benchmark (customBiggerIsBetter, customSmallerIsBetter): one
 * file has one direction, so two exports make all of a run.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/units.h"
#include "codec/export_metrics.h"
#include "codec/export_private.h"

static void entry_write(FILE *f, const struct export_metric *m)
{
	char *text = xasprintf("%s %s", m->arm_name, m->name);

	(void)fputs("\n{\"name\":", f);
	export_json_text(f, text);
	(void)fprintf(f, ",\"unit\":\"%s\",\"value\":%.10g", m->unit, m->value);
	if (isfinite(m->lo) && isfinite(m->hi))
		(void)fprintf(f, ",\"range\":\"%.10g..%.10g\"", m->lo, m->hi);
	if (m->n > 0)
		(void)fprintf(f, ",\"extra\":\"%zu block%s\"", m->n, units_s(m->n));
	(void)fputc('}', f);
	free(text);
}

static int gha_write(FILE *f, const struct export_input *in, struct sp_err *err)
{
	struct export_metrics all;
	const char *between = "";
	size_t i;
	int rc = export_metrics_make(in, &all, err);

	if (rc != 0)
		return rc;
	(void)fputc('[', f);
	for (i = 0; i < all.n; i++) {
		if (all.metrics[i].better != in->better)
			continue;
		(void)fputs(between, f);
		entry_write(f, &all.metrics[i]);
		between = ",";
	}
	(void)fputs("]\n", f);
	export_metrics_done(&all);
	return export_finish(f, err);
}

const struct export_ops export_gha = {
	.name = "gha",
	.summary = "numbers for github-action-benchmark, one direction a file",
	.needs = EXPORT_NEEDS_ANALYSIS,
	.has_two_ways = true,
	.write = gha_write,
};
