/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the SUT was launched, and what became of it: facts of its main process. */
#include "config.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/facts_private.h"
#include "os/proctree.h"
#include "os/sysfile.h"

#define MAX_ENVIRON (256u << 10)
#define MAX_MAPS    (512u << 10) /* some 5000 mappings */
#define TEXT_LEN    1024
#define PATH_LEN    64

/* What a process ran; processes of a tree are few. */
struct ran {
	pid_t pid;
	uint64_t ns;
};

pid_t facts_process_main(const struct procstat_snapshot *begin,
	const struct procstat_snapshot *s, pid_t root)
{
	struct ran *ran = xcalloc(s->n_threads + 1, sizeof(*ran));
	size_t n = 0, i, j, best = 0;
	pid_t pid;

	for (i = 0; i < s->n_threads; i++) {
		const struct procstat_thread *y = &s->threads[i];
		const struct procstat_thread *x =
			begin != NULL ? procstat_same_thread(begin, y) : NULL;
		uint64_t from_ns = x != NULL ? x->run_ns : 0;

		for (j = 0; j < n && ran[j].pid != y->pid; j++)
			;
		if (j == n)
			ran[n++].pid = y->pid;
		if (y->run_ns > from_ns)
			ran[j].ns += y->run_ns - from_ns;
	}
	for (j = 1; j < n; j++)
		if (ran[j].ns > ran[best].ns)
			best = j;
	pid = n == 0 ? 0 : ran[best].ns > 0 ? ran[best].pid : root;
	free(ran);
	return pid;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* FNV-1a, folded to 24 bits: enough to see a change, too few to tell a secret. */
static unsigned value_hash(const char *value)
{
	uint32_t h = 2166136261u;

	for (; *value != '\0'; value++)
		h = (h ^ (unsigned char)*value) * 16777619u;
	return (h >> 24) ^ (h & 0xffffffu);
}

/* "NAME=hash ...", sorted; the caller frees. vars are cut at their '='. */
static char *environment_text(char **vars, size_t n, size_t n_bytes)
{
	size_t len = n_bytes + 8 * n + 1, at = 0, i;
	char *text = xcalloc(len, 1), *value;

	qsort(vars, n, sizeof(*vars), by_text);
	for (i = 0; i < n; i++) {
		value = strchr(vars[i], '=');
		if (value != NULL)
			*value++ = '\0';
		at += (size_t)snprintf(text + at, len - at, "%s%s=%06x",
			at > 0 ? " " : "", vars[i],
			value_hash(value != NULL ? value : ""));
	}
	return text;
}

/* Words of LD_PRELOAD, without their folders. */
static void preload_words(const char *value, char *text, size_t *at)
{
	const char *p = value, *base;
	size_t n;

	for (;; p += n) {
		p += strspn(p, " :");
		n = strcspn(p, " :");
		if (n == 0)
			return;
		base = memrchr(p, '/', n);
		base = base != NULL ? base + 1 : p;
		if (*at < TEXT_LEN)
			*at += (size_t)snprintf(text + *at, TEXT_LEN - *at, "%s%.*s",
				*at > 0 ? " " : "", (int)(p + n - base), base);
	}
}

/* Adds the environment; LD_PRELOAD's words to text. */
static void environ_add(
	int root_fd, pid_t pid, struct facts_snapshot *s, char *preload, size_t *at)
{
	char path[PATH_LEN], **vars = NULL, *text, *p;
	size_t n = 0, cap = 0;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "proc/%d/environ", (int)pid);
	len = facts_buf_read(&s->buf, root_fd, path, MAX_ENVIRON);
	if (len < 0)
		return;
	for (p = s->buf.p; p < s->buf.p + len; p += strlen(p) + 1) {
		if (*p == '\0')
			continue;
		if (strncmp(p, "LD_PRELOAD=", 11) == 0)
			preload_words(p + 11, preload, at);
		vars = xgrow(vars, n, &cap, sizeof(*vars));
		vars[n++] = p;
	}
	text = n > 0 ? environment_text(vars, n, (size_t)len) : xstrdup("");
	facts_add_text(&s->levels, FACT_ENVIRONMENT, "", text);
	facts_add(&s->levels, FACT_ENVIRONMENT_BYTES, "", (double)len);
	free(text);
	free(vars);
}

