/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options of `satprof sweep` as --help shows them. */
#include "config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cli/sweep_options_private.h"

#define GROUP_ARMS 4

const struct argp_option sweep_argp_options[] = {
	{ NULL, 0, NULL, 0, "Where:", 1 },
	{ "lab", OPT_LAB, NULL, 0, "A private test bed (default without --in)", 1 },
	{ "limit", OPT_LIMIT, "RATE", 0, "Plant a limit on the SUT's egress (lab)", 1 },
	{ "in", OPT_IN, "IF", 0, "Send on this interface of the caller's", 1 },
	{ "out", OPT_OUT, "IF", 0, "Receive on this interface", 1 },
	{ "sut-in", OPT_SUT_IN, "IF", 0, "The SUT's side of --in: {in}", 1 },
	{ "sut-out", OPT_SUT_OUT, "IF", 0, "The SUT's side of --out: {out}", 1 },
	{ NULL, 0, NULL, 0, "System under test (default: the built-in forwarder):", 2 },
	{ "pid", OPT_PID, "PID", 0, "A process that runs already", 2 },
	{ "sut", OPT_SUT, "none", 0, "No process: the kernel forwards", 2 },
	{ "setup", OPT_SETUP, "CMD", 0, "Run once before the SUT, in its namespace",
		2 },
	{ "ready", OPT_READY, "CMD", 0, "The SUT is ready when CMD succeeds", 2 },
	{ "ready-after", OPT_READY_AFTER, "TIME", 0,
		"The SUT is ready TIME after its start", 2 },
	{ "ready-timeout", OPT_READY_TIMEOUT, "TIME", 0,
		"Give up on a SUT that is not ready by then (10s)", 2 },
	{ "sut-stats", OPT_SUT_STATS, "CMD", 0, "Prints the SUT's own counts as JSON",
		2 },
	{ "restart", OPT_RESTART, "arm|block|never", 0,
		"When a started SUT is restarted (arm)", 2 },
	{ NULL, 0, NULL, 0, "Load:", 3 },
	{ "rates", OPT_RATES, "LIST", 0, "A fixed ladder of rates; asks for no knee",
		3 },
	{ "frame-size", OPT_FRAME_SIZE, "BYTES|imix", 0,
		"Frame size with the 4-byte FCS (64)", 3 },
	{ "flows", OPT_FLOWS, "N", 0, "Different 5-tuples (64)", 3 },
	{ "burst", OPT_BURST, "N", 0, "Frames a burst, 1..64 (the pilot chooses)", 3 },
	{ "pcap", OPT_PCAP, "FILE", 0, "Replay a capture instead", 3 },
	{ "pcap-tag", OPT_PCAP_TAG, NULL, 0,
		"Overwrite the last 18 payload bytes with the tag", 3 },
	{ "bidir", OPT_BIDIR, NULL, 0, "Offer the load in both directions", 3 },
	{ "dst-mac", OPT_DST_MAC, "MAC|sut", 0,
		"Destination MAC (the receiver's interface)", 3 },
	{ "generator", OPT_GENERATOR, "CMD", 0,
		"An outside generator instead: satprof-generator(5)", 3 },
	{ NULL, 0, NULL, 0, "Arms:", 4 },
	{ "arms", OPT_ARMS, "LIST", 0,
		"off, again, attach, count, sample@HZ, perf@HZ, profiler, wrap; the first "
		"is the reference",
		4 },
	{ "profiler", OPT_PROFILER, "CMD", 0,
		"The arm profiler: CMD runs beside the SUT, {pid} {cpus} {dir} {arm}",
		4 },
	{ "wrap", OPT_WRAP, "CMD", 0, "The arm wrap: the SUT is launched under CMD",
		4 },
	{ "profiler-after", OPT_PROFILER_AFTER, "TIME", 0,
		"From the profiler's start to the first trial (300ms)", 4 },
	{ "profiler-finish", OPT_PROFILER_FINISH, "TIME", 0,
		"What an outside profiler may take to finish (30s)", 4 },
	{ "event", 'e', "LIST", 0, "Events of the count arm", 4 },
	{ NULL, 0, NULL, 0, "Effort:", 5 },
	{ "preset", OPT_PRESET, "smoke|default|dose|full", 0, "How much work (default)",
		5 },
	{ "blocks", OPT_BLOCKS, "N", 0, "Blocks: the unit of evidence", 5 },
	{ "latency", OPT_LATENCY, NULL, 0, "Extra trials for latency, burst 1", 5 },
	{ "trial-time", OPT_TRIAL_TIME, "TIME", 0, "Length of a trial", 5 },
	{ "max-time", OPT_MAX_TIME, "TIME", 0, "End after the block then running", 5 },
	{ "until-decided", OPT_UNTIL_DECIDED, NULL, 0,
		"More blocks, up to 30, until every shift is decided", 5 },
	{ "ndr", OPT_NDR, "light|csit|rfc2544", 0,
		"Search NDR and PDR of the reference arm, last", 5 },
	{ "confirm", OPT_CONFIRM, "N", OPTION_ARG_OPTIONAL,
		"Force what seems to move the knee with the observer off, the N likeliest "
		"causes (1)",
		5 },
	{ "margin", OPT_MARGIN, "FRAC", 0, "What counts as no shift (3%)", 5 },
	{ "seed", OPT_SEED, "N", 0, "Seed of orders and dithers (from the clock)", 5 },
	{ "resume", OPT_RESUME, "RUN", 0, "Go on with a run file", 5 },
	{ "sim", OPT_SIM, "MODEL", 0,
		"A simulated SUT in virtual time, e.g. capacity=300k,noise=1%", 5 },
	{ NULL, 0, NULL, 0, "CPUs:", 6 },
	{ "cpu-gen", OPT_CPU_GEN, "N", 0, "The generator's CPU", 6 },
	{ "cpu-recv", OPT_CPU_RECV, "N", 0, "The receiver's CPU", 6 },
	{ "cpu-collect", OPT_CPU_COLLECT, "N", 0, "The collector's CPU", 6 },
	{ "cpu-sut", OPT_CPU_SUT, "LIST|none", 0, "The SUT's CPUs", 6 },
	{ NULL, 0, NULL, 0, "Output:", 7 },
	{ "output", 'o', "RUN", 0, "The run file (satprof-DATE.satprof)", 7 },
	{ "json", OPT_JSON, NULL, 0, "One JSON document on standard output", 7 },
	{ "quiet", OPT_QUIET, NULL, 0, "No progress, no notes", 7 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

static bool is_for_selftest(const struct argp_option *o)
{
	static const int not [] = { OPT_RATES, OPT_LATENCY, OPT_UNTIL_DECIDED, OPT_NDR,
		OPT_CONFIRM };
	size_t i;

	for (i = 0; i < sizeof(not ) / sizeof(not [0]); i++)
		if (o->key == not [i])
			return false;
	return o->group != GROUP_ARMS;
}

struct argp_option *sweep_selftest_options(void)
{
	static const struct argp_option mde = { "mde", OPT_MARGIN, "FRAC", 0,
		"The shift that must be seen (3%)", 5 };
	const struct argp_option *o = sweep_argp_options;
	struct argp_option *own = NULL;
	size_t n = 0, cap = 0;

	for (;; o++) {
		bool is_end = o->name == NULL && o->doc == NULL;

		if (!is_end && !is_for_selftest(o))
			continue;
		own = xgrow(own, n, &cap, sizeof(*own));
		own[n++] = o->key == OPT_MARGIN ? mde : *o;
		if (is_end)
			return own;
	}
}
