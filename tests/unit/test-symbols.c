/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernel table, process maps, ELF symbols: on made text and on this very program. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "symbol/buildid.h"
#include "symbol/kallsyms.h"
#include "symbol/maps.h"
#include "symbol/symbolizer.h"

/* Not static and never inlined: it has to be found by name. */
int symbols_test_landmark(int x);
__attribute__((noinline)) int symbols_test_landmark(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 3 + 1;
}

static uint64_t landmark_addr(void)
{
	return (uint64_t)(uintptr_t)&symbols_test_landmark;
}

static const char kallsyms_text[] = "ffffffff81000000 T _stext\n"
				    "ffffffff81000000 t local_alias\n"
				    "ffffffff81001000 t memcpy_orig\n"
				    "ffffffff81001000 T memcpy\n"
				    "ffffffff81002000 D not_code\n"
				    "ffffffff81003000 W weak_one\n"
				    "garbage\n"
				    "ffffffffc0201000 t veth_xmit\t[veth]\n"
				    "ffffffffc0200000 t veth_poll\t[veth]\n"
				    "ffffffffc0300000 t bpf_prog_ab12_xdp\t[bpf]";

static void test_kallsyms_finds(void **state)
{
	struct kallsyms *k = kallsyms_parse(kallsyms_text, strlen(kallsyms_text));
	struct kallsyms_hit h;

	(void)state;
	assert_int_equal(kallsyms_state(k), KALLSYMS_OK);
	assert_true(kallsyms_find(k, 0xffffffff81001000, &h));
	assert_string_equal(h.name, "memcpy"); /* the global one of two */
	assert_string_equal(h.module, "");
	assert_true(kallsyms_find(k, 0xffffffff81002fff, &h));
	assert_string_equal(h.name, "memcpy"); /* data is no border */
	assert_true(kallsyms_find(k, 0xffffffffc0200abc, &h));
	assert_string_equal(h.name, "veth_poll");
	assert_string_equal(h.module, "veth");
	assert_true(h.start == 0xffffffffc0200000);
	assert_true(kallsyms_find(k, 0xffffffffc0300010, &h));
	assert_string_equal(h.name, "bpf_prog_ab12_xdp");
	assert_string_equal(h.module, "bpf");
	kallsyms_free(k);
}

static void test_kallsyms_misses(void **state)
{
	struct kallsyms *k = kallsyms_parse(kallsyms_text, strlen(kallsyms_text));
	struct kallsyms_hit h = { .name = "untouched" };

	(void)state;
	assert_false(kallsyms_find(k, 0xffffffff80ffffff, &h)); /* before the first */
	assert_false(kallsyms_find(k, 0xffffffff90000000, &h)); /* behind the kernel */
	assert_false(kallsyms_find(k, 0xffffffffc0290000, &h)); /* behind a module */
	assert_false(kallsyms_find(k, UINT64_MAX, &h));         /* behind the last */
	assert_string_equal(h.name, "untouched");
	kallsyms_free(k);
}

static void test_kallsyms_hidden(void **state)
{
	static const char text[] = "0000000000000000 T _stext\n"
				   "0000000000000000 T memcpy\n";
	struct kallsyms *k = kallsyms_parse(text, strlen(text));
	struct kallsyms_hit h;

	(void)state;
	assert_int_equal(kallsyms_state(k), KALLSYMS_HIDDEN);
	assert_false(kallsyms_find(k, 0xffffffff81001000, &h));
	kallsyms_free(k);
	k = kallsyms_parse("", 0);
	assert_int_equal(kallsyms_state(k), KALLSYMS_MISSING);
	kallsyms_free(k);
	k = kallsyms_load(-1);
	assert_int_equal(kallsyms_state(k), KALLSYMS_MISSING);
	kallsyms_free(k);
}

static void test_build_id_notes(void **state)
{
	/* A note of another kind first (name "Xen", 4 bytes), then the build-id. */
	static const uint8_t notes[] = { 4, 0, 0, 0, 4, 0, 0, 0, 18, 0, 0, 0, 'X', 'e',
		'n', 0, 1, 2, 3, 4, 4, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U',
		0, 0xde, 0xad, 0xbe, 0xef, 0x01, 0, 0, 0 };
	char hex[BUILDID_HEX_MAX];
	size_t n;

	(void)state;
	assert_true(buildid_from_notes(notes, sizeof(notes), hex));
	assert_string_equal(hex, "deadbeef01");
	for (n = 0; n < sizeof(notes) - 3; n++) {
		assert_false(buildid_from_notes(notes, n, hex));
		assert_string_equal(hex, "");
	}
}

