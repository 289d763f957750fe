/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between satprof and its keeper. */
#include "config.h"

#include "os/keeper_msg.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

int keeper_msg_send(int sock, const struct keeper_msg *m, const int *fds, size_t n_fds)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int) * KEEPER_MSG_MAX_FDS)];
	} ctl = { .buf = { 0 } };
	struct keeper_msg copy = *m;
	struct iovec iov = { .iov_base = &copy, .iov_len = sizeof(copy) };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c;

	if (n_fds > 0) {
		mh.msg_control = ctl.buf;
		mh.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
		c = CMSG_FIRSTHDR(&mh);
		if (c == NULL)
			return -EINVAL;
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * n_fds);
	}
	while (sendmsg(sock, &mh, MSG_NOSIGNAL) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

static void take_control(struct msghdr *mh, int fds[KEEPER_MSG_MAX_FDS], pid_t *ret_pid)
{
	struct cmsghdr *c;
	struct ucred cred;
	size_t n;

	for (c = CMSG_FIRSTHDR(mh); c != NULL; c = CMSG_NXTHDR(mh, c)) {
		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_RIGHTS) {
			n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
			if (n > KEEPER_MSG_MAX_FDS)
				n = KEEPER_MSG_MAX_FDS;
			memcpy(fds, CMSG_DATA(c), n * sizeof(int));
		} else if (c->cmsg_type == SCM_CREDENTIALS) {
			memcpy(&cred, CMSG_DATA(c), sizeof(cred));
			*ret_pid = cred.pid;
		}
	}
}

int keeper_msg_recv(
	int sock, struct keeper_msg *ret_m, int fds[KEEPER_MSG_MAX_FDS], pid_t *ret_pid)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(sizeof(int) * KEEPER_MSG_MAX_FDS) +
			 CMSG_SPACE(sizeof(struct ucred))];
	} ctl;
	struct iovec iov = { .iov_base = ret_m, .iov_len = sizeof(*ret_m) };
	struct msghdr mh = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = ctl.buf,
		.msg_controllen = sizeof(ctl.buf) };
	ssize_t n;
	size_t i;

	for (i = 0; i < KEEPER_MSG_MAX_FDS; i++)
		fds[i] = -1;
	*ret_pid = 0;
	n = recvmsg(sock, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == ECONNRESET ? 0 : -errno;
	if (n == 0)
		return 0;
	take_control(&mh, fds, ret_pid);
	if ((size_t)n != sizeof(*ret_m))
		return -EPROTO;
	ret_m->text[sizeof(ret_m->text) - 1] = '\0';
	return 1;
}
