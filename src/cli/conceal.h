/* SPDX-License-Identifier: Apache-2.0 */
/* conceal.h - what /proc shows of a foso that stays as long as its sandbox */
#pragma once

/*
 * conceal_command_line() - wipe the words of @argv and the environment, and be called @name
 *
 * Both can hold secrets, and /proc/PID/cmdline is readable by everyone, for as long as the sandbox
 * stands (case T02).  What the monitor needs of the environment stays: where its folders are.
 * Nothing may point into either any more.
 */
void conceal_command_line(char **argv, const char *name);
