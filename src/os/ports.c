/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Offloads of a user's interfaces: look, journal, change. */
#include "config.h"

#include "os/ports.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "os/nl.h"
#include "os/offload.h"
#include "os/restore.h"
#include "os/statedir.h"

/* Add to a note, with "; " between; cut where it is full. */
static void note_add(char *note, size_t len, const char *text)
{
	size_t at = strlen(note);

	(void)snprintf(note + at, len - at, "%s%s", at > 0 ? "; " : "", text);
}

/* Hardware has no kind; veth, bridges and the like have. */
static int role_get(struct nl_handle *nl, const struct ports_port *p,
	enum offload_role *ret_role, struct sp_err *err)
{
	struct nl_link link;
	int rc = nl_link_get(nl, p->ifname, &link, err);

	if (rc != 0)
		return rc;
	if (link.kind[0] == '\0')
		*ret_role = OFFLOAD_ROLE_NIC;
	else
		*ret_role = p->is_sender ? OFFLOAD_ROLE_SENDER : OFFLOAD_ROLE_OTHER;
	return 0;
}

/* What is wrong with all ports together; needs no rights. */
static int wrong_count(const struct ports_port *ports, size_t n_ports,
	struct nl_handle *nl, size_t *ret_n, struct sp_err *err)
{
	struct offload_findings find;
	enum offload_role role;
	size_t i, n = 0;
	int fd = -1;
	int rc = ethtool_open(-1, &fd, err);

	for (i = 0; rc == 0 && i < n_ports; i++) {
		if (ports[i].ifname == NULL)
			continue;
		rc = role_get(nl, &ports[i], &role, err);
		if (rc == 0)
			rc = offload_check(fd, ports[i].ifname, role, &find, err);
		if (rc == 0)
			n += find.n;
	}
	if (fd >= 0)
		(void)close(fd); /* a socket that only asked */
	if (rc == 0)
		*ret_n = n;
	return rc;
}

static int ports_change(const struct ports_port *ports, size_t n_ports,
	struct nl_handle *nl, struct restore *r, char *note, size_t note_len,
	struct sp_err *err)
{
	struct offload_findings find;
	char list[200], line[256];
	enum offload_role role;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < n_ports; i++) {
		if (ports[i].ifname == NULL)
			continue;
		rc = role_get(nl, &ports[i], &role, err);
		if (rc == 0)
			rc = restore_offloads(r, -1, ports[i].ifname, role, &find, err);
		if (rc != 0 || find.n == 0)
			continue;
		(void)snprintf(line, sizeof(line), "%s had %s: changed for the run",
			ports[i].ifname, offload_format(&find, list, sizeof(list)));
		note_add(note, note_len, line);
	}
	return rc;
}

/* Rights that lack here are the run's own business, not an old journal's. */
static void pending_undo(int dir_fd, char *note, size_t note_len)
{
	struct sp_err why = { .code = SP_OK };
	char line[256];
	size_t n = 0;

	if (restore_pending(dir_fd, &n, &why) != 0)
		(void)snprintf(line, sizeof(line),
			"settings of a crashed run are not put back: %.180s", why.msg);
	else if (n > 0)
		(void)snprintf(line, sizeof(line),
			"%zu setting%s that a crashed run left %s put back", n,
			units_s(n), n == 1 ? "is" : "are");
	else
		return;
	note_add(note, note_len, line);
}

static int journal_start(char *note, size_t note_len, bool create,
	struct restore **ret_restore, struct sp_err *err)
{
	int dir_fd = -1;
	int rc = statedir_open(create, &dir_fd, err);

	if (rc == -SP_EENV && !create)
		return 0; /* no folder, no journals */
	if (rc != 0)
		return rc;
	if (create)
		rc = restore_begin(dir_fd, ret_restore, err);
	else
		pending_undo(dir_fd, note, note_len);
	(void)close(dir_fd); /* read only */
	return rc;
}

void ports_put_back(char *note, size_t note_len)
{
	struct sp_err why = { .code = SP_OK };

	note[0] = '\0';
	/* A folder that cannot be entered has no journal of ours. */
	(void)journal_start(note, note_len, false, NULL, &why);
}

int ports_prepare(const struct ports_port *ports, size_t n_ports, char *note,
	size_t note_len, struct restore **ret_restore, struct sp_err *err)
{
	struct sp_err undo = { .code = SP_OK };
	struct nl_handle *nl = NULL;
	struct restore *r = NULL;
	size_t n_wrong = 0;
	int rc;

	note[0] = '\0';
	rc = nl_handle_open(-1, &nl, err);
	if (rc == 0)
		rc = journal_start(note, note_len, false, NULL, err);
	if (rc == 0)
		rc = wrong_count(ports, n_ports, nl, &n_wrong, err);
	if (rc == 0 && n_wrong > 0) {
		rc = journal_start(note, note_len, true, &r, err);
		if (rc == 0)
			rc = ports_change(ports, n_ports, nl, r, note, note_len, err);
	}
	nl_handle_close(nl);
	if (rc != 0) {
		(void)restore_undo(r, &undo); /* the first error tells more */
		return rc;
	}
	err->code = SP_OK; /* a state folder that is not there */
	*ret_restore = r;
	return 0;
}
