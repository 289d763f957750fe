/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `satprof sweep`. */
#include "config.h"

#include "cli/sweep_options.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/args.h"
#include "cli/sweep_options_private.h"

static int int_opt(const char *arg, uint64_t hi, int *ret, struct sp_err *err)
{
	uint64_t v = 0;
	int rc = units_u64_parse(arg, 0, hi, &v, err);

	if (rc == 0)
		*ret = (int)v;
	return rc;
}

/* A shell's words; none at all are a slip of the caller's. */
static int command_opt(const char *arg, const char **ret, struct sp_err *err)
{
	if (arg[strspn(arg, " \t\n")] == '\0')
		return sp_err_set(err, SP_EUSAGE, "the command is empty");
	*ret = arg;
	return 0;
}

static int ndr_opt(const char *arg, enum ndr_preset *ret, struct sp_err *err)
{
	int v = ndr_preset_parse(arg);

	if (v <= NDR_NONE)
		return sp_err_set(
			err, SP_EUSAGE, "'%s' is not light, csit or rfc2544", arg);
	*ret = (enum ndr_preset)v;
	return 0;
}

static int restart_opt(const char *arg, enum bench_restart *ret, struct sp_err *err)
{
	if (strcmp(arg, "arm") == 0)
		*ret = BENCH_RESTART_ARM;
	else if (strcmp(arg, "block") == 0)
		*ret = BENCH_RESTART_BLOCK;
	else if (strcmp(arg, "never") == 0)
		*ret = BENCH_RESTART_NEVER;
	else
		return sp_err_set(
			err, SP_EUSAGE, "'%s' is not arm, block or never", arg);
	return 0;
}

/* Options about place and SUT. True when key was one of them. */
static bool parse_where(int key, char *arg, struct parse_state *s)
{
	struct sweep_options *o = s->o;
	int v = 0;

	switch (key) {
	case OPT_LAB:
		o->lab = true;
		break;
	case OPT_LIMIT:
		s->rc = units_rate_parse(arg, &o->limit, s->err);
		o->has_limit = true;
		break;
	case OPT_IN:
		o->in = arg;
		break;
	case OPT_OUT:
		o->out = arg;
		break;
	case OPT_SUT_IN:
		o->sut_in = arg;
		break;
	case OPT_SUT_OUT:
		o->sut_out = arg;
		break;
	case OPT_PID:
		s->rc = int_opt(arg, INT32_MAX, &v, s->err);
		o->pid = (pid_t)v;
		if (s->rc == 0 && v == 0)
			s->rc = sp_err_set(s->err, SP_EUSAGE, "0 is not a process");
		break;
	case OPT_SUT:
		if (strcmp(arg, "none") != 0)
			s->rc = sp_err_set(s->err, SP_EUSAGE,
				"'%s' is not none; a command goes after --", arg);
		o->sut_none = true;
		break;
	case OPT_SETUP:
		s->rc = command_opt(arg, &o->setup, s->err);
		break;
	case OPT_READY:
		s->rc = command_opt(arg, &o->ready, s->err);
		break;
	case OPT_SUT_STATS:
		s->rc = command_opt(arg, &o->sut_stats, s->err);
		break;
	case OPT_READY_AFTER:
		s->rc = units_time_parse(arg, &o->ready_after_ns, s->err);
		break;
	case OPT_READY_TIMEOUT:
		s->rc = units_time_parse(arg, &o->ready_timeout_ns, s->err);
		if (s->rc == 0 && o->ready_timeout_ns < NS_PER_S / 10)
			s->rc = sp_err_set(s->err, SP_EUSAGE, "at least 100ms");
		break;
	case OPT_RESTART:
		s->rc = restart_opt(arg, &o->restart, s->err);
		break;
	default:
		return false;
	}
	return true;
}

static bool parse_load(int key, char *arg, struct parse_state *s)
{
	struct traffic *t = &s->o->traffic;

	switch (key) {
	case OPT_RATES:
		s->rates = arg;
		break;
	case OPT_FRAME_SIZE:
		s->rc = traffic_frame_parse(arg, t, s->err);
		s->frame_given = true;
		break;
	case OPT_FLOWS:
		s->rc = sweep_u32_parse(arg, 1, TRAFFIC_FLOWS_MAX, &t->n_flows, s->err);
		break;
	case OPT_BURST:
		s->rc = sweep_u32_parse(arg, 1, TRAFFIC_BURST_MAX, &t->burst, s->err);
		break;
	case OPT_PCAP:
		if (arg[0] == '\0')
			s->rc = sp_err_set(s->err, SP_EUSAGE, "the path is empty");
		else if (strlen(arg) >= sizeof(t->pcap_path))
			s->rc = sp_err_set(s->err, SP_EUSAGE, "the path is too long");
		else
			(void)strcpy(t->pcap_path, arg);
		break;
	case OPT_PCAP_TAG:
		t->pcap_tag = true;
		break;
	case OPT_BIDIR:
		t->bidir = true;
		break;
	case OPT_DST_MAC:
		s->rc = traffic_mac_parse(arg, t, s->err);
		break;
	case OPT_GENERATOR:
		s->rc = command_opt(arg, &s->o->generator, s->err);
		break;
	default:
		return false;
	}
	return true;
}

