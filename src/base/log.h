/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages for the person at the terminal. Library code may only use debug;
 * notes and warnings that belong to a result go into the result, not here.
 * cli/ sets the sink; until then messages go nowhere. Not for hot paths.
 */
#ifndef SATPROF_BASE_LOG_H
#define SATPROF_BASE_LOG_H

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARN, LOG_LEVEL_NOTE, LOG_LEVEL_DEBUG };

typedef void log_sink_fn(void *ctx, enum log_level level, const char *line);

/* Set the sink (NULL: none) and the least important level that reaches it. */
void log_set_sink(log_sink_fn *sink, void *ctx, enum log_level level);

void log_at(enum log_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#define log_warn(...)  log_at(LOG_LEVEL_WARN, __VA_ARGS__)
#define log_note(...)  log_at(LOG_LEVEL_NOTE, __VA_ARGS__)
#define log_debug(...) log_at(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
