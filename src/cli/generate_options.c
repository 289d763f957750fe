/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `satprof generate`. */
#include "config.h"

#include "cli/generate_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/args.h"

#define DEFAULT_RATE_PPS 1000
#define RATE_MAX_PPS     1e9
#define DEFAULT_TIME_NS  (10 * NS_PER_S)

enum opt {
	OPT_RX = 256,
	OPT_RATE,
	OPT_MAX,
	OPT_TIME,
	OPT_FRAME_SIZE,
	OPT_FLOWS,
	OPT_BURST,
	OPT_PCAP,
	OPT_PCAP_TAG,
	OPT_PACE,
	OPT_BIDIR,
	OPT_DST_MAC,
	OPT_CPU,
	OPT_CPU_RX,
	OPT_REALTIME,
	OPT_SLEEP,
	OPT_NO_OFFLOAD,
	OPT_JSON,
};

static const struct argp_option generate_argp_options[] = {
	{ NULL, 0, NULL, 0, "Load:", 1 },
	{ "rate", OPT_RATE, "RATE", 0, "Packets/s or bits/s (1000)", 1 },
	{ "max", OPT_MAX, NULL, 0, "As fast as it goes, with no schedule", 1 },
	{ "time", OPT_TIME, "TIME", 0, "How long (10s; a capture: once through)", 1 },
	{ "frame-size", OPT_FRAME_SIZE, "BYTES|imix", 0,
		"Frame size with the 4-byte FCS (64)", 1 },
	{ "flows", OPT_FLOWS, "N", 0, "Different 5-tuples (64)", 1 },
	{ "burst", OPT_BURST, "N", 0, "Frames a burst, 1..64 (1)", 1 },
	{ "bidir", OPT_BIDIR, NULL, 0, "Also from --rx back; needs --rx", 1 },
	{ "dst-mac", OPT_DST_MAC, "MAC", 0,
		"Destination MAC (that of --rx; else a MAC that is nobody's)", 1 },
	{ NULL, 0, NULL, 0, "Captures:", 2 },
	{ "pcap", OPT_PCAP, "FILE", 0, "Replay a pcap or pcapng file instead", 2 },
	{ "pcap-tag", OPT_PCAP_TAG, NULL, 0,
		"Overwrite the last 18 payload bytes with the tag", 2 },
	{ "pace", OPT_PACE, "SPEED", 0,
		"Replay at the captured times: 1 as captured, 2 twice as fast", 2 },
	{ NULL, 0, NULL, 0, "Receiver:", 3 },
	{ "rx", OPT_RX, "IF", 0, "Receive on this interface and account", 3 },
	{ NULL, 0, NULL, 0, "How it runs:", 4 },
	{ "cpu", OPT_CPU, "N", 0, "The sender's CPU", 4 },
	{ "cpu-rx", OPT_CPU_RX, "N", 0, "The receiver's CPU (the sender's thread)", 4 },
	{ "sleep", OPT_SLEEP, NULL, 0,
		"Sleep up to each slot instead of spinning the last 50 us", 4 },
	{ "realtime", OPT_REALTIME, NULL, 0, "SCHED_FIFO; implies --sleep", 4 },
	{ "no-offload", OPT_NO_OFFLOAD, NULL, 0, "One message a frame", 4 },
	{ NULL, 0, NULL, 0, "Output:", 5 },
	{ "json", OPT_JSON, NULL, 0, "One JSON document on standard output", 5 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

struct parse_state {
	struct generate_options *o;
	struct sp_err *err;
	int rc;
	bool rate_given, time_given, frame_given;
};

static int u32_opt(
	const char *arg, uint64_t lo, uint64_t hi, uint32_t *ret, struct sp_err *err)
{
	uint64_t v = 0;
	int rc = units_u64_parse(arg, lo, hi, &v, err);

	if (rc == 0)
		*ret = (uint32_t)v;
	return rc;
}

static int cpu_opt(const char *arg, int *ret, struct sp_err *err)
{
	uint64_t v = 0;
	int rc = units_u64_parse(arg, 0, 65535, &v, err);

	if (rc == 0)
		*ret = (int)v;
	return rc;
}

static int pace_opt(const char *arg, struct traffic *t, struct sp_err *err)
{
	char *end;
	double speed = strtod(arg, &end);

	if (end == arg || *end != '\0' || !(speed >= 1e-6 && speed <= 1e6))
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is not a factor: 1 is as captured, 2 twice as fast", arg);
	t->pcap_pace = PCAP_AS_CAPTURED;
	t->pcap_speed = speed;
	return 0;
}

static int pcap_opt(const char *arg, struct traffic *t, struct sp_err *err)
{
	if (arg[0] == '\0')
		return sp_err_set(err, SP_EUSAGE, "the path is empty");
	if (strlen(arg) >= sizeof(t->pcap_path))
		return sp_err_set(err, SP_EUSAGE, "the path is too long");
	memcpy(t->pcap_path, arg, strlen(arg) + 1);
	t->kind = TRAFFIC_PCAP;
	return 0;
}

static bool parse_load(int key, char *arg, struct parse_state *s)
{
	struct traffic *t = &s->o->traffic;

	switch (key) {
	case OPT_RATE:
		s->rc = units_rate_parse(arg, &s->o->rate, s->err);
		s->rate_given = true;
		break;
	case OPT_MAX:
		s->o->max = true;
		break;
	case OPT_TIME:
		s->rc = units_time_parse(arg, &s->o->duration_ns, s->err);
		if (s->rc == 0 && s->o->duration_ns == 0)
			s->rc = sp_err_set(s->err, SP_EUSAGE, "it must be above 0");
		s->time_given = true;
		break;
	case OPT_FRAME_SIZE:
		s->rc = traffic_frame_parse(arg, t, s->err);
		s->frame_given = true;
		break;
	case OPT_FLOWS:
		s->rc = u32_opt(arg, 1, TRAFFIC_FLOWS_MAX, &t->n_flows, s->err);
		break;
	case OPT_BURST:
		s->rc = u32_opt(arg, 1, TRAFFIC_BURST_MAX, &t->burst, s->err);
		break;
	case OPT_BIDIR:
		t->bidir = true;
		break;
	case OPT_DST_MAC:
		if (strcmp(arg, "sut") == 0)
			s->rc = sp_err_set(s->err, SP_EUSAGE,
				"it takes a MAC address here: there is no SUT");
		else
			s->rc = traffic_mac_parse(arg, t, s->err);
		break;
	case OPT_PCAP:
		s->rc = pcap_opt(arg, t, s->err);
		break;
	case OPT_PCAP_TAG:
		t->pcap_tag = true;
		break;
	case OPT_PACE:
		s->rc = pace_opt(arg, t, s->err);
		break;
	default:
		return false;
	}
	return true;
}

static error_t parse_opt(int key, char *arg, struct argp_state *state)
{
	struct parse_state *s = state->input;
	struct generate_options *o = s->o;

	if (parse_load(key, arg, s))
		return s->rc != 0 ? EINVAL : 0;
	switch (key) {
	case OPT_RX:
		o->rx_ifname = arg;
		break;
	case OPT_CPU:
		s->rc = cpu_opt(arg, &o->cpu, s->err);
		break;
	case OPT_CPU_RX:
		s->rc = cpu_opt(arg, &o->cpu_rx, s->err);
		break;
	case OPT_REALTIME:
		o->realtime = true;
		break;
	case OPT_SLEEP:
		o->sleep = true;
		break;
	case OPT_NO_OFFLOAD:
		o->no_offload = true;
		break;
	case OPT_JSON:
		o->json = true;
		break;
	case ARGP_KEY_ARG:
		if (o->ifname != NULL)
			s->rc = sp_err_set(s->err, SP_EUSAGE,
				"'%s': one interface to send on is enough", arg);
		o->ifname = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return s->rc != 0 ? EINVAL : 0;
}

static const struct argp generate_argp = {
	.options = generate_argp_options,
	.parser = parse_opt,
	.args_doc = "IF",
	.doc = "Send packets on interface IF at an exact rate, and account for each.",
};

int generate_rate_check(struct units_rate rate, double frame_bytes, struct sp_err *err)
{
	if (frame_bytes > 0 && units_rate_pps(rate, frame_bytes) > RATE_MAX_PPS)
		return sp_err_set(err, SP_EUSAGE,
			"--rate: that is more than a thousand million packets/s; --max "
			"sends as fast as it goes");
	return 0;
}

/* What does not go together. */
static int check(const struct parse_state *s)
{
	const struct generate_options *o = s->o;
	const struct traffic *t = &o->traffic;
	/* Not by its kind: the size may have been said after it. */
	bool has_pcap = t->pcap_path[0] != '\0';
	const char *why = NULL;

	if (o->ifname == NULL)
		why = "an interface to send on is needed: see --help";
	else if (s->rate_given && o->max)
		why = "--rate and --max exclude each other";
	else if (!has_pcap && (t->pcap_tag || t->pcap_speed > 0))
		why = "--pcap-tag and --pace need --pcap";
	else if (has_pcap && s->frame_given)
		why = "--pcap brings its own frames: no --frame-size";
	else if (t->pcap_speed > 0 && (s->rate_given || o->max))
		why = "--pace has its own rate: no --rate, no --max";
	else if (has_pcap && o->max && !s->time_given)
		why = "--pcap with --max needs a --time";
	else if (t->bidir && o->rx_ifname == NULL)
		why = "--bidir needs --rx";
	if (why != NULL)
		return sp_err_set(s->err, SP_EUSAGE, "%s", why);
	return o->max ? 0 : generate_rate_check(o->rate, t->mean_frame_bytes, s->err);
}

int generate_options_parse(int argc, char **argv, struct generate_options *ret_options,
	bool *ret_help, struct sp_err *err)
{
	struct generate_options o = {
		.rate = { .value = DEFAULT_RATE_PPS },
		.traffic = { .n_flows = 64, .burst = 1 },
		.cpu = -1,
		.cpu_rx = -1,
	};
	struct parse_state s = { .o = &o, .err = err };
	int rc;

	(void)traffic_frame_parse("64", &o.traffic, err); /* cannot fail */
	if ((rc = args_parse(&generate_argp, argc, argv, &s, ret_help, err)) != 0)
		return rc;
	if (!*ret_help && (rc = check(&s)) != 0)
		return rc;
	if (!s.time_given && o.traffic.kind != TRAFFIC_PCAP)
		o.duration_ns = DEFAULT_TIME_NS;
	*ret_options = o;
	return 0;
}
