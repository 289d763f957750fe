/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frame digests and the set of known ones: open addressing, never resized. */
#include "config.h"

#include "gen/gen_digest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MIN_FRAME_BYTES 60u
/* Odd constants with balanced bits (SplitMix64, Steele et al. 2014). */
#define MUL_A UINT64_C(0xbf58476d1ce4e5b9)
#define MUL_B UINT64_C(0x94d049bb133111eb)

struct gen_digest_set {
	size_t n_slots; /* a power of two, at least twice n */
	size_t n_kinds;
	struct {
		uint64_t digest;
		uint32_t kind_plus_1; /* 0: free */
	} * slots;
};

static uint64_t mix(uint64_t h, uint64_t v)
{
	unsigned __int128 m = (unsigned __int128)(h ^ v ^ MUL_A) * MUL_B;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
}

/* Bytes gathered into words, whatever the pieces are. */
struct digest_state {
	uint64_t h, total;
	uint8_t word[8];
	size_t n;
};

static void digest_bytes(struct digest_state *s, const uint8_t *p, size_t len)
{
	uint64_t w;

	s->total += len;
	while (len > 0) {
		size_t k = sizeof(s->word) - s->n;

		k = k < len ? k : len;
		memcpy(s->word + s->n, p, k);
		s->n += k;
		p += k;
		len -= k;
		if (s->n < sizeof(s->word))
			return;
		memcpy(&w, s->word, sizeof(w));
		s->h = mix(s->h, w);
		s->n = 0;
	}
}

uint64_t gen_digest_of(const struct gen_digest_piece *pieces, size_t n_pieces)
{
	static const uint8_t zeros[MIN_FRAME_BYTES];
	struct digest_state s = { .h = MUL_A };
	uint64_t total;
	size_t i;

	for (i = 0; i < n_pieces; i++)
		digest_bytes(&s, pieces[i].p, pieces[i].len);
	if (s.total < MIN_FRAME_BYTES)
		digest_bytes(&s, zeros, MIN_FRAME_BYTES - (size_t)s.total);
	total = s.total; /* before the last word is filled up */
	digest_bytes(&s, zeros, s.n > 0 ? sizeof(s.word) - s.n : 0);
	return mix(s.h, total);
}

struct gen_digest_set *gen_digest_set_new(size_t n)
{
	struct gen_digest_set *s = xcalloc(1, sizeof(*s));

	for (s->n_slots = 16; s->n_slots < 2 * n;)
		s->n_slots *= 2;
	s->slots = xcalloc(s->n_slots, sizeof(*s->slots));
	return s;
}

void gen_digest_set_free(struct gen_digest_set *s)
{
	if (s == NULL)
		return;
	free(s->slots);
	free(s);
}

/* Where the digest is, or the free slot where it would be. */
static size_t locate(const struct gen_digest_set *s, uint64_t digest)
{
	size_t i = (size_t)digest & (s->n_slots - 1);

	while (s->slots[i].kind_plus_1 != 0 && s->slots[i].digest != digest)
		i = (i + 1) & (s->n_slots - 1);
	return i;
}

uint32_t gen_digest_set_add(struct gen_digest_set *s, uint64_t digest)
{
	size_t i = locate(s, digest);

	if (s->slots[i].kind_plus_1 == 0) {
		s->slots[i].digest = digest;
		s->slots[i].kind_plus_1 = (uint32_t)++s->n_kinds;
	}
	return s->slots[i].kind_plus_1 - 1;
}

uint32_t gen_digest_set_find(const struct gen_digest_set *s, uint64_t digest)
{
	size_t i = locate(s, digest);

	return s->slots[i].kind_plus_1 == 0 ? GEN_DIGEST_NONE
					    : s->slots[i].kind_plus_1 - 1;
}

size_t gen_digest_set_n_kinds(const struct gen_digest_set *s)
{
	return s->n_kinds;
}
