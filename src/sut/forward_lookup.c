/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chained hash table of flows whose cost grows with the flows in flight. */
#include "config.h"

#include "sut/forward_lookup.h"

#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MACS_BYTES  12u
#define ETH_BYTES   14u
#define VLAN_BYTES  4u
#define IP4_BYTES   20u
#define IP6_BYTES   40u
#define PORTS_BYTES 4u

/* Addresses, ports and protocol; all zero but what a frame has of them. */
struct lookup_key {
	uint64_t word[5];
};

struct lookup_entry {
	struct lookup_key key;
	uint64_t last_ns;
	uint64_t n_frames;
	uint32_t next; /* index + 1; 0 ends a chain */
};

struct forward_lookup_table {
	size_t n_buckets;
	uint32_t *buckets; /* index + 1 of a chain's first entry */
	struct lookup_entry *entries;
	uint32_t n_touched; /* entries that were ever used */
	uint32_t free_list; /* index + 1 of those given back */
	uint32_t n_flows;
	uint64_t swept_ns;
};

struct forward_lookup_table *forward_lookup_new(size_t n_buckets)
{
	struct forward_lookup_table *t = xcalloc(1, sizeof(*t));

	t->n_buckets = n_buckets;
	t->buckets = xcalloc(n_buckets, sizeof(*t->buckets));
	t->entries = xcalloc(FORWARD_LOOKUP_MAX_FLOWS, sizeof(*t->entries));
	return t;
}

void forward_lookup_free(struct forward_lookup_table *t)
{
	if (t == NULL)
		return;
	free(t->buckets);
	free(t->entries);
	free(t);
}

uint32_t forward_lookup_flows(const struct forward_lookup_table *t)
{
	return t->n_flows;
}

static uint16_t get_be16(const uint8_t *p)
{
	return (uint16_t)(p[0] << 8 | p[1]);
}

static bool has_ports(uint8_t protocol)
{
	return protocol == IPPROTO_TCP || protocol == IPPROTO_UDP ||
	       protocol == IPPROTO_SCTP;
}

/* l4 == end: no ports. */
static void key_set_l4(
	struct lookup_key *key, uint8_t protocol, const uint8_t *l4, const uint8_t *end)
{
	uint8_t *last = (uint8_t *)&key->word[4];

	last[0] = protocol;
	if (has_ports(protocol) && end - l4 >= (ptrdiff_t)PORTS_BYTES)
		memcpy(last + PORTS_BYTES, l4, PORTS_BYTES);
}

/* An IPv4 address is not the IPv6 address that begins with it. */
static void key_set_version(struct lookup_key *key, uint8_t version)
{
	((uint8_t *)&key->word[4])[1] = version;
}

static void key_set_ip4(struct lookup_key *key, const uint8_t *ip, const uint8_t *end)
{
	size_t header = (size_t)(ip[0] & 0xf) * 4;
	bool is_later_fragment = (get_be16(ip + 6) & 0x1fff) != 0;

	key_set_version(key, 4);
	memcpy(&key->word[0], ip + 12, 4);
	memcpy(&key->word[2], ip + 16, 4);
	if (header < IP4_BYTES || is_later_fragment || end - ip < (ptrdiff_t)header)
		key_set_l4(key, ip[9], end, end);
	else
		key_set_l4(key, ip[9], ip + header, end);
}

