/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log sink: the only mutable file-scope state besides the signal flag. */
#include "config.h"

#include "base/log.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

static log_sink_fn *log_sink;
static void *log_ctx;
static enum log_level log_max = LOG_LEVEL_WARN;

void log_set_sink(log_sink_fn *sink, void *ctx, enum log_level level)
{
	log_sink = sink;
	log_ctx = ctx;
	log_max = level;
}

void log_at(enum log_level level, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	if (log_sink == NULL || level > log_max)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(line, sizeof(line), fmt, ap); /* a cut line is fine */
	va_end(ap);
	log_sink(log_ctx, level, line);
}
