/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interfaces: which there are, which count, and where they are. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/audit_private.h"
#include "os/sysfile.h"

/* "  nic0: bytes packets errs drop fifo frame compressed multicast bytes packets errs
 * drop ...": drop holds what the driver had no descriptor for, too. */
static void counters_parse(struct audit *a, char *line)
{
	char *colon = strrchr(line, ':'), *name = line + strspn(line, " ");
	uint64_t rx[4], tx[4];
	struct audit_nic *nic;

	if (colon == NULL)
		return;
	*colon = '\0';
	if (strcmp(name, "lo") == 0 ||
		sscanf(colon + 1,
			" %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
			" %*s %*s %*s %*s %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
			&rx[0], &rx[1], &rx[2], &rx[3], &tx[0], &tx[1], &tx[2],
			&tx[3]) != 8)
		return;
	nic = audit_add_nic(a, name);
	nic->has_drops = true;
	nic->rx_pkts = rx[1];
	nic->rx_drops = rx[3];
	nic->tx_pkts = tx[1];
	nic->tx_drops = tx[3];
}

static void names_read(const struct audit_request *req, struct audit *a)
{
	char path[64] = "proc/net/dev", *text, *line, *rest = NULL;
	int e = 0;

	if (req->pid != 0)
		(void)snprintf(path, sizeof(path), "proc/%d/net/dev", (int)req->pid);
	text = sysfile_text(req->root_fd, path, &e);
	if (text == NULL) {
		audit_gap_file(a, "interfaces", path, -e);
		return;
	}
	for (line = strtok_r(text, "\n", &rest); line != NULL;
		line = strtok_r(NULL, "\n", &rest))
		counters_parse(a, line);
	free(text);
}

/* A link in /sys to a device's folder: "../../devices/..." */
static bool link_read(int root_fd, const char *path, char *buf, size_t len)
{
	char link[256], *devices;
	ssize_t got = readlinkat(root_fd, path, link, sizeof(link) - 1);

	if (got <= 0)
		return false;
	link[got] = '\0';
	devices = strstr(link, "devices/");
	if (devices == NULL)
		return false;
	(void)snprintf(buf, len, "sys/%s", devices);
	return true;
}

bool audit_nic_dir(const struct audit_request *req, const struct audit_nic *nic,
	char *buf, size_t len)
{
	char path[128], *net;

	if (audit_ethtool_is_here(req)) {
		(void)snprintf(path, sizeof(path), "sys/class/net/%s", nic->name);
		if (link_read(req->root_fd, path, buf, len)) {
			net = strstr(buf, "/net/");
			if (net != NULL)
				*net = '\0';
			return strstr(buf, "devices/virtual") == NULL;
		}
	}
	(void)snprintf(path, sizeof(path), "sys/bus/pci/devices/%s", nic->bus);
	return nic->bus[0] != '\0' && link_read(req->root_fd, path, buf, len);
}

