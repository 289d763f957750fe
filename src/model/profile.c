/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Profiles: interned rows behind small hash tables. A table holds row numbers
 * only; the rows themselves stay plain arrays that anyone may read.
 */
#include "config.h"

#include "model/profile.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Open addressing, linear probing, at most half full; a slot is row + 1, 0: free. */
struct table {
	uint32_t *slots;
	size_t n_slots; /* 0 or a power of two */
	size_t n_used;
};

enum row_kind { ROW_MODULE, ROW_SYMBOL, ROW_FRAME, ROW_NODE, ROW_THREAD, ROW_CELL };
#define N_ROW_KINDS 6

struct profile_index {
	struct table tables[N_ROW_KINDS];
};

/* The fields by which a row is found; which count depends on the kind. */
struct row_key {
	enum row_kind kind;
	uint64_t num[3];
	const char *text[2];
};

/* FNV-1a over one field; the table's mask takes low bits, so mix at the end. */
static uint64_t hash_bytes(uint64_t h, const void *data, size_t len)
{
	const unsigned char *b = data;
	size_t i;

	for (i = 0; i < len; i++)
		h = (h ^ b[i]) * UINT64_C(0x100000001b3);
	return h;
}

static uint64_t row_key_hash(const struct row_key *k)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);
	size_t i;

	h = hash_bytes(h, k->num, sizeof(k->num));
	for (i = 0; i < 2; i++)
		if (k->text[i] != NULL)
			h = hash_bytes(h, k->text[i], strlen(k->text[i]) + 1);
	return h ^ (h >> 32);
}

static uint64_t pair(uint32_t hi, uint32_t lo)
{
	return (uint64_t)hi << 32 | lo;
}

static struct row_key row_key_of(
	const struct profile *p, enum row_kind kind, size_t row)
{
	struct row_key k = { .kind = kind };

	switch (kind) {
	case ROW_MODULE:
		k.num[0] = p->modules[row].kind;
		k.text[0] = p->modules[row].path;
		k.text[1] = p->modules[row].build_id;
		break;
	case ROW_SYMBOL:
		k.text[0] = p->symbols[row].name;
		break;
	case ROW_FRAME:
		k.num[0] = p->frames[row].module;
		k.num[1] = p->frames[row].offset;
		if (p->frames[row].is_named)
			k.num[2] = p->frames[row].symbol + UINT64_C(1);
		break;
	case ROW_NODE:
		k.num[0] = pair(p->nodes[row].parent, p->nodes[row].frame);
		break;
	case ROW_THREAD:
		k.num[0] = pair(
			(uint32_t)p->threads[row].pid, (uint32_t)p->threads[row].tid);
		k.text[0] = p->threads[row].comm;
		break;
	case ROW_CELL:
		k.num[0] = pair(p->cells[row].trial, p->cells[row].node);
		k.num[1] = pair(p->cells[row].thread, (uint32_t)p->cells[row].cpu);
		k.num[2] = p->cells[row].event;
		break;
	}
	return k;
}

static bool row_key_equal(const struct row_key *a, const struct row_key *b)
{
	size_t i;

	if (memcmp(a->num, b->num, sizeof(a->num)) != 0)
		return false;
	for (i = 0; i < 2; i++)
		if (a->text[i] != NULL && strcmp(a->text[i], b->text[i]) != 0)
			return false;
	return true;
}

/* The slot of the row with this key, or the free slot where it belongs. */
static uint32_t *table_slot(
	const struct profile *p, const struct table *t, const struct row_key *k)
{
	size_t mask = t->n_slots - 1, i = row_key_hash(k) & mask;

	while (t->slots[i] != 0) {
		struct row_key have = row_key_of(p, k->kind, t->slots[i] - 1);

		if (row_key_equal(k, &have))
			break;
		i = (i + 1) & mask;
	}
	return &t->slots[i];
}

static void table_double(const struct profile *p, struct table *t, enum row_kind kind)
{
	struct table bigger = { .n_slots = t->n_slots == 0 ? 64 : t->n_slots * 2 };
	size_t i;

	bigger.slots = xcalloc(bigger.n_slots, sizeof(*bigger.slots));
	for (i = 0; i < t->n_slots; i++) {
		struct row_key k;

		if (t->slots[i] == 0)
			continue;
		k = row_key_of(p, kind, t->slots[i] - 1);
		*table_slot(p, &bigger, &k) = t->slots[i];
	}
	bigger.n_used = t->n_used;
	free(t->slots);
	*t = bigger;
}

/*
 * True when the row is there; else the caller appends it as row number n_rows,
 * under which it is entered here.
 */
static bool row_intern(
	struct profile *p, const struct row_key *k, size_t n_rows, uint32_t *ret_row)
{
	struct table *t = &p->index->tables[k->kind];
	uint32_t *slot;

	if (2 * (t->n_used + 1) > t->n_slots)
		table_double(p, t, k->kind);
	slot = table_slot(p, t, k);
	if (*slot != 0) {
		*ret_row = *slot - 1;
		return true;
	}
	assert(n_rows < PROFILE_NO_SYMBOL - 1);
	*slot = (uint32_t)n_rows + 1;
	t->n_used++;
	*ret_row = (uint32_t)n_rows;
	return false;
}

