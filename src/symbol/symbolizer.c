/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses to frames: process maps, ELF files, the kernel's table. */
#include "config.h"

#include "symbol/symbolizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "symbol/modfile.h"

#define KERNEL_MODULE "[kernel.kallsyms]"
#define KERNEL_PID    ((pid_t)-1)
#define CACHE_SLOTS   8192u /* a power of two */

struct cache_slot {
	uint64_t addr;
	pid_t pid;
	uint32_t frame; /* + 1; 0: empty */
};

/* The build-id of a kernel module is asked for once. */
struct kmodule {
	char name[64];
	char build_id[BUILDID_HEX_MAX];
};

struct symbolizer {
	int root_fd;
	struct profile *profile; /* of the trial at hand; borrowed */
	struct maps *maps;
	struct modfile_set *files;
	struct kallsyms *kernel; /* NULL: not read yet */
	bool kernel_is_stale;
	size_t n_kmodules, cap_kmodules;
	struct kmodule *kmodules;
	struct cache_slot cache[CACHE_SLOTS]; /* frames of this trial, by address */
};

struct symbolizer *symbolizer_new(int root_fd)
{
	struct symbolizer *s = xcalloc(1, sizeof(*s));

	s->root_fd = root_fd;
	s->maps = maps_new(root_fd);
	s->files = modfile_set_new(root_fd);
	return s;
}

void symbolizer_free(struct symbolizer *s)
{
	if (s == NULL)
		return;
	maps_free(s->maps);
	modfile_set_free(s->files);
	kallsyms_free(s->kernel);
	free(s->kmodules);
	free(s);
}

static void cache_clear(struct symbolizer *s)
{
	memset(s->cache, 0, sizeof(s->cache));
}

void symbolizer_begin(struct symbolizer *s, struct profile *profile)
{
	s->profile = profile;
	maps_refresh(s->maps);
	cache_clear(s);
}

struct maps *symbolizer_maps(struct symbolizer *s)
{
	cache_clear(s); /* the caller is about to change what is where */
	return s->maps;
}

void symbolizer_note_ksymbol(struct symbolizer *s)
{
	s->kernel_is_stale = true;
}

static struct kallsyms *kernel_table(struct symbolizer *s)
{
	if (s->kernel == NULL || s->kernel_is_stale) {
		kallsyms_free(s->kernel);
		s->kernel = kallsyms_load(s->root_fd);
		s->kernel_is_stale = false;
	}
	return s->kernel;
}

enum kallsyms_state symbolizer_kernel_state(struct symbolizer *s)
{
	return kallsyms_state(kernel_table(s));
}

static struct cache_slot *cache_slot(struct symbolizer *s, pid_t pid, uint64_t addr)
{
	uint64_t h = (addr ^ (uint64_t)pid << 32) * UINT64_C(0x9e3779b97f4a7c15);

	return &s->cache[h >> 32 & (CACHE_SLOTS - 1)];
}

static const char *kmodule_build_id(struct symbolizer *s, const char *module)
{
	struct kmodule *m;
	size_t i;

	for (i = 0; i < s->n_kmodules; i++)
		if (strcmp(s->kmodules[i].name, module) == 0)
			return s->kmodules[i].build_id;
	s->kmodules = xgrow(s->kmodules, s->n_kmodules, &s->cap_kmodules, sizeof(*m));
	m = &s->kmodules[s->n_kmodules++];
	(void)snprintf(m->name, sizeof(m->name), "%s", module);
	buildid_of_kernel(s->root_fd, *module ? module : NULL, m->build_id);
	return m->build_id;
}

/* The frame, its symbol set when it has none yet. */
static uint32_t intern_frame(
	struct symbolizer *s, uint32_t module, uint64_t offset, const char *symbol)
{
	uint32_t f = profile_frame_intern(s->profile, module, offset);

	if (s->profile->frames[f].symbol == PROFILE_NO_SYMBOL)
		s->profile->frames[f].symbol = profile_symbol_intern(
			s->profile, symbol ? symbol : SYMBOLIZER_UNKNOWN);
	return f;
}

static uint32_t resolve_kernel(struct symbolizer *s, uint64_t addr)
{
	struct kallsyms *k = kernel_table(s);
	struct kallsyms_hit hit = { .module = "" };
	char path[80] = KERNEL_MODULE;
	uint32_t module;

	if (kallsyms_state(k) == KALLSYMS_OK && !kallsyms_find(k, addr, &hit))
		hit.name = SYMBOLIZER_UNKNOWN;
	if (hit.name == NULL)
		hit.name = "[kernel]"; /* names are hidden from this user */
	if (hit.module[0] != '\0')
		(void)snprintf(path, sizeof(path), "[%.64s]", hit.module);
	module = profile_module_intern(
		s->profile, MODULE_KERNEL, path, kmodule_build_id(s, hit.module));
	return intern_frame(s, module, addr, hit.name);
}

uint32_t symbolizer_kernel_frame(struct symbolizer *s, uint64_t addr)
{
	struct cache_slot *c = cache_slot(s, KERNEL_PID, addr);

	if (c->frame == 0 || c->addr != addr || c->pid != KERNEL_PID)
		*c = (struct cache_slot){ .addr = addr,
			.pid = KERNEL_PID,
			.frame = resolve_kernel(s, addr) + 1 };
	return c->frame - 1;
}

static uint32_t resolve_user(struct symbolizer *s, pid_t pid, uint64_t addr)
{
	const struct map_entry *e = maps_find(s->maps, pid, addr);
	const struct modfile *f;
	uint32_t module;
	uint64_t offset;

	if (e == NULL) { /* no mapping: a broken chain; one frame for all of them */
		module = profile_module_intern(
			s->profile, MODULE_UNKNOWN, SYMBOLIZER_UNKNOWN, "");
		return intern_frame(s, module, 0, NULL);
	}
	if (e->path[0] == '\0' || strncmp(e->path, "//anon", 6) == 0) {
		/* Code made at run time: the address is all there is to say. */
		module = profile_module_intern(s->profile, MODULE_USER, "[anon]", "");
		return intern_frame(s, module, addr, NULL);
	}
	f = modfile_get(s->files, pid, e);
	offset = addr - e->start + e->file_offset;
	module = profile_module_intern(
		s->profile, MODULE_USER, modfile_path(f), modfile_build_id(f));
	return intern_frame(s, module, offset, modfile_symbol(f, offset));
}

uint32_t symbolizer_user_frame(struct symbolizer *s, pid_t pid, uint64_t addr)
{
	struct cache_slot *c = cache_slot(s, pid, addr);

	if (c->frame == 0 || c->addr != addr || c->pid != pid)
		*c = (struct cache_slot){ .addr = addr,
			.pid = pid,
			.frame = resolve_user(s, pid, addr) + 1 };
	return c->frame - 1;
}
