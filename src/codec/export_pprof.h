/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the parts of the pprof writer: its state, and what follows the samples. */
#ifndef SATPROF_CODEC_EXPORT_PPROF_H
#define SATPROF_CODEC_EXPORT_PPROF_H

#include "codec/export.h"
#include "codec/export_wire.h"

/* Field numbers of profile.proto. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_TIME_NANOS = 9,
	PROFILE_DURATION_NANOS,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATIONS = 1, SAMPLE_VALUES, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_STR, LABEL_NUM, LABEL_NUM_UNIT };
enum {
	MAPPING_ID = 1,
	MAPPING_START,
	MAPPING_LIMIT,
	MAPPING_OFFSET,
	MAPPING_FILENAME,
	MAPPING_BUILD_ID,
	MAPPING_HAS_FUNCTIONS
};
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_ADDRESS, LOCATION_LINE };
enum { LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME, FUNCTION_SYSTEM_NAME };

/* What the locations say of a module. */
struct pprof_module {
	bool is_used;
	bool is_unnamed; /* some address has no function */
	uint64_t limit;  /* over its addresses */
};

struct pprof {
	const struct export_input *in;
	const struct profile *profile;
	struct export_gzip *out;
	struct export_wire msg, part, packed; /* the message, what is in it */
	/* The string table; 0 is "". Texts are the profile's, or in own. */
	size_t n_strings, cap_strings;
	const char **strings;
	size_t n_own, cap_own;
	char **own;
	/* Their strings, 0: none yet. */
	uint32_t *symbol_strings, *thread_strings;
	uint32_t *arm_strings;
	bool *frame_used;
	bool is_rootless; /* some sample has no path */
	struct pprof_module *modules;
	uint32_t key_thread, key_pid, key_tid, key_cpu, key_arm, key_trial, key_rate;
	uint32_t unit_pps;
	uint32_t unit_count; /* of CPUs, too: 0 without a unit would be read as none */
};

/* The number of a string, which must last; the second takes it over. */
uint32_t export_pprof_string(struct pprof *w, const char *s);
uint32_t export_pprof_own(struct pprof *w, char *s);
/* w->msg becomes a field of the profile. */
void export_pprof_emit(struct pprof *w, unsigned field);

/* The locations that samples used, with their functions; then their modules. */
void export_pprof_locations(struct pprof *w);
void export_pprof_mappings(struct pprof *w);

#endif
