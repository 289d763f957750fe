/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A memory file that keeps its end. */
#include "config.h"

#include "sut/sut_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Memory that a chatty SUT may hold before it is given back. */
#define TRIM_BYTES (1L << 20)

int sut_output_open(struct sut_output *o, struct sp_err *err)
{
	o->given_back = 0;
	o->tail[0] = '\0';
	o->fd = memfd_create("satprof-sut-output", MFD_CLOEXEC);
	if (o->fd < 0)
		return sp_err_errno(err, SP_EIO, errno, "memory for the SUT's output");
	/* Several writers append, whatever their place in the file was. */
	if (fcntl(o->fd, F_SETFL, O_APPEND) == 0)
		return 0;
	(void)sp_err_errno(err, SP_EIO, errno, "appending to the SUT's output");
	sut_output_close(o);
	return -(int)err->code;
}

void sut_output_close(struct sut_output *o)
{
	if (o->fd > 0)
		(void)close(o->fd); /* memory only */
	o->fd = -1;
}

void sut_output_reset(struct sut_output *o)
{
	o->given_back = 0;
	o->tail[0] = '\0';
	(void)!ftruncate(o->fd, 0); /* of a memory file of ours: cannot fail */
}

static long size_of(const struct sut_output *o)
{
	struct stat st;

	return fstat(o->fd, &st) == 0 ? (long)st.st_size : 0;
}

void sut_output_trim(struct sut_output *o)
{
	long keep_from = size_of(o) - SUT_OUTPUT_KEEP_BYTES;

	if (keep_from - o->given_back < TRIM_BYTES)
		return;
	/* Offsets stay, so that writers are not disturbed. */
	if (fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0,
		    keep_from) == 0)
		o->given_back = keep_from;
}

const char *sut_output_tail(struct sut_output *o)
{
	long size = size_of(o), from = size - SUT_OUTPUT_KEEP_BYTES;
	char *line;
	ssize_t n;
	ssize_t i;

	if (from < 0)
		from = 0;
	n = pread(o->fd, o->tail, SUT_OUTPUT_KEEP_BYTES, from);
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

void sut_output_line(struct sut_output *o, char *buf, size_t len)
{
	const char *tail = sut_output_tail(o);
	size_t n = strlen(tail), i;

	while (n > 0 && (tail[n - 1] == '\n' || tail[n - 1] == ' '))
		n--;
	if (n == 0)
		tail = "(none)";
	n = n == 0 ? strlen(tail) : n;
	if (n > len - 1) { /* the end says why */
		tail += n - (len - 1);
		n = len - 1;
	}
	memcpy(buf, tail, n);
	buf[n] = '\0';
	for (i = 0; i < n; i++)
		if (buf[i] == '\n')
			buf[i] = '|';
}
