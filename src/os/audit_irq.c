/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interrupts of NICs: which they are, what for, and where they land. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/audit_private.h"
#include "os/sysfile.h"

/* A line of /proc/interrupts with a number. */
struct line {
	int irq;
	uint64_t n;
	const char *name; /* of its actions: "eth0-TxRx-0", "ehci_hcd:usb1, eth0" */
};

struct lines {
	size_t n, cap;
	struct line *l;
	char *text; /* that the names are in */
};

/* "24:   0  12  PCI-MSI 524288-edge      nic0-rx-0": two blanks before the action. */
static void line_add(struct lines *all, char *text, size_t n_cpus)
{
	struct line l = { .n = 0, .name = "" };
	char *p = text, *end, *gap;
	size_t i;

	l.irq = (int)strtol(p, &end, 10);
	if (end == p || *end != ':')
		return; /* NMI, LOC and their like */
	p = end + 1;
	for (i = 0; i < n_cpus; i++) {
		l.n += strtoull(p, &end, 10);
		if (end == p)
			return;
		p = end;
	}
	while ((gap = strstr(p, "  ")) != NULL) {
		p = gap + strspn(gap, " ");
		l.name = p;
	}
	all->l = xgrow(all->l, all->n, &all->cap, sizeof(*all->l));
	all->l[all->n++] = l;
}

static void lines_read(
	const struct audit_request *req, struct audit *a, struct lines *l)
{
	static const char path[] = "proc/interrupts";
	char *line, *rest = NULL, *p;
	size_t n_cpus = 0;
	int e = 0;

	l->text = sysfile_text(req->root_fd, path, &e);
	if (l->text == NULL) {
		audit_gap_file(a, "interrupts", path, -e);
		return;
	}
	line = strtok_r(l->text, "\n", &rest);
	for (p = line; p != NULL && (p = strstr(p, "CPU")) != NULL; p++)
		n_cpus++;
	while ((line = strtok_r(NULL, "\n", &rest)) != NULL)
		line_add(l, line, n_cpus);
}

/* The numbers that the device was given: in its own folder or, for virtio, above it. */
static void numbers_read(
	const struct audit_request *req, const char *dir, struct cpulist *ret)
{
	char at[256], path[300], **names, *slash;
	size_t n = 0, i;
	long irq;

	(void)snprintf(at, sizeof(at), "%s", dir);
	while (ret->n == 0 && strcmp(at, "sys/devices") != 0) {
		(void)snprintf(path, sizeof(path), "%s/msi_irqs", at);
		names = sysfile_names(req->root_fd, path, &n);
		for (i = 0; i < n; i++)
			cpulist_add(ret, atoi(names[i]));
		sysfile_names_free(names, n);
		(void)snprintf(path, sizeof(path), "%s/irq", at);
		if (n == 0 && sysfile_long(req->root_fd, path, &irq) == 0 && irq > 0)
			cpulist_add(ret, (int)irq);
		slash = strrchr(at, '/');
		if (slash == NULL)
			break;
		*slash = '\0';
	}
}

/* Whether word is in text as a whole name: "virtio2" in "virtio2-input.0". */
static bool has_name(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *p = text;

	while (len > 0 && (p = strstr(p, word)) != NULL) {
		if ((p == text || !isalnum((unsigned char)p[-1])) &&
			!isalnum((unsigned char)p[len]))
			return true;
		p += len;
	}
	return false;
}

/* Of a queue, going by the names that drivers give; the interface's own left out. */
static bool is_queue_name(const char *action, const char *ifname)
{
	static const char *const parts[] = { "rx", "tx", "input", "output", "comp",
		"queue", "fp-" };
	char rest[AUDIT_NAME_MAX], *own;
	size_t i;

	(void)snprintf(rest, sizeof(rest), "%s", action);
	own = strstr(rest, ifname);
	if (own != NULL)
		memset(own, '-', strlen(ifname));
	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcasestr(rest, parts[i]) != NULL)
			return true;
	return false;
}

static void affinity_read(
	const struct audit_request *req, struct audit *a, struct audit_irq *irq)
{
	char path[96];
	int rc;

	(void)snprintf(
		path, sizeof(path), "proc/irq/%d/effective_affinity_list", irq->irq);
	rc = sysfile_list(req->root_fd, path, &irq->cpus);
	/* Without CPUs the interrupt is not started, and the mask says where it will.
	 */
	if (rc != 0 || irq->cpus.n == 0) {
		(void)snprintf(
			path, sizeof(path), "proc/irq/%d/smp_affinity_list", irq->irq);
		rc = sysfile_list(req->root_fd, path, &irq->cpus);
	}
	irq->has_cpus = rc == 0 && irq->cpus.n > 0;
	if (rc != 0)
		audit_gap_file(a, "where interrupts land", path, rc);
}

static void nic_read(const struct audit_request *req, struct audit *a,
	struct audit_nic *nic, const struct lines *lines)
{
	struct cpulist numbers = { 0 };
	char dir[256] = "";
	const char *device;
	bool some_queue = false;
	size_t i;

	if (audit_nic_dir(req, nic, dir, sizeof(dir)))
		numbers_read(req, dir, &numbers);
	device = strrchr(dir, '/') != NULL ? strrchr(dir, '/') + 1 : "";
	for (i = 0; i < lines->n; i++) {
		const struct line *l = &lines->l[i];
		struct audit_irq *irq;

		if (!cpulist_has(&numbers, l->irq) && !has_name(l->name, device) &&
			!has_name(l->name, nic->name))
			continue;
		irq = audit_add_irq(nic, l->irq, l->name);
		irq->n = l->n;
		irq->is_queue = is_queue_name(l->name, nic->name);
		some_queue |= irq->is_queue;
		affinity_read(req, a, irq);
	}
	for (i = 0; !some_queue && i < nic->n_irqs; i++)
		nic->irqs[i].is_queue = true; /* one for all */
	cpulist_done(&numbers);
}

void audit_irq_read(const struct audit_request *req, struct audit *a)
{
	struct lines lines = { 0 };
	size_t i;

	lines_read(req, a, &lines);
	for (i = 0; i < a->n_nics; i++) {
		struct audit_nic *nic = &a->nics[i];
		char what[80];

		if (nic->is_virtual)
			continue;
		nic_read(req, a, nic, &lines);
		(void)snprintf(what, sizeof(what), "interrupts of %s", nic->name);
		if (nic->n_irqs == 0 && lines.text != NULL)
			audit_add_gap(
				a, what, "/proc/interrupts names none of its device");
	}
	free(lines.l);
	free(lines.text);
}
