/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the sharp and the rounded fit share. */
#ifndef SATPROF_STAT_HINGE_PRIVATE_H
#define SATPROF_STAT_HINGE_PRIVATE_H

#include "stat/hinge.h"

/* Usable points by ascending rate. */
struct hinge_points {
	size_t n;
	double *rate, *goodput;
	double loss_max_frac; /* what the background loss can be; for the caller to set
			       */
};

struct hinge_points hinge_points_usable(const struct hinge_point *points, size_t n);
void hinge_points_done(struct hinge_points *p);

/* The fit with a sharp corner: kinds and bounds. */
void hinge_fit_sharp(const struct hinge_points *p, struct hinge_fit *ret_fit);

#endif
