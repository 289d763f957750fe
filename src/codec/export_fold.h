/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile by the names of its functions: frames of one function, which differ in the
 * address, become one, and so do call paths and the cells on them. For the formats that
 * have no addresses. Private to export*.c.
 */
#ifndef SATPROF_CODEC_EXPORT_FOLD_H
#define SATPROF_CODEC_EXPORT_FOLD_H

#include "codec/export.h"

struct export_fold {
	/* A cell's trial is its group, its thread one a name, its CPU -1, its event 0.
	 * A frame's symbol is its label. */
	struct profile *profile;
	/* The cells' indices by group, within one as first met; groups i: first[i] up
	 * to first[i + 1]. */
	size_t n_groups;
	size_t *order, *first;
};

struct export_fold_cfg {
	/* A group for each of the run's trials; NULL: all are group 0. */
	const uint32_t *groups;
	size_t n_groups;
	/* What a frame of the run's profile is called; fold frees it. */
	char *(*label)(const struct profile *p, uint32_t frame);
	bool by_module; /* functions of one name in two modules stay two */
};

void export_fold_make(const struct export_input *in, const struct export_fold_cfg *cfg,
	struct export_fold *ret);
void export_fold_done(struct export_fold *f);

/* A path's frames, the outermost first; *frames grows as is needed. Returns how many.
 */
size_t export_fold_path(
	const struct profile *p, uint32_t node, uint32_t **frames, size_t *cap);

#endif
