/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sampler's events: which, how often, where; and the edges of a trial. */
#include "config.h"

#include "observe/perf_sampler.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "observe/perf_sampler_private.h"
#include "os/perf_decode.h"
#include "os/perf_hw.h"
#include "os/perf_period.h"

/* Header, our fixed fields, and call chains of 60 frames: kernel network code is
 * about 40 deep. The deepest chains are twice that, and rare. */
#define BYTES_PER_SAMPLE      560u
#define BYTES_PER_SAMPLE_USER 320u
/* What a trial takes beyond its send time: the drain, at most 200 ms, and edges. */
#define TRIAL_EXTRA_NS (300 * NS_PER_MS)
/* attach: an hour of cpu-clock, half a day of cycles. */
#define NEVER_PERIOD_NS     (UINT64_C(3600) * NS_PER_S)
#define NEVER_PERIOD_CYCLES (UINT64_C(1) << 47)
#define ATTACH_TRIES        20

static void attr_fill(struct perf_sampler *s, bool is_hw, const struct perf_hw *hw)
{
	struct perf_event_attr *a = &s->attr;

	if (is_hw)
		perf_attr_init(a, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	else
		perf_attr_init(a, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	if (s->hz > 0)
		a->sample_period = perf_period_choose(
			is_hw ? hw->cycles_per_s : (double)NS_PER_S, s->hz);
	else
		a->sample_period = is_hw ? NEVER_PERIOD_CYCLES : NEVER_PERIOD_NS;
	a->sample_type = PERF_DECODE_SAMPLE_TYPE;
	a->sample_id_all = 1;
	a->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			 PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_LOST;
	a->use_clockid = 1;
	a->clockid = CLOCK_MONOTONIC;
	a->mmap = 1;
	a->mmap2 = 1;
	a->build_id = 1;
	a->comm = 1;
	a->comm_exec = 1;
	a->task = 1;
	a->ksymbol = 1;
	/* Nobody reads before the trial is over: wake up for nothing. */
	a->watermark = 1;
	a->wakeup_watermark = UINT32_MAX;
	a->exclude_kernel = s->user_only;
	a->exclude_hv = s->user_only;
}

/*
 * Interrupt work that lands while a CPU is idle (on a receive path much of it
 * does) is charged to the idle task, so idle samples are told from work by their
 * call chain. Where the kernel's names are hidden they cannot be: leave them out.
 */
static void choose_idle(struct perf_sampler *s)
{
	if (s->user_only || symbolizer_kernel_state(s->symbolizer) != KALLSYMS_OK)
		s->attr.exclude_idle = 1;
}

static void note_visibility(struct perf_sampler *s)
{
	struct run *run = s->run;

	if (s->user_only) {
		run_add_note(run,
			"kernel part not visible: kernel.perf_event_paranoid is %d and "
			"this user has no CAP_PERFMON; samples show user code only "
			"(run as root, or set kernel.perf_event_paranoid=1)",
			s->rights.paranoid);
		return;
	}
	switch (symbolizer_kernel_state(s->symbolizer)) {
	case KALLSYMS_OK:
		break;
	case KALLSYMS_HIDDEN:
		run_add_note(run, "the kernel hides its addresses: its functions are "
				  "one row [kernel] (run as root, or set "
				  "kernel.kptr_restrict=0)");
		break;
	case KALLSYMS_MISSING:
		run_add_note(run, "no /proc/kallsyms: kernel functions are one row "
				  "[kernel]");
		break;
	}
}

static void set_facts(struct perf_sampler *s, bool is_hw, const struct perf_hw *hw)
{
	struct run *run = s->run;
	struct perf_pmu pmu;

	perf_hw_pmu_of_cpu(s->root_fd, sched_getcpu(), &pmu);
	run_set_fact(run, "event", is_hw ? "cycles" : "cpu-clock", false);
	run_set_fact(run, "pmu", pmu.name, false);
	run_set_fact(run, "sample_scope", s->rights.cpu_wide ? "cpu" : "task", false);
	run_set_fact(run, "kernel_visible", s->user_only ? "false" : "true", true);
	if (!is_hw)
		run_add_note(run,
			"no hardware cycles (%s): sampled by cpu-clock, which cannot "
			"see inside interrupts-off code; its cost shows where "
			"interrupts come back on",
			hw->why_not);
	if (!s->rights.cpu_wide)
		run_add_note(run, "this user may not observe whole CPUs: samples "
				  "follow the SUT's threads, work in other tasks and "
				  "in interrupts meanwhile is not seen (run as root, "
				  "or set kernel.perf_event_paranoid=0)");
	note_visibility(s);
}

static void note_limit(struct perf_sampler *s)
{
	long max = perf_sysctl(s->root_fd, "perf_event_max_sample_rate", 0);

	if (max > 0 && s->hz > (double)max)
		run_add_note(s->run,
			"kernel.perf_event_max_sample_rate is %ld, below the %.0f Hz "
			"asked for: samples will be throttled",
			max, s->hz);
}

/* Open as an arm will, on ourselves or on this CPU, and close again. */
static int check_opens(struct perf_sampler *s, struct sp_err *err)
{
	struct perf_place at = { .tid = -1, .cpu = sched_getcpu() };
	struct perf_places places = { .n = 1, .v = &at };
	struct perf_events ev = {
		.attr = s->attr, .name = s->event_name, .paranoid = s->rights.paranoid
	};
	int rc;

	if (!s->rights.cpu_wide)
		at = (struct perf_place){ .tid = getpid(), .cpu = at.cpu };
	rc = perf_events_open(&ev, s->root_fd, &places, 0, err);
	perf_events_close(&ev);
	return rc;
}

static int rights_error(const struct perf_rights *r, struct sp_err *err)
{
	struct perf_event_attr attr = { .exclude_kernel = 1 };
	struct perf_open_request req = {
		.attr = &attr, .name = "cpu-clock", .cpu = -1, .group_fd = -1
	};

	return perf_open_explain(err, r->task_errno, &req, r->paranoid, 1);
}

int perf_sampler_new(const struct perf_sampler_config *cfg,
	struct perf_sampler **ret_sampler, struct sp_err *err)
{
	struct perf_sampler *s;
	struct perf_hw hw;
	bool is_hw;
	int rc;

	if (!cfg->rights.task && !cfg->rights.cpu_wide)
		return rights_error(&cfg->rights, err);
	s = xcalloc(1, sizeof(*s));
	s->root_fd = cfg->root_fd;
	s->run = cfg->run;
	s->hz = cfg->hz;
	s->rights = cfg->rights;
	s->user_only = !(cfg->rights.cpu_wide ? cfg->rights.cpu_kernel
					      : cfg->rights.task_kernel);
	s->symbolizer = symbolizer_new(cfg->root_fd);
	perf_hw_probe(s->user_only, &hw);
	is_hw = hw.counts && hw.samples;
	(void)snprintf(s->event_name, sizeof(s->event_name), "%s%s",
		is_hw ? "cycles" : "cpu-clock", s->user_only ? ":u" : "");
	attr_fill(s, is_hw, &hw);
	choose_idle(s);
	s->ring_bytes = cfg->ring_bytes;
	if (s->ring_bytes == 0 && s->hz > 0)
		s->ring_bytes = perf_ring_size_bytes(
			cfg->longest_trial_ns + TRIAL_EXTRA_NS, s->hz,
			s->user_only ? BYTES_PER_SAMPLE_USER : BYTES_PER_SAMPLE);
	rc = check_opens(s, err);
	if (rc) {
		perf_sampler_free(s);
		return rc;
	}
	s->event = run_event_intern(
		s->run, s->event_name, is_hw ? "cycles" : "ns", COUNTER_OK);
	set_facts(s, is_hw, &hw);
	note_limit(s);
	*ret_sampler = s;
	return 0;
}

void perf_sampler_free(struct perf_sampler *s)
{
	if (s == NULL)
		return;
	perf_sampler_detach(s);
	symbolizer_free(s->symbolizer);
	free(s->threads);
	free(s);
}

static void note_rings(struct perf_sampler *s)
{
	size_t i;

	if (s->events.ring_refused)
		run_add_note(s->run, "no locked memory is left for a sampling ring: "
				     "samples are counted, not taken (another profiler "
				     "of this user holds the quota; raise "
				     "kernel.perf_event_mlock_kb or ulimit -l)");
	for (i = 0; i < s->events.n_rings; i++)
		if (s->events.rings[i].ring.data_bytes < s->ring_bytes &&
			s->ring_bytes > (size_t)sysconf(_SC_PAGESIZE)) {
			run_add_note(s->run,
				"the sampling ring of a CPU is %zu KiB in place of "
				"%zu KiB (locked-memory quota): long trials may lose "
				"samples",
				s->events.rings[i].ring.data_bytes >> 10,
				s->ring_bytes >> 10);
			return;
		}
}

/*
 * Threads that are born while events are being opened would be missed, or counted
 * twice (inherited, then opened): so all is closed and opened anew until the set
 * of threads stood still meanwhile.
 */
int perf_sampler_attach(struct perf_sampler *s, const struct observer_target *target,
	struct sp_err *err)
{
	struct perf_places places = { 0 };
	bool is_still = false;
	int tries, rc = 0;

	for (tries = 0; tries < ATTACH_TRIES && !is_still; tries++) {
		perf_events_close(&s->events);
		perf_places_done(&places);
		rc = perf_places_find(
			s->root_fd, &s->rights, target, true, &places, err);
		if (rc)
			return rc;
		s->events = (struct perf_events){ .attr = s->attr,
			.name = s->event_name,
			.paranoid = s->rights.paranoid };
		s->events.attr.inherit = !places.is_cpu_wide;
		rc = perf_events_open(
			&s->events, s->root_fd, &places, s->ring_bytes, err);
		if (rc)
			break;
		is_still = perf_places_still(s->root_fd, target, &places);
	}
	s->is_cpu_wide = places.is_cpu_wide;
	perf_places_done(&places);
	if (rc)
		return rc;
	if (!is_still)
		run_add_note(s->run, "threads of the SUT came and went while events "
				     "were opened: some may not be observed");
	note_rings(s);
	return 0;
}

int perf_sampler_begin(struct perf_sampler *s, struct sp_err *err)
{
	return perf_events_begin(&s->events, err);
}

static void add_counter(const struct perf_sampler *s, const struct perf_reading *r,
	int cpu, struct trial *t)
{
	struct counter_value *c;

	t->counters = xgrow(t->counters, t->n_counters, &t->cap_counters, sizeof(*c));
	c = &t->counters[t->n_counters++];
	*c = (struct counter_value){
		.event = s->event,
		.cpu = cpu,
		.state = perf_reading_state(r),
		.value = r->value,
		.enabled_ns = r->enabled_ns,
		.running_ns = r->running_ns,
	};
}

int perf_sampler_end(struct perf_sampler *s, struct trial *t, struct sp_err *err)
{
	struct perf_reading sum = { 0 };
	size_t i;
	int rc = perf_events_end(&s->events, err);

	s->end_ns = clock_now_ns(&clock_monotonic);
	if (rc || s->hz <= 0) /* attach: open and on is all it is */
		return rc;
	for (i = 0; i < s->events.n; i++) {
		const struct perf_reading *d = &s->events.v[i].delta;

		if (s->is_cpu_wide)
			add_counter(s, d, s->events.v[i].place.cpu, t);
		sum.value += d->value;
		sum.enabled_ns += d->enabled_ns;
		sum.running_ns += d->running_ns;
	}
	if (!s->is_cpu_wide)
		add_counter(s, &sum, -1, t);
	return 0;
}

void perf_sampler_detach(struct perf_sampler *s)
{
	perf_events_close(&s->events);
}
