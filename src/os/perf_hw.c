/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tries cycles on a busy loop: do they open, count, sample? */
#include "config.h"

#include "os/perf_hw.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/perf_open.h"
#include "os/perf_ring.h"

#define SPIN_NS          (8 * NS_PER_MS)
#define MIN_HZ           20e6 /* slower than any CPU that runs Linux with a PMU */
#define SAMPLES_EXPECTED 16.0
#define PMU_TYPE_SHIFT   32 /* PERF_PMU_TYPE_SHIFT, in headers since 5.14 */
#define DEVICES          "sys/bus/event_source/devices"

bool perf_hw_is_plausible(uint64_t value, uint64_t running_ns)
{
	return running_ns > 0 &&
	       (double)value * (double)NS_PER_S / (double)running_ns >= MIN_HZ;
}

void perf_hw_spin_ns(uint64_t ns)
{
	uint64_t end_ns = clock_now_ns(&clock_monotonic) + ns;

	while (clock_now_ns(&clock_monotonic) < end_ns)
		;
}

/* value, enabled, running of a lone event around a spin; false: read failed. */
static bool count_spin(int fd, uint64_t v[3])
{
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return false;
	perf_hw_spin_ns(SPIN_NS);
	if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
		return false;
	return read(fd, v, 3 * sizeof(v[0])) == (ssize_t)(3 * sizeof(v[0]));
}

static void probe_counting(struct perf_event_attr *attr, struct perf_hw *hw)
{
	struct perf_open_request req = {
		.attr = attr, .name = "cycles", .cpu = -1, .group_fd = -1
	};
	uint64_t v[3] = { 0 };
	int fd = perf_open(&req);

	if (fd < 0) {
		(void)snprintf(hw->why_not, sizeof(hw->why_not), "no core PMU (%s)",
			strerrorname_np(errno));
		return;
	}
	if (!count_spin(fd, v) || v[2] == 0)
		(void)snprintf(hw->why_not, sizeof(hw->why_not),
			"cycles open but never count");
	else if (!perf_hw_is_plausible(v[0], v[2]))
		(void)snprintf(hw->why_not, sizeof(hw->why_not),
			"cycles open but do not count: %llu in %.1f ms of a busy loop",
			(unsigned long long)v[0], (double)v[2] / (double)NS_PER_MS);
	else
		hw->counts = true;
	if (hw->counts)
		hw->cycles_per_s = (double)v[0] * (double)NS_PER_S / (double)v[2];
	(void)close(fd);
}

static void probe_sampling(struct perf_event_attr *attr, struct perf_hw *hw)
{
	struct perf_open_request req = {
		.attr = attr, .name = "cycles", .cpu = -1, .group_fd = -1
	};
	struct perf_ring ring = { 0 };
	struct sp_err err;
	uint64_t v[3];
	double cycles = hw->cycles_per_s * (double)SPIN_NS / (double)NS_PER_S;
	int fd;

	attr->sample_period = (uint64_t)(cycles / SAMPLES_EXPECTED) + 1;
	attr->sample_type = PERF_SAMPLE_IP;
	fd = perf_open(&req);
	if (fd < 0) {
		(void)snprintf(hw->why_not, sizeof(hw->why_not),
			"cycles count but cannot be sampled (%s)",
			strerrorname_np(errno));
		return;
	}
	if (perf_ring_open(fd, 1, &ring, &err)) {
		(void)snprintf(hw->why_not, sizeof(hw->why_not), "%.120s", err.msg);
	} else if (count_spin(fd, v)) {
		struct perf_span s = perf_ring_span(&ring);

		hw->samples = s.head != s.tail;
		if (!hw->samples)
			(void)snprintf(hw->why_not, sizeof(hw->why_not),
				"cycles count but their interrupts never arrive");
	}
	perf_ring_close(&ring);
	(void)close(fd);
}

void perf_hw_probe(bool exclude_kernel, struct perf_hw *ret_hw)
{
	struct perf_event_attr attr;

	memset(ret_hw, 0, sizeof(*ret_hw));
	perf_attr_init(&attr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
	attr.exclude_kernel = exclude_kernel;
	attr.exclude_hv = exclude_kernel;
	attr.read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	probe_counting(&attr, ret_hw);
	if (ret_hw->counts)
		probe_sampling(&attr, ret_hw);
}

/* The first line of devices/PMU/FILE; false when there is none. */
static bool read_device(
	int root_fd, const char *pmu, const char *file, char *buf, size_t len)
{
	char path[320];
	ssize_t n;
	int fd;

	(void)snprintf(path, sizeof(path), DEVICES "/%s/%s", pmu, file);
	fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, buf, len - 1);
	(void)close(fd);
	if (n <= 0)
		return false;
	buf[n] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	return true;
}

/* Is cpu in "0-3,8"? Of any length, unlike a plan's list. */
static bool list_has_cpu(const char *list, long cpu)
{
	while (*list != '\0') {
		char *end;
		long lo = strtol(list, &end, 10), hi = lo;

		if (end == list)
			return false;
		if (*end == '-')
			hi = strtol(end + 1, &end, 10);
		if (cpu >= lo && cpu <= hi)
			return true;
		list = *end == ',' ? end + 1 : end;
		if (*end != ',' && *end != '\0')
			return false;
	}
	return false;
}

static void pmu_fill(int root_fd, const char *name, struct perf_pmu *pmu)
{
	char type[16];

	if (!read_device(root_fd, name, "type", type, sizeof(type)))
		return;
	(void)snprintf(pmu->name, sizeof(pmu->name), "%.31s", name);
	pmu->type = (uint32_t)strtoul(type, NULL, 10);
}

/* Core PMUs are "cpu" (no cpus file), or carry a "cpus" list of theirs; uncore
 * ones carry a "cpumask" instead. */
void perf_hw_pmu_of_cpu(int root_fd, int cpu, struct perf_pmu *ret_pmu)
{
	struct perf_pmu pmu = { .name = "none" };
	char cpus[256];
	struct dirent *de;
	unsigned int n_core = 0;
	DIR *dir;
	int fd;

	*ret_pmu = pmu;
	fd = openat(root_fd, DEVICES, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return;
	}
	while ((de = readdir(dir)) != NULL) {
		bool has_list =
			read_device(root_fd, de->d_name, "cpus", cpus, sizeof(cpus));

		if (!has_list && strcmp(de->d_name, "cpu") != 0)
			continue;
		n_core++;
		if (!has_list || list_has_cpu(cpus, cpu))
			pmu_fill(root_fd, de->d_name, &pmu);
	}
	(void)closedir(dir);
	pmu.is_hybrid = n_core > 1;
	*ret_pmu = pmu;
}

void perf_hw_attr_for_cpu(struct perf_event_attr *attr, int root_fd, int cpu)
{
	struct perf_pmu pmu;

	if (attr->type != PERF_TYPE_HARDWARE || cpu < 0)
		return;
	perf_hw_pmu_of_cpu(root_fd, cpu, &pmu);
	attr->config &= UINT32_MAX;
	if (pmu.is_hybrid)
		attr->config |= (uint64_t)pmu.type << PMU_TYPE_SHIFT;
}
