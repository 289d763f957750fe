/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which interfaces are the SUT's: those it has packet sockets on, and devices that it
 * drives itself. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/audit_private.h"
#include "os/ethtool.h"
#include "os/sysfile.h"

/* The interface of that number; NULL: none of ours. */
static struct audit_nic *nic_by_index(
	const struct audit_request *req, struct audit *a, int fd, long index)
{
	char path[96], name[IF_NAMESIZE] = "";
	struct sp_err ignored;
	size_t i;
	long v;

	if (fd >= 0)
		return ethtool_name_get(fd, (int)index, name, &ignored) == 0
			       ? audit_find_nic(a, name)
			       : NULL;
	for (i = 0; i < a->n_nics; i++) {
		(void)snprintf(path, sizeof(path), "sys/class/net/%s/ifindex",
			a->nics[i].name);
		if (sysfile_long(req->root_fd, path, &v) == 0 && v == index)
			return &a->nics[i];
	}
	return NULL;
}

/* Socket numbers in a process's descriptors are looked for in this text. */
static void socket_mark(const struct audit_request *req, struct audit *a, int fd,
	const char *packet, uint64_t inode)
{
	struct audit_nic *nic;
	const char *line;
	uint64_t number;
	long index;

	/* sk RefCnt Type Proto Iface R Rmem User Inode */
	for (line = strchr(packet, '\n'); line != NULL; line = strchr(line + 1, '\n')) {
		if (sscanf(line + 1, "%*s %*s %*s %*s %ld %*s %*s %*s %" SCNu64, &index,
			    &number) != 2 ||
			number != inode || index == 0)
			continue;
		nic = nic_by_index(req, a, fd, index);
		if (nic != NULL)
			nic->used = true;
	}
}

/* "/dev/vfio/12": the group's devices are driven by the SUT and have no interface. */
static void group_add(
	const struct audit_request *req, struct audit *a, const char *group)
{
	size_t n = 0, i;
	char dir[96], **names;

	(void)snprintf(
		dir, sizeof(dir), "sys/kernel/iommu_groups/%.20s/devices", group);
	names = sysfile_names(req->root_fd, dir, &n);
	for (i = 0; i < n; i++) {
		struct audit_nic *nic;
		char path[160], class[32];

		(void)snprintf(path, sizeof(path), "sys/bus/pci/devices/%.20s/class",
			names[i]);
		/* 0x02....: network controllers, not the bridge above them. */
		if (sysfile_line(req->root_fd, path, class, sizeof(class)) != 0 ||
			strncmp(class, "0x02", 4) != 0 ||
			audit_find_nic(a, names[i]) != NULL)
			continue;
		nic = audit_add_nic(a, names[i]);
		nic->up = true;
		nic->used = true;
		(void)snprintf(nic->bus, sizeof(nic->bus), "%s", names[i]);
		(void)snprintf(nic->driver, sizeof(nic->driver), "vfio");
	}
	sysfile_names_free(names, n);
}

/* 0, or -errno where its descriptors may not be seen. */
static int process_look(const struct audit_request *req, struct audit *a, int fd,
	const char *packet, int pid)
{
	char dir[64], path[96], link[128], **names;
	size_t n = 0, i;
	ssize_t got;
	int folder;

	(void)snprintf(dir, sizeof(dir), "proc/%d/fd", pid);
	folder = openat(req->root_fd, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	(void)close(folder); /* read only */
	names = sysfile_names(req->root_fd, dir, &n);
	for (i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "%s/%.20s", dir, names[i]);
		got = readlinkat(req->root_fd, path, link, sizeof(link) - 1);
		if (got <= 0)
			continue;
		link[got] = '\0';
		if (strncmp(link, "socket:[", 8) == 0)
			socket_mark(req, a, fd, packet, strtoull(link + 8, NULL, 10));
		else if (strncmp(link, "/dev/vfio/", 10) == 0)
			group_add(req, a, link + 10);
	}
	sysfile_names_free(names, n);
	return 0;
}

void audit_used_read(const struct audit_request *req, struct audit *a, int fd)
{
	static const char what[] = "which interfaces the SUT uses";
	char path[64], *packet;
	bool some = false;
	size_t i, k;
	int e = 0, rc;

	if (req->pid == 0)
		return;
	(void)snprintf(path, sizeof(path), "proc/%d/net/packet", (int)req->pid);
	packet = sysfile_text(req->root_fd, path, &e);
	for (i = 0; i < a->n_threads; i++) {
		for (k = 0; k < i && a->threads[k].pid != a->threads[i].pid; k++)
			;
		if (k < i) /* each process once */
			continue;
		rc = process_look(
			req, a, fd, packet != NULL ? packet : "", a->threads[i].pid);
		if (rc == -EACCES || rc == -EPERM)
			audit_add_gap(a, what,
				"/proc/%d/fd: not permitted (try as root, or name them "
				"with --in and --out)",
				a->threads[i].pid);
	}
	free(packet);
	for (i = 0; i < a->n_nics; i++)
		some |= a->nics[i].used;
	if (!some)
		audit_add_gap(a, what,
			"no packet socket or vfio device of it can be seen: name them "
			"with --in and --out");
}
