/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write protocol buffers' wire format. */
#include "config.h"

#include "codec/export_wire.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Wire types. */
#define WIRE_VARINT 0u
#define WIRE_BYTES  2u

void export_wire_clear(struct export_wire *w)
{
	w->n = 0;
}

void export_wire_done(struct export_wire *w)
{
	free(w->bytes);
	*w = (struct export_wire){ .n = 0 };
}

static void byte_add(struct export_wire *w, unsigned b)
{
	w->bytes = xgrow(w->bytes, w->n, &w->cap, 1);
	w->bytes[w->n++] = (uint8_t)b;
}

/* Seven bits a byte, the lowest first; the top bit says that there are more. */
void export_wire_varint(struct export_wire *w, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		byte_add(w, (unsigned)(v & 0x7f) | 0x80u);
	byte_add(w, (unsigned)v);
}

void export_wire_number(struct export_wire *w, unsigned field, uint64_t v)
{
	if (v == 0)
		return;
	export_wire_varint(w, (uint64_t)field << 3 | WIRE_VARINT);
	export_wire_varint(w, v);
}

void export_wire_head(struct export_wire *w, unsigned field, size_t n)
{
	export_wire_varint(w, (uint64_t)field << 3 | WIRE_BYTES);
	export_wire_varint(w, n);
}

void export_wire_bytes(
	struct export_wire *w, unsigned field, const void *bytes, size_t n)
{
	export_wire_head(w, field, n);
	if (w->cap - w->n < n) {
		w->cap = 2 * (w->n + n);
		w->bytes = xreallocarray(w->bytes, w->cap, 1);
	}
	if (n > 0)
		memcpy(w->bytes + w->n, bytes, n);
	w->n += n;
}
