/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pprof's profile.proto, gzipped
 * (https://github.com/google/pprof/blob/main/proto/profile.proto): a sample for each
 * cell of the profile with its count and weight, its path leaf first, and thread, CPU,
 * arm, trial and rate as labels. Addresses are file offsets (the kernel's its
 * addresses), so each mapping begins at 0; the comments say the trials' packets.
 * Messages are written one by one; the strings, which all of them number, come last.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clean.h"
#include "base/clock.h"
#include "base/mem.h"
#include "codec/export_pprof.h"
#include "codec/export_private.h"

uint32_t export_pprof_string(struct pprof *w, const char *s)
{
	w->strings = xgrow(w->strings, w->n_strings, &w->cap_strings, sizeof(s));
	w->strings[w->n_strings] = s;
	return (uint32_t)w->n_strings++;
}

uint32_t export_pprof_own(struct pprof *w, char *s)
{
	w->own = xgrow(w->own, w->n_own, &w->cap_own, sizeof(s));
	w->own[w->n_own++] = s;
	return export_pprof_string(w, s);
}

void export_pprof_emit(struct pprof *w, unsigned field)
{
	export_wire_clear(&w->part);
	export_wire_head(&w->part, field, w->msg.n);
	export_gzip_write(w->out, w->part.bytes, w->part.n);
	export_gzip_write(w->out, w->msg.bytes, w->msg.n);
	export_wire_clear(&w->msg);
}

static void emit_number(struct pprof *w, unsigned field, uint64_t v)
{
	export_wire_number(&w->msg, field, v);
	export_gzip_write(w->out, w->msg.bytes, w->msg.n);
	export_wire_clear(&w->msg);
}

static void label_number(struct pprof *w, uint32_t key, uint64_t v, uint32_t unit)
{
	export_wire_clear(&w->part);
	export_wire_number(&w->part, LABEL_KEY, key);
	export_wire_number(&w->part, LABEL_NUM, v);
	export_wire_number(&w->part, LABEL_NUM_UNIT, unit);
	export_wire_bytes(&w->msg, SAMPLE_LABEL, w->part.bytes, w->part.n);
}

static void label_text(struct pprof *w, uint32_t key, uint32_t string)
{
	export_wire_clear(&w->part);
	export_wire_number(&w->part, LABEL_KEY, key);
	export_wire_number(&w->part, LABEL_STR, string);
	export_wire_bytes(&w->msg, SAMPLE_LABEL, w->part.bytes, w->part.n);
}

static void labels_add(
	struct pprof *w, const struct profile_cell *c, const struct trial *t)
{
	const struct profile_thread *thread = &w->profile->threads[c->thread];

	if (w->thread_strings[c->thread] == 0)
		w->thread_strings[c->thread] = export_pprof_string(w, thread->comm);
	label_text(w, w->key_thread, w->thread_strings[c->thread]);
	if (thread->pid > 0)
		label_number(w, w->key_pid, (uint64_t)thread->pid, 0);
	if (thread->tid > 0)
		label_number(w, w->key_tid, (uint64_t)thread->tid, 0);
	if (c->cpu >= 0)
		label_number(w, w->key_cpu, (uint64_t)c->cpu, w->unit_count);
	label_text(w, w->key_arm, w->arm_strings[t->spec.arm]);
	label_number(w, w->key_trial, t->spec.id, 0);
	if (t->spec.rate_pps > 0 && t->spec.rate_pps < 1e18)
		label_number(w, w->key_rate, (uint64_t)llround(t->spec.rate_pps),
			w->unit_pps);
}

/* Frames have their number and 1 as the location's; one more is for no path at all. */
static void path_add(struct pprof *w, uint32_t node)
{
	const struct profile *p = w->profile;

	export_wire_clear(&w->packed);
	if (node == 0) {
		w->is_rootless = true;
		export_wire_varint(&w->packed, p->n_frames + 1);
	}
	for (; node != 0; node = p->nodes[node].parent) {
		uint32_t frame = p->nodes[node].frame;

		w->frame_used[frame] = true;
		export_wire_varint(&w->packed, (uint64_t)frame + 1);
	}
	export_wire_bytes(&w->msg, SAMPLE_LOCATIONS, w->packed.bytes, w->packed.n);
}

static void samples_emit(struct pprof *w)
{
	struct export_trials trials = { .in = w->in };
	size_t i;

	for (i = 0; i < w->profile->n_cells; i++) {
		const struct profile_cell *c = &w->profile->cells[i];
		size_t trial = export_cell_trial(&trials, c);

		if (trial == SIZE_MAX)
			continue;
		path_add(w, c->node);
		export_wire_clear(&w->packed);
		export_wire_varint(&w->packed, c->n_samples);
		export_wire_varint(&w->packed, c->weight);
		export_wire_bytes(&w->msg, SAMPLE_VALUES, w->packed.bytes, w->packed.n);
		labels_add(w, c, &w->in->run->trials[trial]);
		export_pprof_emit(w, PROFILE_SAMPLE);
	}
}

static uint32_t unit_string(struct pprof *w, const char *unit)
{
	return export_pprof_string(w, strcmp(unit, "ns") == 0 ? "nanoseconds" : unit);
}

static void types_emit(struct pprof *w)
{
	const struct run_event *e = &w->in->run->events[w->in->event];
	uint32_t name = export_pprof_string(w, e->name);

	export_wire_number(&w->msg, TYPE_TYPE, export_pprof_string(w, "samples"));
	export_wire_number(&w->msg, TYPE_UNIT, w->unit_count);
	export_pprof_emit(w, PROFILE_SAMPLE_TYPE);
	export_wire_number(&w->msg, TYPE_TYPE, name);
	export_wire_number(&w->msg, TYPE_UNIT, unit_string(w, e->unit));
	export_pprof_emit(w, PROFILE_SAMPLE_TYPE);
	emit_number(w, PROFILE_DEFAULT_TYPE, name);
}

static void comment_emit(struct pprof *w, char *text)
{
	emit_number(w, PROFILE_COMMENT, export_pprof_own(w, text));
}

/* "trial 11: arm sample@997, 85000 packets/s, 170000 packets in, 169990 out" */
static char *trial_comment(const struct run *run, const struct trial *t)
{
	uint64_t n_in = 0, n_out = 0;
	bool has_in = t->n_ledgers > 0, has_out = t->n_ledgers > 0;
	char rate[40] = "", in[40] = "", out[40] = "";
	size_t i;

	for (i = 0; i < t->n_ledgers; i++) {
		const struct ledger *l = &t->ledgers[i];

		has_in &= l->source[LEDGER_SUT_IN] != LEDGER_ABSENT;
		has_out &= l->source[LEDGER_SUT_OUT] != LEDGER_ABSENT;
		n_in += l->count[LEDGER_SUT_IN];
		n_out += l->count[LEDGER_SUT_OUT];
	}
	if (isfinite(t->spec.rate_pps))
		(void)snprintf(
			rate, sizeof(rate), ", %.0f packets/s", t->spec.rate_pps);
	if (has_in)
		(void)snprintf(in, sizeof(in), ", %" PRIu64 " packets in", n_in);
	if (has_out)
		(void)snprintf(out, sizeof(out), ", %" PRIu64 " packets out", n_out);
	return xasprintf("trial %" PRIu32 ": arm %s%s%s%s", t->spec.id,
		run->arms[t->spec.arm].name, rate, in, out);
}

static void head_emit(struct pprof *w)
{
	const struct run *run = w->in->run;
	uint64_t duration_ns = 0;
	struct tm tm = { 0 };
	time_t started;
	size_t i;

	comment_emit(w, xasprintf("satprof %s", run->version));
	comment_emit(w, xasprintf("run %s", run->path));
	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (!w->in->in[i])
			continue;
		comment_emit(w, trial_comment(run, t));
		if (t->t_end_ns > t->t_start_ns)
			duration_ns += t->t_end_ns - t->t_start_ns;
	}
	if (strptime(run->started_at, "%Y-%m-%dT%H:%M:%SZ", &tm) != NULL) {
		started = timegm(&tm);
		if (started > 0)
			emit_number(w, PROFILE_TIME_NANOS,
				(uint64_t)started * (uint64_t)NS_PER_S);
	}
	emit_number(w, PROFILE_DURATION_NANOS, duration_ns);
}

