/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The capacity knee of one sweep: a hinge fitted to goodput over scheduled rate.
 *   rate r < x:  goodput = (1 - b) r
 *   rate r >= x: goodput = (1 - b) x + s (r - x)
 * x is searched on a grid of 0.1 % between the lowest and the highest rate and then
 * refined; s (negative: congestion collapse) and b are least squares at each x. The
 * knee is the goodput at the kink, (1 - b) x: the capacity, whichever side of the
 * bottleneck loses the background fraction b.
 *
 * Why b: below the knee goodput is the rate but for a background loss. With b fixed
 * at 0 a loss of 1 % pulls a point near the knee to the wrong side and the knee
 * wanders by 0.5 % even without noise; with b it stays. b is bounded, to keep one bad
 * trial at a low rate from moving the knee: by 1 %, or where the two lowest rates lose
 * alike, to 1 % and what chance does to medians, and at most 10 %, by that and 1 %.
 *
 * A knee can be rounded: goodput then is (1 - b) r - (1 - b - s) a ln(1 + e^((r - x) /
 * a)), the stretched loss of PLRsearch. A hinge through it lies too low (2 % for a
 * width a of 5 % of the knee). Five points do not tell a width, nor one noisy sweep a
 * loss, so both are taken from all sweeps of a run together: struct hinge_shape. It is
 * one for all arms, so that a shift is not moved by the choice.
 *
 * The hinge is compared by BIC, n ln(SSE / n) + k ln n (Schwarz 1978; k = 3), with
 * a straight line (k = 2); a gain of 2, "positive" after Raftery 1995, is a win.
 * The residual sd is floored at 0.1 % of the mean rate, what the edges of a window
 * cost anyway, so that a planted limit met exactly gives no infinite evidence. A
 * kink that keeps more than 3/4 of the slope is no saturation. On a diagonal with
 * noise of 0.1 to 2 % these rules name an exact knee in under 1.5 % of sweeps; BIC
 * alone does in 4 to 10 %.
 *
 * Pure: arrays in, struct out; the source of the rules is design section 2.
 */
#ifndef SATPROF_STAT_HINGE_H
#define SATPROF_STAT_HINGE_H

#include <stdbool.h>
#include <stddef.h>

struct hinge_point {
	double rate_pps;    /* scheduled, > 0 */
	double goodput_pps; /* >= 0 */
	bool is_usable;     /* false: left out (generator-limited, not valid) */
};

enum hinge_kind {
	HINGE_INVALID,   /* neither a kink nor a bound can be told */
	HINGE_EXACT,     /* >= 2 points on each side, and the hinge wins */
	HINGE_ABOVE_MAX, /* goodput follows the rate: the knee is above lo_pps */
	HINGE_BELOW_MIN, /* goodput hardly follows the rate: it is below hi_pps */
};

/* A field that the kind does not define is NAN. */
struct hinge_fit {
	enum hinge_kind kind;
	double knee_pps; /* EXACT only */
	double lo_pps;   /* ABOVE_MAX only: the highest goodput seen */
	/* BELOW_MIN only: the second lowest rate, or the highest goodput seen if
	 * that is more; the knee lies under it since fewer than 2 points do. */
	double hi_pps;
	double center_pps;       /* best guess for the next grid, also without a knee */
	double slope_above;      /* s; EXACT only */
	double loss_frac;        /* b; EXACT only */
	double softness_frac;    /* a / x; EXACT only, 0: sharp */
	double residual_frac;    /* root mean square residual / knee; EXACT only */
	double line_slope;       /* of the straight line; with >= 2 usable points */
	double bic_gain;         /* BIC(line) - BIC(hinge); with >= 4 usable points */
	size_t n_used;           /* usable points */
	size_t n_below, n_above; /* of the best hinge */
};

/* What sweeps of one SUT have in common. */
struct hinge_shape {
	double loss_max_frac; /* the bound of b */
	double softness_frac; /* a / x; 0: sharp */
	/* Widths that fit hardly worse: where their sum of squares says so with a
	 * chance of less than 5 % (F with 1 degree). Both 0 for a knee that is sharp
	 * beyond doubt; only the upper one is not where a rounded one is likely, at
	 * 90 %, but not proved. */
	double softness_lo_frac, softness_hi_frac;
};

/* The points of one sweep, borrowed. */
struct hinge_sweep {
	const struct hinge_point *points;
	size_t n;
};

/*
 * The losses are medians over the sweeps. The width is what fits the sweeps with an
 * exact knee best, relative to their knees; sharp unless F, with 1 degree for the
 * width, says otherwise at 99.5 %, and with less than four sweeps of five points.
 */
void hinge_shape_make(
	const struct hinge_sweep *sweeps, size_t n, struct hinge_shape *ret_shape);

/* Points in any order; a sharp knee, the bound of the loss by these points alone. */
void hinge_fit(const struct hinge_point *points, size_t n, struct hinge_fit *ret_fit);

/* The same with the shape given. The kind is that of the sharp fit: a rounded knee is
 * looked for near it. */
void hinge_fit_shaped(const struct hinge_point *points, size_t n,
	const struct hinge_shape *shape, struct hinge_fit *ret_fit);

/* What an exact fit says of the goodput at a rate. */
double hinge_goodput(const struct hinge_fit *fit, double rate_pps);

/* "exact", "above-max", "below-min" (the words of "bound") or "invalid". */
const char *hinge_kind_name(enum hinge_kind kind);

#endif
