/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rings of a trial, merged by time, into cells of a profile. */
#include "config.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "observe/perf_sampler_private.h"
#include "os/perf_decode.h"
#include "os/perf_open.h"
#include "os/proctree.h"

#define CHAIN_MAX       256
#define USER_LOWEST     4096u /* no code lies below: the end of a frame chain */
#define DELETED         " (deleted)"
#define ON_TIME_FRAC    0.9
#define MAX_RATE_SYSCTL "perf_event_max_sample_rate"

/* One ring on its way to being empty: the next record of each is looked at. */
struct feed {
	struct perf_span span;
	uint8_t *scratch;
	bool has_rec;
	bool was_full;    /* what came after its last record was dropped */
	uint64_t last_ns; /* of its last sample */
	struct perf_rec rec;
	/* What its events counted, and the samples that have to stand for it. */
	uint64_t value, n_samples, n_given;
};

struct collection {
	struct perf_sampler *s;
	struct trial *t;
	struct profile *profile;
	size_t n_feeds;
	struct feed *feeds;
	uint64_t n_lost_records; /* from LOST and LOST_SAMPLES */
};

static void feed_advance(struct feed *f)
{
	const void *p;
	size_t n;

	f->has_rec = false;
	while (!f->has_rec && (p = perf_span_next(&f->span, f->scratch, &n)) != NULL)
		f->has_rec = perf_decode_record(p, n, &f->rec);
}

/*
 * What the next sample of a ring stands for: an equal share of what was counted.
 * Periods would do if timers came on time; in a virtual machine at 20 kHz a third
 * of them comes too late and is merged with the next. 0: no such count is known.
 */
static uint64_t next_share(struct feed *f)
{
	uint64_t k = f->n_given++;

	if (f->value == 0 || k >= f->n_samples)
		return 0;
	return units_muldiv(f->value, k + 1, f->n_samples) -
	       units_muldiv(f->value, k, f->n_samples);
}

/* The feed whose next record is the oldest, or NULL when all are empty. */
static struct feed *oldest_feed(const struct collection *c)
{
	struct feed *best = NULL;
	size_t i;

	for (i = 0; i < c->n_feeds; i++) {
		struct feed *f = &c->feeds[i];

		if (f->has_rec && (best == NULL || f->rec.time_ns < best->rec.time_ns))
			best = f;
	}
	return best;
}

static void read_comm(int root_fd, int32_t pid, int32_t tid, char comm[16])
{
	char path[64], buf[32];
	ssize_t n;

	(void)snprintf(path, sizeof(path), "proc/%d/task/%d/comm", pid, tid);
	n = proctree_read_file(root_fd, path, buf, sizeof(buf));
	if (tid == 0)
		(void)snprintf(comm, 16, "swapper");
	else if (n > 0)
		(void)snprintf(comm, 16, "%.*s", (int)strcspn(buf, "\n"), buf);
	else
		(void)snprintf(comm, 16, ":%d", tid); /* it ended, unnamed */
}

static struct sampled_thread *thread_get(
	struct collection *c, int32_t pid, int32_t tid, const char *comm)
{
	struct perf_sampler *s = c->s;
	struct sampled_thread *th;
	size_t i;

	for (i = s->n_threads; i > 0; i--)
		if (s->threads[i - 1].tid == tid && s->threads[i - 1].pid == pid)
			return &s->threads[i - 1];
	s->threads = xgrow(s->threads, s->n_threads, &s->cap_threads, sizeof(*th));
	th = &s->threads[s->n_threads++];
	*th = (struct sampled_thread){ .pid = pid, .tid = tid };
	if (comm != NULL)
		(void)snprintf(th->comm, sizeof(th->comm), "%.15s", comm);
	else
		read_comm(s->root_fd, pid, tid, th->comm);
	th->row = UINT32_MAX; /* interned with its first sample */
	return th;
}

static uint32_t thread_row(struct collection *c, const struct perf_sample_rec *r)
{
	struct sampled_thread *th =
		thread_get(c, (int32_t)r->pid, (int32_t)r->tid, NULL);

	if (th->row == UINT32_MAX)
		th->row = profile_thread_intern(c->profile, th->pid, th->tid, th->comm);
	return th->row;
}

static void on_comm(struct collection *c, const struct perf_comm_rec *r)
{
	struct sampled_thread *th =
		thread_get(c, (int32_t)r->pid, (int32_t)r->tid, r->comm);

	(void)snprintf(th->comm, sizeof(th->comm), "%.15s", r->comm);
	th->row = UINT32_MAX;
	if (r->is_exec)
		maps_note_exec(symbolizer_maps(c->s->symbolizer), (pid_t)r->pid);
}

/* A new thread is called what its maker is called until it says otherwise. */
static void on_fork(struct collection *c, const struct perf_task_rec *r)
{
	const struct sampled_thread *parent =
		thread_get(c, (int32_t)r->ppid, (int32_t)r->ptid, NULL);
	char comm[16];

	memcpy(comm, parent->comm, sizeof(comm)); /* the table may move */
	(void)thread_get(c, (int32_t)r->pid, (int32_t)r->tid, comm);
	if (r->pid != r->ppid)
		maps_note_fork(symbolizer_maps(c->s->symbolizer), (pid_t)r->pid,
			(pid_t)r->ppid);
}

