/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua.c - Lua's own command line, as one file, for WASI
 *
 * There are no other programs and no temporary names.  The seed of hashes and of math.random comes
 * from the host, fresh in each run.
 */
#include <stddef.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#define MAKE_LUA
#define lua_stdin_is_tty()      isatty(0)
#define l_system(command)       ((command) == NULL ? 0 : -1)
#define LUA_TMPNAMBUFSIZE       1
#define lua_tmpnam(name, error) ((void)(name), (error) = 1)

static unsigned int make_seed(void)
{
	unsigned int seed = 0;
	(void)getentropy(&seed, sizeof(seed));
	return seed;
}
#define luai_makeseed(...) make_seed()

/*
 * The library of mathematics seeds itself from time(), which has no other use up to there; that of
 * the operating system comes later, and says so by a macro of its own.
 */
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define time(to)   (sizeof(TEXT(loslib_c)) > 1 ? (time_t)make_seed() : (time)(to))

/* The C library declares it as not there; io.tmpfile() then says that it failed. */
static FILE *no_file(void)
{
	return NULL;
}
#define tmpfile no_file

#include "onelua.c"
