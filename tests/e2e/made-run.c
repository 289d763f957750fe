/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * made-run NAME FILE: a made-up run with samples as a run file, for tests of what is
 * done with one. NAME: "hurts" (a clean sweep of off and sample@997, with profile and
 * latency trials), "full" (something odd in every field), "short" (three blocks:
 * broken).
 */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "../fixture/run_fixture.h"
#include "codec/run_store.h"

static struct run *run_named(const char *name)
{
	struct run_fixture f = {
		.arms = { "off", "sample@997" },
		.capacity_pps = { 200000, 180000 },
		.n_blocks = strcmp(name, "short") == 0 ? 3 : 8,
		.seed = 1,
		.noise_frac = 0.005,
		.profile_trials = true,
		.hot_symbol = "a<b>&\"\x01; x\xff\n,",
	};

	if (strcmp(name, "full") == 0)
		return run_fixture_full();
	return run_fixture_make(&f);
}

int main(int argc, char **argv)
{
	struct run_store *store = NULL;
	struct run *run;
	struct sp_err err;
	size_t i;
	int rc;

	if (argc != 3)
		return 2;
	run = run_named(argv[1]);
	rc = run_store_create(argv[2], run, &store, &err);
	for (i = 0; rc == 0 && i < run->n_trials; i++)
		rc = run_store_add_trial(store, run, &run->trials[i], &err);
	if (rc == 0)
		rc = run_store_update(store, run, &err);
	if (rc != 0)
		(void)fprintf(stderr, "made-run: %s\n", err.msg);
	run_store_close(store);
	run_free(run);
	return rc != 0;
}
