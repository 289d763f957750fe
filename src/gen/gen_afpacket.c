/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built-in generator: packet sockets, ring, and what a trial needs of both. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "gen/gen_afpacket.h"

static const uint8_t no_mac[6];

/* The longest frame, without FCS; a capture's is known once it is loaded. */
static uint32_t longest_frame(const struct traffic *t, const struct gen_pcapfile *file)
{
	uint32_t max = 0;
	size_t i;

	if (t->kind == TRAFFIC_FIXED)
		return t->frame_bytes - UNITS_FCS_BYTES;
	if (t->kind == TRAFFIC_PCAP)
		return file->max_bytes;
	for (i = 0; i < TRAFFIC_IMIX_LEN; i++)
		max = max < traffic_imix_bytes[i] ? traffic_imix_bytes[i] : max;
	return max - UNITS_FCS_BYTES;
}

static int check_mtu(const struct afpacket *a, const struct iface *iface,
	const char *ifname, struct sp_err *err)
{
	uint32_t need = a->frame_bytes_max - GEN_ETH_BYTES;

	if (a->file != NULL || need <= iface->mtu) /* a capture is checked by packet */
		return 0;
	return sp_err_set(err, SP_EUSAGE,
		"frames of %u bytes (with FCS) need an MTU of %u, %s has %u: ip link set "
		"%s mtu %u, or a smaller --frame-size",
		a->frame_bytes_max + UNITS_FCS_BYTES, need, ifname, iface->mtu, ifname,
		need);
}

static int load_capture(struct afpacket *a, uint32_t mtu_bytes, struct sp_err *err)
{
	const struct gen_pcapfile_config cfg = {
		.path = a->traffic->pcap_path,
		.tag = a->traffic->pcap_tag,
		.times = a->traffic->pcap_pace == PCAP_AS_CAPTURED,
		.mtu_bytes = mtu_bytes,
		.ifname = a->ports[0].ifname,
	};

	if (a->traffic->dst_mac_sut || memcmp(a->traffic->dst_mac, no_mac, 6) != 0)
		return sp_err_set(err, SP_EUSAGE,
			"a capture is replayed as it is: no other destination MAC");
	return gen_pcapfile_load(&cfg, &a->file, err);
}

/* The plain sockets of a direction, and the offload one where there can be one. */
static int open_tx(struct afpacket *a, size_t dir, struct sp_err *err)
{
	struct pkttx_config cfg = {
		.netns_fd = a->ports[dir].netns_fd,
		.ifname = a->ports[dir].ifname,
		.frame_bytes_max = a->frame_bytes_max,
	};
	struct sp_err why;
	int rc;

	if ((rc = pkttx_open(&cfg, &a->plain[dir], err)) != 0)
		return rc;
	rc = check_mtu(a, pkttx_iface(a->plain[dir]), cfg.ifname, err);
	if (rc != 0 || a->traffic->kind != TRAFFIC_FIXED || a->cfg.no_offload)
		return rc;
	cfg.offload = true;
	if (pkttx_open(&cfg, &a->offload[dir], &why) != 0) {
		a->offload[dir] = NULL;
		(void)snprintf(a->offload_note, sizeof(a->offload_note), "%.*s",
			(int)sizeof(a->offload_note) - 1, why.msg);
	}
	return 0;
}

/* The capture needs the sender's MTU, the sockets the longest frame. */
static int find_longest(struct afpacket *a, struct sp_err *err)
{
	struct pkttx_config cfg = {
		.netns_fd = a->ports[0].netns_fd,
		.ifname = a->ports[0].ifname,
		.frame_bytes_max = TRAFFIC_FRAME_MAX_BYTES,
	};
	struct pkttx *tx;
	int rc;

	if (a->traffic->kind == TRAFFIC_PCAP) {
		if ((rc = pkttx_open(&cfg, &tx, err)) != 0)
			return rc;
		rc = load_capture(a, pkttx_iface(tx)->mtu, err);
		pkttx_close(tx);
		if (rc != 0)
			return rc;
	}
	a->frame_bytes_max = longest_frame(a->traffic, a->file);
	return 0;
}

static double mean_bytes(const struct afpacket *a)
{
	if (a->file == NULL)
		return a->traffic->mean_frame_bytes;
	return (double)a->file->total_bytes / (double)a->file->n_frames +
	       UNITS_FCS_BYTES;
}

