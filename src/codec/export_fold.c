/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fold a profile by the names of its functions. */
#include "config.h"

#include "codec/export_fold.h"

#include <stdlib.h>

#include "base/mem.h"
#include "codec/export_private.h"

struct folder {
	const struct profile *from;
	const struct export_fold_cfg *cfg;
	struct profile *to;
	/* Of each frame, node and thread of from its row in to, plus one; 0: not yet.
	 */
	uint32_t *frames, *nodes, *threads;
};

static uint32_t frame_fold(struct folder *f, uint32_t frame)
{
	const struct profile *p = f->from;
	const char *path = "", *build_id = "";
	char *label;
	uint32_t module, symbol;

	if (f->frames[frame] > 0)
		return f->frames[frame] - 1;
	if (f->cfg->by_module && p->frames[frame].module < p->n_modules) {
		path = p->modules[p->frames[frame].module].path;
		build_id = p->modules[p->frames[frame].module].build_id;
	}
	label = f->cfg->label(p, frame);
	module = profile_module_intern(f->to, MODULE_UNKNOWN, path, build_id);
	symbol = profile_symbol_intern(f->to, label);
	f->frames[frame] = profile_frame_named_intern(f->to, module, symbol, 0) + 1;
	free(label);
	return f->frames[frame] - 1;
}

/* All nodes from the root down to this one; parents have the lower numbers. */
static uint32_t node_fold(struct folder *f, uint32_t node)
{
	const struct profile *p = f->from;
	uint32_t *todo = NULL, at = node;
	size_t n = 0, cap = 0;

	while (at != 0 && f->nodes[at] == 0) {
		todo = xgrow(todo, n, &cap, sizeof(*todo));
		todo[n++] = at;
		at = p->nodes[at].parent;
	}
	while (n > 0) {
		const struct profile_node *row = &p->nodes[todo[--n]];
		uint32_t parent = row->parent == 0 ? 0 : f->nodes[row->parent] - 1;

		f->nodes[todo[n]] =
			profile_node_intern(f->to, parent, frame_fold(f, row->frame)) +
			1;
	}
	free(todo);
	return node == 0 ? 0 : f->nodes[node] - 1;
}

static uint32_t thread_fold(struct folder *f, uint32_t thread)
{
	if (f->threads[thread] == 0)
		f->threads[thread] = profile_thread_intern(f->to, 0, 0,
					     f->from->threads[thread].comm) +
				     1;
	return f->threads[thread] - 1;
}

static void cells_fold(struct folder *f, const struct export_input *in)
{
	struct export_trials t = { .in = in };
	size_t i;

	for (i = 0; i < f->from->n_cells; i++) {
		struct profile_cell c = f->from->cells[i];
		size_t trial = export_cell_trial(&t, &c);

		if (trial == SIZE_MAX)
			continue;
		c.trial = f->cfg->groups != NULL ? f->cfg->groups[trial] : 0;
		c.event = 0;
		c.cpu = -1;
		c.node = node_fold(f, c.node);
		c.thread = thread_fold(f, c.thread);
		profile_cell_add(f->to, &c);
	}
}

/* Counting sort, which keeps the order within a group. */
static void cells_sort(struct export_fold *f)
{
	const struct profile *p = f->profile;
	size_t *next = xcalloc(f->n_groups + 1, sizeof(*next));
	size_t i;

	f->first = xcalloc(f->n_groups + 1, sizeof(*f->first));
	f->order = xcalloc(p->n_cells + 1, sizeof(*f->order));
	for (i = 0; i < p->n_cells; i++)
		f->first[p->cells[i].trial + 1]++;
	for (i = 0; i < f->n_groups; i++) {
		f->first[i + 1] += f->first[i];
		next[i + 1] = f->first[i + 1];
	}
	for (i = 0; i < p->n_cells; i++)
		f->order[next[p->cells[i].trial]++] = i;
	free(next);
}

void export_fold_make(const struct export_input *in, const struct export_fold_cfg *cfg,
	struct export_fold *ret)
{
	const struct profile *p = in->run->profile;
	struct folder f = { .from = p, .cfg = cfg, .to = profile_new() };

	*ret = (struct export_fold){ .profile = f.to,
		.n_groups = cfg->groups != NULL ? cfg->n_groups : 1 };
	if (p != NULL) {
		f.frames = xcalloc(p->n_frames + 1, sizeof(*f.frames));
		f.nodes = xcalloc(p->n_nodes + 1, sizeof(*f.nodes));
		f.threads = xcalloc(p->n_threads + 1, sizeof(*f.threads));
		cells_fold(&f, in);
	}
	cells_sort(ret);
	free(f.frames);
	free(f.nodes);
	free(f.threads);
}

void export_fold_done(struct export_fold *f)
{
	profile_free(f->profile);
	free(f->order);
	free(f->first);
	*f = (struct export_fold){ .profile = NULL };
}

size_t export_fold_path(
	const struct profile *p, uint32_t node, uint32_t **frames, size_t *cap)
{
	size_t i, n = 0;

	for (; node != 0; node = p->nodes[node].parent) {
		*frames = xgrow(*frames, n, cap, sizeof(**frames));
		(*frames)[n++] = p->nodes[node].frame;
	}
	for (i = 0; i < n / 2; i++) {
		uint32_t other = (*frames)[i];

		(*frames)[i] = (*frames)[n - 1 - i];
		(*frames)[n - 1 - i] = other;
	}
	return n;
}
