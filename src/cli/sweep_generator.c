/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the built-in generator on its interfaces, or an outside one. */
#include "config.h"

#include "cli/sweep_generator.h"

#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "cli/commands.h"

static uint16_t random_tag(void)
{
	uint16_t tag = 0;

	if (getrandom(&tag, sizeof(tag), 0) != (ssize_t)sizeof(tag))
		tag = (uint16_t)getpid();
	return tag;
}

/*
 * In the lab the frames go to a host behind the receiver's interface. With the
 * interface's own address the receiver's kernel would route and reject each frame
 * after it was counted, a fifth of the receiver's CPU.
 */
static void choose_lab_mac(const struct lab *lab, struct traffic *t)
{
	static const uint8_t none[6];

	if (t->kind == TRAFFIC_PCAP || t->dst_mac_sut ||
		memcmp(t->dst_mac, none, sizeof(none)) != 0)
		return;
	memcpy(t->dst_mac, lab->gen_rx_mac, sizeof(t->dst_mac));
	t->dst_mac[5] ^= 0x80;
}

static int open_own(const struct sweep_options *o, struct run *run,
	const struct sweep_bed *bed, struct gen_config *cfg, struct sp_err *err)
{
	int ns = bed->lab != NULL ? bed->lab->gen_ns : -1;
	struct nl_link link;

	cfg->tx = (struct gen_port){ ns, bed->lab != NULL ? LAB_GEN_TX : o->in };
	cfg->rx = (struct gen_port){ ns, bed->lab != NULL ? LAB_GEN_RX : o->out };
	if (bed->lab != NULL) {
		choose_lab_mac(bed->lab, &run->traffic);
		memcpy(cfg->sut_in_mac, bed->lab->sut_in_mac, sizeof(cfg->sut_in_mac));
	} else if (o->sut_in != NULL) {
		if (nl_link_get(bed->sut_nl, o->sut_in, &link, err) != 0)
			return -(int)err->code;
		memcpy(cfg->sut_in_mac, link.mac, sizeof(cfg->sut_in_mac));
	}
	return 0;
}

int sweep_generator_open(const struct sweep_options *o, struct run *run,
	const struct sweep_bed *bed, const struct generator_ops **ret_ops,
	void **ret_gen, struct sp_err *err)
{
	struct gen_config cfg = {
		.traffic = &run->traffic,
		.cpu_gen = bed->cpus->cpu_gen,
		.cpu_recv = bed->cpus->cpu_recv,
		.realtime = bed->cpus->shared_core,
		.run_tag = random_tag(),
		.stop = &stop_signal,
		.command = o->generator,
		.keeper = bed->keeper,
	};
	const struct generator_ops *ops =
		o->generator != NULL ? &gen_external : &gen_afpacket;
	int rc = 0;

	if (o->generator == NULL)
		rc = open_own(o, run, bed, &cfg, err);
	if (rc == 0)
		rc = ops->open(&cfg, ret_gen, err);
	if (rc != 0)
		return o->generator != NULL ? sp_err_push(err, "--generator") : rc;
	*ret_ops = ops;
	run->traffic.mean_frame_bytes = ops->mean_frame_bytes(*ret_gen);
	return 0;
}
