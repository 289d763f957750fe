/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Offload features of an interface, by the names that `ethtool -k` knows in the kernel
 * ("rx-gro", "tx-generic-segmentation"), its rings and its driver. A descriptor belongs
 * to the namespace it was opened in.
 */
#ifndef SATPROF_OS_ETHTOOL_H
#define SATPROF_OS_ETHTOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define ETHTOOL_FEATURES_MAX 128

struct ethtool_features {
	uint32_t n; /* 0 for an interface without features (a tun without a carrier) */
	char names[ETHTOOL_FEATURES_MAX][32];
	bool on[ETHTOOL_FEATURES_MAX];
	bool fixed[ETHTOOL_FEATURES_MAX]; /* can never be changed */
};

struct ethtool_change {
	const char *feature;
	bool on;
};

/* netns_fd -1: the caller's namespace. Close with close(2). */
int ethtool_open(int netns_fd, int *ret_fd, struct sp_err *err);
int ethtool_features_get(int fd, const char *ifname, struct ethtool_features *ret_feat,
	struct sp_err *err);
/*
 * Ask for all changes at once (one depends on another: segmentation needs
 * scatter-gather). A feature that this kernel does not know is passed over; what
 * came of the rest the caller reads back. SP_EPERM without CAP_NET_ADMIN.
 */
int ethtool_features_set(int fd, const char *ifname, const struct ethtool_change *chg,
	size_t n_chg, struct sp_err *err);

struct ethtool_rings { /* descriptors */
	uint32_t rx, rx_max, tx, tx_max;
};

/* SP_EENV where the driver does not tell. */
int ethtool_rings_get(int fd, const char *ifname, struct ethtool_rings *ret_rings,
	struct sp_err *err);

struct ethtool_driver {
	char driver[32], bus[32]; /* bus: the device, "0000:00:10.0"; "" */
};

int ethtool_driver_get(int fd, const char *ifname, struct ethtool_driver *ret_driver,
	struct sp_err *err);
/* The name of an interface by its number, of at least IF_NAMESIZE bytes. */
int ethtool_name_get(int fd, int ifindex, char *ret_name, struct sp_err *err);
/* The index of a feature, or -1. */
int ethtool_feature_find(const struct ethtool_features *feat, const char *feature);

#endif