static void test_maps_lines(void **state)
{
	struct map_entry e;

	(void)state;
	assert_true(maps_parse_line("7f12a000-7f12c000 r-xp 00003000 fe:01 4242     "
				    "  /opt/my app/x (deleted)\n",
		&e));
	assert_int_equal(e.start, 0x7f12a000);
	assert_int_equal(e.end, 0x7f12c000);
	assert_int_equal(e.file_offset, 0x3000);
	assert_int_equal(e.inode, 4242);
	assert_true(e.is_deleted);
	assert_string_equal(e.path, "/opt/my app/x");
	free(e.path);
	assert_true(maps_parse_line("1000-2000 rwxp 00000000 00:00 0 \n", &e));
	assert_string_equal(e.path, "");
	free(e.path);
	assert_false(maps_parse_line("1000-2000 rw-p 00000000 00:00 0 /x\n", &e));
	assert_false(maps_parse_line("2000-1000 r-xp 00000000 00:00 0 /x\n", &e));
	assert_false(maps_parse_line("not a line", &e));
	assert_false(maps_parse_line("", &e));
}

/* A process that never was: what records say is all there is, newest first. */
static void test_maps_from_records(void **state)
{
	struct maps *m = maps_new(-1);
	struct map_entry a = { .start = 0x1000, .end = 0x3000, .path = xstrdup("/a") };
	struct map_entry b = { .start = 0x2000, .end = 0x4000, .path = xstrdup("/b") };

	(void)state;
	maps_note_mmap(m, 7, &a);
	maps_note_mmap(m, 7, &b);
	assert_string_equal(maps_find(m, 7, 0x1fff)->path, "/a");
	assert_string_equal(maps_find(m, 7, 0x2fff)->path, "/b");
	assert_null(maps_find(m, 7, 0x4000));
	maps_note_fork(m, 8, 7);
	assert_string_equal(maps_find(m, 8, 0x1000)->path, "/a");
	maps_note_exec(m, 8);
	assert_null(maps_find(m, 8, 0x1000));
	assert_string_equal(maps_find(m, 7, 0x1000)->path, "/a");
	maps_refresh(m);
	assert_string_equal(maps_find(m, 7, 0x1000)->path, "/a");
	maps_refresh(m); /* 8 was not met since: forgotten; 7 was */
	assert_null(maps_find(m, 8, 0x1000));
	free(a.path);
	free(b.path);
	maps_free(m);
}

/* What a frame says, for asserting. */
struct named {
	const struct profile_module *module;
	const struct profile_frame *frame;
	const char *symbol;
};

static struct named named_frame(const struct profile *p, uint32_t frame)
{
	struct named n = { .frame = &p->frames[frame] };

	n.module = &p->modules[n.frame->module];
	n.symbol = p->symbols[n.frame->symbol].name;
	return n;
}

static int root_open(void)
{
	int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static void test_own_function(void **state)
{
	int root = root_open();
	struct symbolizer *s = symbolizer_new(root);
	struct profile *p = profile_new();
	struct named n;
	char self[4096];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	(void)state;
	assert_true(len > 0);
	self[len] = '\0';
	symbolizer_begin(s, p);
	n = named_frame(p, symbolizer_user_frame(s, getpid(), landmark_addr()));
	assert_string_equal(n.symbol, "symbols_test_landmark");
	assert_string_equal(n.module->path, self);
	assert_int_equal(n.module->kind, MODULE_USER);
	n = named_frame(p, symbolizer_user_frame(s, getpid(), landmark_addr() + 1));
	assert_string_equal(n.symbol, "symbols_test_landmark");
	/* A function of the C library is found in its file, not in ours. */
	n = named_frame(
		p, symbolizer_user_frame(s, getpid(), (uint64_t)(uintptr_t)&getppid));
	assert_non_null(strstr(n.module->path, "libc"));
	assert_string_equal(n.symbol, "getppid");
	assert_true(strlen(n.module->build_id) >= 16);
	symbolizer_free(s);
	profile_free(p);
	(void)close(root);
}

static void test_unknown_addresses(void **state)
{
	int root = root_open();
	struct symbolizer *s = symbolizer_new(root);
	struct profile *p = profile_new();
	void *code = mmap(
		NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct named n;
	uint32_t a, b;

	(void)state;
	assert_true(code != MAP_FAILED);
	symbolizer_begin(s, p);
	a = symbolizer_user_frame(s, getpid(), 0x1234);
	b = symbolizer_user_frame(s, getpid(), 0x5678);
	assert_int_equal(a, b); /* no mapping: one frame for all */
	n = named_frame(p, a);
	assert_int_equal(n.module->kind, MODULE_UNKNOWN);
	assert_string_equal(n.symbol, SYMBOLIZER_UNKNOWN);
	n = named_frame(
		p, symbolizer_user_frame(s, getpid(), (uint64_t)(uintptr_t)code + 16));
	assert_string_equal(n.module->path, "[anon]");
	assert_true(n.frame->offset == (uint64_t)(uintptr_t)code + 16);
	symbolizer_free(s);
	profile_free(p);
	(void)munmap(code, 4096);
	(void)close(root);
}

static void test_vdso(void **state)
{
	uint64_t vdso = getauxval(AT_SYSINFO_EHDR);
	int root = root_open();
	struct symbolizer *s = symbolizer_new(root);
	struct profile *p = profile_new();
	uint64_t offset;
	int n_named = 0;

	(void)state;
	symbolizer_begin(s, p);
	/* Where its functions lie is its own business: some address has a name. */
	for (offset = 0; vdso != 0 && offset < 0x1000; offset += 16) {
		struct named n = named_frame(
			p, symbolizer_user_frame(s, getpid(), vdso + offset));

		n_named += strcmp(n.symbol, SYMBOLIZER_UNKNOWN) != 0;
		assert_string_equal(n.module->path, "[vdso]");
	}
	assert_true(vdso == 0 || n_named > 0);
	symbolizer_free(s);
	profile_free(p);
	(void)close(root);
}

static void copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	char buf[8192];
	ssize_t n;

	assert_true(in >= 0 && out >= 0);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		assert_int_equal(write(out, buf, (size_t)n), n);
	assert_int_equal(n, 0);
	assert_int_equal(fchmod(out, 0700), 0);
	(void)close(in);
	(void)close(out);
}

/* Runs a copy of this program that tells where its landmark is and waits. */
static pid_t start_copy(const char *path, int *ret_out, uint64_t *ret_addr)
{
	int to_child[2], from_child[2];
	pid_t pid;

	assert_int_equal(pipe(to_child), 0);
	assert_int_equal(pipe(from_child), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)dup2(to_child[0], 0);
		(void)dup2(from_child[1], 1);
		(void)close(to_child[1]);
		(void)execl(path, path, "--wait", (char *)NULL);
		_exit(127);
	}
	(void)close(to_child[0]);
	(void)close(from_child[1]);
	assert_int_equal(read(from_child[0], ret_addr, sizeof(*ret_addr)),
		(ssize_t)sizeof(*ret_addr));
	(void)close(from_child[0]);
	*ret_out = to_child[1]; /* closing it ends the child */
	return pid;
}

