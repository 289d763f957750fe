/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Print the answer of a run on standard output. */
#include "config.h"

#include "cli/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/say.h"
#include "plan/analysis.h"
#include "report/report.h"

struct report_options answer_options(void)
{
	struct report_options o = { .width = 0 };
	const char *term = getenv("TERM"), *no_color = getenv("NO_COLOR");
	struct winsize size;

	if (isatty(STDOUT_FILENO) == 0)
		return o;
	o.utf8 = say_is_utf8();
	o.color = (no_color == NULL || no_color[0] == '\0') && term != NULL &&
		  strcmp(term, "dumb") != 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
		o.width = size.ws_col;
	return o;
}

int answer_print(const struct run *run, struct run_store *store, bool json,
	enum exit_code *ret_code, struct sp_err *err)
{
	struct report_options o = answer_options();
	struct analysis a;
	int rc = 0;

	analysis_make(run, &a);
	if (store != NULL) {
		char *verdict = report_json_verdict(run, &a);

		rc = run_store_add_verdict(store, verdict, VERDICT_RULE_VERSION, err);
		free(verdict);
	}
	if (rc == 0)
		rc = (json ? report_json : report_text).write(stdout, run, &a, &o, err);
	if (rc == 0)
		*ret_code = analysis_exit_code(&a);
	analysis_done(&a);
	return rc;
}

int answer_print_selftest(const struct run *run, struct run_store *store, bool json,
	enum exit_code *ret_code, struct sp_err *err)
{
	struct report_options o = answer_options();
	struct analysis a;
	struct selftest t;
	char *document;
	int rc = 0;

	analysis_make(run, &a);
	selftest_make(run, &a, &t);
	document = report_selftest_json(run, &a, &t);
	if (store != NULL)
		rc = run_store_add_verdict(store, document, VERDICT_RULE_VERSION, err);
	if (rc == 0 && json) {
		(void)puts(document); /* a failure shows in report_finish() */
		rc = report_finish(stdout, err);
	} else if (rc == 0) {
		rc = report_selftest_text(stdout, run, &a, &t, &o, err);
	}
	if (rc == 0)
		*ret_code = verdict_exit_code(t.verdict);
	free(document);
	analysis_done(&a);
	return rc;
}
