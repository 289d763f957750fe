/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small run for tests of exports. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "exportrun.h"

static void arm_add(struct run *r, const char *name)
{
	struct arm a;
	struct sp_err err;

	assert_int_equal(arm_parse(name, &a, &err), 0);
	run_add_arm(r, &a);
}

static void trial_add(
	struct run *r, uint32_t arm, enum trial_kind kind, double rel, double rate)
{
	struct trial t = {
		.spec = { .id = (uint32_t)r->n_trials + 1,
			.block = 1,
			.arm = arm,
			.kind = kind,
			.rel_rate = rel,
			.rate_pps = rate,
			.duration_ns = 2 * NS_PER_S },
		.segment = 1,
		.valid = true,
		.window_pps = rate,
		.loss_frac = (double)NAN,
		.cpu_ns_per_pkt = (double)NAN,
	};

	t.t_start_ns = t.spec.id * 10 * NS_PER_S;
	t.t_end_ns = t.t_start_ns + 2 * NS_PER_S;
	t.n_ledgers = 1;
	ledger_set(&t.ledgers[0], LEDGER_SUT_IN, 1000 * t.spec.id, LEDGER_MEASURED);
	ledger_set(&t.ledgers[0], LEDGER_SUT_OUT, 999 * t.spec.id, LEDGER_MEASURED);
	run_add_trial(r, &t);
}

static uint32_t frame_add(struct profile *p, enum module_kind kind, const char *path,
	const char *build_id, const char *symbol, uint64_t offset)
{
	uint32_t module = profile_module_intern(p, kind, path, build_id);
	uint32_t frame = profile_frame_intern(p, module, offset);

	if (symbol != NULL)
		p->frames[frame].symbol = profile_symbol_intern(p, symbol);
	return frame;
}

struct nodes {
	uint32_t main, hot, hot_too, odd, library;
};

static struct nodes nodes_add(struct profile *p)
{
	const char *fwd = "/usr/bin/fwd";
	struct nodes n;

	n.main = profile_node_intern(
		p, 0, frame_add(p, MODULE_USER, fwd, "00aa11", "main", 0x10));
	n.hot = profile_node_intern(
		p, n.main, frame_add(p, MODULE_USER, fwd, "00aa11", "hot", 0x20));
	n.hot_too = profile_node_intern(
		p, n.main, frame_add(p, MODULE_USER, fwd, "00aa11", "hot", 0x24));
	n.odd = profile_node_intern(p, n.main,
		frame_add(p, MODULE_KERNEL, "[kernel.kallsyms]", "", EXPORTRUN_ODD,
			UINT64_C(0xffffffff81000000)));
	n.library = profile_node_intern(p, n.main,
		frame_add(p, MODULE_USER, "/usr/lib/libx.so.1", "", NULL, 0x30));
	return n;
}

static void cells_add(struct run *r)
{
	struct profile *p = profile_new();
	struct nodes n = nodes_add(p);
	uint32_t clock = run_event_intern(r, "cpu-clock", "ns", COUNTER_OK);
	uint32_t cycles = run_event_intern(r, "cycles", "cycles", COUNTER_OK);
	uint32_t fwd = profile_thread_intern(p, 7, 7, "fwd 1");
	uint32_t other = profile_thread_intern(p, 7, 8, "\xff;x");
	const struct profile_cell cells[] = {
		{ 2, clock, n.hot, fwd, 1, 10, 1000 },
		{ 2, clock, n.hot_too, fwd, 1, 2, 200 },
		{ 2, clock, n.odd, fwd, 1, 3, 300 },
		{ 2, clock, n.library, fwd, 1, 4, 400 },
		{ 2, clock, 0, other, 0, 1, 100 },
		{ 2, cycles, n.odd, fwd, 1, 2, UINT64_C(7777777777) },
		{ 3, clock, n.hot, fwd, 1, 5, 500 },
		{ 4, clock, n.hot, fwd, 1, 100, 10000 },
		{ 5, clock, n.main, fwd, 1, 1, 50 },
	};
	size_t i;

	for (i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		profile_cell_add(p, &cells[i]);
	r->profile = p;
}

static void text_set(char **text, const char *value)
{
	free(*text);
	*text = xstrdup(value);
}

int exportrun_open(void **state)
{
	struct exportrun *e = xcalloc(1, sizeof(*e));
	struct run *r = run_new();
	size_t i;

	text_set(&r->path, "odd \"run\"\xfe.satprof");
	text_set(&r->version, "0.1.0");
	text_set(&r->started_at, "2024-05-06T07:08:09Z");
	arm_add(r, "off");
	arm_add(r, "sample@997");
	trial_add(r, 0, TRIAL_GRID, 0.88, 88000);
	trial_add(r, 1, TRIAL_PROFILE, 0.85, 85000);
	trial_add(r, 1, TRIAL_PROFILE, 1.15, 115000);
	trial_add(r, 1, TRIAL_GRID, 1.25, 125000);
	trial_add(r, 1, TRIAL_PILOT, 0, 100000);
	r->trials[3].valid = false;
	cells_add(r);
	e->run = r;
	for (i = 0; i < r->n_trials; i++)
		e->in[i] = r->trials[i].valid;
	e->input = (struct export_input){ .run = r, .in = e->in, .has_samples = true };
	*state = e;
	return 0;
}

int exportrun_close(void **state)
{
	struct exportrun *e = *state;

	run_free(e->run);
	free(e);
	return 0;
}

static char *write_once(
	const struct export_ops *ops, const struct export_input *in, size_t *ret_n)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_n);
	struct sp_err err;

	assert_non_null(f);
	if (ops->write(f, in, &err) != 0)
		fail_msg("%s: %s", ops->name, err.msg);
	assert_int_equal(fclose(f), 0);
	return text;
}

char *exportrun_write(
	const struct export_ops *ops, const struct export_input *in, size_t *ret_n)
{
	size_t n = 0;
	char *text = write_once(ops, in, ret_n), *again = write_once(ops, in, &n);

	assert_int_equal(n, *ret_n);
	assert_memory_equal(text, again, n);
	free(again);
	return text;
}
