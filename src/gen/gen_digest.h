/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accounting for frames that carry no tag: a capture replayed byte for byte is
 * known again by 64-bit digests of its frames, as a multiset. Frames shorter than
 * 60 bytes are digested as if padded with zeros, since a wire does that. Not for
 * adversaries: two frames of one capture that collide count as one kind.
 */
#ifndef SATPROF_GEN_GEN_DIGEST_H
#define SATPROF_GEN_GEN_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#define GEN_DIGEST_NONE UINT32_MAX

struct gen_digest_set;

/*
 * Digest of a frame given in up to three pieces, as a receiver holds it that has
 * the VLAN tag beside it: MAC addresses, tag, rest. Same bytes, same digest,
 * however they are cut.
 */
struct gen_digest_piece {
	const uint8_t *p;
	size_t len;
};
uint64_t gen_digest_of(const struct gen_digest_piece *pieces, size_t n_pieces);

/* Room for n different frames. */
struct gen_digest_set *gen_digest_set_new(size_t n);
void gen_digest_set_free(struct gen_digest_set *s);
/* The kind (0, 1, ...) of a digest, a new one if need be. At most n kinds. */
uint32_t gen_digest_set_add(struct gen_digest_set *s, uint64_t digest);
/* GEN_DIGEST_NONE: not one of ours. */
uint32_t gen_digest_set_find(const struct gen_digest_set *s, uint64_t digest);
size_t gen_digest_set_n_kinds(const struct gen_digest_set *s);

#endif
