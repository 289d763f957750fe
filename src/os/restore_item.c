/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of the journal: parse and print. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "os/restore.h"

void restore_item_format(const struct restore_item *item, char *buf, size_t len)
{
	(void)snprintf(buf, len, "offload %" PRIu64 " %d %s %s %d", item->netns_ino,
		item->ifindex, item->ifname, item->feature, item->old_on ? 1 : 0);
}

bool restore_item_parse(const char *line, struct restore_item *ret_item)
{
	struct restore_item item = { .netns_ino = 0 };
	int old = -1, end = -1;

	/* Names have no blanks: the kernel refuses such an interface. */
	if (sscanf(line, "offload %" SCNu64 " %d %15s %31s %d%n", &item.netns_ino,
		    &item.ifindex, item.ifname, item.feature, &old, &end) != 5 ||
		end < 0 || line[end] != '\0')
		return false;
	if (item.ifindex <= 0 || (old != 0 && old != 1))
		return false;
	item.old_on = old == 1;
	*ret_item = item;
	return true;
}
