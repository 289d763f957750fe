/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loading a capture, packet by packet, with reasons for what is refused. */
#include "config.h"

#include "gen/gen_pcapfile.h"

#include <linux/if_ether.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

#define MAX_TOTAL_BYTES (UINT64_C(4) << 30)
#define VLAN_BYTES      4u

/* A capture being loaded: arrays that grow. */
struct load {
	const struct gen_pcapfile_config *cfg;
	struct gen_pcapfile *file;
	size_t cap_frames, cap_bytes;
	uint64_t first_ns, last_ns;
};

static int refuse(const struct load *l, struct sp_err *err, const char *why)
{
	return sp_err_set(err, SP_EUSAGE, "%s: packet %zu: %s", l->cfg->path,
		l->file->n_frames + 1, why);
}

static int check_packet(const struct load *l, const struct pcap_pkthdr *h,
	const uint8_t *data, struct sp_err *err)
{
	uint32_t limit = l->cfg->mtu_bytes + ETH_HLEN;
	const char *why;

	if (h->caplen < h->len)
		return sp_err_set(err, SP_EUSAGE,
			"%s: packet %zu: only %u of its %u bytes were captured (snap "
			"length): capture it whole",
			l->cfg->path, l->file->n_frames + 1, h->caplen, h->len);
	if ((why = gen_retag_refuse(data, h->caplen)) != NULL)
		return refuse(l, err, why);
	/* As the kernel does, a VLAN tag is not counted against the MTU. */
	if (data[12] == ETH_P_8021Q >> 8 && data[13] == (ETH_P_8021Q & 0xff))
		limit += VLAN_BYTES;
	if (l->cfg->mtu_bytes != 0 && h->caplen > limit)
		return sp_err_set(err, SP_EUSAGE,
			"%s: packet %zu: %u bytes do not fit the MTU of %s (%u + 14): "
			"raise the MTU, or capture with offloads off",
			l->cfg->path, l->file->n_frames + 1, h->caplen, l->cfg->ifname,
			l->cfg->mtu_bytes);
	return 0;
}

static int check_time(struct load *l, uint64_t t_ns, struct sp_err *err)
{
	if (l->file->n_frames == 0)
		l->first_ns = t_ns;
	else if (l->cfg->times && t_ns < l->last_ns)
		return sp_err_set(err, SP_EUSAGE,
			"%s: packet %zu: its time lies %.6f s before the packet ahead of "
			"it: replay at a rate, or sort it (reordercap)",
			l->cfg->path, l->file->n_frames + 1,
			(double)(l->last_ns - t_ns) / (double)NS_PER_S);
	l->last_ns = t_ns;
	return 0;
}

static void append(struct load *l, const uint8_t *data, uint32_t len, uint64_t t_ns)
{
	struct gen_pcapfile *f = l->file;
	struct gen_pcapfile_frame *fr;
	size_t cap_times = l->cap_frames;

	f->offsets_ns =
		xgrow(f->offsets_ns, f->n_frames, &cap_times, sizeof(*f->offsets_ns));
	f->frames = xgrow(f->frames, f->n_frames, &l->cap_frames, sizeof(*f->frames));
	if (f->total_bytes + len > l->cap_bytes) {
		l->cap_bytes = 2 * ((size_t)f->total_bytes + len);
		f->bytes = xreallocarray(f->bytes, l->cap_bytes, 1);
	}
	fr = &f->frames[f->n_frames];
	fr->at = (size_t)f->total_bytes;
	fr->len = len;
	fr->kind = GEN_DIGEST_NONE;
	if (l->cfg->tag)
		gen_retag_plan(&fr->tag, data, len);
	memcpy(f->bytes + fr->at, data, len);
	f->offsets_ns[f->n_frames] = t_ns < l->first_ns ? 0 : t_ns - l->first_ns;
	f->total_bytes += len;
	f->max_bytes = f->max_bytes < len ? len : f->max_bytes;
	f->n_frames++;
}

