/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Protocol buffers' wire format, as far as a writer needs it
 * (https://protobuf.dev/programming-guides/encoding/): one message in memory, and a
 * gzip stream that messages go into. Private to export*.c.
 */
#ifndef SATPROF_CODEC_EXPORT_WIRE_H
#define SATPROF_CODEC_EXPORT_WIRE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A message being made; zeroed it is empty. The bytes are its own. */
struct export_wire {
	uint8_t *bytes;
	size_t n, cap;
};

void export_wire_clear(struct export_wire *w);
void export_wire_done(struct export_wire *w);
/* A bare varint, as in a packed field. */
void export_wire_varint(struct export_wire *w, uint64_t v);
/* A field of a number; 0, which a reader takes for absent, is not written. */
void export_wire_number(struct export_wire *w, unsigned field, uint64_t v);
/* What stands before a field of n bytes, which are to follow. */
void export_wire_head(struct export_wire *w, unsigned field, size_t n);
/* A field of bytes: a string, a packed list, or another message; also an empty one. */
void export_wire_bytes(
	struct export_wire *w, unsigned field, const void *bytes, size_t n);

struct export_gzip;

/* Writes to f, which stays the caller's. Without a time or a name in its head, so that
 * the same input gives the same bytes. */
struct export_gzip *export_gzip_new(FILE *f);
void export_gzip_write(struct export_gzip *z, const void *bytes, size_t n);
/* Ends the stream and frees z; whether it all was written f knows. */
void export_gzip_free(struct export_gzip *z);

#endif
