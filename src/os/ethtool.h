/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Offload features of an interface, by the names that `ethtool -k` knows in the
 * kernel ("rx-gro", "tx-generic-segmentation"). A descriptor belongs to the
 * namespace it was opened in.
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
/* The index of a feature, or -1. */
int ethtool_feature_find(const struct ethtool_features *feat, const char *feature);

#endif