static void key_of_frame(struct lookup_key *key, const uint8_t *frame, uint32_t len)
{
	const uint8_t *end = frame + len;
	const uint8_t *ip = frame + ETH_BYTES;
	uint16_t type;

	memset(key, 0, sizeof(*key));
	if (len < ETH_BYTES)
		return;
	type = get_be16(ip - 2);
	while ((type == ETH_P_8021Q || type == ETH_P_8021AD) &&
		end - ip >= (ptrdiff_t)VLAN_BYTES) {
		ip += VLAN_BYTES;
		type = get_be16(ip - 2);
	}
	if (type == ETH_P_IP && end - ip >= (ptrdiff_t)IP4_BYTES) {
		key_set_ip4(key, ip, end);
	} else if (type == ETH_P_IPV6 && end - ip >= (ptrdiff_t)IP6_BYTES) {
		key_set_version(key, 6);
		memcpy(&key->word[0], ip + 8, 32);
		key_set_l4(key, ip[6], ip + IP6_BYTES, end);
	} else {
		memcpy(key, frame, MACS_BYTES);
	}
}

static uint32_t key_bucket(const struct lookup_key *key, size_t n_buckets)
{
	uint64_t h = 0;
	size_t i;

	/* Multiply and fold, a word at a time. */
	for (i = 0; i < sizeof(key->word) / sizeof(key->word[0]); i++) {
		h = (h ^ key->word[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return (uint32_t)(h % n_buckets);
}

static bool key_equal(const struct lookup_key *a, const struct lookup_key *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static bool entry_expired(const struct lookup_entry *e, uint64_t now_ns)
{
	return now_ns > e->last_ns + FORWARD_LOOKUP_EXPIRE_NS;
}

/* Take the entry that *link points at out of its chain. */
static void entry_drop(struct forward_lookup_table *t, uint32_t *link)
{
	uint32_t i = *link;
	struct lookup_entry *e = &t->entries[i - 1];

	*link = e->next;
	e->next = t->free_list;
	t->free_list = i;
	t->n_flows--;
}

/* Drop what has expired, everywhere. At most once an expiry time: it is long. */
static void table_sweep(struct forward_lookup_table *t, uint64_t now_ns)
{
	size_t b;

	if (t->swept_ns != 0 && now_ns < t->swept_ns + FORWARD_LOOKUP_EXPIRE_NS)
		return;
	t->swept_ns = now_ns;
	for (b = 0; b < t->n_buckets; b++) {
		uint32_t *link = &t->buckets[b];

		while (*link != 0) {
			if (entry_expired(&t->entries[*link - 1], now_ns))
				entry_drop(t, link);
			else
				link = &t->entries[*link - 1].next;
		}
	}
}

/* Index + 1 of an unused entry; 0 when all are in use. */
static uint32_t entry_take(struct forward_lookup_table *t, uint64_t now_ns)
{
	uint32_t i;

	if (t->free_list == 0 && t->n_touched == FORWARD_LOOKUP_MAX_FLOWS)
		table_sweep(t, now_ns);
	if (t->free_list != 0) {
		i = t->free_list;
		t->free_list = t->entries[i - 1].next;
		return i;
	}
	if (t->n_touched == FORWARD_LOOKUP_MAX_FLOWS)
		return 0;
	return ++t->n_touched;
}

__attribute__((noinline)) uint64_t forward_lookup(struct forward_lookup_table *t,
	const uint8_t *frame, uint32_t len, uint64_t now_ns)
{
	struct lookup_key key;
	struct lookup_entry *e;
	uint32_t *link, b, i;

	key_of_frame(&key, frame, len);
	b = key_bucket(&key, t->n_buckets);
	link = &t->buckets[b];
	while (*link != 0) {
		e = &t->entries[*link - 1];
		if (entry_expired(e, now_ns)) {
			entry_drop(t, link);
			continue;
		}
		if (key_equal(&e->key, &key)) {
			e->last_ns = now_ns;
			return ++e->n_frames;
		}
		link = &e->next;
	}
	i = entry_take(t, now_ns);
	if (i == 0)
		return 0;
	e = &t->entries[i - 1];
	*e = (struct lookup_entry){ .key = key, .last_ns = now_ns, .n_frames = 1 };
	/* The sweep in entry_take() may have moved what link pointed into. */
	e->next = t->buckets[b];
	t->buckets[b] = i;
	t->n_flows++;
	return 1;
}
