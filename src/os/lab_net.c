/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lab's two veth pairs: links, offloads, addresses, neighbours, routes. */
#include "config.h"

#include "os/lab_net.h"

#include <linux/if.h>
#include <linux/neighbour.h>
#include <netlink/addr.h>
#include <netlink/errno.h>
#include <netlink/netlink.h>
#include <netlink/route/addr.h>
#include <netlink/route/link.h>
#include <netlink/route/link/veth.h>
#include <netlink/route/neighbour.h>
#include <netlink/route/nexthop.h>
#include <netlink/route/route.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/ethtool.h"
#include "os/lab.h"
#include "os/netns.h"
#include "os/nl.h"
#include "os/offload.h"

#define UP_MAX_NS (3 * NS_PER_S)

/*
 * The interfaces' own addresses sit at the end of their /16, out of the way of
 * flows, which would be answered (port unreachable) if they hit one. MACs are
 * fixed, so that nothing that hashes them differs from run to run. Both ends of a
 * pair need different indices: the kernel takes equal ones for a physical link
 * and lets up to a second pass until it starts the transmit queue.
 */
struct end {
	const char *ifname;
	int ifindex;
	bool in_sut;
	enum offload_role role;
	uint8_t mac[6];
	const char *addr;
	int peer;
	const char *route; /* what lies behind the peer, for a SUT that routes */
};

enum { GEN_TX, SUT_IN, SUT_OUT, GEN_RX, N_ENDS };

static const struct end ends[N_ENDS] = {
	[GEN_TX] = { LAB_GEN_TX, 11, false, OFFLOAD_ROLE_SENDER,
		{ 0x02, 0x53, 0x50, 0, 0, 0x01 }, "198.18.255.2/30", SUT_IN, NULL },
	[SUT_IN] = { LAB_SUT_IN, 21, true, OFFLOAD_ROLE_OTHER,
		{ 0x02, 0x53, 0x50, 0, 0, 0x02 }, "198.18.255.1/30", GEN_TX,
		"198.18.0.0/16" },
	[SUT_OUT] = { LAB_SUT_OUT, 22, true, OFFLOAD_ROLE_OTHER,
		{ 0x02, 0x53, 0x50, 0, 0, 0x03 }, "198.19.255.1/30", GEN_RX,
		"198.19.0.0/16" },
	[GEN_RX] = { LAB_GEN_RX, 12, false, OFFLOAD_ROLE_OTHER,
		{ 0x02, 0x53, 0x50, 0, 0, 0x04 }, "198.19.255.2/30", SUT_OUT, NULL },
};

int lab_net_quieten(int netns_fd, struct sp_err *err)
{
	/* A new namespace copies the host's IPv4 settings, so name each. */
	static const char *const zero[] = {
		"ipv4/conf/all/rp_filter",
		"ipv4/conf/default/rp_filter",
		"ipv4/conf/all/log_martians",
		"ipv4/conf/default/log_martians",
		"ipv4/conf/all/send_redirects",
		"ipv4/conf/default/send_redirects",
		"ipv4/conf/all/arp_notify",
		"ipv4/conf/default/arp_notify",
		"ipv4/conf/all/arp_accept",
		"ipv4/conf/default/arp_accept",
		"ipv4/ip_forward",
	};
	size_t i;
	int back = -1;
	int rc;

	rc = netns_enter(netns_fd, &back, err);
	for (i = 0; rc == 0 && i < sizeof(zero) / sizeof(zero[0]); i++)
		rc = netns_sysctl_set(zero[i], "0", err);
	netns_leave(back);
	return rc;
}

/*
 * Queues: as many as the SUT has CPUs, as a NIC with receive-side scaling has,
 * and not one for every CPU of the machine, the kernel's default. One queue when
 * there is one SUT CPU: nothing can then escape the steering, and veth picks its
 * queue without hashing the frame.
 */
static int end_configure(
	struct rtnl_link *l, const struct end *e, uint32_t mtu, uint32_t n_queues)
{
	struct nl_addr *mac = nl_addr_build(AF_LLC, e->mac, sizeof(e->mac));

	if (mac == NULL)
		return -NLE_NOMEM;
	rtnl_link_set_name(l, e->ifname);
	rtnl_link_set_ifindex(l, e->ifindex);
	rtnl_link_set_mtu(l, mtu);
	rtnl_link_set_addr(l, mac);
	nl_addr_put(mac); /* the link keeps its own reference */
	rtnl_link_set_num_rx_queues(l, n_queues);
	rtnl_link_set_num_tx_queues(l, n_queues);
	return 0;
}

