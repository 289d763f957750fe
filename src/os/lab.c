/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The test bed: bring it up as a whole, change its limit, let it go. */
#include "config.h"

#include "os/lab.h"

#include <stdio.h>
#include <unistd.h>

#include "os/lab_net.h"
#include "os/lab_steer.h"
#include "os/lab_tbf.h"
#include "os/netns.h"
#include "os/nl.h"

#define MASK_LEN 2400 /* 8192 CPUs, 9 characters for each 32 */

/* One side's namespace and the CPUs that its receive work belongs on. */
struct side {
	int netns_fd;
	const int *cpus;
	size_t n_cpus;
	const char *ifnames[2];
};

static void sides_init(
	const struct lab_config *cfg, const struct lab *lab, struct side *sides)
{
	sides[0] = (struct side){ lab->sut_ns, cfg->sut_cpus, cfg->n_sut_cpus,
		{ LAB_SUT_IN, LAB_SUT_OUT } };
	sides[1] = (struct side){ lab->gen_ns, &cfg->recv_cpu,
		cfg->recv_cpu >= 0 ? 1 : 0, { LAB_GEN_TX, LAB_GEN_RX } };
}

/* A lab that is not steered still works; its knee is then the generator's. */
static void steering_failed(struct lab *lab, const struct sp_err *why)
{
	lab->steering = LAB_STEER_NONE;
	(void)snprintf(lab->steering_note, sizeof(lab->steering_note), "%.*s",
		(int)sizeof(lab->steering_note) - 1, why->msg);
}

/* Before the links exist: by the namespaces' default mask. */
static void steer_early(const struct lab_config *cfg, struct lab *lab)
{
	struct sp_err why = { .code = SP_OK };
	char mask[MASK_LEN];
	struct side sides[2];
	size_t i;

	lab->steering = LAB_STEER_DEFAULT_MASK;
	sides_init(cfg, lab, sides);
	for (i = 0; i < 2; i++) {
		if (sides[i].n_cpus == 0)
			continue;
		(void)lab_steer_mask(
			sides[i].cpus, sides[i].n_cpus, mask, sizeof(mask));
		if (lab_steer_default(sides[i].netns_fd, mask, &why) != 0) {
			steering_failed(lab, &why);
			return;
		}
	}
}

/* With the links there, where the kernel has no default mask: queue by queue. */
static void steer_late(const struct lab_config *cfg, struct lab *lab)
{
	struct sp_err why = { .code = SP_OK };
	char mask[MASK_LEN];
	struct side sides[2];
	size_t i, k;

	sides_init(cfg, lab, sides);
	for (i = 0; i < 2; i++) {
		(void)lab_steer_mask(
			sides[i].cpus, sides[i].n_cpus, mask, sizeof(mask));
		for (k = 0; k < 2 && sides[i].n_cpus > 0; k++) {
			if (lab_steer_sysfs(sides[i].netns_fd, sides[i].ifnames[k],
				    mask, &why) != 0) {
				steering_failed(lab, &why);
				return;
			}
		}
	}
	lab->steering = LAB_STEER_SYSFS;
	lab->steering_note[0] = '\0';
}

static int namespaces_make(struct lab *lab, struct sp_err *err)
{
	int rc = netns_new(&lab->gen_ns, err);

	if (rc == 0)
		rc = netns_new(&lab->sut_ns, err);
	if (rc == 0)
		rc = lab_net_quieten(lab->gen_ns, err);
	if (rc == 0)
		rc = lab_net_quieten(lab->sut_ns, err);
	return rc;
}

int lab_up(const struct lab_config *cfg, struct lab *ret_lab, struct sp_err *err)
{
	struct lab lab = { .gen_ns = -1, .sut_ns = -1 };
	bool steer = cfg->n_sut_cpus > 0 || cfg->recv_cpu >= 0;
	int rc;

	rc = namespaces_make(&lab, err);
	if (rc == 0 && steer)
		steer_early(cfg, &lab);
	if (rc == 0)
		rc = lab_net_make(cfg, &lab, err);
	if (rc == 0 && steer && lab.steering == LAB_STEER_NONE)
		steer_late(cfg, &lab);
	if (rc == 0 && cfg->has_limit)
		rc = lab_set_limit(&lab, cfg, err);
	if (rc != 0) {
		lab_down(&lab);
		return sp_err_push(err, "cannot bring up the lab");
	}
	*ret_lab = lab;
	return 0;
}

int lab_set_limit(struct lab *lab, const struct lab_config *cfg, struct sp_err *err)
{
	struct nl_handle *nl = NULL;
	struct lab_tbf tbf = { .rate_bytes_per_s = 0 };
	int rc = 0;

	if (cfg->has_limit)
		rc = lab_tbf_compute(cfg, &tbf, err);
	if (rc == 0)
		rc = nl_handle_open(lab->sut_ns, &nl, err);
	if (rc == 0)
		rc = cfg->has_limit ? lab_tbf_set(nl, LAB_SUT_OUT, &tbf, err)
				    : lab_tbf_clear(nl, LAB_SUT_OUT, err);
	if (rc == 0)
		rc = cfg->has_limit && cfg->bidir
			     ? lab_tbf_set(nl, LAB_SUT_IN, &tbf, err)
			     : lab_tbf_clear(nl, LAB_SUT_IN, err);
	nl_handle_close(nl);
	return rc;
}

void lab_down(struct lab *lab)
{
	if (lab->gen_ns >= 0)
		(void)close(lab->gen_ns); /* the last holder's close ends it */
	if (lab->sut_ns >= 0)
		(void)close(lab->sut_ns);
	lab->gen_ns = -1;
	lab->sut_ns = -1;
}
