/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A small run for tests of exports, of which everything is known:
 *
 *   trial 1 of off, no samples; 2 of sample@997 at 0.85, 3 at 1.15 of its knee, 4 is
 * not valid, 5 has a rate and no knee cpu-clock (ns), of trial 2 unless said: "fwd 1"
 * (tid 7) on CPU 1: main > hot 10 samples, 1000; main > hot at another address 2, 200;
 * trial 3: main > hot 5, 500; main > odd 3, 300; main > a library's code without a name
 * 4, 400; "\xff;x" (tid 8) on CPU 0, without a path: 1, 100; trial 4: main > hot 100,
 * 10000; trial 5: main 1, 50 cycles of trial 2: "fwd 1": main > odd 2, 7777777777
 *
 * main and hot are /usr/bin/fwd's (build-id 00aa11), odd is the kernel's.
 */
#ifndef SATPROF_TESTS_EXPORTRUN_H
#define SATPROF_TESTS_EXPORTRUN_H

#include "codec/export.h"
#include "model/run.h"

/* A control byte, what XML, JSON and CSV quote, what folded stacks part by, no UTF-8.
 */
#define EXPORTRUN_ODD "a<b>&\"\x01; x\xff\n,"
/* The same in UTF-8. */
#define EXPORTRUN_ODD_CLEAN "a<b>&\"\x01; x\xef\xbf\xbd\n,"

struct exportrun {
	struct run *run;
	bool in[5];
	struct export_input input; /* of both: cpu-clock, and all that are valid */
};

/* cmocka's setup and teardown; *state is a struct exportrun. */
int exportrun_open(void **state);
int exportrun_close(void **state);

/* What the writer writes, with a NUL behind it, which the caller frees; it fails the
 * test where that is not the same twice. */
char *exportrun_write(
	const struct export_ops *ops, const struct export_input *in, size_t *ret_n);

#endif
