/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terminal plot. */
#include "config.h"

#include "report/report_plot.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/units.h"

#define COLUMNS 60
#define ROWS    15
/* A braille cell is 2 dots wide and 4 high. */
#define DOTS_X (COLUMNS * 2)
#define DOTS_Y (ROWS * 4)

struct cell {
	uint8_t dots; /* braille pattern */
	char letter;  /* a knee, or without UTF-8 an arm's trial; 0: none */
	bool is_knee;
	uint8_t arm; /* whose color */
};

struct plot {
	const struct run *run;
	const struct analysis *a;
	const struct report_options *o;
	double x0, x1, y0, y1; /* pps at the edges */
	struct cell cells[ROWS][COLUMNS];
};

static bool is_shown(const struct trial *t)
{
	/* A confirmation's trials are not the sweep's, nor are all its arms. */
	return t->valid && t->spec.phase == 0 && isfinite(t->window_pps) &&
	       t->spec.rate_pps > 0 &&
	       (t->spec.kind == TRIAL_GRID || t->spec.kind == TRIAL_LADDER);
}

static void stretch(double v, double *lo, double *hi)
{
	*lo = fmin(*lo, v);
	*hi = fmax(*hi, v);
}

/* False when there is nothing to span. */
static bool range_find(struct plot *p)
{
	double margin;
	size_t i, n = 0;

	p->x0 = p->y0 = (double)INFINITY;
	p->x1 = p->y1 = -(double)INFINITY;
	for (i = 0; i < p->run->n_trials; i++) {
		const struct trial *t = &p->run->trials[i];

		if (!is_shown(t))
			continue;
		stretch(t->spec.rate_pps, &p->x0, &p->x1);
		stretch(t->window_pps, &p->y0, &p->y1);
		n++;
	}
	if (n < 2 || !(p->x1 > p->x0))
		return false;
	/* A flat line is drawn in the middle, not stretched over the plot. */
	margin = fmax(0.04 * (p->y1 - p->y0), 0.02 * p->y1);
	p->y0 = fmax(0, p->y0 - margin);
	p->y1 += margin;
	return p->y1 > p->y0;
}

/* 0..n-1, or -1 outside. */
static int place(double v, double lo, double hi, int n)
{
	double at = floor((v - lo) / (hi - lo) * (double)n);

	if (v > hi || v < lo || !isfinite(at))
		return -1;
	return at >= n ? n - 1 : (int)at;
}

static void trial_mark(struct plot *p, const struct trial *t)
{
	/* Bits of the braille pattern by column and row from the top. */
	static const uint8_t bits[2][4] = { { 0x01, 0x02, 0x04, 0x40 },
		{ 0x08, 0x10, 0x20, 0x80 } };
	int x = place(t->spec.rate_pps, p->x0, p->x1, DOTS_X);
	int y = place(t->window_pps, p->y0, p->y1, DOTS_Y);
	struct cell *c;
	char letter = (char)('a' + t->spec.arm % 26);

	if (x < 0 || y < 0)
		return;
	y = DOTS_Y - 1 - y;
	c = &p->cells[y / 4][x / 2];
	c->dots |= bits[x % 2][y % 4];
	/* Where arms meet. */
	c->letter = c->letter == 0 || c->letter == letter ? letter : '*';
	c->arm = (uint8_t)t->spec.arm;
}

static void knee_mark(struct plot *p, size_t arm)
{
	double knee = p->a->arms[arm].knee_pps;
	int x = place(knee, p->x0, p->x1, COLUMNS);
	int y = place(knee, p->y0, p->y1, ROWS);
	struct cell *c;

	if (!isfinite(knee) || x < 0 || y < 0)
		return;
	c = &p->cells[ROWS - 1 - y][x];
	/* Knees in the same cell: the arm to compare steps aside. */
	while (c->is_knee && x + 1 < COLUMNS)
		c = &p->cells[ROWS - 1 - y][++x];
	c->letter = (char)('A' + arm % 26);
	c->is_knee = true;
	c->arm = (uint8_t)arm;
}

