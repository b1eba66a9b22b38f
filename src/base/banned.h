/* SPDX-License-Identifier: Apache-2.0 */
/*
 * banned.h - functions that foso does not call, marked so that a call does not compile
 *
 * Included into every file by the build (-include).  A deprecated redeclaration is used, and not
 * a macro, because a macro would also hit a struct member of the same name (level->signal), and
 * not #pragma GCC poison, because that hits the system headers.  Nothing is included here, so no
 * file gets a declaration that it did not ask for.  What the compiler cannot see (dup2 in the
 * wrong file, exit outside main.c) is checked by tools/check-style.
 */
#pragma once

#define BANNED(instead) __attribute__((deprecated("banned in foso: " instead)))

/* Write past the end. */
extern char *strcpy(char *, const char *) BANNED("use snprintf or struct buf");
extern char *strcat(char *, const char *) BANNED("use snprintf or struct buf");
extern char *strncpy(char *, const char *, __SIZE_TYPE__) BANNED("it may leave out the NUL");
extern char *strncat(char *, const char *, __SIZE_TYPE__) BANNED("use snprintf or struct buf");
extern int sprintf(char *, const char *, ...) BANNED("use snprintf or struct buf");
extern int vsprintf(char *, const char *, __builtin_va_list) BANNED("use vsnprintf");

/* Accept what is not a number, or half of one. */
extern int atoi(const char *) BANNED("use text_parse_u64()");
extern long atol(const char *) BANNED("use text_parse_u64()");
extern long long atoll(const char *) BANNED("use text_parse_u64()");
extern long strtol(const char *, char **, int) BANNED("use text_parse_u64()");
extern long long strtoll(const char *, char **, int) BANNED("use text_parse_u64()");
extern unsigned long strtoul(const char *, char **, int) BANNED("use text_parse_u64()");
extern unsigned long long strtoull(const char *, char **, int) BANNED("use text_parse_u64()");

/* Start a shell. */
extern int system(const char *) BANNED("exec the program itself");
extern struct _IO_FILE *popen(const char *, const char *) BANNED("exec the program itself");

/* Race with other programs, or with themselves. */
extern char *mktemp(char *) BANNED("use mkstemp or O_TMPFILE");
extern char *tmpnam(char *) BANNED("use mkstemp or O_TMPFILE");
extern char *tempnam(const char *, const char *) BANNED("use mkstemp or O_TMPFILE");
extern int vfork(void) BANNED("use fork or clone3");
extern char *strtok(char *, const char *) BANNED("use strchrnul or strtok_r");
extern void (*signal(int, void (*)(int)))(int) BANNED("use sigaction or signalfd");
