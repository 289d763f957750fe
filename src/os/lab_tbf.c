/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tbf(8) by hand: libnl's own tbf has a 31-bit rate and no overhead field. */
#include "config.h"

#include "os/lab_tbf.h"

#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <math.h>
#include <netlink/attr.h>
#include <netlink/errno.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <string.h>

#include "base/units.h"
#include "os/lab.h"
#include "os/nl.h"

/* Ethernet header, beyond the MTU; the FCS comes in as UNITS_FCS_BYTES. */
#define ETH_HEADER_BYTES 14u
#define BURST_DEFAULT    64u
#define QUEUE_MIN_S      0.001
/*
 * A bucket that fills between two looks at it loses tokens, and the limit is then
 * less than it says; one that saves up much lets a trial's first part through
 * too fast. On a busy machine 1 ms lost 0.5 to 0.8 % of 20 Mbit/s, 2 ms 0.01 to
 * 0.1 %.
 */
#define BUCKET_MIN_S 0.002

int lab_tbf_compute(
	const struct lab_config *cfg, struct lab_tbf *ret_tbf, struct sp_err *err)
{
	uint32_t burst = cfg->burst != 0 ? cfg->burst : BURST_DEFAULT;
	double frame_max = (double)(cfg->mtu + ETH_HEADER_BYTES + UNITS_FCS_BYTES);
	double rate, bucket, queue;

	if (!cfg->limit.is_bps && !(cfg->frame_bytes > 0))
		return sp_err_set(err, SP_EUSAGE,
			"a limit in packets/s needs one frame size; write it in bits/s");
	rate = cfg->limit.is_bps ? cfg->limit.value / 8
				 : cfg->limit.value * cfg->frame_bytes;
	if (!(rate >= 1) || rate >= 0x1p62)
		return sp_err_set(err, SP_EUSAGE,
			"a limit of %g bytes/s cannot be planted", rate);
	bucket = fmax(BUCKET_MIN_S * rate, 2 * frame_max);
	queue = fmax(QUEUE_MIN_S * rate,
		2 * burst * (cfg->frame_bytes > 0 ? cfg->frame_bytes : frame_max));
	ret_tbf->rate_bytes_per_s = (uint64_t)llround(rate);
	ret_tbf->bucket_bytes = (uint32_t)fmin(bucket, UINT32_MAX);
	ret_tbf->queue_bytes = (uint32_t)fmin(queue, UINT32_MAX);
	return 0;
}

static int tbf_put(struct nl_msg *msg, const struct lab_tbf *tbf)
{
	struct tc_tbf_qopt opt = { .limit = tbf->queue_bytes };
	struct nlattr *nest;
	int e_nl;

	/* What the kernel calls overhead makes each frame count its FCS, whatever
	 * its size, so a limit in bits/s is exact for mixed sizes too. */
	opt.rate.overhead = UNITS_FCS_BYTES;
	opt.rate.linklayer = TC_LINKLAYER_ETHERNET; /* no rate table wanted */
	opt.rate.rate = tbf->rate_bytes_per_s > UINT32_MAX
				? UINT32_MAX
				: (uint32_t)tbf->rate_bytes_per_s;
	e_nl = nla_put_string(msg, TCA_KIND, "tbf");
	nest = nla_nest_start(msg, TCA_OPTIONS);
	if (e_nl != 0 || nest == NULL)
		return -NLE_MSGSIZE;
	e_nl = nla_put(msg, TCA_TBF_PARMS, sizeof(opt), &opt);
	if (e_nl == 0 && tbf->rate_bytes_per_s > UINT32_MAX)
		e_nl = nla_put_u64(msg, TCA_TBF_RATE64, tbf->rate_bytes_per_s);
	if (e_nl == 0)
		e_nl = nla_put_u32(msg, TCA_TBF_BURST, tbf->bucket_bytes);
	nla_nest_end(msg, nest);
	return e_nl;
}

/* A message about the root discipline of ifname; NULL with err set. */
static struct nl_msg *qdisc_msg(struct nl_handle *nl, const char *ifname, int type,
	int flags, struct sp_err *err)
{
	struct tcmsg tc = { .tcm_family = AF_UNSPEC,
		.tcm_parent = TC_H_ROOT,
		.tcm_handle = TC_H_MAKE(1U << 16, 0) };
	struct nl_msg *msg;
	struct nl_link link;

	if (nl_link_get(nl, ifname, &link, err) != 0)
		return NULL;
	tc.tcm_ifindex = link.ifindex;
	msg = nlmsg_alloc_simple(type, flags);
	if (msg != NULL && nlmsg_append(msg, &tc, sizeof(tc), NLMSG_ALIGNTO) == 0)
		return msg;
	nlmsg_free(msg);
	(void)nl_err_set(err, -NLE_NOMEM, "cannot limit", ifname);
	return NULL;
}

int lab_tbf_set(struct nl_handle *nl, const char *ifname, const struct lab_tbf *tbf,
	struct sp_err *err)
{
	struct nl_msg *msg =
		qdisc_msg(nl, ifname, RTM_NEWQDISC, NLM_F_CREATE | NLM_F_REPLACE, err);
	int e_nl;

	if (msg == NULL)
		return -(int)err->code;
	e_nl = tbf_put(msg, tbf);
	if (e_nl == 0)
		e_nl = nl_send_sync(nl_handle_sock(nl), msg); /* frees it */
	else
		nlmsg_free(msg);
	if (e_nl == -NLE_OBJ_NOTFOUND)
		return sp_err_set(err, SP_EENV,
			"this kernel cannot limit a link: it has no tbf "
			"(CONFIG_NET_SCH_TBF, module sch_tbf)");
	return e_nl == 0 ? 0 : nl_err_set(err, e_nl, "cannot limit", ifname);
}

int lab_tbf_clear(struct nl_handle *nl, const char *ifname, struct sp_err *err)
{
	struct nl_msg *msg = qdisc_msg(nl, ifname, RTM_DELQDISC, 0, err);
	int e_nl;

	if (msg == NULL)
		return -(int)err->code;
	e_nl = nl_send_sync(nl_handle_sock(nl), msg);
	/* None there reads as "not found" or "invalid", by the kernel's age. */
	if (e_nl == 0 || e_nl == -NLE_OBJ_NOTFOUND || e_nl == -NLE_INVAL)
		return 0;
	return nl_err_set(err, e_nl, "cannot take the limit from", ifname);
}