static int read_all(struct load *l, pcap_t *p, struct sp_err *err)
{
	struct pcap_pkthdr *h;
	const uint8_t *data;
	int rc, got;

	while ((got = pcap_next_ex(p, &h, &data)) == 1) {
		/* Opened with nanosecond precision: tv_usec counts nanoseconds. */
		uint64_t t_ns =
			(uint64_t)h->ts.tv_sec * NS_PER_S + (uint64_t)h->ts.tv_usec;

		if ((rc = check_packet(l, h, data, err)) != 0 ||
			(rc = check_time(l, t_ns, err)) != 0)
			return rc;
		if (l->file->total_bytes + h->caplen > MAX_TOTAL_BYTES)
			return refuse(l, err,
				"the capture is larger than 4 GiB, and it is held in memory");
		append(l, data, h->caplen, t_ns);
	}
	if (got != PCAP_ERROR_BREAK) /* which is how the end of the file looks */
		return refuse(l, err, pcap_geterr(p));
	if (l->file->n_frames == 0)
		return sp_err_set(
			err, SP_EUSAGE, "%s: there is no packet in it", l->cfg->path);
	return 0;
}

/* The kinds of the frames without a tag, and how often each comes. */
static void digest_frames(struct gen_pcapfile *f)
{
	size_t i;

	f->digests = gen_digest_set_new(f->n_frames);
	f->kind_count = xcalloc(f->n_frames, sizeof(*f->kind_count));
	for (i = 0; i < f->n_frames; i++) {
		const struct gen_digest_piece piece = {
			.p = f->bytes + f->frames[i].at,
			.len = f->frames[i].len,
		};

		if (f->frames[i].tag.tag_at != 0)
			continue;
		f->frames[i].kind =
			gen_digest_set_add(f->digests, gen_digest_of(&piece, 1));
		f->kind_count[f->frames[i].kind]++;
	}
}

static void set_cycle(struct gen_pcapfile *f, uint64_t span_ns)
{
	f->cycle_ns = NS_PER_S;
	if (span_ns > 0)
		f->cycle_ns = span_ns + span_ns / (f->n_frames - 1) + 1;
}

static pcap_t *open_capture(const char *path, struct sp_err *err)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	pcap_t *p = pcap_open_offline_with_tstamp_precision(
		path, PCAP_TSTAMP_PRECISION_NANO, why);

	if (p == NULL) /* some of libpcap's messages name the file, some do not */
		(void)sp_err_set(err, SP_EUSAGE, "%s%s%s",
			strstr(why, path) != NULL ? "" : path,
			strstr(why, path) != NULL ? "" : ": ", why);
	return p;
}

int gen_pcapfile_load(const struct gen_pcapfile_config *cfg,
	struct gen_pcapfile **ret_file, struct sp_err *err)
{
	struct load l = { .cfg = cfg };
	pcap_t *p = open_capture(cfg->path, err);
	int rc, link;

	if (p == NULL)
		return -SP_EUSAGE;
	l.file = xcalloc(1, sizeof(*l.file));
	link = pcap_datalink(p);
	if (link != DLT_EN10MB) {
		const char *name = pcap_datalink_val_to_name(link);

		rc = sp_err_set(err, SP_EUSAGE,
			"%s: its link type is %s (%d): only Ethernet can be replayed",
			cfg->path, name != NULL ? name : "unknown", link);
	} else {
		rc = read_all(&l, p, err);
	}
	pcap_close(p);
	if (rc != 0) {
		gen_pcapfile_free(l.file);
		return rc;
	}
	set_cycle(l.file, l.file->offsets_ns[l.file->n_frames - 1]);
	digest_frames(l.file);
	*ret_file = l.file;
	return 0;
}

void gen_pcapfile_free(struct gen_pcapfile *f)
{
	if (f == NULL)
		return;
	free(f->frames);
	free(f->bytes);
	free(f->offsets_ns);
	free(f->kind_count);
	gen_digest_set_free(f->digests);
	free(f);
}
