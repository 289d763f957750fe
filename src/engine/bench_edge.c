/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is read at the edges of a trial: ports, times, the SUT's own counts, facts. */
#include "config.h"

#include <unistd.h>

#include "engine/bench_private.h"

const char *bench_port_name(const struct bench *b, enum bench_port p)
{
	const struct bench_links *l = &b->cfg.links;

	switch (p) {
	case PORT_GEN_TX:
		return l->gen_tx;
	case PORT_SUT_IN:
		return l->sut_in;
	case PORT_SUT_OUT:
		return l->sut_out;
	case PORT_GEN_RX:
		return l->gen_rx;
	case N_PORTS:
		break;
	}
	return NULL;
}

struct nl_handle *bench_port_nl(const struct bench *b, enum bench_port p)
{
	return p == PORT_SUT_IN || p == PORT_SUT_OUT ? b->cfg.links.sut_nl
						     : b->cfg.links.gen_nl;
}

/* All trials of a run go over links of one MTU. */
static int check_mtu(
	struct bench *b, int p, const struct nl_link *link, struct sp_err *err)
{
	if (b->mtu[p] == 0)
		b->mtu[p] = link->mtu;
	if (b->mtu[p] == link->mtu)
		return 0;
	return sp_err_set(err, SP_EBROKEN,
		"the MTU of %s changed from %u to %u during the run", link->name,
		b->mtu[p], link->mtu);
}

/* Counters of every port that is known, with the check that it is alive. */
static int read_ports(struct bench *b, struct bench_edge *e, struct sp_err *err)
{
	int p;

	for (p = 0; p < N_PORTS; p++) {
		const char *name = bench_port_name(b, (enum bench_port)p);
		struct nl_handle *nl = bench_port_nl(b, (enum bench_port)p);
		struct nl_link *link = &e->links[p];

		if (name == NULL || nl == NULL)
			continue;
		if (nl_link_get(nl, name, link, err) != 0) {
			err->code = SP_EBROKEN;
			return sp_err_push(
				err, "the interface went away during the run");
		}
		if (!link->up || !link->carrier)
			return sp_err_set(err, SP_EBROKEN,
				"interface %s %s during the run", name,
				link->up ? "lost its carrier" : "went down");
		if (check_mtu(b, p, link, err) != 0)
			return -(int)err->code;
		if (nl_qdisc_drops(nl, name, &e->qdisc_drops[p], err) != 0)
			return -(int)err->code;
	}
	return 0;
}

/* The SUT's own counts. A command that never gave any is wrong; one that fails later is
 * told of, and the trial goes without. */
static int read_stats(struct bench *b, struct bench_edge *e, struct sp_err *err)
{
	static const char head[] = "the SUT's own counts are missing in places: ";
	const struct sut_ops *ops = b->cfg.sut_ops;
	struct sp_err why = { .code = SP_OK };
	struct sut_end end;

	e->has_stats = ops->stats != NULL && ops->stats(b->cfg.sut, &e->stats, &why);
	if (e->has_stats)
		b->has_had_stats = true;
	if (e->has_stats || why.code == SP_OK)
		return 0;
	if (why.code != SP_EINTR && b->has_had_stats) {
		if (ops->alive(b->cfg.sut, &end))
			run_set_note(b->cfg.run, head, "%s%s", head, why.msg);
		return 0;
	}
	*err = why;
	return -(int)why.code;
}

/* Alike in every arm; it takes longest. begin: NULL at the first edge. */
static void read_facts(
	const struct bench *b, const struct bench_edge *begin, struct bench_edge *e)
{
	const struct nl_link *in = &e->links[PORT_SUT_IN],
			     *out = &e->links[PORT_SUT_OUT];
	struct facts_query q = {
		.root_fd = b->cfg.root_fd,
		.pid = b->cfg.sut_ops->pid(b->cfg.sut),
		.self = getpid(),
		.cpus = b->cfg.cpus->sut,
		.n_cpus = b->cfg.cpus->n_sut,
		.counters = b->counters,
	};

	if (b->cfg.links.sut_nl != NULL && b->cfg.links.sut_in != NULL)
		q.links[0] = (struct facts_link){ in->name, in->ifindex };
	if (b->cfg.links.sut_nl != NULL && b->cfg.links.sut_out != NULL)
		q.links[1] = (struct facts_link){ out->name, out->ifindex };
	facts_snapshot_read(
		&q, &e->proc, begin != NULL ? begin->facts : NULL, e->facts);
}

int bench_edge_read(struct bench *b, const struct bench_edge *begin,
	struct bench_edge *e, struct sp_err *err)
{
	const struct sut_ops *ops = b->cfg.sut_ops;
	int rc = read_ports(b, e, err);

	if (rc == 0)
		rc = procstat_read(b->cfg.root_fd, ops->pid(b->cfg.sut), &e->proc, err);
	if (rc == 0)
		rc = read_stats(b, e, err);
	if (rc != 0)
		return rc;
	read_facts(b, begin, e);
	/* What reading the facts took is none of the trial's time. */
	return begin == NULL ? procstat_renew(b->cfg.root_fd, &e->proc, err) : 0;
}
