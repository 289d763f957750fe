/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether and how a sweep searches NDR and PDR (--ndr); plan/ndr.h says what each
 * word means. */
#ifndef SATPROF_MODEL_NDR_H
#define SATPROF_MODEL_NDR_H

enum ndr_preset {
	NDR_NONE = 0,
	NDR_LIGHT,
	NDR_CSIT,
	NDR_RFC2544,
};

const char *ndr_preset_name(enum ndr_preset p); /* "none", "light", ... */
/* -1 when the name is not one. */
int ndr_preset_parse(const char *name);

#endif