static bool parse_arms(int key, char *arg, struct parse_state *s)
{
	struct sweep_options *o = s->o;

	switch (key) {
	case OPT_ARMS:
		s->arms = arg;
		break;
	case OPT_PROFILER:
		o->profiler = arg;
		break;
	case OPT_WRAP:
		o->wrap = arg;
		break;
	case OPT_PROFILER_AFTER:
		s->rc = units_time_parse(arg, &o->profiler_after_ns, s->err);
		break;
	case OPT_PROFILER_FINISH:
		s->rc = units_time_parse(arg, &o->profiler_finish_ns, s->err);
		break;
	case 'e':
		o->events = arg;
		break;
	default:
		return false;
	}
	return true;
}

static bool parse_effort(int key, char *arg, struct parse_state *s)
{
	struct sweep_options *o = s->o;

	switch (key) {
	case OPT_PRESET:
		s->preset = arg;
		break;
	case OPT_BLOCKS:
		s->blocks = arg;
		break;
	case OPT_LATENCY:
		o->config.latency_trials = true;
		break;
	case OPT_TRIAL_TIME:
		s->trial_time = arg;
		break;
	case OPT_MAX_TIME:
		s->rc = units_time_parse(arg, &o->config.max_time_ns, s->err);
		if (s->rc == 0 && o->config.max_time_ns == 0)
			s->rc = sp_err_set(s->err, SP_EUSAGE, "it must be above 0");
		break;
	case OPT_UNTIL_DECIDED:
		o->config.until_decided = true;
		break;
	case OPT_NDR:
		s->rc = ndr_opt(arg, &o->config.ndr, s->err);
		break;
	case OPT_CONFIRM:
		o->config.n_confirm = 1;
		if (arg != NULL)
			s->rc = sweep_u32_parse(
				arg, 1, N_FACTORS, &o->config.n_confirm, s->err);
		break;
	case OPT_MARGIN:
		s->margin = arg;
		break;
	case OPT_SEED:
		s->rc = units_u64_parse(arg, 0, INT64_MAX, &o->config.seed, s->err);
		o->seed_given = true;
		break;
	case OPT_RESUME:
		o->resume = arg;
		break;
	case OPT_SIM:
		o->sim = arg;
		break;
	default:
		return false;
	}
	return true;
}

static bool parse_rest(int key, char *arg, struct parse_state *s)
{
	struct sweep_options *o = s->o;

	switch (key) {
	case OPT_CPU_GEN:
		s->rc = int_opt(arg, 65535, &o->cpus.cpu_gen, s->err);
		break;
	case OPT_CPU_RECV:
		s->rc = int_opt(arg, 65535, &o->cpus.cpu_recv, s->err);
		break;
	case OPT_CPU_COLLECT:
		s->rc = int_opt(arg, 65535, &o->cpus.cpu_collect, s->err);
		break;
	case OPT_CPU_SUT:
		o->cpus.cpu_sut = arg;
		break;
	case 'o':
		o->output = arg;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case OPT_QUIET:
		o->quiet = true;
		break;
	default:
		return false;
	}
	return true;
}

static bool is_in(int key, const int *keys, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (keys[i] == key)
			return true;
	return false;
}

/* What only the built-in generator obeys. */
static bool is_own_load(int key)
{
	static const int keys[] = { OPT_FLOWS, OPT_BURST, OPT_PCAP, OPT_PCAP_TAG,
		OPT_BIDIR, OPT_DST_MAC };

	return is_in(key, keys, sizeof(keys) / sizeof(keys[0]));
}

/* What only real packets, interfaces and processes have. */
static bool is_live_only(int key)
{
	static const int keys[] = { OPT_LAB, OPT_LIMIT, OPT_IN, OPT_OUT, OPT_SUT_IN,
		OPT_SUT_OUT, OPT_PID, OPT_SUT, OPT_SETUP, OPT_READY, OPT_READY_AFTER,
		OPT_READY_TIMEOUT, OPT_SUT_STATS, OPT_RESTART, OPT_FLOWS, OPT_PCAP,
		OPT_PCAP_TAG, OPT_BIDIR, OPT_DST_MAC, OPT_GENERATOR, 'e', OPT_PROFILER,
		OPT_WRAP, OPT_PROFILER_AFTER, OPT_PROFILER_FINISH, OPT_CPU_GEN,
		OPT_CPU_RECV, OPT_CPU_COLLECT, OPT_CPU_SUT };

	return is_in(key, keys, sizeof(keys) / sizeof(keys[0]));
}

