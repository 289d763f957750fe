/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A gzip stream into a file that is open. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>

/* Input is const. */
#define ZLIB_CONST
#include <zlib.h>

#include "base/mem.h"
#include "codec/export_wire.h"

/* The largest window, and 16: gzip's head and tail rather than zlib's. */
#define WINDOW_BITS (15 + 16)
#define MEM_LEVEL   8
#define INPUT_MAX   ((size_t)1 << 30)

struct export_gzip {
	FILE *f;
	z_stream z;
	unsigned char out[16384];
};

/* So that there is one thing less that could fail. */
static voidpf gzip_alloc(voidpf opaque, uInt n, uInt size)
{
	(void)opaque;
	return xcalloc(n, size);
}

static void gzip_free(voidpf opaque, voidpf address)
{
	(void)opaque;
	free(address);
}

struct export_gzip *export_gzip_new(FILE *f)
{
	struct export_gzip *z = xcalloc(1, sizeof(*z));
	int rc;

	z->f = f;
	z->z.zalloc = gzip_alloc;
	z->z.zfree = gzip_free;
	rc = deflateInit2(&z->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS,
		MEM_LEVEL, Z_DEFAULT_STRATEGY);
	assert(rc == Z_OK);
	(void)rc;
	return z;
}

/* All that was put in, and with Z_FINISH all there is. */
static void pump(struct export_gzip *z, int flush)
{
	do {
		z->z.next_out = z->out;
		z->z.avail_out = sizeof(z->out);
		(void)deflate(&z->z, flush); /* it has room, so it cannot fail */
		(void)fwrite(z->out, 1, sizeof(z->out) - z->z.avail_out, z->f);
	} while (z->z.avail_out == 0);
	assert(z->z.avail_in == 0);
}

void export_gzip_write(struct export_gzip *z, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n > 0) {
		size_t part = n < INPUT_MAX ? n : INPUT_MAX;

		z->z.next_in = at;
		z->z.avail_in = (uInt)part;
		pump(z, Z_NO_FLUSH);
		at += part;
		n -= part;
	}
}

void export_gzip_free(struct export_gzip *z)
{
	if (z == NULL)
		return;
	pump(z, Z_FINISH);
	(void)deflateEnd(&z->z);
	free(z);
}
