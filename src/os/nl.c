/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Link state and counters through libnl-route. */
#include "config.h"

#include "os/nl.h"

#include <errno.h>
#include <linux/if.h>
#include <linux/pkt_sched.h>
#include <netlink/addr.h>
#include <netlink/cache.h>
#include <netlink/errno.h>
#include <netlink/netlink.h>
#include <netlink/route/link.h>
#include <netlink/route/qdisc.h>
#include <netlink/route/tc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/netns.h"

struct nl_handle {
	struct nl_sock *sock;
};

int nl_err_set(struct sp_err *err, int nl_err, const char *what, const char *ifname)
{
	int e = abs(nl_err);
	enum sp_errcode code = e == NLE_PERM || e == NLE_NOACCESS ? SP_EPERM : SP_EIO;

	if (e == NLE_NODEV || e == NLE_OBJ_NOTFOUND)
		return sp_err_set(err, SP_EENV, "%s: no interface '%s'", what, ifname);
	return sp_err_set(err, code, "%s %s: %s%s", what, ifname, nl_geterror(nl_err),
		code == SP_EPERM ? " (needs CAP_NET_ADMIN)" : "");
}

int nl_handle_open(int netns_fd, struct nl_handle **ret_nl, struct sp_err *err)
{
	struct nl_sock *sock = NULL;
	int back = -1;
	int rc, e, sys_errno;

	rc = netns_enter(netns_fd, &back, err);
	if (rc != 0)
		return rc;
	sock = nl_socket_alloc();
	e = sock == NULL ? -NLE_NOMEM : nl_connect(sock, 0 /* NETLINK_ROUTE */);
	sys_errno = errno; /* libnl has no word for some, as EMFILE */
	netns_leave(back);
	if (e != 0) {
		nl_socket_free(sock);
		if (e == -NLE_FAILURE)
			return sp_err_errno(
				err, SP_EIO, sys_errno, "cannot open netlink");
		return nl_err_set(err, e, "cannot open", "netlink");
	}
	*ret_nl = xcalloc(1, sizeof(**ret_nl));
	(*ret_nl)->sock = sock;
	return 0;
}

void nl_handle_close(struct nl_handle *nl)
{
	if (nl == NULL)
		return;
	nl_socket_free(nl->sock);
	free(nl);
}

struct nl_sock *nl_handle_sock(struct nl_handle *nl)
{
	return nl->sock;
}

static void link_fill(struct rtnl_link *l, struct nl_link *ret)
{
	struct nl_addr *mac = rtnl_link_get_addr(l);
	const char *kind = rtnl_link_get_type(l);
	const char *name = rtnl_link_get_name(l);
	uint8_t state;

	memset(ret, 0, sizeof(*ret));
	ret->ifindex = rtnl_link_get_ifindex(l);
	(void)snprintf(ret->name, sizeof(ret->name), "%s", name != NULL ? name : "");
	(void)snprintf(ret->kind, sizeof(ret->kind), "%s", kind != NULL ? kind : "");
	if (mac != NULL && nl_addr_get_len(mac) == sizeof(ret->mac))
		memcpy(ret->mac, nl_addr_get_binary_addr(mac), sizeof(ret->mac));
	ret->mtu = rtnl_link_get_mtu(l);
	ret->up = (rtnl_link_get_flags(l) & IFF_UP) != 0;
	ret->loopback = (rtnl_link_get_flags(l) & IFF_LOOPBACK) != 0;
	ret->carrier = rtnl_link_get_carrier(l) != 0;
	(void)rtnl_link_get_carrier_changes(l, &ret->carrier_changes); /* stays 0 */
	/* A new veth is unknown too, but then not ready yet; others mean up. */
	state = rtnl_link_get_operstate(l);
	ret->running = ret->up &&
		       (state == IF_OPER_UP || (state == IF_OPER_UNKNOWN &&
						       strcmp(ret->kind, "veth") != 0));
	ret->rx_packets = rtnl_link_get_stat(l, RTNL_LINK_RX_PACKETS);
	ret->tx_packets = rtnl_link_get_stat(l, RTNL_LINK_TX_PACKETS);
	ret->rx_dropped = rtnl_link_get_stat(l, RTNL_LINK_RX_DROPPED);
	ret->tx_dropped = rtnl_link_get_stat(l, RTNL_LINK_TX_DROPPED);
	ret->rx_errors = rtnl_link_get_stat(l, RTNL_LINK_RX_ERRORS);
	ret->tx_errors = rtnl_link_get_stat(l, RTNL_LINK_TX_ERRORS);
	ret->rx_missed = rtnl_link_get_stat(l, RTNL_LINK_RX_MISSED_ERR);
	ret->tx_carrier_errors = rtnl_link_get_stat(l, RTNL_LINK_TX_CARRIER_ERR);
}

int nl_link_get(struct nl_handle *nl, const char *ifname, struct nl_link *ret_link,
	struct sp_err *err)
{
	struct rtnl_link *l = NULL;
	int e;

	/* libnl cuts a name that is too long, and would find another link. */
	if (strlen(ifname) >= IFNAMSIZ)
		return nl_err_set(err, NLE_NODEV, "cannot read link", ifname);
	e = rtnl_link_get_kernel(nl->sock, 0, ifname, &l);
	if (e != 0)
		return nl_err_set(err, e, "cannot read link", ifname);
	link_fill(l, ret_link);
	rtnl_link_put(l);
	return 0;
}

/* What nl_qdisc_* want of an interface's root disciplines. */
struct qdisc_root {
	uint64_t drops;
	bool is_set;
};

static int qdisc_root_read(struct nl_handle *nl, const char *ifname,
	struct qdisc_root *ret_root, struct sp_err *err)
{
	struct qdisc_root root = { 0 };
	struct nl_link link;
	struct nl_cache *cache = NULL;
	struct nl_object *o;
	int rc, e;

	rc = nl_link_get(nl, ifname, &link, err);
	if (rc != 0)
		return rc;
	e = rtnl_qdisc_alloc_cache(nl->sock, &cache);
	if (e != 0)
		return nl_err_set(
			err, e, "cannot list queueing disciplines of", ifname);
	for (o = nl_cache_get_first(cache); o != NULL; o = nl_cache_get_next(o)) {
		struct rtnl_tc *tc = TC_CAST(o);

		if (rtnl_tc_get_ifindex(tc) != link.ifindex ||
			rtnl_tc_get_parent(tc) != TC_H_ROOT)
			continue;
		root.drops += rtnl_tc_get_stat(tc, RTNL_TC_DROPS);
		root.is_set = root.is_set || rtnl_tc_get_handle(tc) != 0;
	}
	nl_cache_free(cache);
	*ret_root = root;
	return 0;
}

int nl_qdisc_drops(struct nl_handle *nl, const char *ifname, uint64_t *ret_drops,
	struct sp_err *err)
{
	struct qdisc_root root;
	int rc = qdisc_root_read(nl, ifname, &root, err);

	if (rc == 0)
		*ret_drops = root.drops;
	return rc;
}

int nl_qdisc_is_set(
	struct nl_handle *nl, const char *ifname, bool *ret_is_set, struct sp_err *err)
{
	struct qdisc_root root;
	int rc = qdisc_root_read(nl, ifname, &root, err);

	if (rc == 0)
		*ret_is_set = root.is_set;
	return rc;
}
