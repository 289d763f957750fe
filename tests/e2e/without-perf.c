/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * without-perf EPERM|ENOSYS|MOUNT CMD...: runs CMD where a system call fails as a
 * container's seccomp profile makes it: perf_event_open with one of two errors, or
 * mount with EPERM.
 */
#include "config.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned nr = SYS_perf_event_open;
	unsigned e = EPERM;

	if (argc < 3)
		return 2;
	if (strcmp(argv[1], "ENOSYS") == 0)
		e = ENOSYS;
	else if (strcmp(argv[1], "MOUNT") == 0)
		nr = SYS_mount;
	{
		struct sock_filter code[] = {
			BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
				offsetof(struct seccomp_data, nr)),
			BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | e),
			BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		};
		struct sock_fprog prog = { .len = sizeof(code) / sizeof(code[0]),
			.filter = code };

		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
			prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0) {
			perror("seccomp");
			return 2;
		}
	}
	(void)execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 2;
}
