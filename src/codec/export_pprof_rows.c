/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pprof's locations, functions and mappings. */
#include "config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "codec/export_pprof.h"
#include "codec/export_private.h"

static void function_emit(struct pprof *w, uint64_t id, uint32_t string)
{
	export_wire_number(&w->msg, FUNCTION_ID, id);
	export_wire_number(&w->msg, FUNCTION_NAME, string);
	export_wire_number(&w->msg, FUNCTION_SYSTEM_NAME, string);
	export_pprof_emit(w, PROFILE_FUNCTION);
}

static void line_add(struct pprof *w, uint64_t function)
{
	export_wire_clear(&w->part);
	export_wire_number(&w->part, LINE_FUNCTION, function);
	export_wire_bytes(&w->msg, LOCATION_LINE, w->part.bytes, w->part.n);
}

static void module_use(struct pprof_module *m, uint64_t address, bool is_named)
{
	m->is_used = true;
	m->is_unnamed |= !is_named;
	if (address >= m->limit)
		m->limit = address < UINT64_MAX ? address + 1 : address;
}

/* A location, and its function where that is new. */
static void location_emit(struct pprof *w, uint32_t frame)
{
	const struct profile *p = w->profile;
	const struct profile_frame *f = &p->frames[frame];
	bool is_named =
		f->symbol < p->n_symbols && p->symbols[f->symbol].name[0] != '\0';

	if (is_named && w->symbol_strings[f->symbol] == 0) {
		w->symbol_strings[f->symbol] =
			export_pprof_string(w, p->symbols[f->symbol].name);
		function_emit(w, (uint64_t)f->symbol + 1, w->symbol_strings[f->symbol]);
	}
	export_wire_number(&w->msg, LOCATION_ID, (uint64_t)frame + 1);
	if (f->module < p->n_modules) {
		export_wire_number(&w->msg, LOCATION_MAPPING, (uint64_t)f->module + 1);
		module_use(&w->modules[f->module], f->offset, is_named);
	}
	export_wire_number(&w->msg, LOCATION_ADDRESS, f->offset);
	if (is_named)
		line_add(w, (uint64_t)f->symbol + 1);
	export_pprof_emit(w, PROFILE_LOCATION);
}

void export_pprof_locations(struct pprof *w)
{
	const struct profile *p = w->profile;
	uint32_t i;

	for (i = 0; i < p->n_frames; i++)
		if (w->frame_used[i])
			location_emit(w, i);
	if (!w->is_rootless)
		return;
	function_emit(w, p->n_symbols + 1, export_pprof_string(w, "[unknown]"));
	export_wire_number(&w->msg, LOCATION_ID, p->n_frames + 1);
	line_add(w, p->n_symbols + 1);
	export_pprof_emit(w, PROFILE_LOCATION);
}

static void mapping_emit(struct pprof *w, size_t module)
{
	const struct profile_module *m = &w->profile->modules[module];

	export_wire_number(&w->msg, MAPPING_ID, module + 1);
	export_wire_number(&w->msg, MAPPING_LIMIT, w->modules[module].limit);
	export_wire_number(&w->msg, MAPPING_FILENAME, export_pprof_string(w, m->path));
	if (m->build_id[0] != '\0')
		export_wire_number(
			&w->msg, MAPPING_BUILD_ID, export_pprof_string(w, m->build_id));
	/* Else a reader names what is left by the file itself. */
	export_wire_number(
		&w->msg, MAPPING_HAS_FUNCTIONS, w->modules[module].is_unnamed ? 0 : 1);
	export_pprof_emit(w, PROFILE_MAPPING);
}

/* The heaviest module of a program comes first: readers take it for the program. */
static size_t main_module(const struct pprof *w)
{
	const struct profile *p = w->profile;
	uint64_t *weights = xcalloc(p->n_modules + 1, sizeof(*weights));
	struct export_trials trials = { .in = w->in };
	size_t i, best = p->n_modules;

	for (i = 0; i < p->n_cells; i++) {
		const struct profile_cell *c = &p->cells[i];
		uint32_t module;

		if (export_cell_trial(&trials, c) == SIZE_MAX || c->node == 0)
			continue;
		module = p->frames[p->nodes[c->node].frame].module;
		if (module < p->n_modules)
			weights[module] += c->weight;
	}
	for (i = 0; i < p->n_modules; i++)
		if (w->modules[i].is_used && p->modules[i].kind == MODULE_USER &&
			(best == p->n_modules || weights[i] > weights[best]))
			best = i;
	free(weights);
	return best;
}

void export_pprof_mappings(struct pprof *w)
{
	size_t i, first = main_module(w);

	if (first < w->profile->n_modules)
		mapping_emit(w, first);
	for (i = 0; i < w->profile->n_modules; i++)
		if (i != first && w->modules[i].is_used)
			mapping_emit(w, i);
}
