/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The offloads that must be off, and the one that a sender must have. */
#include "config.h"

#include "os/offload.h"

#include <stdio.h>
#include <string.h>

/* Kernel names; `ethtool -k` shows some of them under older ones (gro, gso...). */
static const char *const gluing[] = {
	"rx-gro",
	"rx-gro-hw",
	"rx-gro-list",
	"rx-udp-gro-forwarding",
	"rx-lro",
};

/* On a virtual link these leave frames that a wire would never carry. */
static const char *const unfinished[] = {
	"rx-checksum",
	"tx-tcp-segmentation",
	"tx-tcp-ecn-segmentation",
	"tx-tcp-mangleid-segmentation",
	"tx-tcp-accecn-segmentation",
	"tx-tcp6-segmentation",
	"tx-udp-segmentation",
	"tx-checksum-ip-generic",
	"tx-checksum-ipv4",
	"tx-checksum-ipv6",
	"tx-checksum-sctp",
	"rx-vlan-hw-parse",
	"tx-vlan-hw-insert",
	"rx-vlan-stag-hw-parse",
	"tx-vlan-stag-hw-insert",
};

/*
 * Software segmentation: what lets a sender hand the kernel one large datagram
 * that leaves as single frames. It depends on scatter-gather.
 */
static const char *const splitting[] = {
	"tx-scatter-gather",
	"tx-generic-segmentation",
};

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static void finding_add(const struct ethtool_features *feat, const char *name, bool on,
	struct offload_findings *find)
{
	int at = ethtool_feature_find(feat, name);

	if (at < 0 || feat->fixed[at] || feat->on[at] == on)
		return;
	find->wanted[find->n].feature = name;
	find->wanted[find->n].on = on;
	find->n++;
}

int offload_check(int ethtool_fd, const char *ifname, enum offload_role role,
	struct offload_findings *ret_find, struct sp_err *err)
{
	struct offload_findings find = { .n = 0 };
	struct ethtool_features feat;
	size_t i;
	int rc;

	_Static_assert(N_OF(gluing) + N_OF(unfinished) + N_OF(splitting) <= OFFLOAD_MAX,
		"OFFLOAD_MAX is too small");
	rc = ethtool_features_get(ethtool_fd, ifname, &feat, err);
	if (rc != 0)
		return rc;
	for (i = 0; i < N_OF(gluing); i++)
		finding_add(&feat, gluing[i], false, &find);
	for (i = 0; role != OFFLOAD_ROLE_NIC && i < N_OF(unfinished); i++)
		finding_add(&feat, unfinished[i], false, &find);
	for (i = 0; role == OFFLOAD_ROLE_SENDER && i < N_OF(splitting); i++)
		finding_add(&feat, splitting[i], true, &find);
	if (role == OFFLOAD_ROLE_OTHER)
		finding_add(&feat, "tx-generic-segmentation", false, &find);
	*ret_find = find;
	return 0;
}

int offload_apply(
	int ethtool_fd, const char *ifname, enum offload_role role, struct sp_err *err)
{
	struct offload_findings find;
	char list[200];
	int rc;

	rc = offload_check(ethtool_fd, ifname, role, &find, err);
	if (rc != 0 || find.n == 0)
		return rc;
	rc = ethtool_features_set(ethtool_fd, ifname, find.wanted, find.n, err);
	if (rc == 0)
		rc = offload_check(ethtool_fd, ifname, role, &find, err);
	if (rc == 0 && find.n > 0)
		rc = sp_err_set(err, SP_EENV,
			"%s keeps offloads that falsify the counts: %s", ifname,
			offload_format(&find, list, sizeof(list)));
	return rc;
}

char *offload_format(const struct offload_findings *find, char *buf, size_t len)
{
	size_t i, at = 0;
	int n;

	buf[0] = '\0';
	for (i = 0; i < find->n && at < len; i++) {
		n = snprintf(buf + at, len - at, "%s%s %s", i == 0 ? "" : ", ",
			find->wanted[i].feature, find->wanted[i].on ? "off" : "on");
		if (n > 0)
			at += (size_t)n;
	}
	return buf;
}
