/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a fuzz target over its seed corpus, one TAP line a file: what `make check`
 * does without a fuzzer. FUZZ_TARGET names the folder below corpus/. Each input is
 * also cut short in a few places, so that every seed is many. Files named on the
 * command line are run in place of the corpus.
 */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SEED_MAX_BYTES (1u << 20)
#define N_CUTS         16u

static int replay(const char *path)
{
	uint8_t *buf = malloc(SEED_MAX_BYTES);
	FILE *f = fopen(path, "rb");
	size_t n, cut;

	if (buf == NULL || f == NULL) {
		free(buf);
		return -1;
	}
	n = fread(buf, 1, SEED_MAX_BYTES, f);
	(void)fclose(f);
	(void)LLVMFuzzerTestOneInput(buf, n);
	for (cut = 1; cut < N_CUTS; cut++) {
		/* A copy of its own size, so that a sanitizer sees its very end. */
		size_t len = n * cut / N_CUTS;
		uint8_t *part = malloc(len + 1);

		if (part != NULL) {
			memcpy(part, buf, len);
			(void)LLVMFuzzerTestOneInput(part, len);
		}
		free(part);
	}
	free(buf);
	return 0;
}

static int replay_named(int n, char **paths)
{
	int i, bad = 0;

	for (i = 0; i < n; i++)
		bad |= replay(paths[i]);
	return bad ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *top = getenv("top_srcdir");
	char dir[4096], path[4500];
	struct dirent *de;
	int n = 0, bad = 0;
	DIR *d;

	if (argc > 1)
		return replay_named(argc - 1, argv + 1);
	(void)snprintf(
		dir, sizeof(dir), "%s/tests/fuzz/corpus/" FUZZ_TARGET, top ? top : ".");
	d = opendir(dir);
	if (d == NULL) {
		printf("1..0\nBail out! no corpus in %s\n", dir);
		return 1;
	}
	while ((de = readdir(d)) != NULL) {
		if (de->d_name[0] == '.')
			continue;
		(void)snprintf(path, sizeof(path), "%s/%s", dir, de->d_name);
		if (replay(path)) {
			printf("not ok %d - %s\n", ++n, de->d_name);
			bad = 1;
		} else {
			printf("ok %d - %s\n", ++n, de->d_name);
		}
	}
	(void)closedir(d);
	printf("1..%d\n", n);
	return bad || n == 0;
}
