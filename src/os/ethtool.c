/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offloads, rings and drivers through the ETHTOOL ioctl: no library does only this. */
#include "config.h"

#include "os/ethtool.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/netns.h"

#define N_WORDS (ETHTOOL_FEATURES_MAX / 32)

int ethtool_open(int netns_fd, int *ret_fd, struct sp_err *err)
{
	int back = -1;
	int rc, fd;

	rc = netns_enter(netns_fd, &back, err);
	if (rc != 0)
		return rc;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		rc = sp_err_errno(err, SP_EIO, errno, "cannot open a socket");
	netns_leave(back);
	if (rc == 0)
		*ret_fd = fd;
	return rc;
}

/* One request; 0 or an errno. */
static int request(int fd, const char *ifname, void *data)
{
	struct ifreq ifr = { .ifr_data = data };

	if (strlen(ifname) >= IFNAMSIZ)
		return ENODEV;
	(void)snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", ifname);
	return ioctl(fd, SIOCETHTOOL, &ifr) < 0 ? errno : 0;
}

static int request_failed(
	struct sp_err *err, int e, const char *what, const char *ifname)
{
	if (e == ENODEV)
		return sp_err_set(err, SP_EENV, "no interface '%s'", ifname);
	if (e == EPERM)
		return sp_err_errno(err, SP_EPERM, e,
			"cannot %s the offloads of %s (needs CAP_NET_ADMIN)", what,
			ifname);
	return sp_err_errno(
		err, SP_EIO, e, "cannot %s the offloads of %s", what, ifname);
}

/* How many features the kernel knows; 0 or an errno. */
static int count_get(int fd, const char *ifname, uint32_t *ret_n)
{
	struct ethtool_sset_info *info =
		xcalloc(1, sizeof(*info) + sizeof(info->data[0]));
	int e;

	info->cmd = ETHTOOL_GSSET_INFO;
	info->sset_mask = UINT64_C(1) << ETH_SS_FEATURES;
	e = request(fd, ifname, info);
	*ret_n = e == 0 && info->sset_mask != 0 ? info->data[0] : 0;
	free(info);
	return e;
}

static int names_get(int fd, const char *ifname, struct ethtool_features *feat)
{
	struct ethtool_gstrings *s;
	uint32_t i, n = 0;
	int e;

	e = count_get(fd, ifname, &n);
	if (e != 0)
		return e;
	/* The kernel writes all of them, also those past what we keep. */
	s = xcalloc(1, sizeof(*s) + (size_t)n * ETH_GSTRING_LEN);
	s->cmd = ETHTOOL_GSTRINGS;
	s->string_set = ETH_SS_FEATURES;
	s->len = n;
	e = request(fd, ifname, s);
	if (e == 0) {
		feat->n = s->len < ETHTOOL_FEATURES_MAX ? s->len : ETHTOOL_FEATURES_MAX;
		for (i = 0; i < feat->n; i++) {
			memcpy(feat->names[i], s->data + (size_t)i * ETH_GSTRING_LEN,
				sizeof(feat->names[i]));
			feat->names[i][sizeof(feat->names[i]) - 1] = '\0';
		}
	}
	free(s);
	return e;
}

static bool bit_of(uint32_t word, uint32_t i)
{
	return ((word >> (i % 32)) & 1) != 0;
}

int ethtool_features_get(int fd, const char *ifname, struct ethtool_features *ret_feat,
	struct sp_err *err)
{
	struct ethtool_features feat = { .n = 0 };
	struct ethtool_gfeatures *g =
		xcalloc(1, sizeof(*g) + N_WORDS * sizeof(g->features[0]));
	uint32_t i;
	int e;

	g->cmd = ETHTOOL_GFEATURES;
	g->size = N_WORDS;
	e = names_get(fd, ifname, &feat);
	if (e == 0)
		e = request(fd, ifname, g);
	for (i = 0; e == 0 && i < feat.n; i++) {
		const struct ethtool_get_features_block *b = &g->features[i / 32];

		feat.on[i] = bit_of(b->active, i);
		feat.fixed[i] = bit_of(b->never_changed, i) || !bit_of(b->available, i);
	}
	free(g);
	if (e != 0)
		return request_failed(err, e, "read", ifname);
	*ret_feat = feat;
	return 0;
}

int ethtool_rings_get(
	int fd, const char *ifname, struct ethtool_rings *ret_rings, struct sp_err *err)
{
	struct ethtool_ringparam r = { .cmd = ETHTOOL_GRINGPARAM };
	int e = request(fd, ifname, &r);

	if (e == EOPNOTSUPP)
		return sp_err_set(
			err, SP_EENV, "the driver of %s tells no ring sizes", ifname);
	if (e != 0)
		return sp_err_errno(
			err, SP_EIO, e, "cannot read the ring sizes of %s", ifname);
	*ret_rings = (struct ethtool_rings){ .rx = r.rx_pending,
		.rx_max = r.rx_max_pending,
		.tx = r.tx_pending,
		.tx_max = r.tx_max_pending };
	return 0;
}

int ethtool_driver_get(int fd, const char *ifname, struct ethtool_driver *ret_driver,
	struct sp_err *err)
{
	struct ethtool_drvinfo d = { .cmd = ETHTOOL_GDRVINFO };
	int e = request(fd, ifname, &d);

	if (e != 0)
		return sp_err_errno(
			err, SP_EIO, e, "cannot read the driver of %s", ifname);
	*ret_driver = (struct ethtool_driver){ .driver = "" };
	(void)snprintf(
		ret_driver->driver, sizeof(ret_driver->driver), "%.31s", d.driver);
	(void)snprintf(ret_driver->bus, sizeof(ret_driver->bus), "%.31s", d.bus_info);
	return 0;
}

int ethtool_name_get(int fd, int ifindex, char *ret_name, struct sp_err *err)
{
	struct ifreq ifr = { .ifr_ifindex = ifindex };

	if (ioctl(fd, SIOCGIFNAME, &ifr) < 0)
		return sp_err_errno(
			err, SP_EIO, errno, "no interface has the number %d", ifindex);
	(void)snprintf(ret_name, IF_NAMESIZE, "%.15s", ifr.ifr_name);
	return 0;
}

int ethtool_feature_find(const struct ethtool_features *feat, const char *feature)
{
	uint32_t i;

	for (i = 0; i < feat->n; i++)
		if (strcmp(feat->names[i], feature) == 0)
			return (int)i;
	return -1;
}

int ethtool_features_set(int fd, const char *ifname, const struct ethtool_change *chg,
	size_t n_chg, struct sp_err *err)
{
	struct ethtool_features feat;
	struct ethtool_sfeatures *s;
	size_t i;
	int rc, e, at;

	rc = ethtool_features_get(fd, ifname, &feat, err);
	if (rc != 0)
		return rc;
	s = xcalloc(1, sizeof(*s) + N_WORDS * sizeof(s->features[0]));
	s->cmd = ETHTOOL_SFEATURES;
	/* The kernel refuses blocks beyond those it has. */
	s->size = (feat.n + 31) / 32;
	for (i = 0; i < n_chg; i++) {
		at = ethtool_feature_find(&feat, chg[i].feature);
		if (at < 0 || feat.fixed[at])
			continue;
		s->features[at / 32].valid |= UINT32_C(1) << (at % 32);
		if (chg[i].on)
			s->features[at / 32].requested |= UINT32_C(1) << (at % 32);
	}
	e = request(fd, ifname, s);
	free(s);
	return e == 0 ? 0 : request_failed(err, e, "set", ifname);
}
