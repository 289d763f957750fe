/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run: everything a run file holds, in memory. Reports, diffs and gates are
 * pure functions of it. Plain data; owned by whoever made it (run_free).
 */
#ifndef SATPROF_MODEL_RUN_H
#define SATPROF_MODEL_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/arm.h"
#include "model/ndr.h"
#include "model/profile.h"
#include "model/traffic.h"
#include "model/trial.h"

#define RUN_SCHEMA 1

/* key = value facts that say which runs may be compared, e.g. "cpu", "kernel". */
struct run_fact {
	char *key;
	char *value;
	bool is_number; /* value is a JSON number, else "true"/"false" or text */
};

struct run_event {
	char *name; /* canonical */
	char *unit; /* "ns", "cycles", "count" */
	enum counter_state state;
};

/* What the plan needs, and what is needed to go on with --resume. */
struct sweep_config {
	uint64_t seed;
	uint32_t n_blocks;
	uint64_t trial_ns;
	uint64_t profile_trial_ns; /* 0: no profile trials */
	bool latency_trials;
	double margin_frac;
	double level; /* 0.95 */
	size_t n_rel_rates;
	double rel_rates[12]; /* the grid, ascending fractions of the arm's centre */
	double dither_frac;   /* +- this much, uniform in the logarithm */
	size_t n_rates;       /* > 0: a fixed ladder, no knee is asked for */
	double *rates_pps;
	uint32_t burst;       /* 0: the pilot chooses */
	uint64_t max_time_ns; /* 0: no limit */
	enum ndr_preset ndr;  /* search NDR and PDR on the reference arm, last */
	bool until_decided;   /* more blocks until every shift is decided */
	/* After the sweep, force so many suspected causes, one after the other. */
	uint32_t n_confirm;
};

struct run {
	char *path;    /* the run file; "" while there is none */
	char *version; /* satprof that made it */
	char *command_line;
	char *started_at; /* ISO 8601, UTC */
	bool finished;    /* the plan came to its end */
	struct sweep_config config;
	struct traffic traffic;
	char *config_json; /* the command's options, for --resume; opaque here */
	size_t n_arms, cap_arms;
	struct arm *arms;
	size_t n_events, cap_events;
	struct run_event *events;
	size_t n_trials, cap_trials;
	struct trial *trials; /* finished ones, by id */
	size_t n_fingerprint, cap_fingerprint;
	struct run_fact *fingerprint;
	size_t n_notes, cap_notes;
	char **notes;     /* degradations and warnings worth printing with the answer */
	char *sut_output; /* last lines the SUT wrote, or NULL */
	struct profile *profile; /* NULL where nothing was sampled */
};

struct run *run_new(void);
void run_free(struct run *r);
/* Strings are copied. A key that is there is replaced. */
void run_set_fact(struct run *r, const char *key, const char *value, bool is_number);
const char *run_fact(const struct run *r, const char *key); /* NULL: none */
/* Index of the event of that name, added when it is new. */
uint32_t run_event_intern(
	struct run *r, const char *name, const char *unit, enum counter_state state);
/* The same note is kept once. */
void run_add_note(struct run *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The note that begins with head is replaced; it is added where there is none. */
void run_set_note(struct run *r, const char *head, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A copy of the arm becomes the run's last one. */
void run_add_arm(struct run *r, const struct arm *a);
/* Moves *t into the run (its arrays now belong to the run, *t is zeroed). */
void run_add_trial(struct run *r, struct trial *t);
void sweep_config_done(struct sweep_config *c);

#endif
