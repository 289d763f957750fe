/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Words of a run file for enums whose model has none of its own, and the limits
 * of what a sound file says. Private to run_store*.c. Parsers give -1 for a
 * word that is not one.
 */
#ifndef SATPROF_CODEC_RUN_STORE_WORDS_H
#define SATPROF_CODEC_RUN_STORE_WORDS_H

#include "model/ledger.h"
#include "model/profile.h"
#include "model/traffic.h"

/*
 * Far over anything real, small enough that sums, products and arrays by number
 * in the analyses stay in range.
 */
#define RUN_STORE_MAX_TEXT   ((size_t)4 << 20)
#define RUN_STORE_MAX_LIST   10000u /* lists that are searched row by row */
#define RUN_STORE_MAX_ID     10000000u
#define RUN_STORE_MAX_BLOCK  1100u /* --blocks takes 1000 */
#define RUN_STORE_MAX_ARMS   100u
#define RUN_STORE_MAX_RATES  1000u
#define RUN_STORE_MAX_CPU    1000000
#define RUN_STORE_MAX_NS     UINT64_C(1000000000000000000)
#define RUN_STORE_MAX_COUNT  ((uint64_t)INT64_MAX)
#define RUN_STORE_MAX_PPS    1e12
#define RUN_STORE_MAX_DOUBLE 1e300

const char *run_store_traffic_kind_name(enum traffic_kind k);
int run_store_traffic_kind_parse(const char *word);
const char *run_store_pcap_pace_name(enum pcap_pace p);
int run_store_pcap_pace_parse(const char *word);
const char *run_store_module_kind_name(enum module_kind k);
int run_store_module_kind_parse(const char *word);
const char *run_store_dir_name(enum traffic_dir d); /* "fwd", "rev" */
int run_store_dir_parse(const char *word);
int run_store_point_parse(const char *word);
int run_store_source_parse(const char *word);

#endif
