/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forwarder's loop. */
#include "config.h"

#include "sut/forward_loop.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/nl.h"
#include "sut/forward_cost.h"
#include "sut/forward_lookup.h"
#include "sut/forward_police.h"
#include "sut/forward_ring.h"
#include "sut/forward_tx.h"

/* How often ring drops are read and links looked at, busy or idle. */
#define TICK_NS (10 * NS_PER_MS)
#define TICK_MS 10

struct forward_dir {
	struct forward_ring *ring;
	struct forward_tx *tx;
	struct forward_lookup_table *table; /* NULL: none */
	struct forward_police police;
	bool keeps_qdisc;
};

struct forward_loop {
	struct forward_config cfg;
	struct forward_stats *stats;
	struct forward_counts counts;
	struct forward_dir dirs[FORWARD_STATS_MAX_DIRS];
	struct pollfd pfds[FORWARD_STATS_MAX_DIRS];
	uint64_t next_tick_ns;
};

static int link_look(struct nl_handle *nl, const char *ifname, struct nl_link *ret_link,
	struct sp_err *err)
{
	int rc = nl_link_get(nl, ifname, ret_link, err);

	if (rc == 0 && !ret_link->up)
		return sp_err_set(err, SP_EUSAGE,
			"interface %s is down: `ip link set %s up` first", ifname,
			ifname);
	return rc;
}

static int dir_open(
	struct forward_loop *l, struct nl_handle *nl, size_t i, struct sp_err *err)
{
	const char *from = i == 0 ? l->cfg.in : l->cfg.out;
	const char *to = i == 0 ? l->cfg.out : l->cfg.in;
	struct forward_dir *d = &l->dirs[i];
	struct nl_link link_from, link_to;
	int rc;

	rc = link_look(nl, from, &link_from, err);
	if (rc == 0)
		rc = link_look(nl, to, &link_to, err);
	if (rc == 0)
		rc = nl_qdisc_is_set(nl, to, &d->keeps_qdisc, err);
	if (rc == 0)
		rc = forward_tx_open(to, link_to.mtu, !d->keeps_qdisc, &d->tx, err);
	if (rc == 0)
		rc = forward_ring_open(
			from, link_from.mtu, l->cfg.has_limit, &d->ring, err);
	if (rc != 0)
		return rc;
	if (l->cfg.table_buckets > 0)
		d->table = forward_lookup_new(l->cfg.table_buckets);
	forward_police_init(&d->police, l->cfg.limit);
	l->pfds[i].fd = forward_ring_fd(d->ring);
	l->pfds[i].events = POLLIN;
	return 0;
}

int forward_loop_open(const struct forward_config *cfg, struct forward_loop **ret_loop,
	struct sp_err *err)
{
	struct forward_loop *l;
	struct nl_handle *nl = NULL;
	size_t i;
	int rc;

	if (strcmp(cfg->in, cfg->out) == 0)
		return sp_err_set(err, SP_EUSAGE,
			"IN and OUT are both %s: a forwarder needs two interfaces",
			cfg->in);
	l = xcalloc(1, sizeof(*l));
	l->cfg = *cfg;
	l->counts.n_dirs = cfg->bidir ? 2 : 1;
	rc = nl_handle_open(-1, &nl, err);
	for (i = 0; rc == 0 && i < l->counts.n_dirs; i++)
		rc = dir_open(l, nl, i, err);
	nl_handle_close(nl);
	/* Last: who waits for the file finds a forwarder that is ready. */
	if (rc == 0)
		rc = forward_stats_create(
			cfg->stats_path, l->counts.n_dirs, &l->stats, err);
	if (rc != 0) {
		forward_loop_close(l);
		return rc;
	}
	*ret_loop = l;
	return 0;
}

void forward_loop_close(struct forward_loop *l)
{
	size_t i;

	if (l == NULL)
		return;
	for (i = 0; i < FORWARD_STATS_MAX_DIRS; i++) {
		forward_ring_close(l->dirs[i].ring);
		forward_tx_close(l->dirs[i].tx);
		forward_lookup_free(l->dirs[i].table);
	}
	forward_stats_close(l->stats);
	free(l);
}

/* Work on one frame; true: it goes out. Cheap refusals first. */
static bool frame_admit(struct forward_loop *l, struct forward_dir *d,
	struct forward_dir_counts *c, const struct forward_frame *f, uint64_t now_ns)
{
	if (f->is_cut || !forward_tx_fits(d->tx, f)) {
		c->oversize++;
		return false;
	}
	if (f->is_bad) {
		c->bad_csum++;
		return false;
	}
	if (l->cfg.has_limit && !forward_police_pass(&d->police, f->arrival_ns,
					f->len + UNITS_FCS_BYTES)) {
		c->policed++;
		return false;
	}
	if (d->table != NULL)
		(void)forward_lookup(d->table, f->data, f->len, now_ns);
	if (l->cfg.cost_iterations > 0)
		forward_cost(l->cfg.cost_iterations);
	c->csum_fixed += f->was_partial;
	return true;
}