/* A pair, its first end in the handle's namespace, the other in peer_ns. */
static int pair_make(struct nl_handle *nl, const struct end *e, int peer_ns,
	const struct lab_config *cfg, struct sp_err *err)
{
	uint32_t n_queues = cfg->n_sut_cpus > 1 ? (uint32_t)cfg->n_sut_cpus : 1;
	struct rtnl_link *l = rtnl_link_veth_alloc();
	struct rtnl_link *peer;
	int e_nl = -NLE_NOMEM;

	if (l == NULL)
		return nl_err_set(err, e_nl, "cannot make the veth pair", e->ifname);
	peer = rtnl_link_veth_get_peer(l);
	e_nl = end_configure(l, e, cfg->mtu, n_queues);
	if (e_nl == 0)
		e_nl = end_configure(peer, &ends[e->peer], cfg->mtu, n_queues);
	rtnl_link_set_ns_fd(peer, peer_ns);
	rtnl_link_put(peer);
	if (e_nl == 0)
		e_nl = rtnl_link_add(nl_handle_sock(nl), l, NLM_F_CREATE | NLM_F_EXCL);
	rtnl_link_veth_release(l);
	if (e_nl == -NLE_OPNOTSUPP)
		return sp_err_set(err, SP_EENV,
			"this kernel has no veth links (CONFIG_VETH, module veth)");
	return e_nl == 0
		       ? 0
		       : nl_err_set(err, e_nl, "cannot make the veth pair", e->ifname);
}

static int addr_set(struct nl_sock *sock, const struct end *e)
{
	struct rtnl_addr *a = rtnl_addr_alloc();
	struct nl_addr *local = NULL;
	int e_nl = nl_addr_parse(e->addr, AF_INET, &local);

	if (a == NULL)
		e_nl = -NLE_NOMEM;
	if (e_nl == 0) {
		rtnl_addr_set_ifindex(a, e->ifindex);
		e_nl = rtnl_addr_set_local(a, local);
	}
	if (e_nl == 0)
		e_nl = rtnl_addr_add(sock, a, 0);
	nl_addr_put(local);
	rtnl_addr_put(a);
	return e_nl;
}

static int link_raise(struct nl_sock *sock, const struct end *e)
{
	struct rtnl_link *l = rtnl_link_alloc();
	int e_nl;

	if (l == NULL)
		return -NLE_NOMEM;
	rtnl_link_set_ifindex(l, e->ifindex);
	rtnl_link_set_flags(l, IFF_UP);
	e_nl = rtnl_link_change(sock, l, l, 0);
	rtnl_link_put(l);
	return e_nl;
}

/* The peer's address as a host; nobody ever has to ask for its MAC. */
static int neigh_set(struct nl_sock *sock, const struct end *e)
{
	const struct end *peer = &ends[e->peer];
	struct rtnl_neigh *n = rtnl_neigh_alloc();
	struct nl_addr *mac = nl_addr_build(AF_LLC, peer->mac, sizeof(peer->mac));
	struct nl_addr *dst = NULL;
	int e_nl = nl_addr_parse(peer->addr, AF_INET, &dst);

	if (n == NULL || mac == NULL)
		e_nl = -NLE_NOMEM;
	if (e_nl == 0) {
		nl_addr_set_prefixlen(dst, 32);
		rtnl_neigh_set_ifindex(n, e->ifindex);
		rtnl_neigh_set_lladdr(n, mac);
		rtnl_neigh_set_state(n, NUD_PERMANENT);
		e_nl = rtnl_neigh_set_dst(n, dst);
	}
	if (e_nl == 0)
		e_nl = rtnl_neigh_add(sock, n, NLM_F_CREATE | NLM_F_REPLACE);
	nl_addr_put(dst);
	nl_addr_put(mac);
	rtnl_neigh_put(n);
	return e_nl;
}

static int route_fill(
	struct rtnl_route *r, struct rtnl_nexthop *nh, const struct end *e)
{
	struct nl_addr *dst = NULL, *via = NULL;
	int e_nl = nl_addr_parse(e->route, AF_INET, &dst);

	if (e_nl == 0)
		e_nl = nl_addr_parse(ends[e->peer].addr, AF_INET, &via);
	if (e_nl == 0)
		e_nl = rtnl_route_set_dst(r, dst);
	if (e_nl == 0) {
		nl_addr_set_prefixlen(via, 32);
		rtnl_route_nh_set_ifindex(nh, e->ifindex);
		rtnl_route_nh_set_gateway(nh, via);
	}
	nl_addr_put(via);
	nl_addr_put(dst);
	return e_nl;
}

