/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The protocol between satprof and its keeper: one fixed struct a message over a
 * SOCK_SEQPACKET pair, descriptors beside it. A child greets satprof itself, so
 * that the kernel translates its process id into satprof's namespace.
 */
#ifndef SATPROF_OS_KEEPER_MSG_H
#define SATPROF_OS_KEEPER_MSG_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum keeper_msg_type {
	/* Keeper or one of its own to satprof. */
	KEEPER_MSG_READY = 1, /* value: 1 when /sys is of the namespace; text: notes */
	KEEPER_MSG_FAILED,    /* value: errno; stage: a keeper_msg_stage; text: what */
	KEEPER_MSG_HELLO,     /* value: the child's pid in its own namespace */
	KEEPER_MSG_STARTED,   /* value: 0, or errno with stage */
	KEEPER_MSG_ENDED,     /* value: wait status */
	KEEPER_MSG_KILLED,    /* value: 0, or 1 when some would not die */
	/* satprof to the keeper. */
	KEEPER_MSG_SPAWN,  /* descriptors: words (keeper_words), output, input */
	KEEPER_MSG_SIGNAL, /* value: signal; pid: the group */
	KEEPER_MSG_KILL,   /* all of the child's tree; pid: its group */
};

enum keeper_msg_stage {
	KEEPER_STAGE_NETNS = 1,
	KEEPER_STAGE_PIDNS,
	KEEPER_STAGE_FORK,
	KEEPER_STAGE_MOUNTS,
	KEEPER_STAGE_AFFINITY,
	KEEPER_STAGE_LAUNCH,
	KEEPER_STAGE_EXEC,
};

struct keeper_msg {
	int32_t type;
	int32_t id; /* the child's, 0 where it is about the keeper */
	int32_t value;
	int32_t stage;
	int32_t pid;
	char text[200];
};

#define KEEPER_MSG_MAX_FDS 3

/* 0 or -errno. Never raises SIGPIPE. */
int keeper_msg_send(int sock, const struct keeper_msg *m, const int *fds, size_t n_fds);
/*
 * 1: a message (descriptors that came are in fds[], else -1; *ret_pid is the
 * sender's process id as seen here when SO_PASSCRED is set, else 0);
 * 0: the other side is gone; -errno: EAGAIN and EINTR as usual.
 */
int keeper_msg_recv(int sock, struct keeper_msg *ret_m, int fds[KEEPER_MSG_MAX_FDS],
	pid_t *ret_pid);

#endif
