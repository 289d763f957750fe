/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses to frames with names. A user frame is (file, offset in the file), a
 * kernel one ("[kernel.kallsyms]" or "[module]", address). Each unique frame is
 * looked up once; files are opened in the process's own mount namespace, deleted
 * ones through /proc. Main thread only; reads files, so never during a trial.
 */
#ifndef SATPROF_SYMBOL_SYMBOLIZER_H
#define SATPROF_SYMBOL_SYMBOLIZER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/profile.h"
#include "symbol/kallsyms.h"
#include "symbol/maps.h"

#define SYMBOLIZER_UNKNOWN "[unknown]"

struct symbolizer;

struct symbolizer *symbolizer_new(int root_fd);
void symbolizer_free(struct symbolizer *s); /* NULL is a no-op */

/* Before the samples of a trial: processes are looked at afresh, frames go to
 * profile (borrowed until the next call). */
void symbolizer_begin(struct symbolizer *s, struct profile *profile);

/* Where the mmap, exec and fork records of the trial go. */
struct maps *symbolizer_maps(struct symbolizer *s);
/* A kernel symbol came or went: the kernel's table is read again when needed. */
void symbolizer_note_ksymbol(struct symbolizer *s);

/*
 * The frame of an address in a process, its symbol resolved. For a caller's frame
 * pass the return address - 1: a call may be the last instruction of a function.
 */
uint32_t symbolizer_user_frame(struct symbolizer *s, pid_t pid, uint64_t addr);
uint32_t symbolizer_kernel_frame(struct symbolizer *s, uint64_t addr);

/* Reads the kernel's table when it was not read yet. */
enum kallsyms_state symbolizer_kernel_state(struct symbolizer *s);

#endif
