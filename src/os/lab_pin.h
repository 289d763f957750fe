/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A lab that outlives the command that made it: a small process holds its
 * descriptors, and a file in the state folder, locked by that process as long as
 * it lives, says where. Ending the process, by any means, ends the lab; a file
 * that nobody locks is left over and taken again. Two labs have two names, and
 * each user has their own. Single-threaded callers only.
 */
#ifndef SATPROF_OS_LAB_PIN_H
#define SATPROF_OS_LAB_PIN_H

#include <stdbool.h>

#include "base/err.h"
#include "os/lab.h"

/* 1 to 32 letters, digits, '-', '_' or '.'; not beginning with a '.'. */
bool lab_pin_name_is_valid(const char *name);
/*
 * Bring a lab up and leave it with a holder; in a user namespace where the rights
 * for more are missing. SP_EUSAGE when one of that name is up. ret_lab's
 * descriptors are closed again: it only tells what was achieved.
 */
int lab_pin_up(const char *name, const struct lab_config *cfg, struct lab *ret_lab,
	struct sp_err *err);
/* End it. SP_EUSAGE when there is none of that name. */
int lab_pin_down(const char *name, struct sp_err *err);
/*
 * Move this process into the lab's user namespace if it has one, into the
 * generator's or the SUT's network namespace, and into a mount namespace of its
 * own whose /sys matches. There is no way back: exec next.
 */
int lab_pin_enter(const char *name, bool in_sut, struct sp_err *err);

#endif
