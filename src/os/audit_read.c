/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All parts of what an audit looks at, in order. */
#include "config.h"

#include "os/audit_read.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "os/audit_private.h"
#include "os/sysfile.h"

void audit_gap_file(struct audit *a, const char *what, const char *path, int rc)
{
	switch (-rc) {
	case ENOENT:
		audit_add_gap(a, what, "/%s is not there", path);
		break;
	case EACCES:
	case EPERM:
		audit_add_gap(a, what, "/%s: not permitted (try as root)", path);
		break;
	case EINVAL:
	case ENODATA:
		audit_add_gap(a, what, "/%s has nothing that can be understood", path);
		break;
	default:
		audit_add_gap(a, what, "/%s: %s", path, strerror(-rc));
		break;
	}
}

static int process_check(const struct audit_request *req, struct sp_err *err)
{
	char path[64], line[512];

	if (req->pid == 0)
		return 0;
	(void)snprintf(path, sizeof(path), "proc/%d/stat", (int)req->pid);
	if (sysfile_line(req->root_fd, path, line, sizeof(line)) == 0)
		return 0;
	return sp_err_set(err, SP_EUSAGE, "no process %d here", (int)req->pid);
}

int audit_read(const struct audit_request *req, struct audit *ret, struct sp_err *err)
{
	int rc;

	audit_init(ret);
	rc = process_check(req, err);
	if (rc == 0) {
		audit_topology_read(req, ret);
		audit_cpu_read(req, ret);
		audit_task_read(req, ret);
		audit_busy_read(req, ret);
		rc = audit_nic_read(req, ret, err);
	}
	if (rc == 0)
		audit_host_read(req, ret);
	if (rc != 0)
		audit_done(ret);
	return rc;
}
