/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of the JSON writer. */
#include "config.h"

#include "plan/causes.h"
#include "report/report_json_private.h"

static json_t *cause_json(const struct cause *c)
{
	const struct fact_info *info = fact_info(c->key);
	json_t *o = json_object();

	report_json_set_text(o, "factor", factor_name(c->factor));
	report_json_set_text(o, "fact", info->name);
	report_json_set_text(o, "scope", fact_scope_name(info->scope));
	if (c->of[0] != '\0')
		report_json_set_text(
			o, info->scope == FACT_THREAD ? "thread" : "object", c->of);
	report_json_set_text(o, "ref_value", c->ref_value);
	report_json_set_text(o, "arm_value", c->arm_value);
	report_json_set_real(o, "ref", c->ref);
	report_json_set_real(o, "arm", c->arm);
	report_json_set(o, "confirmed", json_boolean(c->state == CAUSE_CONFIRMED));
	report_json_set_text(o, "state", cause_state_name(c->state));
	report_json_set_text(o, "evidence", c->evidence);
	return o;
}

json_t *report_json_causes(const struct analysis_shift *s)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < s->n_causes; i++)
		(void)json_array_append_new(list, cause_json(&s->causes[i]));
	return list;
}
