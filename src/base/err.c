/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error type: fixed buffers, no allocation. */
#include "config.h"

#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The arguments may be err->msg itself, so it is written only at the end. */
__attribute__((format(printf, 2, 0))) static void msg_vformat(
	struct sp_err *err, const char *fmt, va_list ap)
{
	char msg[sizeof(err->msg)];

	(void)vsnprintf(msg, sizeof(msg), fmt, ap); /* cut is fine */
	memcpy(err->msg, msg, strlen(msg) + 1);
}

int sp_err_set(struct sp_err *err, enum sp_errcode code, const char *fmt, ...)
{
	va_list ap;

	err->code = code;
	err->sys_errno = 0;
	va_start(ap, fmt);
	msg_vformat(err, fmt, ap);
	va_end(ap);
	return -(int)code;
}

int sp_err_errno(
	struct sp_err *err, enum sp_errcode code, int sys_errno, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	err->code = code;
	err->sys_errno = sys_errno;
	va_start(ap, fmt);
	msg_vformat(err, fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	(void)snprintf(
		err->msg + len, sizeof(err->msg) - len, ": %s", strerror(sys_errno));
	return -(int)code;
}

int sp_err_push(struct sp_err *err, const char *fmt, ...)
{
	char msg[sizeof(err->msg)];
	va_list ap;
	size_t len;

	memcpy(msg, err->msg, strlen(err->msg) + 1);
	va_start(ap, fmt);
	msg_vformat(err, fmt, ap);
	va_end(ap);
	len = strlen(err->msg);
	(void)snprintf(err->msg + len, sizeof(err->msg) - len, ": %s", msg);
	return -(int)err->code;
}
