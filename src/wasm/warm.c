/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warm.c - a language's own start, done once for all commands of a sandbox
 *
 * Theory of operation.  The zygote runs the interpreter itself, with no word of any command, up to
 * where it asks for one: its first read of stdin.  That call does not return there, but in the
 * workers that are forked from within it, each with the streams, fuel and limits of its own
 * command.  What they read is the command's words up to an end, and then its stdin.  What a worker
 * does stays in the worker: its memory is a copy.
 *
 * Commands that the interpreter would have to begin otherwise for (other options, variables that
 * it reads at its start) get a fresh start in their worker, as at any other module.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/macros.h"
#include "wasm/wasm.h"

/*
 * Where a folder is granted the interpreter ends as it always does, so that files are written
 * that nobody has closed; elsewhere there are none, and the work of taking it all down is spared.
 * The hash seed is of the zygote, and so of one sandbox; random numbers are seeded where their
 * module is imported, which is after the fork.
 */
static char program[] = "import atexit, gc, os, sys\n"
			"gc.collect()\n"
			"gc.freeze()\n"
			"def begin():\n"
			"    data = b''\n"
			"    while part := os.read(0, 1 << 16):\n"
			"        data += part\n"
			"    words = [os.fsdecode(word) for word in data.split(b'\\0')]\n"
			"    n = int(words[1]) + 2\n"
			"    args = words[2:n]\n"
			"    for item in words[n:-1]:\n"
			"        name, _, value = item.partition('=')\n"
			"        os.environ[name] = value\n"
			"    sys.orig_argv[:] = args\n"
			"    if args[1:2] == ['-c']:\n"
			"        sys.argv[:] = args[1:2] + args[3:]\n"
			"        return words[0], args[2] + '\\n', '<string>'\n"
			"    sys.argv[:] = args[1:] or ['']\n"
			"    return words[0], sys.stdin.buffer.read(), '<stdin>'\n"
			"def end(status, atexit=atexit, os=os, sys=sys):\n"
			"    if status is not None and not isinstance(status, int):\n"
			"        print(status, file=sys.stderr)\n"
			"        status = 1\n"
			"    status = (status or 0) & 0xff\n"
			"    atexit._run_exitfuncs()\n"
			"    for file in (sys.stdout, sys.stderr):\n"
			"        try:\n"
			"            if file is not None and not getattr(file, 'closed', False):\n"
			"                file.flush()\n"
			"        except BaseException:\n"
			"            status = status or 120\n"
			"    os._exit(status)\n"
			"def main(begin=begin, end=end, sys=sys, names=globals()):\n"
			"    kind, source, name = begin()\n"
			"    for item in ('atexit', 'begin', 'end', 'gc', 'main', 'os', 'sys'):\n"
			"        del names[item]\n"
			"    status = None\n"
			"    try:\n"
			"        try:\n"
			"            code = compile(source, name, 'exec', dont_inherit=True)\n"
			"        except (SyntaxError, ValueError) as error:\n"
			"            error.__traceback__ = None\n"
			"            sys.excepthook(type(error), error, None)\n"
			"            status = 1\n"
			"        else:\n"
			"            exec(code, names)\n"
			"    except SystemExit as error:\n"
			"        status = error.code\n"
			"    except BaseException as error:\n"
			"        sys.excepthook(type(error), error, error.__traceback__.tb_next)\n"
			"        status = 1\n"
			"    if kind == 'files':\n"
			"        sys.exit(status)\n"
			"    end(status)\n"
			"main()\n";

static char name[] = "python", option[] = "-c";
static char *words[] = { name, option, program };

void warm_begin(struct wasm_execute *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->args = (struct policy_list){ words, ARRAY_LEN(words) };
}

bool warm_serves(const struct wasm_execute *execute)
{
	const struct policy_list *args = &execute->args;
	for (size_t i = 0; i < execute->env.n_items; i++) {
		if (strncmp(execute->env.items[i], "PYTHON", 6) == 0)
			return false;
	}
	if (args->n_items < 2)
		return args->n_items == 1;
	return strcmp(args->items[1], "-") == 0 ||
	       (strcmp(args->items[1], "-c") == 0 && args->n_items > 2);
}

static size_t list_bytes(const struct policy_list *list)
{
	size_t n = 0;
	for (size_t i = 0; i < list->n_items; i++)
		n += strlen(list->items[i]) + 1;
	return n;
}

static char *put_list(char *at, const struct policy_list *list)
{
	for (size_t i = 0; i < list->n_items; i++) {
		size_t size = strlen(list->items[i]) + 1;
		memcpy(at, list->items[i], size);
		at += size;
	}
	return at;
}

char *warm_words(const struct wasm_execute *execute, bool has_files, size_t *ret_len)
{
	char count[32];
	int n = snprintf(count, sizeof(count), "%s%c%zu", has_files ? "files" : "none", 0,
			 execute->args.n_items);
	*ret_len = (size_t)n + 1 + list_bytes(&execute->args) + list_bytes(&execute->env);
	char *bytes = malloc(*ret_len);
	if (!bytes)
		return NULL;
	memcpy(bytes, count, (size_t)n + 1);
	(void)put_list(put_list(bytes + n + 1, &execute->args), &execute->env);
	return bytes;
}