/* A virtio interface's device has no node: the PCI device above it has. */
static int node_of(const struct audit_request *req, const char *dir)
{
	char at[256], path[300], *slash;
	long node;

	(void)snprintf(at, sizeof(at), "%s", dir);
	while (strcmp(at, "sys/devices") != 0) {
		(void)snprintf(path, sizeof(path), "%s/numa_node", at);
		if (sysfile_long(req->root_fd, path, &node) == 0)
			return node < 0 ? AUDIT_NONE : (int)node;
		slash = strrchr(at, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
	}
	return AUDIT_UNKNOWN;
}

/* The part of the path that is a PCI address; else the device's own name. */
static void bus_set(struct audit_nic *nic, const char *dir)
{
	const char *part = dir, *slash;
	unsigned domain, bus, slot, function;

	(void)snprintf(nic->bus, sizeof(nic->bus), "%s", strrchr(dir, '/') + 1);
	while ((slash = strchr(part, '/')) != NULL) {
		part = slash + 1;
		if (sscanf(part, "%4x:%2x:%2x.%1u", &domain, &bus, &slot, &function) ==
			4)
			(void)snprintf(nic->bus, sizeof(nic->bus), "%.*s",
				(int)strcspn(part, "/"), part);
	}
}

static void driver_read(
	const struct audit_request *req, struct audit_nic *nic, const char *dir)
{
	char path[300], link[200];
	ssize_t got;

	(void)snprintf(path, sizeof(path), "%s/driver", dir);
	got = readlinkat(req->root_fd, path, link, sizeof(link) - 1);
	if (got <= 0 || nic->driver[0] != '\0')
		return;
	link[got] = '\0';
	(void)snprintf(nic->driver, sizeof(nic->driver), "%.47s",
		strrchr(link, '/') != NULL ? strrchr(link, '/') + 1 : link);
}

/* Known to have no device: /sys has it among the virtual ones or, where /sys does not
 * show it, its driver answers and names no bus. */
static bool is_virtual(const struct audit_request *req, const struct audit_nic *nic)
{
	char path[128], dir[256];

	if (!audit_ethtool_is_here(req))
		return nic->driver[0] != '\0' && nic->bus[0] == '\0';
	(void)snprintf(path, sizeof(path), "sys/class/net/%s", nic->name);
	return link_read(req->root_fd, path, dir, sizeof(dir)) &&
	       strstr(dir, "devices/virtual") != NULL;
}

static void place_read(
	const struct audit_request *req, struct audit *a, struct audit_nic *nic, int fd)
{
	char dir[256], what[80];

	(void)snprintf(what, sizeof(what), "node of %s", nic->name);
	if (!audit_ethtool_is_here(req))
		audit_ethtool_driver(fd, nic);
	if (is_virtual(req, nic)) {
		nic->is_virtual = true;
		nic->node = AUDIT_NONE;
		return;
	}
	if (!audit_nic_dir(req, nic, dir, sizeof(dir))) {
		audit_add_gap(a, what, "no device of it is in /sys");
		return;
	}
	bus_set(nic, dir);
	driver_read(req, nic, dir);
	nic->node = node_of(req, dir);
	if (nic->node < 0 && a->n_nodes == 1) /* where else */
		nic->node = a->nodes[0].node;
	if (nic->node == AUDIT_UNKNOWN)
		audit_add_gap(a, what, "neither its device nor those above have one");
	else if (nic->node == AUDIT_NONE)
		audit_add_gap(
			a, what, "the firmware says none, of %zu nodes", a->n_nodes);
}

static void flags_read(const struct audit_request *req, struct audit_nic *nic)
{
	char path[96], text[32];

	(void)snprintf(path, sizeof(path), "sys/class/net/%s/flags", nic->name);
	/* Of another namespace nobody asks: what is there counts. */
	nic->up = !audit_ethtool_is_here(req) ||
		  sysfile_line(req->root_fd, path, text, sizeof(text)) != 0 ||
		  (strtoul(text, NULL, 16) & IFF_UP) != 0;
}

/* One queue's mask of RPS or XPS. */
static int steering_read(const struct audit_request *req, const char *dir,
	const char *queue, struct audit_nic *nic)
{
	char path[160];
	bool is_rx = strncmp(queue, "rx-", 3) == 0;

	(void)snprintf(path, sizeof(path), "%s/%.20s/%s", dir, queue,
		is_rx ? "rps_cpus" : "xps_cpus");
	return sysfile_mask(req->root_fd, path, is_rx ? &nic->rps : &nic->xps);
}

static void queues_read(
	const struct audit_request *req, struct audit *a, struct audit_nic *nic)
{
	char dir[96], what[80], **names;
	size_t n = 0, i;
	int rc = 0;

	(void)snprintf(dir, sizeof(dir), "sys/class/net/%s/queues", nic->name);
	names = audit_ethtool_is_here(req) ? sysfile_names(req->root_fd, dir, &n)
					   : NULL;
	(void)snprintf(what, sizeof(what), "queues of %s", nic->name);
	if (n == 0) {
		audit_add_gap(a, what, "/%s is not there%s", dir,
			audit_ethtool_is_here(req)
				? ""
				: " for an interface of another network namespace");
		return;
	}
	nic->n_rx = nic->n_tx = 0;
	for (i = 0; i < n; i++) {
		bool is_rx = strncmp(names[i], "rx-", 3) == 0;
		int one = steering_read(req, dir, names[i], nic);

		nic->n_rx += is_rx;
		nic->n_tx += !is_rx;
		if (is_rx && one != 0)
			rc = one;
	}
	sysfile_names_free(names, n);
	nic->has_rps = rc == 0;
	(void)snprintf(what, sizeof(what), "RPS of %s", nic->name);
	if (rc != 0)
		audit_gap_file(a, what, dir, rc);
}

/* What a bond or a VLAN of the SUT's stands on is the SUT's, too. */
static void lowers_mark(const struct audit_request *req, struct audit *a, size_t depth)
{
	char dir[96], **names;
	struct audit_nic *lower;
	size_t i, k, n;
	bool more = false;

	for (i = 0; i < a->n_nics; i++) {
		if (!a->nics[i].used)
			continue;
		(void)snprintf(dir, sizeof(dir), "sys/class/net/%s", a->nics[i].name);
		names = sysfile_names(req->root_fd, dir, &n);
		for (k = 0; k < n; k++) {
			lower = strncmp(names[k], "lower_", 6) == 0
					? audit_find_nic(a, names[k] + 6)
					: NULL;
			more |= lower != NULL && !lower->used;
			if (lower != NULL)
				lower->used = true;
		}
		sysfile_names_free(names, n);
	}
	if (more && depth > 0) /* a VLAN on a bond */
		lowers_mark(req, a, depth - 1);
}

/* Named by the user, or else the SUT's as its sockets say. */
static int choose(
	const struct audit_request *req, struct audit *a, int fd, struct sp_err *err)
{
	const char *const named[] = { req->in, req->out };
	struct audit_nic *nic;
	size_t i;

	for (i = 0; i < 2; i++) {
		if (named[i] == NULL)
			continue;
		nic = audit_find_nic(a, named[i]);
		if (nic == NULL)
			return sp_err_set(
				err, SP_EUSAGE, "no interface '%s' here", named[i]);
		nic->used = true;
	}
	if (req->in == NULL && req->out == NULL)
		audit_used_read(req, a, fd);
	if (audit_ethtool_is_here(req))
		lowers_mark(req, a, 4);
	return 0;
}

/* Leaves NICs, and what the SUT uses; where the user named some, those only. */
static void drop_others(const struct audit_request *req, struct audit *a)
{
	bool named = req->in != NULL || req->out != NULL;
	size_t i, n = 0;

	for (i = 0; i < a->n_nics; i++)
		if (a->nics[i].used || (!named && !a->nics[i].is_virtual))
			a->nics[n++] = a->nics[i]; /* they own nothing yet */
	a->n_nics = n;
}

int audit_nic_read(const struct audit_request *req, struct audit *a, struct sp_err *err)
{
	int fd, rc;
	size_t i;

	names_read(req, a);
	fd = audit_ethtool_open(req, a);
	rc = choose(req, a, fd, err);
	for (i = 0; rc == 0 && i < a->n_nics; i++)
		place_read(req, a, &a->nics[i], fd);
	if (rc == 0) {
		drop_others(req, a);
		for (i = 0; i < a->n_nics; i++) {
			flags_read(req, &a->nics[i]);
			if (strchr(a->nics[i].name, ':') == NULL)
				queues_read(req, a, &a->nics[i]);
		}
		audit_ethtool_read(fd, a);
		audit_irq_read(req, a);
	}
	if (fd >= 0)
		(void)close(fd); /* nothing was written */
	return rc;
}
