/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the terminal plot shows of a run that goes on after its sweep. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "plan/analysis.h"
#include "report/report_plot.h"
#include "report_runs.h"

static char *plot_of(struct run *run, const struct report_options *o)
{
	struct analysis a;
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	assert_non_null(f);
	analysis_make(run, &a);
	report_plot(f, run, &a, o);
	assert_int_equal(fclose(f), 0);
	analysis_done(&a);
	run_free(run);
	return text;
}

/* What is tried behind the sweep is another measurement. */
static void the_plot_is_the_sweeps(void **state)
{
	const struct report_options looks[] = { { .width = 0 },
		{ .utf8 = true, .color = true, .width = 80 } };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(looks) / sizeof(looks[0]); i++) {
		char *sweep = plot_of(report_run_moved(), &looks[i]);
		char *all = plot_of(report_run_confirmed(), &looks[i]);

		assert_string_not_equal(sweep, "");
		assert_string_equal(all, sweep);
		free(all);
		free(sweep);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_plot_is_the_sweeps),
	};

	return cmocka_run_group_tests_name("plot", tests, NULL, NULL);
}
