/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile: samples aggregated by call path, in full, so that later analyses
 * can ask anything. Frames are identified by (module, file offset); names are
 * resolved late and once per unique frame. Paths are an interned tree: a node is
 * (parent node, frame), node 0 is the root. Plain data owned by the profile.
 */
#ifndef SATPROF_MODEL_PROFILE_H
#define SATPROF_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROFILE_NO_SYMBOL UINT32_MAX

enum module_kind { MODULE_USER, MODULE_KERNEL, MODULE_UNKNOWN };

struct profile_module {
	enum module_kind kind;
	char *path;     /* "/usr/bin/x", "[kernel.kallsyms]", "[veth]", "[unknown]" */
	char *build_id; /* lower-case hex, "" when there is none */
};

struct profile_symbol {
	char *name; /* function, or "[unknown]" */
};

struct profile_frame {
	uint32_t module;
	uint32_t symbol; /* index, or PROFILE_NO_SYMBOL before resolving */
	/* Named by where it came from (an import), which gave no address, or one that
	 * says nothing: then the symbol, not the offset alone, tells frames apart. */
	bool is_named;
	uint64_t offset; /* file offset; kernel: the address as kallsyms counts */
};

struct profile_node {
	uint32_t parent;
	uint32_t frame;
};

/* One aggregated cell: samples of one event, leaf path, thread and CPU in a trial. */
struct profile_cell {
	uint32_t trial;
	uint32_t event;  /* index into the run's events, whose unit the weight has */
	uint32_t node;   /* leaf */
	uint32_t thread; /* index into threads */
	int32_t cpu;
	uint64_t n_samples;
	uint64_t weight; /* sum of periods, in the event's unit */
};

struct profile_thread {
	int32_t pid;
	int32_t tid;
	char comm[16];
};

struct profile {
	size_t n_modules, cap_modules;
	struct profile_module *modules;
	size_t n_symbols, cap_symbols;
	struct profile_symbol *symbols;
	size_t n_frames, cap_frames;
	struct profile_frame *frames;
	size_t n_nodes, cap_nodes;
	struct profile_node *nodes; /* nodes[0] is the root; parent < index */
	size_t n_threads, cap_threads;
	struct profile_thread *threads;
	size_t n_cells, cap_cells;
	struct profile_cell *cells;
	struct profile_index *index; /* hash tables for interning; private */
};

struct profile *profile_new(void);
void profile_free(struct profile *p);

/* Each returns the index of the existing or added row; strings are copied. */
uint32_t profile_module_intern(struct profile *p, enum module_kind kind,
	const char *path, const char *build_id);
uint32_t profile_symbol_intern(struct profile *p, const char *name);
uint32_t profile_frame_intern(struct profile *p, uint32_t module, uint64_t offset);
/* A frame that is_named. */
uint32_t profile_frame_named_intern(
	struct profile *p, uint32_t module, uint32_t symbol, uint64_t offset);
uint32_t profile_node_intern(struct profile *p, uint32_t parent, uint32_t frame);
uint32_t profile_thread_intern(
	struct profile *p, int32_t pid, int32_t tid, const char *comm);
/* Adds to the cell with the same trial, event, node, thread and cpu. */
void profile_cell_add(struct profile *p, const struct profile_cell *cell);

#endif
