/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one way to standard error. A message may carry names and texts of strangers,
 * so each is made one printable line here: nothing in it steers the terminal or
 * passes for a line of ours.
 */
#ifndef SATPROF_CLI_SAY_H
#define SATPROF_CLI_SAY_H

#include <stdbool.h>

/* One line, without its line end; blanks at its end go. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same over the last line of a terminal, which stays open for the next such
 * text; "" takes it away. */
void say_over(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Whether the locale writes UTF-8 (main() has set it). */
bool say_is_utf8(void);

#endif