const char *report_plot_color(const struct report_options *o, size_t arm)
{
	static const char *const colors[] = { "\033[36m", "\033[33m", "\033[35m",
		"\033[32m" };

	return o->color ? colors[arm % 4] : "";
}

const char *report_plot_color_end(const struct report_options *o)
{
	return o->color ? "\033[0m" : "";
}

static void cell_print(FILE *f, const struct plot *p, const struct cell *c)
{
	const char *on = report_plot_color(p->o, c->arm);
	const char *end = report_plot_color_end(p->o);

	if (c->is_knee || (c->letter != 0 && !p->o->utf8))
		(void)fprintf(f, "%s%c%s", on, c->letter, end);
	else if (c->dots != 0)
		/* U+2800 + dots, in UTF-8 */
		(void)fprintf(f, "%s\xe2%c%c%s", on, 0xa0 | c->dots >> 6,
			0x80 | (c->dots & 0x3f), end);
	else
		(void)fputc(' ', f);
}

static void row_print(FILE *f, const struct plot *p, int row)
{
	double middle = p->y1 - (row + 0.5) * (p->y1 - p->y0) / ROWS;
	char label[32] = "";
	int x, last = COLUMNS - 1;

	if (row == 0 || row == ROWS / 2 || row == ROWS - 1)
		(void)units_pps_format(label, sizeof(label), middle);
	(void)fprintf(f, "%12s %s", label, p->o->utf8 ? "\xe2\x94\x82" : "|");
	while (last >= 0 && p->cells[row][last].dots == 0 &&
		!p->cells[row][last].is_knee)
		last--;
	for (x = 0; x <= last; x++)
		cell_print(f, p, &p->cells[row][x]);
	(void)fputc('\n', f);
}

static void axis_print(FILE *f, const struct plot *p)
{
	char left[32], right[32];
	int x;

	(void)fprintf(f, "%12s %s", "", p->o->utf8 ? "\xe2\x94\x94" : "+");
	for (x = 0; x < COLUMNS; x++)
		(void)fputs(p->o->utf8 ? "\xe2\x94\x80" : "-", f);
	(void)units_pps_format(left, sizeof(left), p->x0);
	(void)units_pps_format(right, sizeof(right), p->x1);
	(void)fprintf(f, "\n%14s%-12s%*s\n", "", left, COLUMNS - 12, right);
}

static void legend_print(FILE *f, const struct plot *p)
{
	char knee[32];
	size_t i;

	for (i = 0; i < p->a->n_arms; i++) {
		const struct analysis_arm *arm = &p->a->arms[i];

		(void)fprintf(f, "%14s%s", "", report_plot_color(p->o, i));
		if (!p->o->utf8)
			(void)fprintf(f, "%c ", (char)('a' + i % 26));
		(void)fprintf(f, "%s%s", arm->name, report_plot_color_end(p->o));
		if (isfinite(arm->knee_pps))
			(void)fprintf(f, ", knee %c at %s", (char)('A' + i % 26),
				units_pps_format(knee, sizeof(knee), arm->knee_pps));
		(void)fputc('\n', f);
	}
}

void report_plot(FILE *f, const struct run *run, const struct analysis *a,
	const struct report_options *o)
{
	struct plot p = { .run = run, .a = a, .o = o };
	size_t i;
	int row;

	if (!range_find(&p))
		return;
	for (i = 0; i < run->n_trials; i++)
		if (is_shown(&run->trials[i]))
			trial_mark(&p, &run->trials[i]);
	for (i = 0; i < a->n_arms; i++)
		knee_mark(&p, i);
	(void)fprintf(f, "Goodput over scheduled rate\n");
	for (row = 0; row < ROWS; row++)
		row_print(f, &p, row);
	axis_print(f, &p);
	legend_print(f, &p);
	(void)fputc('\n', f);
}