static void on_mmap(struct collection *c, const struct perf_mmap2_rec *r)
{
	size_t len = strlen(r->path), tail = strlen(DELETED);
	struct map_entry e = {
		.start = r->addr,
		.end = r->addr + r->len_bytes,
		.file_offset = r->file_offset,
		.inode = r->inode,
	};

	if (r->is_data || e.end <= e.start)
		return;
	if (len > tail && strcmp(r->path + len - tail, DELETED) == 0) {
		e.is_deleted = true;
		len -= tail;
	}
	e.path = xasprintf("%.*s", (int)len, r->path);
	buildid_hex(r->build_id, r->n_build_id, e.build_id);
	maps_note_mmap(symbolizer_maps(c->s->symbolizer), (pid_t)r->pid, &e);
	free(e.path);
}

/*
 * The frames of a chain, leaf first. Behind the first frame of a part (kernel,
 * user) stand return addresses: the call is the instruction before.
 */
static size_t chain_frames(struct collection *c, const struct perf_sample_rec *r,
	uint32_t frames[CHAIN_MAX])
{
	bool in_kernel = r->in_kernel, is_first = true;
	size_t i, n = 0;

	if (r->n_chain == 0) {
		frames[0] = in_kernel ? symbolizer_kernel_frame(c->s->symbolizer, r->ip)
				      : symbolizer_user_frame(
						c->s->symbolizer, (pid_t)r->pid, r->ip);
		return 1;
	}
	for (i = 0; i < r->n_chain && n < CHAIN_MAX; i++) {
		uint64_t addr = perf_sample_chain(r, i);
		uint32_t f;

		if (addr >= (uint64_t)PERF_CONTEXT_MAX) {
			in_kernel = addr == (uint64_t)PERF_CONTEXT_KERNEL;
			is_first = true;
			continue;
		}
		if (!in_kernel && addr < USER_LOWEST)
			continue;
		if (!is_first)
			addr--;
		is_first = false;
		f = in_kernel ? symbolizer_kernel_frame(c->s->symbolizer, addr)
			      : symbolizer_user_frame(
					c->s->symbolizer, (pid_t)r->pid, addr);
		/* A broken chain is one unknown frame, not a tower of them. */
		if (n > 0 && frames[n - 1] == f &&
			c->profile->modules[c->profile->frames[f].module].kind ==
				MODULE_UNKNOWN)
			continue;
		frames[n++] = f;
	}
	return n;
}

