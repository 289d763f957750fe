/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error type: fixed buffers, no allocation. */
#include "config.h"

#include "base/err.h"

#include <errno.h>
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

/* Errors that have one cause, wherever they come up. */
static const char *remedy(int sys_errno)
{
	if (sys_errno == EMFILE)
		return ": raise the limit (ulimit -n)";
	if (sys_errno == ENFILE)
		return " on this machine: raise fs.file-max";
	return "";
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
	(void)snprintf(err->msg + len, sizeof(err->msg) - len, ": %s%s",
		strerror(sys_errno), remedy(sys_errno));
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