/* One batch of one direction. */
static int dir_step(struct forward_loop *l, size_t i, uint64_t now_ns, unsigned *ret_n,
	struct sp_err *err)
{
	struct forward_dir *d = &l->dirs[i];
	struct forward_dir_counts *c = &l->counts.dirs[i];
	struct forward_frame frames[FORWARD_BATCH];
	struct forward_tx_counts sent = { 0 };
	unsigned n, k;
	int rc;

	n = forward_ring_take(d->ring, frames);
	if (n == 0)
		return 0;
	for (k = 0; k < n; k++)
		if (frame_admit(l, d, c, &frames[k], now_ns))
			forward_tx_add(d->tx, &frames[k]);
	rc = forward_tx_flush(d->tx, &sent, err);
	forward_ring_give_back(d->ring);
	c->rx_packets += n;
	c->forwarded += sent.sent;
	c->tx_refused += sent.refused;
	c->oversize += sent.oversize;
	*ret_n += n;
	return rc;
}

static void loop_publish(struct forward_loop *l, uint64_t now_ns)
{
	l->counts.updated_ns = now_ns;
	forward_stats_write(l->stats, &l->counts);
}

static int loop_tick(struct forward_loop *l, uint64_t now_ns, struct sp_err *err)
{
	size_t i;
	int rc = 0;

	l->next_tick_ns = now_ns + TICK_NS;
	for (i = 0; i < l->counts.n_dirs; i++)
		forward_ring_add_drops(
			l->dirs[i].ring, &l->counts.dirs[i].rx_ring_drop);
	for (i = 0; rc == 0 && i < l->counts.n_dirs; i++)
		rc = forward_ring_check(l->dirs[i].ring, err);
	loop_publish(l, now_ns);
	return rc;
}

/* Sleep until a frame, a tick or a signal; an error on a socket is a tick's. */
static int loop_sleep(struct forward_loop *l, struct sp_err *err)
{
	size_t i;
	int n = poll(l->pfds, l->counts.n_dirs, TICK_MS);

	if (n < 0 && errno != EINTR)
		return sp_err_errno(err, SP_EIO, errno, "poll");
	for (i = 0; n > 0 && i < l->counts.n_dirs; i++)
		if ((l->pfds[i].revents & POLLERR) != 0)
			l->next_tick_ns = 0;
	return 0;
}

/* An empty look that followed another: how long from one to the other. */
static void loop_time_empty(struct forward_loop *l, uint64_t took_ns)
{
	if (l->counts.empty_poll_ns == 0 || took_ns < l->counts.empty_poll_ns)
		l->counts.empty_poll_ns = took_ns;
}

static int loop_rounds(struct forward_loop *l, struct sp_err *err)
{
	uint64_t now_ns = clock_now_ns(l->cfg.clock), before_ns;
	bool was_empty = false;
	size_t i;
	int rc = 0;

	while (rc == 0 && *l->cfg.stop == 0) {
		unsigned n = 0;

		for (i = 0; rc == 0 && i < l->counts.n_dirs; i++)
			rc = dir_step(l, i, now_ns, &n, err);
		if (rc == 0 && now_ns >= l->next_tick_ns)
			rc = loop_tick(l, now_ns, err);
		l->counts.polls++;
		l->counts.empty_polls += n == 0;
		if (n > 0)
			loop_publish(l, now_ns);
		else if (rc == 0 && !l->cfg.busy)
			rc = loop_sleep(l, err);
		before_ns = now_ns;
		now_ns = clock_now_ns(l->cfg.clock);
		if (n == 0 && was_empty && l->cfg.busy)
			loop_time_empty(l, now_ns - before_ns);
		was_empty = n == 0;
	}
	return rc;
}

int forward_loop_run(struct forward_loop *l, struct sp_err *err)
{
	int rc = loop_rounds(l, err);
	size_t i;

	for (i = 0; i < l->counts.n_dirs; i++)
		forward_ring_add_drops(
			l->dirs[i].ring, &l->counts.dirs[i].rx_ring_drop);
	loop_publish(l, clock_now_ns(l->cfg.clock));
	return rc;
}

void forward_loop_counts(const struct forward_loop *l, struct forward_counts *ret)
{
	*ret = l->counts;
}

bool forward_loop_keeps_qdisc(const struct forward_loop *l, size_t dir)
{
	return l->dirs[dir].keeps_qdisc;
}