/* The file was replaced while it runs, as an upgrade does: still the right names. */
static void test_deleted_file(void **state)
{
	char path[] = "/tmp/satprof-symbols-XXXXXX";
	int root = root_open(), fd = mkstemp(path), end;
	struct symbolizer *s = symbolizer_new(root);
	struct profile *p = profile_new();
	uint64_t addr = 0;
	struct named n;
	pid_t pid;

	(void)state;
	assert_true(fd >= 0);
	(void)close(fd);
	copy_file("/proc/self/exe", path);
	pid = start_copy(path, &end, &addr);
	assert_int_equal(unlink(path), 0);
	copy_file("/bin/sh", path);
	symbolizer_begin(s, p);
	n = named_frame(p, symbolizer_user_frame(s, pid, addr));
	assert_string_equal(n.symbol, "symbols_test_landmark");
	assert_string_equal(n.module->path, path);
	(void)close(end);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(unlink(path), 0);
	symbolizer_free(s);
	profile_free(p);
	(void)close(root);
}

static void test_kernel_frame(void **state)
{
	int root = root_open();
	struct symbolizer *s = symbolizer_new(root);
	struct profile *p = profile_new();
	struct named n;

	(void)state;
	symbolizer_begin(s, p);
	n = named_frame(p, symbolizer_kernel_frame(s, 0xffffffffffff0000));
	assert_int_equal(n.module->kind, MODULE_KERNEL);
	assert_true(n.frame->offset == 0xffffffffffff0000);
	assert_string_equal(n.symbol, symbolizer_kernel_state(s) == KALLSYMS_OK
					      ? SYMBOLIZER_UNKNOWN
					      : "[kernel]");
	symbolizer_free(s);
	profile_free(p);
	(void)close(root);
}

/* The copy's part of test_deleted_file(). */
static int wait_for_end(void)
{
	uint64_t addr = landmark_addr();
	char c;

	if (write(1, &addr, sizeof(addr)) != (ssize_t)sizeof(addr))
		return 1;
	while (read(0, &c, 1) > 0)
		;
	return symbols_test_landmark(0) != 1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kallsyms_finds),
		cmocka_unit_test(test_kallsyms_misses),
		cmocka_unit_test(test_kallsyms_hidden),
		cmocka_unit_test(test_build_id_notes),
		cmocka_unit_test(test_maps_lines),
		cmocka_unit_test(test_maps_from_records),
		cmocka_unit_test(test_own_function),
		cmocka_unit_test(test_unknown_addresses),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_deleted_file),
		cmocka_unit_test(test_kernel_frame),
	};

	if (argc > 1 && strcmp(argv[1], "--wait") == 0)
		return wait_for_end();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
