/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CSV for Apache Otava (once Hunter): a row a run, with its time and a column for each
 * arm's metric; the rows of many runs, one header before them, are its input. Which way
 * is better its configuration says (satprof-export(1) names the columns).
 */
#include "config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "codec/export_metrics.h"
#include "codec/export_private.h"

static int otava_write(FILE *f, const struct export_input *in, struct sp_err *err)
{
	struct export_metrics all;
	size_t i;
	int rc = export_metrics_make(in, &all, err);

	if (rc != 0)
		return rc;
	export_csv_text(f, "time");
	(void)fputc(',', f);
	export_csv_text(f, "run");
	for (i = 0; i < all.n; i++) {
		char *name = xasprintf(
			"%s.%s", all.metrics[i].arm_name, all.metrics[i].name);

		(void)fputc(',', f);
		export_csv_text(f, name);
		free(name);
	}
	(void)fputc('\n', f);
	export_csv_text(f, in->run->started_at);
	(void)fputc(',', f);
	export_csv_text(f, in->run->path);
	for (i = 0; i < all.n; i++)
		(void)fprintf(f, ",%.10g", all.metrics[i].value);
	(void)fputc('\n', f);
	export_metrics_done(&all);
	return export_finish(f, err);
}

const struct export_ops export_otava = {
	.name = "otava",
	.summary = "numbers as a row of CSV for Apache Otava",
	.needs = EXPORT_NEEDS_ANALYSIS,
	.write = otava_write,
};
