/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text's section on NDR and PDR. */
#include "config.h"

#include <math.h>

#include "base/units.h"
#include "report/report_text_private.h"

#define RATE_LEN 32

static void line_print(const struct report_text_out *t, const char *name,
	const struct analysis_throughput *r)
{
	char a[RATE_LEN], b[RATE_LEN];

	if (!r->is_asked)
		return;
	(void)fprintf(t->f, "  %s  ", name);
	if (isfinite(r->pps))
		(void)fprintf(t->f, "%s  (lower bound %s, upper %s)\n",
			units_pps_format(a, RATE_LEN, r->pps),
			units_pps_format(b, RATE_LEN, r->lo_pps),
			units_pps_format((char[RATE_LEN]){ 0 }, RATE_LEN, r->hi_pps));
	else if (r->spoiled_by != LIMITED_NOT)
		(void)fprintf(t->f, "not found: the %s was the limit at %s\n",
			analysis_throughput_word(r),
			units_pps_format(a, RATE_LEN, r->hi_pps));
	else if (r->end == MLRSEARCH_ABOVE_MAX)
		(void)fprintf(
			t->f, "above %s\n", units_pps_format(a, RATE_LEN, r->lo_pps));
	else if (r->end == MLRSEARCH_BELOW_MIN)
		(void)fprintf(t->f, "no lower bound, below %s\n",
			units_pps_format(a, RATE_LEN, r->hi_pps));
	else
		(void)fprintf(t->f, "not found in the time there was\n");
}

void report_text_ndr(const struct report_text_out *t)
{
	const struct analysis_arm *arm = t->a->arms;

	if (t->a->n_arms == 0 || !arm->ndr.is_asked)
		return;
	(void)fprintf(t->f, "Throughput of %s by MLRsearch (%s, %zu trials)\n",
		report_text_arm(t, 0), ndr_preset_name(t->run->config.ndr),
		arm->ndr.n_trials);
	line_print(t, "NDR (no loss)   ", &arm->ndr);
	line_print(t, "PDR (0.5 % loss)", &arm->pdr);
	(void)fputc('\n', t->f);
}