/* Libraries that profilers put into a program, by a part of their names. */
static bool is_agent(const char *base)
{
	static const char *const parts[] = { "ittnotify", "tpsstool", "syncProfiler",
		"libprofiler.so", "vgpreload", "libheaptrack", "_memray", "lttng-ust",
		"libscorep", "libextrae", "libmcount", "libdd_profiling",
		"libpyroscope", "libgprofng", "libcoz" };
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strstr(base, parts[i]) != NULL)
			return true;
	return false;
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *p = text;

	for (; (p = strstr(p, word)) != NULL; p += len)
		if ((p == text || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
			return true;
	return false;
}

static void agents_add(char *maps, char *text, size_t *at)
{
	char *line = maps, *end, *base;

	for (; *line != '\0'; line = end) {
		end = line + strcspn(line, "\n");
		if (*end == '\n')
			*end++ = '\0';
		base = strrchr(line, '/');
		if (base == NULL || !is_agent(base + 1) || has_word(text, base + 1) ||
			*at >= TEXT_LEN)
			continue;
		*at += (size_t)snprintf(text + *at, TEXT_LEN - *at, "%s%s",
			*at > 0 ? " " : "", base + 1);
	}
}

/* text: the words of LD_PRELOAD. */
static void preload_add(
	int root_fd, pid_t pid, struct facts_snapshot *s, char *text, size_t at)
{
	char path[PATH_LEN];

	(void)snprintf(path, sizeof(path), "proc/%d/maps", (int)pid);
	if (facts_buf_read(&s->buf, root_fd, path, MAX_MAPS) < 0)
		return; /* "none" would be a guess */
	agents_add(s->buf.p, text, &at);
	facts_add_text(&s->levels, FACT_PRELOAD, "", at > 0 ? text : "none");
}

/* "Max open files            1024                 4096 ...": soft limits only. */
static void limits_add(int root_fd, pid_t pid, struct facts *fs)
{
	static const struct {
		const char *line, *name;
	} limits[] = {
		{ "Max cpu time", "cpu" },
		{ "Max file size", "fsize" },
		{ "Max data size", "data" },
		{ "Max stack size", "stack" },
		{ "Max core file size", "core" },
		{ "Max resident set", "rss" },
		{ "Max processes", "nproc" },
		{ "Max open files", "nofile" },
		{ "Max locked memory", "memlock" },
		{ "Max address space", "as" },
		{ "Max file locks", "locks" },
		{ "Max pending signals", "sigpending" },
		{ "Max msgqueue size", "msgqueue" },
		{ "Max nice priority", "nice" },
		{ "Max realtime priority", "rtprio" },
		{ "Max realtime timeout", "rttime" },
	};
	char path[PATH_LEN], buf[4096], text[TEXT_LEN] = "";
	size_t at = 0, i;
	const char *p;

	(void)snprintf(path, sizeof(path), "proc/%d/limits", (int)pid);
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) <= 0)
		return;
	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		p = strstr(buf, limits[i].line);
		if (p == NULL || at >= sizeof(text))
			continue;
		p += strlen(limits[i].line);
		p += strspn(p, " ");
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s=%.*s",
			at > 0 ? " " : "", limits[i].name, (int)strcspn(p, " \n"), p);
	}
	facts_add_text(fs, FACT_LIMITS, "", text);
}

static bool link_read(int root_fd, const char *path, char *buf, size_t len)
{
	ssize_t n = readlinkat(root_fd, path, buf, len - 1);

	if (n < 0)
		return false;
	buf[n] = '\0';
	return true;
}

static const char *stream_kind(const char *target)
{
	if (strncmp(target, "pipe:", 5) == 0)
		return "pipe";
	if (strncmp(target, "socket:", 7) == 0)
		return "socket";
	if (strcmp(target, "/dev/null") == 0)
		return "null";
	if (strncmp(target, "/dev/pts/", 9) == 0 ||
		strncmp(target, "/dev/tty", 8) == 0 ||
		strcmp(target, "/dev/console") == 0)
		return "terminal";
	if (strncmp(target, "/dev/", 5) == 0)
		return "device";
	return target[0] == '/' ? "file" : "other";
}

static void stdio_add(int root_fd, pid_t pid, struct facts *fs)
{
	char path[PATH_LEN], target[4096], text[64];
	const char *kinds[3];
	int i;

	(void)snprintf(path, sizeof(path), "proc/%d/fd", (int)pid);
	if (faccessat(root_fd, path, R_OK, 0) != 0)
		return;
	for (i = 0; i < 3; i++) {
		(void)snprintf(path, sizeof(path), "proc/%d/fd/%d", (int)pid, i);
		kinds[i] = link_read(root_fd, path, target, sizeof(target))
				   ? stream_kind(target)
				   : "closed";
	}
	(void)snprintf(text, sizeof(text), "%s %s %s", kinds[0], kinds[1], kinds[2]);
	facts_add_text(fs, FACT_STDIO, "", text);
}

static void own_files_add(int root_fd, pid_t pid, struct facts *fs)
{
	char path[PATH_LEN], buf[4096];

	(void)snprintf(path, sizeof(path), "proc/%d/cwd", (int)pid);
	if (link_read(root_fd, path, buf, sizeof(buf)))
		facts_add_text(fs, FACT_CWD, "", buf);
	(void)snprintf(path, sizeof(path), "proc/%d/personality", (int)pid);
	if (sysfile_line(root_fd, path, buf, sizeof(buf)) == 0)
		facts_add_text(fs, FACT_PERSONALITY, "", buf);
	limits_add(root_fd, pid, fs);
	stdio_add(root_fd, pid, fs);
}

/* What procstat has read already. */
static void status_add(pid_t pid, struct facts_snapshot *s)
{
	size_t i;

	for (i = 0; i < s->proc->n_threads; i++) {
		const struct procstat_thread *t = &s->proc->threads[i];

		if (t->pid != pid || !t->has_status)
			continue;
		facts_add_text(&s->levels, FACT_SIGNALS_CAUGHT, "", t->signals_caught);
		facts_add(&s->levels, FACT_TRACED, "", t->tracer != 0);
		facts_add(&s->levels, FACT_RSS_BYTES, "", (double)t->rss_bytes);
		return;
	}
}

void facts_process_levels(int root_fd, pid_t pid, struct facts_snapshot *s)
{
	char preload[TEXT_LEN] = "";
	size_t at = 0;

	environ_add(root_fd, pid, s, preload, &at);
	preload_add(root_fd, pid, s, preload, at);
	own_files_add(root_fd, pid, &s->levels);
	status_add(pid, s);
}
