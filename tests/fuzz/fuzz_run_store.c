/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fuzz the loading of run files: any bytes load or fail with SP_EFORMAT, and what
 * loads can be analysed and freed. Nothing else of the file system is touched.
 */
#include "config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "codec/run_store.h"
#include "plan/analysis.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void input_try(const char *path)
{
	struct run *run = NULL;
	struct analysis a;
	struct sp_err err = { .code = SP_OK };

	if (run_store_load(path, &run, &err) == 0) {
		analysis_make(run, &a);
		analysis_done(&a);
		run_free(run);
	} else if (err.code != SP_EFORMAT) {
		(void)fprintf(stderr, "not SP_EFORMAT: %s\n", err.msg);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[] = "/tmp/fuzz-run-store-XXXXXX";
	int fd = mkstemp(path);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size) {
		perror(path);
		abort();
	}
	(void)close(fd);
	input_try(path);
	(void)unlink(path);
	return 0;
}
