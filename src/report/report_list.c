/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of report writers. */
#include "config.h"

#include "report/report.h"

#include <errno.h>
#include <string.h>

const struct report_ops *const report_list[] = {
	&report_json,
	&report_text,
};

const size_t report_list_len = sizeof(report_list) / sizeof(report_list[0]);

const struct report_ops *report_find(const char *name)
{
	size_t i;

	for (i = 0; i < report_list_len; i++)
		if (strcmp(report_list[i]->name, name) == 0)
			return report_list[i];
	return NULL;
}

int report_finish(FILE *f, struct sp_err *err)
{
	if (fflush(f) == 0 && ferror(f) == 0)
		return 0;
	if (errno != 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot write the report");
	return sp_err_set(err, SP_EIO, "cannot write the report");
}
