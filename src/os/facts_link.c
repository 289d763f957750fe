/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the SUT's NICs: their node, receive steering, where interrupts go. */
#include "config.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/facts_private.h"
#include "os/sysfile.h"

#define MAX_QUEUES  64
#define MAX_IRQS    128
#define MAX_PARENTS 8
#define TEXT_LEN    4096

static bool is_ours(int root_fd, const struct facts_link *l)
{
	char path[64];
	uint64_t ifindex;

	if (l->name == NULL)
		return false;
	(void)snprintf(path, sizeof(path), "sys/class/net/%.15s/ifindex", l->name);
	return facts_number_read(root_fd, path, &ifindex) &&
	       ifindex == (uint64_t)l->ifindex;
}

/*
 * A file of the NIC's device or, where that has none, of a device above it: a virtio
 * NIC is a device of its own below the PCI device that has a node and interrupts.
 * buf gets the path. False: there is none.
 */
static bool device_file(
	int root_fd, const char *ifname, const char *file, char *buf, size_t len)
{
	size_t at = (size_t)snprintf(buf, len, "sys/class/net/%.15s/device", ifname);
	int i;

	for (i = 0; i <= MAX_PARENTS && at + strlen(file) + 5 < len; i++) {
		(void)snprintf(buf + at, len - at, "/%s", file);
		if (faccessat(root_fd, buf, F_OK, 0) == 0)
			return true;
		at += (size_t)snprintf(buf + at, len - at, "/..");
	}
	return false;
}

static void node_add(int root_fd, const char *ifname, struct facts *fs)
{
	char path[160], buf[32];

	(void)snprintf(path, sizeof(path), "sys/class/net/%.15s/device", ifname);
	if (faccessat(root_fd, path, F_OK, 0) != 0)
		return; /* not hardware */
	if (!device_file(root_fd, ifname, "numa_node", path, sizeof(path)) ||
		sysfile_line(root_fd, path, buf, sizeof(buf)) != 0)
		(void)snprintf(buf, sizeof(buf), "-1");
	facts_add(fs, FACT_LINK_NODE, ifname, (double)strtol(buf, NULL, 10));
}

/* "%s%s: %s", with "; " between. */
static void text_append(
	char *text, size_t *at, const char *kind, int number, const char *value)
{
	if (*at < TEXT_LEN)
		*at += (size_t)snprintf(text + *at, TEXT_LEN - *at, "%s%s%d: %s",
			*at > 0 ? "; " : "", kind, number, value);
}

static void rps_add(int root_fd, const char *ifname, struct facts *fs)
{
	char path[128], buf[512], text[TEXT_LEN] = "";
	size_t at = 0;
	bool any = false;
	int q;

	for (q = 0; q < MAX_QUEUES; q++) {
		(void)snprintf(path, sizeof(path),
			"sys/class/net/%.15s/queues/rx-%d/rps_cpus", ifname, q);
		if (sysfile_line(root_fd, path, buf, sizeof(buf)) != 0)
			break;
		any = any || strspn(buf, "0,") != strlen(buf);
		text_append(text, &at, "rx-", q, buf);
	}
	if (q > 0)
		facts_add_text(fs, FACT_LINK_RPS, ifname, any ? text : "off");
}

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

/* Message interrupts of the device, ascending. */
static size_t irqs_of(int root_fd, const char *ifname, int *irqs, size_t max)
{
	char path[160];
	const struct dirent *e;
	size_t n = 0;
	DIR *dir;
	int fd;

	if (!device_file(root_fd, ifname, "msi_irqs", path, sizeof(path)))
		return 0;
	fd = openat(root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd); /* read only */
		return 0;
	}
	while (n < max && (e = readdir(dir)) != NULL)
		if (e->d_name[0] >= '0' && e->d_name[0] <= '9')
			irqs[n++] = atoi(e->d_name);
	(void)closedir(dir); /* read only */
	qsort(irqs, n, sizeof(*irqs), by_number);
	return n;
}

static void irqs_add(int root_fd, const char *ifname, struct facts *fs)
{
	int irqs[MAX_IRQS];
	size_t n = irqs_of(root_fd, ifname, irqs, MAX_IRQS), at = 0, i;
	char path[96], buf[256], text[TEXT_LEN] = "";

	for (i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path),
			"proc/irq/%d/effective_affinity_list", irqs[i]);
		if (sysfile_line(root_fd, path, buf, sizeof(buf)) == 0) {
			text_append(text, &at, "irq ", irqs[i], buf);
			continue;
		}
		(void)snprintf(
			path, sizeof(path), "proc/irq/%d/smp_affinity_list", irqs[i]);
		if (sysfile_line(root_fd, path, buf, sizeof(buf)) == 0)
			text_append(text, &at, "irq ", irqs[i], buf);
	}
	if (at > 0)
		facts_add_text(fs, FACT_LINK_IRQS, ifname, text);
}

void facts_link_levels(const struct facts_query *q, struct facts_snapshot *s)
{
	size_t i;

	for (i = 0; i < FACTS_MAX_LINKS; i++) {
		const char *name = q->links[i].name;

		if (!is_ours(q->root_fd, &q->links[i]))
			continue;
		node_add(q->root_fd, name, &s->levels);
		rps_add(q->root_fd, name, &s->levels);
		irqs_add(q->root_fd, name, &s->levels);
	}
}
