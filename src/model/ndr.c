/* SPDX-License-Identifier: GPL-3.0-or-later */
/* NDR presets: words. */
#include "config.h"

#include "model/ndr.h"

#include <stddef.h>
#include <string.h>

static const char *const preset_names[] = {
	[NDR_NONE] = "none",
	[NDR_LIGHT] = "light",
	[NDR_CSIT] = "csit",
	[NDR_RFC2544] = "rfc2544",
};

const char *ndr_preset_name(enum ndr_preset p)
{
	return preset_names[p];
}

int ndr_preset_parse(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(preset_names) / sizeof(preset_names[0]); i++)
		if (strcmp(preset_names[i], name) == 0)
			return (int)i;
	return -1;
}
