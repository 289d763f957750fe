/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A memory file that keeps its end. */
#include "config.h"

#include "os/output_tail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Memory that a chatty program may hold before it is given back. */
#define TRIM_BYTES (1L << 20)

int output_tail_open(struct output_tail *o, struct sp_err *err)
{
	o->given_back = 0;
	o->tail[0] = '\0';
	o->fd = memfd_create("satprof-output", MFD_CLOEXEC);
	if (o->fd < 0)
		return sp_err_errno(
			err, SP_EIO, errno, "memory for a program's output");
	/* Several writers append, whatever their place in the file was. */
	if (fcntl(o->fd, F_SETFL, O_APPEND) == 0)
		return 0;
	(void)sp_err_errno(err, SP_EIO, errno, "appending to a program's output");
	output_tail_close(o);
	return -(int)err->code;
}

void output_tail_close(struct output_tail *o)
{
	if (o->fd > 0)
		(void)close(o->fd); /* memory only */
	o->fd = -1;
}

void output_tail_reset(struct output_tail *o)
{
	o->given_back = 0;
	o->tail[0] = '\0';
	(void)!ftruncate(o->fd, 0); /* of a memory file of ours: cannot fail */
}

static long size_of(const struct output_tail *o)
{
	struct stat st;

	return fstat(o->fd, &st) == 0 ? (long)st.st_size : 0;
}

void output_tail_trim(struct output_tail *o)
{
	long keep_from = size_of(o) - OUTPUT_TAIL_KEEP_BYTES;

	if (keep_from - o->given_back < TRIM_BYTES)
		return;
	/* Offsets stay, so that writers are not disturbed. */
	if (fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		    keep_from) == 0)
		o->given_back = keep_from;
}

const char *output_tail_lines(struct output_tail *o)
{
	long size = size_of(o), from = size - OUTPUT_TAIL_KEEP_BYTES;
	char *line;
	ssize_t n;
	ssize_t i;

	if (from < 0)
		from = 0;
	n = pread(o->fd, o->tail, OUTPUT_TAIL_KEEP_BYTES, from);
	if (n < 0)
		n = 0;
	o->tail[n] = '\0';
	for (i = 0; i < n; i++)
		if ((unsigned char)o->tail[i] < ' ' && o->tail[i] != '\n' &&
			o->tail[i] != '\t')
			o->tail[i] = '?';
	line = from > 0 ? strchr(o->tail, '\n') : NULL;
	return line != NULL && line[1] != '\0' ? line + 1 : o->tail;
}

const char *output_tail_words(const char *text, size_t max)
{
	size_t n = strlen(text), skip;

	if (n <= max)
		return text;
	text += n - max;
	skip = strcspn(text, " \n\t");
	skip += strspn(text + skip, " \n\t");
	return text[skip] != '\0' ? text + skip : text;
}

void output_tail_line(struct output_tail *o, char *buf, size_t len)
{
	const char *tail = output_tail_lines(o);
	char line[OUTPUT_TAIL_KEEP_BYTES + 1];
	size_t n = strlen(tail), i;

	while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == ' '))
		n--;
	if (n == 0)
		tail = "(none)";
	n = n == 0 ? strlen(tail) : n;
	(void)snprintf(line, sizeof(line), "%.*s", (int)n, tail);
	/* The end says why. */
	n = (size_t)snprintf(buf, len, "%s", output_tail_words(line, len - 1));
	for (i = 0; i < n; i++)
		if (buf[i] == '\n')
			buf[i] = '|';
}
