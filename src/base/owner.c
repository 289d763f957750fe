/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose the files of a run are. */
#include "config.h"

#include "base/owner.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/units.h"

bool owner_of_files(uid_t *ret_uid, gid_t *ret_gid)
{
	const char *uid_text = getenv("SUDO_UID"), *gid_text = getenv("SUDO_GID");
	uint64_t uid, gid;
	struct sp_err ignored;

	if (geteuid() != 0 || uid_text == NULL || gid_text == NULL ||
		units_u64_parse(uid_text, 0, UINT32_MAX - 1, &uid, &ignored) != 0 ||
		units_u64_parse(gid_text, 0, UINT32_MAX - 1, &gid, &ignored) != 0)
		return false;
	*ret_uid = (uid_t)uid;
	*ret_gid = (gid_t)gid;
	return true;
}
