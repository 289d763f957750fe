/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A plot for terminals: goodput over scheduled rate, one mark a valid trial, and
 * each arm's knee as its capital letter. Braille dots with UTF-8, letters without.
 */
#ifndef SATPROF_REPORT_REPORT_PLOT_H
#define SATPROF_REPORT_REPORT_PLOT_H

#include <stdio.h>

#include "model/run.h"
#include "plan/analysis.h"
#include "report/report.h"

/* Nothing where fewer than two valid trials have a rate. Errors stay in f. */
void report_plot(FILE *f, const struct run *run, const struct analysis *a,
	const struct report_options *o);

/* The escape that colors arm i, and the one that ends it; "" without color. */
const char *report_plot_color(const struct report_options *o, size_t arm);
const char *report_plot_color_end(const struct report_options *o);

#endif
