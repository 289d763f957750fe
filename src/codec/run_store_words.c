/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a run file. */
#include "config.h"

#include "codec/run_store_words.h"

#include <stddef.h>
#include <string.h>

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static const char *const traffic_kinds[] = {
	[TRAFFIC_FIXED] = "fixed",
	[TRAFFIC_IMIX] = "imix",
	[TRAFFIC_PCAP] = "pcap",
};

static const char *const pcap_paces[] = {
	[PCAP_AT_RATE] = "at-rate",
	[PCAP_AS_CAPTURED] = "as-captured",
};

static const char *const module_kinds[] = {
	[MODULE_USER] = "user",
	[MODULE_KERNEL] = "kernel",
	[MODULE_UNKNOWN] = "unknown",
};

static const char *const dirs[] = {
	[DIR_FWD] = "fwd",
	[DIR_REV] = "rev",
};

static int word_parse(const char *const *words, size_t n, const char *word)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(words[i], word) == 0)
			return (int)i;
	return -1;
}

const char *run_store_traffic_kind_name(enum traffic_kind k)
{
	return traffic_kinds[k];
}

int run_store_traffic_kind_parse(const char *word)
{
	return word_parse(traffic_kinds, N_OF(traffic_kinds), word);
}

const char *run_store_pcap_pace_name(enum pcap_pace p)
{
	return pcap_paces[p];
}

int run_store_pcap_pace_parse(const char *word)
{
	return word_parse(pcap_paces, N_OF(pcap_paces), word);
}

const char *run_store_module_kind_name(enum module_kind k)
{
	return module_kinds[k];
}

int run_store_module_kind_parse(const char *word)
{
	return word_parse(module_kinds, N_OF(module_kinds), word);
}

const char *run_store_dir_name(enum traffic_dir d)
{
	return dirs[d];
}

int run_store_dir_parse(const char *word)
{
	return word_parse(dirs, N_OF(dirs), word);
}

int run_store_point_parse(const char *word)
{
	enum ledger_point p = ledger_point_parse(word);

	return p == LEDGER_N_POINTS ? -1 : (int)p;
}

int run_store_source_parse(const char *word)
{
	int s;

	for (s = LEDGER_ABSENT; s <= LEDGER_DERIVED; s++)
		if (strcmp(ledger_source_name((enum ledger_source)s), word) == 0)
			return s;
	return -1;
}
