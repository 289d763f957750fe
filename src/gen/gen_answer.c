/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answers of an outside generator. */
#include "config.h"

#include "gen/gen_answer.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

#define QUOTE_BYTES   160
#define MAX_WHOLE     9007199254740992.0 /* 2^53: beyond it a double skips numbers */
#define SLACK_FRAC    0.01               /* a tool may round its rate up by this */
#define SLACK_PKTS    64.0               /* or finish the burst it was in */
#define GOODPUT_FRAC  1.5 /* of the rate: no burst in a window explains more */
#define GOODPUT_SLACK 100.0

/* One answer while it is judged. */
struct reading {
	const char *line;
	size_t len;
	json_t *o;
	struct sp_err *err;
};

void gen_answer_quote(const char *line, size_t len, char *buf, size_t size)
{
	size_t room = size - 6, n = len < room ? len : room, i; /* '' ... and the 0 */

	buf[0] = '\'';
	for (i = 0; i < n; i++)
		buf[i + 1] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
	(void)strcpy(buf + n + 1, len > n ? "...'" : "'");
}

static int refuse(const struct reading *r, const char *why)
{
	char quoted[QUOTE_BYTES];

	gen_answer_quote(r->line, r->len, quoted, sizeof(quoted));
	return sp_err_set(
		r->err, SP_EBROKEN, "the generator's answer %s: %s", why, quoted);
}

static int refuse_key(const struct reading *r, const char *key, const char *why)
{
	char text[80];

	(void)snprintf(text, sizeof(text), "has \"%s\" %s", key, why);
	return refuse(r, text);
}

/* {"ok":false,"error":"..."}: its own reason, printably. */
static int pass_on(const struct reading *r)
{
	const json_t *v = json_object_get(r->o, "error");
	char quoted[400];

	if (!json_is_string(v))
		return refuse(r, "is not ok and has no \"error\"");
	gen_answer_quote(
		json_string_value(v), json_string_length(v), quoted, sizeof(quoted));
	return sp_err_set(r->err, SP_EBROKEN, "the generator reports %s", quoted);
}

static int open_answer(struct reading *r)
{
	json_error_t why;
	const json_t *ok;

	if (r->len == 0)
		return refuse(r, "is empty");
	r->o = json_loadb(r->line, r->len, JSON_REJECT_DUPLICATES, &why);
	if (!json_is_object(r->o))
		return refuse(r, "is not a JSON object");
	ok = json_object_get(r->o, "ok");
	if (!json_is_boolean(ok))
		return refuse(r, "has no \"ok\" that is true or false");
	return json_is_true(ok) ? 0 : pass_on(r);
}

/* A number that is finite and not negative. */
static int take_number(
	const struct reading *r, const json_t *from, const char *key, double *ret)
{
	const json_t *v = json_object_get(from, key);
	double d;

	if (v == NULL)
		return refuse_key(r, key, "missing");
	if (!json_is_number(v))
		return refuse_key(r, key, "that is not a number");
	d = json_number_value(v);
	if (!isfinite(d))
		return refuse_key(r, key, "that is not finite");
	if (d < 0)
		return refuse_key(r, key, "that is negative");
	*ret = d;
	return 0;
}

static int take_count(
	const struct reading *r, const json_t *from, const char *key, uint64_t *ret)
{
	double d = 0;
	int rc = take_number(r, from, key, &d);

	if (rc != 0)
		return rc;
	if (d > MAX_WHOLE || d > floor(d))
		return refuse_key(r, key, "that is not a whole number");
	*ret = (uint64_t)d;
	return 0;
}

static int take_latency(const struct reading *r, struct gen_answer *a)
{
	const json_t *from = json_object_get(r->o, "latency_ns");
	struct latency_summary *l = &a->latency;
	int rc;

	if (from == NULL || json_is_null(from))
		return 0;
	if (!json_is_object(from))
		return refuse_key(r, "latency_ns", "that is not an object");
	if ((rc = take_count(r, from, "p50", &l->p50_ns)) != 0 ||
		(rc = take_count(r, from, "p99", &l->p99_ns)) != 0 ||
		(rc = take_count(r, from, "p999", &l->p999_ns)) != 0 ||
		(rc = take_count(r, from, "max", &l->max_ns)) != 0)
		return rc;
	if (l->p50_ns > l->p99_ns || l->p99_ns > l->p999_ns || l->p999_ns > l->max_ns)
		return refuse_key(r, "latency_ns", "whose percentiles fall");
	l->n = a->received;
	a->has_latency = true;
	return 0;
}

/* Numbers that are numbers, but cannot be those of this trial. */
static int judge(const struct reading *r, const struct gen_answer *a, uint64_t asked,
	double rate_pps)
{
	double most = (double)asked * (1 + SLACK_FRAC) + SLACK_PKTS;
	char text[160];

	if (a->received > a->sent)
		return refuse(r,
			"says more came back than was sent (are foreign packets "
			"counted, or those of an earlier trial?)");
	if ((double)a->sent > most) {
		(void)snprintf(text, sizeof(text),
			"says more was sent than the %llu packets asked for",
			(unsigned long long)asked);
		return refuse(r, text);
	}
	if (a->window_pps > GOODPUT_FRAC * rate_pps + GOODPUT_SLACK)
		return refuse(r,
			"says more came back each second than was sent (is window_pps "
			"in packets/s?)");
	return 0;
}

int gen_answer_hello(const char *line, size_t len, struct sp_err *err)
{
	struct reading r = { .line = line, .len = len, .err = err };
	int rc = open_answer(&r);
	double schema = 1;

	if (rc == 0 && json_object_get(r.o, "schema") != NULL)
		rc = take_number(&r, r.o, "schema", &schema);
	if (rc == 0 && (schema < 1 || schema > 1))
		rc = refuse(&r, "speaks another schema than 1");
	json_decref(r.o);
	return rc;
}

int gen_answer_trial(const char *line, size_t len, uint64_t asked, double rate_pps,
	struct gen_answer *ret_answer, struct sp_err *err)
{
	struct reading r = { .line = line, .len = len, .err = err };
	struct gen_answer a = { 0 };
	int rc;

	if ((rc = open_answer(&r)) == 0 &&
		(rc = take_count(&r, r.o, "sent", &a.sent)) == 0 &&
		(rc = take_count(&r, r.o, "received", &a.received)) == 0 &&
		(rc = take_number(&r, r.o, "window_pps", &a.window_pps)) == 0 &&
		(rc = take_latency(&r, &a)) == 0)
		rc = judge(&r, &a, asked, rate_pps);
	json_decref(r.o);
	if (rc == 0)
		*ret_answer = a;
	return rc;
}
