/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes perf_event records out of plain memory: a ring between tail and head,
 * or any buffer a test or a fuzzer made. Nothing is trusted: every field is
 * checked against the record's size. No system call, no allocation, no state.
 * Strings and call chains point into the buffer and live as long as it does.
 */
#ifndef SATPROF_OS_PERF_DECODE_H
#define SATPROF_OS_PERF_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The one layout we ask the kernel for, in samples and (sample_id_all) behind
 * every other record. PERF_SAMPLE_* of linux/perf_event.h. */
#define PERF_DECODE_SAMPLE_TYPE                                                        \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |                   \
		PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD |              \
		PERF_SAMPLE_CALLCHAIN)

#define PERF_DECODE_BUILD_ID_MAX 20

enum perf_rec_kind {
	PERF_REC_OTHER, /* well formed, and nothing we use */
	PERF_REC_SAMPLE,
	PERF_REC_MMAP2,
	PERF_REC_COMM,
	PERF_REC_FORK,
	PERF_REC_EXIT,
	PERF_REC_LOST,         /* records of any kind that did not fit */
	PERF_REC_LOST_SAMPLES, /* samples the hardware dropped */
	PERF_REC_THROTTLE,
	PERF_REC_UNTHROTTLE,
	PERF_REC_SWITCH,
	PERF_REC_KSYMBOL,
};

struct perf_sample_rec {
	uint64_t id, ip, time_ns, period;
	uint32_t pid, tid, cpu;
	bool in_kernel;       /* by the header's cpumode */
	const uint8_t *chain; /* n_chain u64, see perf_sample_chain() */
	size_t n_chain;
};

struct perf_mmap2_rec {
	uint32_t pid, tid;
	uint64_t addr, len_bytes, file_offset;
	uint32_t major, minor; /* of the file's device; 0 with a build-id */
	uint64_t inode;
	uint32_t prot;
	uint8_t n_build_id; /* bytes; 0: none */
	const uint8_t *build_id;
	bool is_data;     /* not executable */
	const char *path; /* NUL-terminated */
};

struct perf_task_rec {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time_ns;
};

struct perf_comm_rec {
	uint32_t pid, tid;
	bool is_exec;
	const char *comm; /* NUL-terminated */
};

struct perf_ksymbol_rec {
	uint64_t addr;
	uint32_t len_bytes;
	bool is_gone; /* unregistered */
	const char *name;
};

struct perf_rec {
	enum perf_rec_kind kind;
	uint64_t time_ns; /* from the sample id at the end; 0 where there is none */
	union {
		struct perf_sample_rec sample;
		struct perf_mmap2_rec mmap2;
		struct perf_comm_rec comm;
		struct perf_task_rec task; /* FORK, EXIT */
		uint64_t n_lost;           /* LOST, LOST_SAMPLES */
		bool is_out;               /* SWITCH: away from the task */
		struct perf_ksymbol_rec ksymbol;
	} u;
};

/*
 * Decode the record at buf, whose header says its size. False: malformed or
 * longer than len; *ret_rec is then undefined.
 */
bool perf_decode_record(const void *buf, size_t len, struct perf_rec *ret_rec);

/* Address i of the chain, 0 <= i < n_chain. PERF_CONTEXT_* markers included. */
uint64_t perf_sample_chain(const struct perf_sample_rec *s, size_t i);

/* The data area of a ring: what lies between tail and head, wrapping at size. */
struct perf_span {
	const uint8_t *data;
	size_t size_bytes;   /* a power of two */
	uint64_t tail, head; /* ever-growing positions, as the kernel counts */
};

#define PERF_RECORD_MAX_BYTES 65536u

/*
 * The next record as one piece; one that wraps is copied into scratch
 * (PERF_RECORD_MAX_BYTES). NULL: the end, or what follows is not a record (then
 * tail != head, and the rest is best thrown away). Moves tail.
 */
const void *perf_span_next(
	struct perf_span *span, uint8_t *scratch, size_t *ret_size_bytes);

#endif