static bool has_prefix(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* Is this function on the way into interrupt or softirq work? Names as in
 * x86 and arm64 kernels of the last ten years. */
static bool is_interrupt_entry(const char *name)
{
	return has_prefix(name, "handle_softirqs") ||
	       has_prefix(name, "__do_softirq") || has_prefix(name, "asm_sysvec_") ||
	       has_prefix(name, "sysvec_") ||
	       has_prefix(name, "asm_common_interrupt") ||
	       has_prefix(name, "common_interrupt") || has_prefix(name, "do_IRQ") ||
	       has_prefix(name, "el1_interrupt") || has_prefix(name, "el1_irq") ||
	       has_prefix(name, "el1h_64_irq");
}

/* The idle task, and not interrupt work that landed on it. */
static bool is_idle(const struct collection *c, const struct perf_sample_rec *r,
	const uint32_t *frames, size_t n)
{
	const struct profile *p = c->profile;
	size_t i;

	if (r->tid != 0)
		return false;
	for (i = 0; i < n; i++) {
		const struct profile_frame *f = &p->frames[frames[i]];

		if (is_interrupt_entry(p->symbols[f->symbol].name))
			return false;
	}
	return true;
}

static void on_sample(
	struct collection *c, struct feed *f, const struct perf_sample_rec *r)
{
	uint32_t frames[CHAIN_MAX], node = 0;
	size_t n = chain_frames(c, r, frames), i;
	uint64_t share = next_share(f);
	struct profile_cell cell = {
		.trial = c->t->spec.id,
		.event = c->s->event,
		.cpu = (int32_t)r->cpu,
		.n_samples = 1,
		.weight = share > 0 ? share : r->period,
	};

	if (is_idle(c, r, frames, n))
		return;
	for (i = n; i > 0; i--)
		node = profile_node_intern(c->profile, node, frames[i - 1]);
	cell.node = node;
	cell.thread = thread_row(c, r);
	profile_cell_add(c->profile, &cell);
	c->t->sampling.n_samples++;
}

static void on_record(struct collection *c, struct feed *f)
{
	const struct perf_rec *r = &f->rec;

	switch (r->kind) {
	case PERF_REC_SAMPLE:
		f->last_ns = r->time_ns;
		on_sample(c, f, &r->u.sample);
		break;
	case PERF_REC_MMAP2:
		on_mmap(c, &r->u.mmap2);
		break;
	case PERF_REC_COMM:
		on_comm(c, &r->u.comm);
		break;
	case PERF_REC_FORK:
		on_fork(c, &r->u.task);
		break;
	case PERF_REC_LOST:
	case PERF_REC_LOST_SAMPLES:
		c->n_lost_records += r->u.n_lost;
		break;
	case PERF_REC_THROTTLE:
		c->t->sampling.n_throttled++;
		break;
	case PERF_REC_KSYMBOL:
		symbolizer_note_ksymbol(c->s->symbolizer);
		break;
	case PERF_REC_EXIT: /* its mappings are still needed for its samples */
	case PERF_REC_UNTHROTTLE:
	case PERF_REC_SWITCH:
	case PERF_REC_OTHER:
		break;
	}
}

/*
 * What the kernel dropped. Since 6.0 it says so for each event. Before, a record
 * in the ring tells of losses only when a later record fits, so what was lost at
 * the end of a trial is estimated from how long the ring stood full.
 */
static uint64_t lost_samples(const struct collection *c)
{
	const struct perf_events *ev = &c->s->events;
	uint64_t n = 0;
	size_t i;

	if (ev->knows_lost) {
		for (i = 0; i < ev->n; i++)
			n += ev->v[i].delta.n_lost;
		return n;
	}
	n = c->n_lost_records;
	for (i = 0; i < c->n_feeds; i++) {
		const struct feed *f = &c->feeds[i];

		if (f->was_full && c->s->end_ns > f->last_ns)
			n += (uint64_t)((double)(c->s->end_ns - f->last_ns) * c->s->hz /
					(double)NS_PER_S) +
			     1;
	}
	return n;
}

/*
 * Fills value and n_samples of each feed, by looking through the rings once more.
 * Left at 0 where the event counts time that it takes no samples of (idle, or the
 * kernel's part).
 */
static void count_ahead(struct collection *c)
{
	const struct perf_events *ev = &c->s->events;
	uint64_t taken = 0, due = 0;
	struct perf_rec rec;
	const void *p;
	size_t i, k, n;

	if (c->s->user_only || ev->attr.exclude_idle)
		return;
	for (i = 0; i < c->n_feeds; i++) {
		struct feed *f = &c->feeds[i];
		struct perf_span span = f->span;

		while ((p = perf_span_next(&span, f->scratch, &n)) != NULL)
			f->n_samples += perf_decode_record(p, n, &rec) &&
					rec.kind == PERF_REC_SAMPLE;
		taken += f->n_samples;
		for (k = 0; k < ev->n; k++) {
			if (ev->v[k].place.cpu != ev->rings[i].cpu)
				continue;
			f->value += ev->v[k].delta.value;
			taken += ev->v[k].delta.n_lost;
		}
		due += f->value / ev->attr.sample_period;
	}
	if ((double)taken < ON_TIME_FRAC * (double)due)
		run_add_note(c->s->run,
			"sampling timers came late at %.0f Hz, so that fewer samples "
			"were taken than asked for (as in virtual machines); each "
			"stands for its share of the time that was counted",
			c->s->hz);
}

static void collection_open(struct collection *c)
{
	struct perf_events *ev = &c->s->events;
	size_t i;

	c->n_feeds = ev->n_rings;
	c->feeds = xcalloc(c->n_feeds + 1, sizeof(*c->feeds));
	for (i = 0; i < c->n_feeds; i++) {
		struct feed *f = &c->feeds[i];

		f->span = perf_ring_span(&ev->rings[i].ring);
		f->was_full = perf_ring_is_full(&ev->rings[i].ring);
		f->scratch = xcalloc(PERF_RECORD_MAX_BYTES, 1);
	}
	count_ahead(c);
	for (i = 0; i < c->n_feeds; i++)
		feed_advance(&c->feeds[i]);
	c->s->n_threads = 0;
	symbolizer_begin(c->s->symbolizer, c->profile);
}

static void collection_close(struct collection *c)
{
	struct perf_events *ev = &c->s->events;
	size_t i;

	for (i = 0; i < c->n_feeds; i++) {
		perf_ring_consume(&ev->rings[i].ring, c->feeds[i].span.head);
		free(c->feeds[i].scratch);
	}
	free(c->feeds);
}

int perf_sampler_collect(struct perf_sampler *s, struct trial *t,
	struct profile *profile, struct sp_err *err)
{
	struct collection c = { .s = s, .t = t, .profile = profile };
	struct feed *f;

	(void)err; /* what cannot be decoded is stepped over, never fatal */
	if (s->hz <= 0)
		return 0;
	memset(&t->sampling, 0, sizeof(t->sampling));
	t->sampling.sampled = s->events.n_rings > 0;
	collection_open(&c);
	while ((f = oldest_feed(&c)) != NULL) {
		on_record(&c, f);
		feed_advance(f);
	}
	t->sampling.n_lost = lost_samples(&c);
	t->sampling.max_sample_rate_hz =
		(uint64_t)perf_sysctl(s->root_fd, MAX_RATE_SYSCTL, 0);
	collection_close(&c);
	return 0;
}
