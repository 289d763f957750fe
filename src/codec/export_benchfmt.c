/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Go's benchmark format (https://golang.org/design/14313-benchmark-format), so that
 * benchstat can check us: one line an arm and block, as blocks are what repeats. Units
 * say which way is better.
 */
#include "config.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "codec/export_metrics.h"
#include "codec/export_private.h"

/* Its unit there; no blanks. */
static void unit_write(FILE *f, const struct export_metric *m)
{
	switch (m->kind) {
	case METRIC_KNEE:
		(void)fputs("knee-packets/s", f);
		return;
	case METRIC_NDR:
		(void)fputs("ndr-packets/s", f);
		return;
	case METRIC_PDR:
		(void)fputs("pdr-packets/s", f);
		return;
	case METRIC_CPU:
		(void)fputs("cpu-ns/packet", f);
		return;
	case METRIC_LATENCY:
		(void)fprintf(
			f, "p%g-at-%g%%-ns", 100 * m->quantile, 100 * m->load_frac);
		return;
	}
}

/* "key: value"; a value is one line. */
static void config_write(FILE *f, const char *key, const char *value)
{
	char *clean;

	if (value == NULL || value[0] == '\0')
		return;
	clean = clean_line(value, true, 200);
	(void)fprintf(f, "%s: %s\n", key, clean);
	free(clean);
}

static void units_write(FILE *f, const struct export_metrics *all)
{
	size_t i, k;

	for (i = 0; i < all->n; i++) {
		for (k = 0; k < i; k++)
			if (strcmp(all->metrics[k].name, all->metrics[i].name) == 0)
				break;
		if (k < i)
			continue;
		(void)fputs("Unit ", f);
		unit_write(f, &all->metrics[i]);
		(void)fprintf(f, " better=%s assume=nothing\n",
			all->metrics[i].better == EXPORT_HIGHER_IS_BETTER ? "higher"
									  : "lower");
	}
}

/* A name there has no blanks, and what follows its last '-' must not be a number. */
static void arm_write(FILE *f, const char *name)
{
	(void)fputs("BenchmarkSaturation/arm=", f);
	for (; *name != '\0'; name++)
		(void)fputc(
			isgraph((unsigned char)*name) && *name != '-' ? *name : '_', f);
}

static const struct export_metric_block *block_find(
	const struct export_metric *m, uint32_t block)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (m->blocks[i].block == block)
			return &m->blocks[i];
	return NULL;
}

/* All that one arm measured in one block, or in none (block 0: NDR and PDR). */
static void line_write(
	FILE *f, const struct export_metrics *all, uint32_t arm, uint32_t block)
{
	bool begun = false;
	size_t i;

	for (i = 0; i < all->n; i++) {
		const struct export_metric *m = &all->metrics[i];
		const struct export_metric_block *b = block_find(m, block);
		bool is_whole = m->n == 0 && block == 0;

		if (m->arm != arm || (b == NULL && !is_whole))
			continue;
		if (!begun) {
			arm_write(f, m->arm_name);
			(void)fputs(" 1", f);
		}
		begun = true;
		(void)fprintf(f, " %.10g ", is_whole ? m->value : b->value);
		unit_write(f, m);
	}
	if (begun)
		(void)fputc('\n', f);
}

static uint32_t last_block(const struct export_metrics *all)
{
	uint32_t last = 0;
	size_t i, k;

	for (i = 0; i < all->n; i++)
		for (k = 0; k < all->metrics[i].n; k++)
			if (all->metrics[i].blocks[k].block > last)
				last = all->metrics[i].blocks[k].block;
	return last;
}

static int benchfmt_write(FILE *f, const struct export_input *in, struct sp_err *err)
{
	struct export_metrics all;
	uint32_t arm, block, n_blocks;
	int rc = export_metrics_make(in, &all, err);

	if (rc != 0)
		return rc;
	n_blocks = last_block(&all);
	config_write(f, "satprof", in->run->version);
	config_write(f, "run", in->run->path);
	config_write(f, "started-at", in->run->started_at);
	config_write(f, "cpu", run_fact(in->run, "cpu"));
	config_write(f, "kernel", run_fact(in->run, "kernel"));
	units_write(f, &all);
	for (arm = 0; arm < in->analysis->n_arms; arm++)
		for (block = 0; block <= n_blocks; block++)
			line_write(f, &all, arm, block);
	export_metrics_done(&all);
	return export_finish(f, err);
}

const struct export_ops export_benchfmt = {
	.name = "benchfmt",
	.summary = "numbers block by block, for benchstat",
	.needs = EXPORT_NEEDS_ANALYSIS,
	.write = benchfmt_write,
};