static error_t parse_key(int key, char *arg, struct argp_state *state)
{
	struct parse_state *s = state->input;

	if (key == ARGP_KEY_ARG) {
		s->rc = sp_err_set(s->err, SP_EUSAGE,
			"'%s' is not an option; the SUT's command goes after --", arg);
		return EINVAL;
	}
	if (!parse_where(key, arg, s) && !parse_load(key, arg, s) &&
		!parse_arms(key, arg, s) && !parse_effort(key, arg, s) &&
		!parse_rest(key, arg, s))
		return ARGP_ERR_UNKNOWN;
	if (s->live_only_key == 0 && is_live_only(key))
		s->live_only_key = key;
	if (s->own_load_key == 0 && is_own_load(key))
		s->own_load_key = key;
	return s->rc != 0 ? EINVAL : 0;
}

#define AFTER_OPTIONS                                                                  \
	"\v{in} and {out} in the SUT's words are its two interfaces. Rates are "       \
	"packets/s (300k, 1.5M) or bits/s (1.2Gbps)."

static const char *const docs[] = {
	[SWEEP_USE_SWEEP] =
		"Run a saturation sweep: the knee with the profiler off and "
		"on." AFTER_OPTIONS,
	[SWEEP_USE_SELFTEST] =
		"Compare the SUT with itself: the smallest shift that this machine can "
		"tell, and whether it finds one where there is none." AFTER_OPTIONS,
};

static void set_defaults(struct sweep_options *o)
{
	*o = (struct sweep_options){
		.ready_timeout_ns = 10 * NS_PER_S,
		.profiler_after_ns = 300 * NS_PER_MS,
		.profiler_finish_ns = 30 * NS_PER_S,
		.cpus = { -1, -1, -1, NULL },
		.traffic = { .kind = TRAFFIC_FIXED,
			.frame_bytes = 64,
			.n_flows = 64,
			.mean_frame_bytes = 64,
			.pcap_speed = 1 },
		.config = { .margin_frac = 0.03, .level = 0.95, .dither_frac = 0.04 },
	};
}

/* Split at the first "--": what follows is the SUT's. */
static int split_sut(int argc, char **argv, struct sweep_options *o)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0) {
			if (i + 1 < argc)
				o->sut_argv = argv + i + 1;
			return i;
		}
	return argc;
}

/* What follows from the words, when all have been seen. */
static int settle(struct parse_state *s)
{
	struct sweep_options *o = s->o;

	if (o->traffic.pcap_path[0] != '\0') {
		o->traffic.kind = TRAFFIC_PCAP;
		o->traffic.frame_bytes = 0;
		o->traffic.mean_frame_bytes = 0;
	}
	if (o->generator != NULL)
		o->traffic.burst = 1; /* its own business: no pilot for it */
	o->config.burst = o->traffic.burst;
	if (sweep_effort_apply(s) != 0)
		return -(int)s->err->code;
	if (s->rates != NULL && sweep_rates_parse(s->rates, o->traffic.mean_frame_bytes,
					&o->config, s->err) != 0)
		return -(int)s->err->code;
	return sweep_options_check(s);
}

int sweep_options_parse(enum sweep_use use, int argc, char **argv,
	struct sweep_options *ret_options, bool *ret_help, struct sp_err *err)
{
	struct parse_state s = { .o = ret_options, .use = use, .err = err };
	struct argp_option *own =
		use == SWEEP_USE_SELFTEST ? sweep_selftest_options() : NULL;
	const struct argp argp = { .options = own != NULL ? own : sweep_argp_options,
		.parser = parse_key,
		.args_doc = "[-- SUT ARG...]",
		.doc = docs[use] };
	int n, rc;

	set_defaults(ret_options);
	n = split_sut(argc, argv, ret_options);
	rc = args_parse(&argp, n, argv, &s, ret_help, err);
	s.margin_option = args_option_name(&argp, OPT_MARGIN);
	if (s.live_only_key != 0)
		s.live_only = args_option_name(&argp, s.live_only_key);
	if (s.own_load_key != 0)
		s.own_load = args_option_name(&argp, s.own_load_key);
	free(own); /* the names are literals */
	return rc != 0 || *ret_help ? rc : settle(&s);
}

bool sweep_options_wants_lab(const struct sweep_options *o)
{
	return o->lab || (o->in == NULL && o->generator == NULL);
}

char *const *sweep_options_forward(const struct sweep_options *o)
{
	static char *const no_options[] = { NULL };
	char **argv = o->sut_argv;
	const char *slash;

	if (o->pid != 0 || o->sut_none)
		return NULL;
	if (argv == NULL)
		return no_options;
	slash = strrchr(argv[0], '/');
	if (strcmp(slash != NULL ? slash + 1 : argv[0], "satprof") != 0 ||
		argv[1] == NULL || argv[2] == NULL || argv[3] == NULL ||
		strcmp(argv[1], "forward") != 0 || strcmp(argv[2], "{in}") != 0 ||
		strcmp(argv[3], "{out}") != 0)
		return NULL;
	return argv + 4;
}

void sweep_options_done(struct sweep_options *o)
{
	free(o->arms);
	o->arms = NULL;
	sweep_config_done(&o->config);
}
