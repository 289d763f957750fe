/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of --sim. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "sim/fluid.h"

enum key_type { KEY_RATE, KEY_FRAC, KEY_SIGNED, KEY_TIME };

static const struct key {
	const char *name;
	size_t offset;
	enum key_type type;
} keys[] = {
	{ "capacity", offsetof(struct fluid_config, capacity_pps), KEY_RATE },
	{ "collapse", offsetof(struct fluid_config, collapse), KEY_SIGNED },
	{ "soft", offsetof(struct fluid_config, soft_frac), KEY_FRAC },
	{ "loss", offsetof(struct fluid_config, loss_frac), KEY_FRAC },
	{ "inversion", offsetof(struct fluid_config, inversion_frac), KEY_FRAC },
	{ "inversion-from", offsetof(struct fluid_config, inversion_from_pps),
		KEY_RATE },
	{ "inversion-to", offsetof(struct fluid_config, inversion_to_pps), KEY_RATE },
	{ "queue", offsetof(struct fluid_config, queue_pkts), KEY_RATE },
	{ "ring", offsetof(struct fluid_config, ring_pkts), KEY_RATE },
	{ "cost-ns", offsetof(struct fluid_config, cost_ns), KEY_RATE },
	{ "noise", offsetof(struct fluid_config, noise_frac), KEY_FRAC },
	{ "block-noise", offsetof(struct fluid_config, block_noise_frac), KEY_FRAC },
	{ "wander", offsetof(struct fluid_config, wander_frac), KEY_FRAC },
	{ "wander-memory", offsetof(struct fluid_config, wander_memory_frac),
		KEY_FRAC },
	{ "cut", offsetof(struct fluid_config, cut_frac), KEY_FRAC },
	{ "outages", offsetof(struct fluid_config, outages_per_s), KEY_RATE },
	{ "drift", offsetof(struct fluid_config, drift_frac_per_h), KEY_SIGNED },
	{ "step", offsetof(struct fluid_config, step_frac), KEY_SIGNED },
	{ "step-at", offsetof(struct fluid_config, step_at_s), KEY_TIME },
	{ "spikes", offsetof(struct fluid_config, spikes_frac), KEY_FRAC },
	{ "spike", offsetof(struct fluid_config, spike_frac), KEY_FRAC },
	{ "bands", offsetof(struct fluid_config, bands_frac), KEY_FRAC },
	{ "band-chance", offsetof(struct fluid_config, band_chance_frac), KEY_FRAC },
	{ "later", offsetof(struct fluid_config, later_frac), KEY_SIGNED },
	{ "attach", offsetof(struct fluid_config, attach_frac), KEY_SIGNED },
	{ "per-khz", offsetof(struct fluid_config, per_khz_frac), KEY_SIGNED },
	{ "khz-curve", offsetof(struct fluid_config, khz_curve), KEY_SIGNED },
	{ "move", offsetof(struct fluid_config, move_frac), KEY_SIGNED },
	{ "burn", offsetof(struct fluid_config, burn_frac), KEY_FRAC },
	{ "awake", offsetof(struct fluid_config, awake_frac), KEY_SIGNED },
	{ "facts-noise", offsetof(struct fluid_config, facts_noise_frac), KEY_FRAC },
	{ "generator", offsetof(struct fluid_config, generator_pps), KEY_RATE },
	{ "hiccups", offsetof(struct fluid_config, hiccups_frac), KEY_FRAC },
	{ "receiver", offsetof(struct fluid_config, receiver_pps), KEY_RATE },
};

#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

static int rate_parse(const char *s, double *ret, struct sp_err *err)
{
	struct units_rate rate = { 0 };
	int rc = units_rate_parse(s, &rate, err);

	if (rc == 0 && rate.is_bps)
		rc = sp_err_set(err, SP_EUSAGE, "'%s' is in bits/s, not packets/s", s);
	if (rc == 0)
		*ret = rate.value;
	return rc;
}

static int frac_parse(const char *s, bool is_signed, double *ret, struct sp_err *err)
{
	bool is_negative = is_signed && s[0] == '-';
	double frac = 0;
	int rc = units_frac_parse(is_negative ? s + 1 : s, &frac, err);

	if (rc == 0)
		*ret = is_negative ? -frac : frac;
	return rc;
}

static int value_parse(
	enum key_type type, const char *s, double *ret, struct sp_err *err)
{
	uint64_t ns = 0;
	int rc = 0;

	switch (type) {
	case KEY_RATE:
		return rate_parse(s, ret, err);
	case KEY_FRAC:
	case KEY_SIGNED:
		return frac_parse(s, type == KEY_SIGNED, ret, err);
	case KEY_TIME:
		rc = units_time_parse(s, &ns, err);
		if (rc == 0)
			*ret = (double)ns / (double)NS_PER_S;
		break;
	}
	return rc;
}

static int pair_parse(char *pair, struct fluid_config *cfg, struct sp_err *err)
{
	char *eq = strchr(pair, '=');
	double v = 0;
	size_t i;

	if (eq == NULL)
		return sp_err_set(err, SP_EUSAGE, "'%s' is not KEY=VALUE", pair);
	*eq = '\0';
	for (i = 0; i < N_KEYS; i++)
		if (strcmp(keys[i].name, pair) == 0)
			break;
	if (i == N_KEYS)
		return sp_err_set(
			err, SP_EUSAGE, "'%s' is not a key of the model", pair);
	if (value_parse(keys[i].type, eq + 1, &v, err) != 0)
		return sp_err_push(err, "%s", pair);
	memcpy((char *)cfg + keys[i].offset, &v, sizeof(v));
	return 0;
}

int fluid_config_parse(const char *s, struct fluid_config *ret_cfg, struct sp_err *err)
{
	struct fluid_config cfg = { .seed = ret_cfg->seed };
	char *copy = xstrdup(s), *rest = copy, *pair;
	int rc = 0;

	while (rc == 0 && (pair = strsep(&rest, ",")) != NULL)
		rc = pair_parse(pair, &cfg, err);
	free(copy);
	if (rc == 0 && cfg.capacity_pps <= 0)
		rc = sp_err_set(err, SP_EUSAGE, "the model needs capacity=RATE");
	if (rc == 0 && cfg.inversion_from_pps > cfg.inversion_to_pps)
		rc = sp_err_set(err, SP_EUSAGE,
			"inversion-from and inversion-to=RATE go together, in order");
	if (rc == 0)
		*ret_cfg = cfg;
	return rc != 0 ? sp_err_push(err, "--sim") : 0;
}
