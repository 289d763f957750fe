/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What only the driver of an interface can tell, asked in the SUT's network namespace.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/audit_private.h"
#include "os/ethtool.h"

/* 0, or -errno where the SUT's network namespace may not be looked at. */
static int compare(const struct audit_request *req, bool *ret_same)
{
	char path[64], theirs[64] = "", ours[64] = "";

	*ret_same = true;
	if (!req->is_live || req->pid == 0)
		return 0;
	(void)snprintf(path, sizeof(path), "proc/%d/ns/net", (int)req->pid);
	if (readlinkat(req->root_fd, path, theirs, sizeof(theirs) - 1) < 0 ||
		readlinkat(req->root_fd, "proc/self/ns/net", ours, sizeof(ours) - 1) <
			0)
		return -errno;
	*ret_same = strcmp(theirs, ours) == 0;
	return 0;
}

bool audit_ethtool_is_here(const struct audit_request *req)
{
	bool same;

	(void)compare(req, &same); /* audit_ethtool_open() tells */
	return same;
}

int audit_ethtool_open(const struct audit_request *req, struct audit *a)
{
	struct sp_err err = { 0 };
	int netns = -1, fd = -1, rc;
	char path[64];
	bool same;

	if (!req->is_live) {
		audit_add_gap(a, "rings and offloads of NICs",
			"the drivers of a recorded tree cannot be asked");
		return -1;
	}
	(void)snprintf(path, sizeof(path), "proc/%d/ns/net", (int)req->pid);
	rc = compare(req, &same);
	if (rc != 0)
		audit_add_gap(a, "network namespace of the SUT",
			"/%s: %s (its interfaces are taken for those here)", path,
			strerror(-rc));
	if (!same) {
		netns = openat(req->root_fd, path, O_RDONLY | O_CLOEXEC);
		if (netns < 0) {
			audit_gap_file(a, "rings and offloads of NICs", path, -errno);
			return -1;
		}
	}
	if (ethtool_open(netns, &fd, &err) != 0)
		audit_add_gap(a, "rings and offloads of NICs", "%s", err.msg);
	if (netns >= 0)
		(void)close(netns); /* read only */
	return fd;
}

void audit_ethtool_driver(int fd, struct audit_nic *nic)
{
	struct ethtool_driver d;
	struct sp_err ignored;

	if (fd < 0 || ethtool_driver_get(fd, nic->name, &d, &ignored) != 0)
		return;
	(void)snprintf(nic->driver, sizeof(nic->driver), "%s", d.driver);
	(void)snprintf(nic->bus, sizeof(nic->bus), "%s", d.bus);
}

static int feature_of(const struct ethtool_features *f, const char *name)
{
	int at = ethtool_feature_find(f, name);

	return at < 0 ? AUDIT_UNKNOWN : f->on[at];
}

static void offloads_read(int fd, struct audit *a, struct audit_nic *nic)
{
	struct ethtool_features f;
	struct sp_err err = { 0 };
	char what[80];

	if (ethtool_features_get(fd, nic->name, &f, &err) == 0 && f.n > 0) {
		nic->gro = feature_of(&f, "rx-gro");
		nic->lro = feature_of(&f, "rx-lro");
		return;
	}
	(void)snprintf(what, sizeof(what), "offloads of %s", nic->name);
	audit_add_gap(a, what, "%s", err.msg[0] != '\0' ? err.msg : "it has none");
}

static void rings_read(int fd, struct audit *a, struct audit_nic *nic)
{
	struct ethtool_rings r;
	struct sp_err err = { 0 };
	char what[80];

	if (ethtool_rings_get(fd, nic->name, &r, &err) == 0) {
		nic->rx_ring = (int)r.rx;
		nic->rx_ring_max = (int)r.rx_max;
		nic->tx_ring = (int)r.tx;
		nic->tx_ring_max = (int)r.tx_max;
	} else if (!nic->is_virtual) { /* a veth has no ring to be told of */
		(void)snprintf(what, sizeof(what), "rings of %s", nic->name);
		audit_add_gap(a, what, "%s", err.msg);
	}
}

void audit_ethtool_read(int fd, struct audit *a)
{
	size_t i;

	for (i = 0; fd >= 0 && i < a->n_nics; i++) {
		struct audit_nic *nic = &a->nics[i];

		if (strchr(nic->name, ':') != NULL)
			continue; /* a device that the SUT drives itself */
		offloads_read(fd, a, nic);
		rings_read(fd, a, nic);
	}
}