static void strings_emit(struct pprof *w)
{
	size_t i;

	for (i = 0; i < w->n_strings; i++) {
		char *s = clean_utf8(w->strings[i]);

		export_wire_clear(&w->part);
		export_wire_bytes(&w->part, PROFILE_STRING, s, strlen(s));
		export_gzip_write(w->out, w->part.bytes, w->part.n);
		free(s);
	}
}

static void pprof_init(struct pprof *w, const struct export_input *in, FILE *f)
{
	const struct profile *p = in->run->profile;
	size_t i;

	*w = (struct pprof){ .in = in, .profile = p };
	w->out = export_gzip_new(f);
	w->symbol_strings = xcalloc(p->n_symbols + 1, sizeof(*w->symbol_strings));
	w->thread_strings = xcalloc(p->n_threads + 1, sizeof(*w->thread_strings));
	w->frame_used = xcalloc(p->n_frames + 1, sizeof(*w->frame_used));
	w->modules = xcalloc(p->n_modules + 1, sizeof(*w->modules));
	w->arm_strings = xcalloc(in->run->n_arms + 1, sizeof(*w->arm_strings));
	(void)export_pprof_string(w, "");
	w->key_thread = export_pprof_string(w, "thread");
	w->key_pid = export_pprof_string(w, "pid");
	w->key_tid = export_pprof_string(w, "tid");
	w->key_cpu = export_pprof_string(w, "cpu");
	w->key_arm = export_pprof_string(w, "arm");
	w->key_trial = export_pprof_string(w, "trial");
	w->key_rate = export_pprof_string(w, "rate_pps");
	w->unit_pps = export_pprof_string(w, "packets/s");
	w->unit_count = export_pprof_string(w, "count");
	for (i = 0; i < in->run->n_arms; i++)
		w->arm_strings[i] = export_pprof_string(w, in->run->arms[i].name);
}

static void pprof_done(struct pprof *w)
{
	size_t i;

	export_gzip_free(w->out);
	for (i = 0; i < w->n_own; i++)
		free(w->own[i]);
	free(w->own);
	free(w->strings);
	free(w->symbol_strings);
	free(w->thread_strings);
	free(w->arm_strings);
	free(w->frame_used);
	free(w->modules);
	export_wire_done(&w->msg);
	export_wire_done(&w->part);
	export_wire_done(&w->packed);
}

static int pprof_write(FILE *f, const struct export_input *in, struct sp_err *err)
{
	struct pprof w;

	pprof_init(&w, in, f);
	types_emit(&w);
	samples_emit(&w);
	export_pprof_locations(&w);
	export_pprof_mappings(&w);
	head_emit(&w);
	strings_emit(&w);
	pprof_done(&w);
	return export_finish(f, err);
}

const struct export_ops export_pprof = {
	.name = "pprof",
	.summary = "gzipped profile.proto for `go tool pprof`",
	.needs = EXPORT_NEEDS_SAMPLES,
	.is_binary = true,
	.write = pprof_write,
};
