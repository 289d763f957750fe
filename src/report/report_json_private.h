/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of the JSON writer: keys are set only where there is a value, and texts are
 * made UTF-8, since jansson refuses others. Private to report_json*.c.
 */
#ifndef SATPROF_REPORT_REPORT_JSON_PRIVATE_H
#define SATPROF_REPORT_REPORT_JSON_PRIVATE_H

#include <jansson.h>
#include <stdint.h>

#include "model/run.h"
#include "plan/analysis.h"

/* A new reference. */
json_t *report_json_text(const char *s);
/* Takes over value. */
void report_json_set(json_t *object, const char *key, json_t *value);
void report_json_set_text(json_t *object, const char *key, const char *s);
/* No key where v is not finite. */
void report_json_set_real(json_t *object, const char *key, double v);
void report_json_set_count(json_t *object, const char *key, uint64_t v);

/* The object "resources" of an arm. */
json_t *report_json_resources(
	const struct run *run, const struct analysis_resources *r);
/* The array "causes" of a shift. */
json_t *report_json_causes(const struct analysis_shift *s);
/* The array "confirmations". */
json_t *report_json_confirmations(const struct run *run, const struct analysis *a);
/* The array "trials". */
json_t *report_json_trials(const struct run *run);

#endif