struct profile *profile_new(void)
{
	struct profile *p = xcalloc(1, sizeof(*p));

	p->index = xcalloc(1, sizeof(*p->index));
	p->nodes = xgrow(p->nodes, 0, &p->cap_nodes, sizeof(*p->nodes));
	p->nodes[0].frame = UINT32_MAX;
	p->n_nodes = 1;
	return p;
}

void profile_free(struct profile *p)
{
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < p->n_modules; i++) {
		free(p->modules[i].path);
		free(p->modules[i].build_id);
	}
	for (i = 0; i < p->n_symbols; i++)
		free(p->symbols[i].name);
	for (i = 0; i < N_ROW_KINDS; i++)
		free(p->index->tables[i].slots);
	free(p->index);
	free(p->modules);
	free(p->symbols);
	free(p->frames);
	free(p->nodes);
	free(p->threads);
	free(p->cells);
	free(p);
}

uint32_t profile_module_intern(struct profile *p, enum module_kind kind,
	const char *path, const char *build_id)
{
	struct row_key k = {
		.kind = ROW_MODULE, .num = { kind }, .text = { path, build_id }
	};
	struct profile_module *m;
	uint32_t row;

	if (row_intern(p, &k, p->n_modules, &row))
		return row;
	p->modules = xgrow(p->modules, p->n_modules, &p->cap_modules, sizeof(*m));
	m = &p->modules[p->n_modules++];
	m->kind = kind;
	m->path = xstrdup(path);
	m->build_id = xstrdup(build_id);
	return row;
}

uint32_t profile_symbol_intern(struct profile *p, const char *name)
{
	struct row_key k = { .kind = ROW_SYMBOL, .text = { name } };
	uint32_t row;

	if (row_intern(p, &k, p->n_symbols, &row))
		return row;
	p->symbols =
		xgrow(p->symbols, p->n_symbols, &p->cap_symbols, sizeof(*p->symbols));
	p->symbols[p->n_symbols++].name = xstrdup(name);
	return row;
}

/* The key has to be that of the frame. */
static uint32_t frame_intern(
	struct profile *p, const struct row_key *k, const struct profile_frame *frame)
{
	uint32_t row;

	assert(frame->module < p->n_modules);
	if (row_intern(p, k, p->n_frames, &row))
		return row;
	p->frames = xgrow(p->frames, p->n_frames, &p->cap_frames, sizeof(*frame));
	p->frames[p->n_frames++] = *frame;
	return row;
}

uint32_t profile_frame_intern(struct profile *p, uint32_t module, uint64_t offset)
{
	struct profile_frame f = {
		.module = module, .symbol = PROFILE_NO_SYMBOL, .offset = offset
	};
	struct row_key k = { .kind = ROW_FRAME, .num = { module, offset } };

	return frame_intern(p, &k, &f);
}

uint32_t profile_frame_named_intern(
	struct profile *p, uint32_t module, uint32_t symbol, uint64_t offset)
{
	struct profile_frame f = {
		.module = module, .symbol = symbol, .is_named = true, .offset = offset
	};
	struct row_key k = { .kind = ROW_FRAME,
		.num = { module, offset, symbol + UINT64_C(1) } };

	assert(symbol < p->n_symbols);
	return frame_intern(p, &k, &f);
}

uint32_t profile_node_intern(struct profile *p, uint32_t parent, uint32_t frame)
{
	struct row_key k = { .kind = ROW_NODE, .num = { pair(parent, frame) } };
	uint32_t row;

	assert(parent < p->n_nodes && frame < p->n_frames);
	if (row_intern(p, &k, p->n_nodes, &row))
		return row;
	p->nodes = xgrow(p->nodes, p->n_nodes, &p->cap_nodes, sizeof(*p->nodes));
	p->nodes[p->n_nodes].parent = parent;
	p->nodes[p->n_nodes++].frame = frame;
	return row;
}

uint32_t profile_thread_intern(
	struct profile *p, int32_t pid, int32_t tid, const char *comm)
{
	struct profile_thread new = { .pid = pid, .tid = tid };
	struct row_key k = { .kind = ROW_THREAD,
		.num = { pair((uint32_t)pid, (uint32_t)tid) },
		.text = { new.comm } };
	uint32_t row;

	(void)snprintf(new.comm, sizeof(new.comm), "%s", comm); /* the kernel's 15 */
	if (row_intern(p, &k, p->n_threads, &row))
		return row;
	p->threads = xgrow(p->threads, p->n_threads, &p->cap_threads, sizeof(new));
	p->threads[p->n_threads++] = new;
	return row;
}

void profile_cell_add(struct profile *p, const struct profile_cell *cell)
{
	struct row_key k = { .kind = ROW_CELL,
		.num = { pair(cell->trial, cell->node),
			pair(cell->thread, (uint32_t)cell->cpu), cell->event } };
	uint32_t row;

	assert(cell->node < p->n_nodes && cell->thread < p->n_threads);
	if (row_intern(p, &k, p->n_cells, &row)) {
		p->cells[row].n_samples += cell->n_samples;
		p->cells[row].weight += cell->weight;
		return;
	}
	p->cells = xgrow(p->cells, p->n_cells, &p->cap_cells, sizeof(*p->cells));
	p->cells[p->n_cells++] = *cell;
}
