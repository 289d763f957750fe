/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * GNU build-ids as lower-case hex: what identifies a module whatever its file is
 * called. Pure but for the two readers of /sys.
 */
#ifndef SATPROF_SYMBOL_BUILDID_H
#define SATPROF_SYMBOL_BUILDID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 64 bytes of id at most, two digits each, and the end. */
#define BUILDID_HEX_MAX 129

/* "" for n_bytes 0 or above 64. */
void buildid_hex(const uint8_t *id, size_t n_bytes, char ret_hex[BUILDID_HEX_MAX]);

/* The NT_GNU_BUILD_ID among ELF notes; false and "" when there is none. */
bool buildid_from_notes(const void *notes, size_t len, char ret_hex[BUILDID_HEX_MAX]);

/* Of the running kernel (module NULL), or of a loaded module ("veth"); "" when
 * it cannot be read. */
void buildid_of_kernel(int root_fd, const char *module, char ret_hex[BUILDID_HEX_MAX]);

#endif
