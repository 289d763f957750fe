/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one error type. A function that can fail returns 0 or a negative SP_E*
 * code; its last parameter is the caller's struct sp_err, which then holds one
 * line: what failed, why, what to do. The lowest level writes the message, each
 * caller may put a word before it with sp_err_push(), nobody but cli/ prints.
 * Out-parameters are named ret_* and stand just before err; they are untouched
 * on failure. No allocation; a struct sp_err belongs to one thread.
 */
#ifndef SATPROF_BASE_ERR_H
#define SATPROF_BASE_ERR_H

enum sp_errcode {
	SP_OK = 0,
	/* Wrong usage, or a value the caller can mend (exit 2). */
	SP_EUSAGE = 1,
	/* Input or output failed, or the kernel refused for no better reason (2). */
	SP_EIO,
	/* A file is not what it says or is from a future schema (2). */
	SP_EFORMAT,
	/* The environment lacks what was asked for by name (7). */
	SP_EENV,
	/* No right to do it; the message names the right (7, or degrade). */
	SP_EPERM,
	/* The measurement broke: the SUT died, a link vanished (6). */
	SP_EBROKEN,
	/* A signal asked us to stop (128+n). */
	SP_EINTR,
	/* Something took longer than its deadline (6). */
	SP_ETIMEDOUT,
};

struct sp_err {
	enum sp_errcode code;
	int sys_errno; /* 0 where no system call failed */
	char msg[600];
};

/* Set code and message; returns -code, so callers write `return sp_err_set(...)`. */
int sp_err_set(struct sp_err *err, enum sp_errcode code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same, with ": strerror(sys_errno)" appended, and the remedy where there is one
 * whatever failed: a limit on open files. */
int sp_err_errno(struct sp_err *err, enum sp_errcode code, int sys_errno,
	const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Put "context: " before the message. Returns -err->code for `return`. */
int sp_err_push(struct sp_err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
