/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Resources of the JSON writer. */
#include "config.h"

#include "report/report_json_private.h"

static json_t *cpu_json(const struct analysis_cpu_use *u)
{
	json_t *o = json_object();

	report_json_set(o, "cpu", json_integer(u->cpu));
	report_json_set_real(o, "busy_frac", u->busy_frac);
	report_json_set_real(o, "user_frac", u->user_frac);
	report_json_set_real(o, "system_frac", u->system_frac);
	report_json_set_real(o, "softirq_frac", u->softirq_frac);
	report_json_set_real(o, "irq_frac", u->irq_frac);
	report_json_set_real(o, "steal_frac", u->steal_frac);
	report_json_set_real(o, "frequency_hz", u->frequency_hz);
	report_json_set_real(o, "thermal_throttles_per_s", u->thermal_per_s);
	return o;
}

static json_t *thread_json(const struct analysis_thread_use *u)
{
	json_t *o = json_object();

	report_json_set_text(o, "name", u->name);
	report_json_set_real(o, "run_frac", u->run_frac);
	report_json_set_real(o, "wait_frac", u->wait_frac);
	report_json_set_real(o, "off_frac", u->off_frac);
	report_json_set_real(o, "wakes_per_s", u->wakes_per_s);
	return o;
}

static json_t *package_json(const struct analysis_package_use *u)
{
	json_t *o = json_object();

	report_json_set(o, "package", json_integer(u->package));
	report_json_set_real(o, "memory_read_bytes_per_s", u->memory_read_bytes_per_s);
	report_json_set_real(
		o, "memory_write_bytes_per_s", u->memory_write_bytes_per_s);
	report_json_set_real(
		o, "memory_traffic_bytes_per_s", u->memory_traffic_bytes_per_s);
	report_json_set_real(
		o, "memory_local_bytes_per_s", u->memory_local_bytes_per_s);
	report_json_set_real(o, "llc_bytes", u->llc_bytes);
	report_json_set_real(o, "pcie_in_bytes_per_s", u->pcie_in_bytes_per_s);
	report_json_set_real(o, "pcie_out_bytes_per_s", u->pcie_out_bytes_per_s);
	return o;
}

json_t *report_json_resources(const struct run *run, const struct analysis_resources *r)
{
	const char *memory = run_fact(run, ANALYSIS_MEMORY_FACT);
	const char *pcie = run_fact(run, ANALYSIS_PCIE_FACT);
	json_t *o = json_object(), *cpus = json_array(), *threads = json_array();
	json_t *packages = r->n_packages > 0 ? json_array() : NULL;
	size_t i;

	for (i = 0; i < r->n_cpus; i++)
		(void)json_array_append_new(cpus, cpu_json(&r->cpus[i]));
	for (i = 0; i < r->n_threads; i++)
		(void)json_array_append_new(threads, thread_json(&r->threads[i]));
	for (i = 0; i < r->n_packages; i++)
		(void)json_array_append_new(packages, package_json(&r->packages[i]));
	report_json_set(o, "cpus", cpus);
	report_json_set(o, "threads", threads);
	report_json_set_real(o, "link_bps", r->link_bps);
	report_json_set_real(o, "line_bps", r->line_bps);
	report_json_set_real(o, "throttled_frac", r->throttled_frac);
	report_json_set_real(o, "lock_waits_per_pkt", r->lock_waits_per_pkt);
	report_json_set_real(o, "lock_waits_per_s", r->lock_waits_per_s);
	if (packages != NULL)
		report_json_set(o, "packages", packages);
	if (memory != NULL)
		report_json_set_text(o, "memory_bandwidth", memory);
	if (pcie != NULL)
		report_json_set_text(o, "pcie_bandwidth", pcie);
	report_json_set(o, "waits", json_boolean(r->waits));
	return o;
}
