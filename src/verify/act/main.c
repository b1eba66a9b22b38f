/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - foso-act: one forbidden act, and how it went */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "verify/act/act.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	int n_arguments;
	const char *what;
} acts[] = {
#define ACT_ROW(name, function, n_arguments, what) { name, function, n_arguments, what },
	ACTS(ACT_ROW)
#undef ACT_ROW
};

/* The C library's words for an errno differ between libraries; its name does not. */
static const char *errno_name(int errnum)
{
	static const struct {
		int errnum;
		const char *name;
	} names[] = {
#define NAME(name) { name, #name }
		NAME(E2BIG),        NAME(EACCES),          NAME(EADDRINUSE), NAME(EAFNOSUPPORT),
		NAME(EAGAIN),       NAME(EBADF),           NAME(EBUSY),      NAME(ECHILD),
		NAME(ECONNREFUSED), NAME(EDQUOT),          NAME(EEXIST),     NAME(EFAULT),
		NAME(EFBIG),        NAME(EHOSTUNREACH),    NAME(EINVAL),     NAME(EIO),
		NAME(EISDIR),       NAME(ELOOP),           NAME(EMFILE),     NAME(ENAMETOOLONG),
		NAME(ENETUNREACH),  NAME(ENFILE),          NAME(ENODEV),     NAME(ENOENT),
		NAME(ENOEXEC),      NAME(ENOKEY),          NAME(ENOMEM),     NAME(ENOSPC),
		NAME(ENOSYS),       NAME(ENOTDIR),         NAME(ENOTTY),     NAME(ENXIO),
		NAME(EOPNOTSUPP),   NAME(EOVERFLOW),       NAME(EPERM),      NAME(EPROTONOSUPPORT),
		NAME(EROFS),        NAME(ESRCH),           NAME(ETIMEDOUT),  NAME(ETXTBSY),
		NAME(EXDEV),        NAME(ESOCKTNOSUPPORT),
#undef NAME
	};
	static char number[32];
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i].errnum == errnum)
			return names[i].name;
	}
	(void)snprintf(number, sizeof(number), "E%d", errnum);
	return number;
}

static void say(const char *word, int errnum, const char *format, va_list arguments)
	printf_like(3, 0);

static void say(const char *word, int errnum, const char *format, va_list arguments)
{
	printf("%s:", word);
	if (errnum != 0)
		printf(" %s", errno_name(errnum));
	printf(" ");
	(void)vprintf(format, arguments);
	printf("\n");
	(void)fflush(stdout);
}

int act_done(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say("done", 0, format, arguments);
	va_end(arguments);
	return ACT_DONE;
}

int act_denied(int errnum, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say("denied", errnum, format, arguments);
	va_end(arguments);
	return ACT_DENIED;
}

int act_cannot(int errnum, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	say("cannot", errnum, format, arguments);
	va_end(arguments);
	return ACT_CANNOT;
}

int act_outcome(long result, const char *what)
{
	return result < 0 ? act_denied(errno, "%s", what) : act_done("%s", what);
}

long act_number(const char *text)
{
	uint64_t value;
	if (text_parse_u64(text, &value) && value <= INT64_MAX)
		return (long)value;
	exit(act_cannot(0, "'%s' is not a number", text)); /* NOLINT(concurrency-mt-unsafe) */
}

void act_wait_ms(long ms)
{
	struct timespec left = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		continue;
}

int act_run(int argc, char **argv)
{
	for (size_t i = 0; argc > 0 && i < ARRAY_LEN(acts); i++) {
		if (strcmp(acts[i].name, argv[0]) != 0)
			continue;
		if (argc - 1 < acts[i].n_arguments)
			return act_cannot(0, "%s takes %d arguments", argv[0], acts[i].n_arguments);
		return acts[i].run(argc, argv);
	}
	return act_cannot(0, "there is no act '%s'", argc > 0 ? argv[0] : "");
}

int main(int argc, char **argv)
{
	if (argc >= 2 && strcmp(argv[1], "--help") != 0)
		return act_run(argc - 1, argv + 1);
	printf("usage: foso-act ACT [ARGUMENT]...\n\nWhat foso verify tries:\n");
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		printf("  %-15s %s\n", acts[i].name, acts[i].what);
	return argc >= 2 ? 0 : ACT_CANNOT;
}