static int open_rx(struct afpacket *a, size_t dir, struct sp_err *err)
{
	const struct gen_port *port = &a->ports[1 - dir];
	const struct pktring_rx_config cfg = {
		.netns_fd = port->netns_fd,
		.ifname = port->ifname,
		.frame_bytes = (uint32_t)mean_bytes(a),
		/* By default frames are addressed to the receiver. */
		.promiscuous = a->file != NULL || a->traffic->dst_mac_sut ||
			       memcmp(a->traffic->dst_mac, no_mac, 6) != 0,
	};
	int rc = pktring_rx_open(&cfg, &a->ring[dir], err);

	if (rc == 0)
		a->rx[dir] = gen_rx_new(a->ring[dir]);
	return rc;
}

/* Where the frames of a direction are addressed to. */
static int choose_dst_mac(
	const struct afpacket *a, size_t dir, uint8_t ret_mac[6], struct sp_err *err)
{
	const struct traffic *t = a->traffic;
	const uint8_t *sut = dir == 0 ? a->cfg.sut_in_mac : a->cfg.sut_out_mac;

	if (t->dst_mac_sut && memcmp(sut, no_mac, 6) == 0)
		return sp_err_set(err, SP_EUSAGE,
			"--dst-mac sut: the MAC of the SUT's interface is not known");
	if (t->dst_mac_sut)
		memcpy(ret_mac, sut, 6);
	else if (dir == 0 && memcmp(t->dst_mac, no_mac, 6) != 0)
		memcpy(ret_mac, t->dst_mac, 6);
	else if (a->ring[dir] != NULL)
		memcpy(ret_mac, pktring_rx_iface(a->ring[dir])->mac, 6);
	else if (a->file == NULL)
		return sp_err_set(err, SP_EUSAGE,
			"without a receiver the destination MAC must be given");
	return 0;
}

static int open_sender(struct afpacket *a, size_t dir, struct sp_err *err)
{
	struct gen_sender_config cfg = {
		.traffic = a->traffic,
		.file = a->file,
		.plain = a->plain[dir],
		.offload = a->offload[dir],
		.run_tag = a->cfg.run_tag,
		.is_rev = dir == 1,
	};
	int rc;

	memcpy(cfg.src_mac, pkttx_iface(a->plain[dir])->mac, 6);
	if ((rc = choose_dst_mac(a, dir, cfg.dst_mac, err)) == 0)
		a->sender[dir] = gen_sender_new(&cfg);
	return rc;
}

static int open_all(struct afpacket *a, struct sp_err *err)
{
	size_t i;
	int rc;

	if ((rc = find_longest(a, err)) != 0)
		return rc;
	for (i = 0; i < a->n_dirs; i++) {
		if ((rc = open_tx(a, i, err)) != 0)
			return rc;
		if (a->ports[1].ifname != NULL && (rc = open_rx(a, i, err)) != 0)
			return rc;
		if ((rc = open_sender(a, i, err)) != 0)
			return rc;
	}
	return 0;
}

static void afpacket_close(void *gen)
{
	struct afpacket *a = gen;
	size_t i;

	if (a == NULL)
		return;
	for (i = 0; i < 2; i++) {
		gen_sender_free(a->sender[i]);
		gen_rx_free(a->rx[i]);
		pktring_rx_close(a->ring[i]);
		pkttx_close(a->plain[i]);
		pkttx_close(a->offload[i]);
	}
	gen_pcapfile_free(a->file);
	hist_free(a->latency);
	hist_free(a->lateness);
	free(a);
}

static int afpacket_open(
	const struct gen_config *cfg, void **ret_gen, struct sp_err *err)
{
	struct afpacket *a = xcalloc(1, sizeof(*a));
	int rc;

	a->cfg = *cfg;
	a->traffic = cfg->traffic;
	a->ports[0] = cfg->tx;
	a->ports[1] = cfg->rx;
	a->n_dirs = cfg->traffic->bidir && cfg->rx.ifname != NULL ? 2 : 1;
	a->latency = hist_new();
	a->lateness = hist_new();
	if ((rc = open_all(a, err)) != 0) {
		afpacket_close(a);
		return rc;
	}
	*ret_gen = a;
	return 0;
}

static double afpacket_mean_frame_bytes(const void *gen)
{
	return mean_bytes(gen);
}

const struct generator_ops gen_afpacket = {
	.name = "afpacket",
	.summary = "packet sockets of this machine",
	.open = afpacket_open,
	.mean_frame_bytes = afpacket_mean_frame_bytes,
	.trial = gen_afpacket_trial,
	.close = afpacket_close,
};