static int route_set(struct nl_sock *sock, const struct end *e)
{
	struct rtnl_route *r = rtnl_route_alloc();
	struct rtnl_nexthop *nh = rtnl_route_nh_alloc();
	int e_nl = -NLE_NOMEM;

	if (r != NULL && nh != NULL)
		e_nl = route_fill(r, nh, e);
	if (e_nl != 0) {
		if (nh != NULL)
			rtnl_route_nh_free(nh);
	} else {
		rtnl_route_add_nexthop(r, nh); /* the route owns it now */
		e_nl = rtnl_route_add(sock, r, NLM_F_EXCL);
	}
	rtnl_route_put(r);
	return e_nl;
}

/* Everything about one end but the link itself; its peer is there, maybe down. */
static int end_set_up(
	struct nl_handle *nl, int ethtool_fd, const struct end *e, struct sp_err *err)
{
	struct nl_sock *sock = nl_handle_sock(nl);
	int rc, e_nl;

	rc = offload_apply(ethtool_fd, e->ifname, e->role, err);
	if (rc != 0)
		return rc;
	e_nl = addr_set(sock, e);
	if (e_nl == 0)
		e_nl = link_raise(sock, e);
	if (e_nl == 0)
		e_nl = neigh_set(sock, e);
	if (e_nl == 0 && e->route != NULL)
		e_nl = route_set(sock, e);
	return e_nl == 0 ? 0 : nl_err_set(err, e_nl, "cannot set up", e->ifname);
}

/*
 * Wait until the kernel's link watch has seen the carrier: only then does it put
 * a real transmit queue where one that drops everything was.
 */
static int side_await(struct nl_handle *nl, bool in_sut, struct sp_err *err)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + UP_MAX_NS;
	struct nl_link link;
	size_t i;
	int rc;

	for (i = 0; i < N_ENDS; i++) {
		if (ends[i].in_sut != in_sut)
			continue;
		rc = nl_link_get(nl, ends[i].ifname, &link, err);
		while (rc == 0 && !link.running) {
			if (clock_now_ns(&clock_monotonic) > deadline_ns)
				return sp_err_set(err, SP_ETIMEDOUT,
					"%s does not come up", ends[i].ifname);
			clock_sleep_until_ns(&clock_monotonic,
				clock_now_ns(&clock_monotonic) + NS_PER_MS);
			rc = nl_link_get(nl, ends[i].ifname, &link, err);
		}
		if (rc != 0)
			return rc;
	}
	return 0;
}

/* All ends that live in one namespace. */
static int side_set_up(
	struct nl_handle *nl, int netns_fd, bool in_sut, struct sp_err *err)
{
	int ethtool_fd = -1;
	size_t i;
	int rc;

	rc = ethtool_open(netns_fd, &ethtool_fd, err);
	for (i = 0; rc == 0 && i < N_ENDS; i++)
		if (ends[i].in_sut == in_sut)
			rc = end_set_up(nl, ethtool_fd, &ends[i], err);
	if (ethtool_fd >= 0)
		(void)close(ethtool_fd); /* a socket that only asked */
	return rc;
}

int lab_net_make(const struct lab_config *cfg, struct lab *lab, struct sp_err *err)
{
	struct nl_handle *gen = NULL, *sut = NULL;
	int rc;

	rc = nl_handle_open(lab->gen_ns, &gen, err);
	if (rc == 0)
		rc = nl_handle_open(lab->sut_ns, &sut, err);
	if (rc == 0)
		rc = pair_make(gen, &ends[GEN_TX], lab->sut_ns, cfg, err);
	if (rc == 0)
		rc = pair_make(gen, &ends[GEN_RX], lab->sut_ns, cfg, err);
	if (rc == 0)
		rc = side_set_up(sut, lab->sut_ns, true, err);
	if (rc == 0)
		rc = side_set_up(gen, lab->gen_ns, false, err);
	if (rc == 0)
		rc = side_await(sut, true, err);
	if (rc == 0)
		rc = side_await(gen, false, err);
	nl_handle_close(sut);
	nl_handle_close(gen);
	if (rc != 0)
		return rc;
	memcpy(lab->gen_tx_mac, ends[GEN_TX].mac, sizeof(lab->gen_tx_mac));
	memcpy(lab->gen_rx_mac, ends[GEN_RX].mac, sizeof(lab->gen_rx_mac));
	memcpy(lab->sut_in_mac, ends[SUT_IN].mac, sizeof(lab->sut_in_mac));
	memcpy(lab->sut_out_mac, ends[SUT_OUT].mac, sizeof(lab->sut_out_mac));
	return 0;
}
