/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Function symbols of an ELF file by file offset, through libdwfl. */
#include "config.h"

#include "symbol/elfsym.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "symbol/buildid.h"

struct func {
	uint64_t start, end; /* file offsets; end is start where the size is 0 */
	char *name;
	unsigned int rank; /* of several at one place the lowest is the name */
};

struct elfsym {
	char build_id[BUILDID_HEX_MAX];
	size_t n, cap;
	struct func *funcs; /* ascending by start, one a start */
};

/* How far back an enclosing function may start behind a smaller one. */
#define ENCLOSING_MAX 8u

static int no_elf(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
	char **path, Elf **elf)
{
	(void)mod;
	(void)user;
	(void)name;
	(void)base;
	(void)path;
	(void)elf;
	return -1; /* the file is given to dwfl_report_offline */
}

/* dwfl_standard_find_debuginfo would ask debuginfod, in the middle of a run. */
static int find_debuginfo(Dwfl_Module *mod, void **user, const char *name,
	Dwarf_Addr base, const char *file, const char *link, GElf_Word crc,
	char **ret_path)
{
	return dwfl_build_id_find_debuginfo(
		mod, user, name, base, file, link, crc, ret_path);
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = no_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* File offset of an address as the file has it; false outside executable parts. */
static bool offset_of_vaddr(Elf *elf, uint64_t vaddr, uint64_t *ret_offset)
{
	size_t n, i;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		if (gelf_getphdr(elf, (int)i, &ph) == NULL || ph.p_type != PT_LOAD ||
			!(ph.p_flags & PF_X))
			continue;
		if (vaddr >= ph.p_vaddr && vaddr - ph.p_vaddr < ph.p_filesz) {
			*ret_offset = vaddr - ph.p_vaddr + ph.p_offset;
			return true;
		}
	}
	return false;
}

/* Which of several names for one place people know; UINT_MAX: not a function. */
static unsigned int rank_of(const GElf_Sym *sym, const char *name)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info), rank;

	if (name == NULL || name[0] == '\0' || name[0] == '$' || name[0] == '.')
		return UINT32_MAX;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return UINT32_MAX;
	rank = type == STT_NOTYPE ? 100 : 0;
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		break;
	case STB_WEAK:
		rank += 10;
		break;
	default:
		rank += 20;
		break;
	}
	return rank + (unsigned int)strspn(name, "_"); /* malloc, not __libc_malloc */
}

static void add_symbols(struct elfsym *e, Dwfl_Module *mod)
{
	GElf_Addr bias = 0, addr;
	Elf *elf = dwfl_module_getelf(mod, &bias);
	int i, n = elf == NULL ? 0 : dwfl_module_getsymtab(mod);

	for (i = 1; i < n; i++) {
		GElf_Sym sym;
		GElf_Word shndx;
		const char *name = dwfl_module_getsym_info(
			mod, i, &sym, &addr, &shndx, NULL, NULL);
		unsigned int rank = rank_of(&sym, name);
		uint64_t offset;

		if (rank == UINT32_MAX || shndx == SHN_UNDEF || shndx == SHN_ABS ||
			!offset_of_vaddr(elf, addr - bias, &offset))
			continue;
		e->funcs = xgrow(e->funcs, e->n, &e->cap, sizeof(*e->funcs));
		e->funcs[e->n++] = (struct func){ .start = offset,
			.end = offset + sym.st_size,
			.name = xstrdup(name),
			.rank = rank };
	}
}

static int func_compare(const void *va, const void *vb)
{
	const struct func *a = va, *b = vb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* Sort, keep the best name of each start, close functions without a size. */
static void finish(struct elfsym *e)
{
	size_t i, n = 0;

	if (e->n > 0)
		qsort(e->funcs, e->n, sizeof(*e->funcs), func_compare);
	for (i = 0; i < e->n; i++) {
		struct func *f = &e->funcs[i];

		if (n > 0 && e->funcs[n - 1].start == f->start) {
			if (e->funcs[n - 1].end < f->end)
				e->funcs[n - 1].end = f->end;
			free(f->name);
			continue;
		}
		e->funcs[n++] = *f;
	}
	e->n = n;
	for (i = 0; i + 1 < e->n; i++)
		if (e->funcs[i].end == e->funcs[i].start)
			e->funcs[i].end = e->funcs[i + 1].start;
}

static void read_build_id(struct elfsym *e, Dwfl_Module *mod)
{
	const unsigned char *id = NULL;
	GElf_Addr vaddr;
	int n = dwfl_module_build_id(mod, &id, &vaddr);

	buildid_hex(id, n > 0 ? (size_t)n : 0, e->build_id);
}

struct elfsym *elfsym_open(int fd, const char *path)
{
	struct elfsym *e = NULL;
	Dwfl_Module *mod = NULL;
	int own = dup(fd); /* libdwfl takes one on success */
	Dwfl *dwfl = dwfl_begin(&callbacks);

	if (dwfl == NULL || own < 0)
		goto out;
	dwfl_report_begin(dwfl);
	mod = dwfl_report_offline(dwfl, path, path, own);
	(void)dwfl_report_end(dwfl, NULL, NULL);
	if (mod == NULL)
		goto out;
	own = -1;
	e = xcalloc(1, sizeof(*e));
	read_build_id(e, mod);
	add_symbols(e, mod);
	finish(e);
out:
	if (own >= 0)
		(void)close(own);
	dwfl_end(dwfl);
	return e;
}

void elfsym_close(struct elfsym *e)
{
	size_t i;

	if (e == NULL)
		return;
	for (i = 0; i < e->n; i++)
		free(e->funcs[i].name);
	free(e->funcs);
	free(e);
}

const char *elfsym_build_id(const struct elfsym *e)
{
	return e->build_id;
}

const char *elfsym_find(const struct elfsym *e, uint64_t file_offset)
{
	size_t lo = 0, hi = e->n, back;

	while (lo < hi) { /* the first function that starts above */
		size_t mid = lo + (hi - lo) / 2;

		if (e->funcs[mid].start <= file_offset)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (back = 1; back <= lo && back <= ENCLOSING_MAX; back++)
		if (file_offset < e->funcs[lo - back].end)
			return e->funcs[lo - back].name;
	return NULL;
}
