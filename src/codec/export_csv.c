/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions as CSV (RFC 4180): a header, then a row each. Texts are quoted, numbers
 * are not.
 */
#include "config.h"

#include <inttypes.h>

#include "codec/export_functions.h"
#include "codec/export_private.h"

static void row_write(
	FILE *f, const struct run_event *e, const struct export_function *r)
{
	export_csv_text(f, r->name);
	(void)fputc(',', f);
	export_csv_text(f, r->module);
	(void)fputc(',', f);
	export_csv_text(f, r->build_id);
	(void)fputc(',', f);
	export_csv_text(f, e->name);
	(void)fputc(',', f);
	export_csv_text(f, e->unit);
	(void)fprintf(f, ",%" PRIu64 ",%" PRIu64 "\r\n", r->n_samples, r->weight);
}

static int csv_write(FILE *f, const struct export_input *in, struct sp_err *err)
{
	struct export_functions functions;
	size_t i;

	export_functions_make(in, &functions);
	(void)fputs("function,module,build_id,event,unit,samples,weight\r\n", f);
	for (i = 0; i < functions.n; i++)
		row_write(f, &in->run->events[in->event], &functions.rows[i]);
	export_functions_done(&functions);
	return export_finish(f, err);
}

const struct export_ops export_csv = {
	.name = "csv",
	.summary = "functions with samples and weight",
	.needs = EXPORT_NEEDS_SAMPLES,
	.write = csv_write,
};
