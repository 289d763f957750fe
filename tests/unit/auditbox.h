/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A machine that is set well, for the audit's tests: two nodes of four CPUs (two cores
 * of two hardware threads each), nic0 with two queues on node 1, and a SUT of one
 * thread on CPU 6 beside it. Any one thing made wrong must give one finding.
 */
#ifndef SATPROF_TESTS_UNIT_AUDITBOX_H
#define SATPROF_TESTS_UNIT_AUDITBOX_H

#include "model/audit.h"
#include "plan/audit.h"

#define AUDITBOX_MIB (1024.0 * 1024)

/* The caller frees it (audit_done). */
void auditbox_make(struct audit *a);
/* Fails the cmocka test unless nothing is found. Frees *a. */
void auditbox_none(struct audit *a);
/* Fails unless there is this one finding, its text holds what, and its command is mend
 * (NULL: any). Frees *a. */
void auditbox_one(struct audit *a, const char *id, const char *what, const char *mend);

#endif
