/* SPDX-License-Identifier: Apache-2.0 */
/*
 * javascript.c - a command line for QuickJS-ng: javascript [-m] [-e CODE | FILE | -] [ARGUMENT]...
 *
 * A script of -e, of a file or of stdin; -m makes it a module, and .mjs, import or export do so by
 * themselves.  Beside the language there are console, print, timers, scriptArgs, readLine(),
 * readFile(), writeFile(), getenv() and exit(): what can be served by the three streams and the
 * folders that were granted.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* As one file: the seed of Math.random() is not to be reached otherwise. */
#include "quickjs.c"

static const char prelude[] = {
#include "javascript.js.h"
	, 0
};

static bool has_failed; /* a promise was rejected, and nobody looked */

static void seed(JSContext *context)
{
	while (getentropy(&context->random_state, sizeof(context->random_state)) != 0 ||
	       context->random_state == 0)
		;
}

static char *read_all(FILE *file, size_t *ret_len)
{
	size_t len = 0, size = 65536;
	char *text = malloc(size);
	while (text) {
		size_t n = fread(text + len, 1, size - len - 1, file);
		len += n;
		if (n == 0)
			break;
		if (len + 1 == size) {
			char *more = realloc(text, size *= 2);
			if (!more)
				free(text);
			text = more;
		}
	}
	if (text)
		text[len] = '\0';
	*ret_len = len;
	return text;
}

static char *read_named(const char *path, size_t *ret_len)
{
	FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
	char *text = file ? read_all(file, ret_len) : NULL;
	int errnum = errno;
	if (file && file != stdin)
		fclose(file);
	errno = errnum;
	return text;
}

static void print_error(JSContext *context, JSValueConst value)
{
	const char *text = JS_ToCString(context, value);
	fprintf(stderr, "%s\n", text ? text : "[exception]");
	JS_FreeCString(context, text);
	JSValue stack =
		JS_IsError(value) ? JS_GetPropertyStr(context, value, "stack") : JS_UNDEFINED;
	if (JS_IsString(stack) && (text = JS_ToCString(context, stack))) {
		fputs(text, stderr);
		JS_FreeCString(context, text);
	}
	JS_FreeValue(context, stack);
}

static int fail(JSContext *context)
{
	JSValue exception = JS_GetException(context);
	print_error(context, exception);
	JS_FreeValue(context, exception);
	return 1;
}

static JSValue throw_errno(JSContext *context, const char *path)
{
	return JS_ThrowPlainError(context, "%s: %s", path, strerror(errno));
}

static JSValue js_write(JSContext *context, JSValueConst this, int argc, JSValueConst *argv)
{
	int fd = 1;
	size_t len;
	(void)this, (void)argc;
	const char *text = JS_ToCStringLen(context, &len, argv[1]);
	if (!text || JS_ToInt32(context, &fd, argv[0]))
		return JS_EXCEPTION;
	fwrite(text, 1, len, fd == 2 ? stderr : stdout);
	JS_FreeCString(context, text);
	return JS_UNDEFINED;
}

static JSValue js_sleep(JSContext *context, JSValueConst this, int argc, JSValueConst *argv)
{
	double ms;
	(void)this, (void)argc;
	if (JS_ToFloat64(context, &ms, argv[0]))
		return JS_EXCEPTION;
	fflush(stdout);
	if (ms > 0) {
		struct timespec time = { (time_t)(ms / 1000) };
		time.tv_nsec = (long)((ms - (double)time.tv_sec * 1000) * 1000000);
		nanosleep(&time, NULL);
	}
	return JS_UNDEFINED;
}

static JSValue js_now(JSContext *context, JSValueConst this, int argc, JSValueConst *argv)
{
	struct timespec time;
	(void)this, (void)argc, (void)argv;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return JS_NewFloat64(context, (double)time.tv_sec * 1000 + (double)time.tv_nsec / 1000000);
}

/* A line of stdin without its end; null where there is none. */
static JSValue js_read_line(JSContext *context, JSValueConst this, int argc, JSValueConst *argv)
{
	char *line = NULL;
	size_t size = 0;
	(void)this, (void)argc, (void)argv;
	fflush(stdout);
	ssize_t len = getline(&line, &size, stdin);
	if (len > 0 && line[len - 1] == '\n')
		len--;
	JSValue value = len < 0 ? JS_NULL : JS_NewStringLen(context, line, (size_t)len);
	free(line);
	return value;
}

static JSValue js_read_file(JSContext *context, JSValueConst this, int argc, JSValueConst *argv)
{
	size_t len;
	(void)this, (void)argc;
	const char *path = JS_ToCString(context, argv[0]);
	if (!path)
		return JS_EXCEPTION;
	char *text = read_named(path, &len);
	JSValue value = text ? JS_NewStringLen(context, text, len) : throw_errno(context, path);
	free(text);
	JS_FreeCString(context, path);
	return value;
}

static JSValue js_write_file(JSContext *context, JSValueConst this, int argc, JSValueConst *argv)
{
	size_t len;
	JSValue value = JS_UNDEFINED;
	(void)this, (void)argc;
	const char *path = JS_ToCString(context, argv[0]);
	const char *text = path ? JS_ToCStringLen(context, &len, argv[1]) : NULL;
	if (!text)
		return JS_EXCEPTION;
	FILE *file = fopen(path, "wb");
	bool is_whole = file && fwrite(text, 1, len, file) == len;
	if (file && fclose(file) != 0)
		is_whole = false;
	if (!is_whole)
		value = throw_errno(context, path);
	JS_FreeCString(context, text);
	JS_FreeCString(context, path);
	return value;
}

static JSValue js_getenv(JSContext *context, JSValueConst this, int argc, JSValueConst *argv)
{
	(void)this, (void)argc;
	const char *name = JS_ToCString(context, argv[0]);
	if (!name)
		return JS_EXCEPTION;
	const char *text = getenv(name);
	JS_FreeCString(context, name);
	return text ? JS_NewString(context, text) : JS_UNDEFINED;
}

static JSValue js_exit(JSContext *context, JSValueConst this, int argc, JSValueConst *argv)
{
	int code = 0;
	(void)this, (void)argc;
	if (!JS_IsUndefined(argv[0]) && JS_ToInt32(context, &code, argv[0]))
		return JS_EXCEPTION;
	exit(code);
}

static void add(JSContext *context, JSValueConst to, const char *name, JSCFunction *call, int n)
{
	JS_DefinePropertyValueStr(context, to, name, JS_NewCFunction(context, call, name, n),
				  JS_PROP_WRITABLE | JS_PROP_CONFIGURABLE);
}

/* Returns the prelude's turn(), which runs a timer. */
static JSValue add_globals(JSContext *context, int argc, char **argv)
{
	JSValue global = JS_GetGlobalObject(context), args = JS_NewArray(context);
	JSValue natives = JS_NewObject(context);
	for (int i = 0; i < argc; i++)
		JS_SetPropertyUint32(context, args, (uint32_t)i, JS_NewString(context, argv[i]));
	JS_SetPropertyStr(context, global, "scriptArgs", args);
	add(context, natives, "write", js_write, 2);
	add(context, natives, "sleep", js_sleep, 1);
	add(context, natives, "now", js_now, 0);
	add(context, global, "readLine", js_read_line, 0);
	add(context, global, "readFile", js_read_file, 1);
	add(context, global, "writeFile", js_write_file, 2);
	add(context, global, "getenv", js_getenv, 1);
	add(context, global, "exit", js_exit, 1);
	JSValue function = JS_Eval(context, prelude, sizeof(prelude) - 1, "<prelude>", 0);
	JSValue turn = JS_Call(context, function, JS_UNDEFINED, 1, (JSValueConst *)&natives);
	JS_FreeValue(context, function);
	JS_FreeValue(context, natives);
	JS_FreeValue(context, global);
	return turn;
}

static JSModuleDef *load_module(JSContext *context, const char *name, void *opaque)
{
	size_t len;
	(void)opaque;
	char *text = read_named(name, &len);
	if (!text) {
		throw_errno(context, name);
		return NULL;
	}
	JSValue module =
		JS_Eval(context, text, len, name, JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
	free(text);
	if (JS_IsException(module))
		return NULL;
	JSModuleDef *def = JS_VALUE_GET_PTR(module);
	JS_FreeValue(context, module);
	return def;
}

static void on_rejection(JSContext *context, JSValueConst promise, JSValueConst reason,
			 bool is_handled, void *opaque)
{
	(void)promise, (void)opaque;
	if (is_handled || has_failed)
		return;
	fputs("Uncaught (in promise) ", stderr);
	print_error(context, reason);
	has_failed = true;
}

/* Jobs, then timers, until there are none. */
static int run_to_end(JSContext *context, JSValueConst turn)
{
	JSContext *of;
	int r;
	for (;;) {
		while ((r = JS_ExecutePendingJob(JS_GetRuntime(context), &of)) > 0)
			;
		if (r < 0)
			return fail(of);
		if (has_failed)
			return 1;
		JSValue more = JS_Call(context, turn, JS_UNDEFINED, 0, NULL);
		if (JS_IsException(more))
			return fail(context);
		if (!JS_ToBool(context, more))
			return 0;
	}
}

static int usage(void)
{
	fputs("usage: javascript [-m] [-e CODE | FILE | -] [ARGUMENT]...\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	bool is_module = false;
	const char *code = NULL, *name = "-";
	int at = 1;
	for (; at < argc && argv[at][0] == '-' && argv[at][1]; at++) {
		if (strcmp(argv[at], "-m") == 0)
			is_module = true;
		else if (strcmp(argv[at], "--version") == 0)
			return printf("QuickJS-ng %s\n", JS_GetVersion()) < 0;
		else if (strcmp(argv[at], "-e") == 0 && at + 1 < argc && !code)
			code = argv[++at];
		else
			return usage();
	}
	size_t len = code ? strlen(code) : 0;
	if (!code && at < argc)
		name = argv[at++];
	char *text = code ? NULL : read_named(name, &len);
	if (!code && !text) {
		fprintf(stderr, "javascript: %s: %s\n", name, strerror(errno));
		return 2;
	}
	const char *source = code ? code : text;
	size_t name_len = strlen(name);
	if (name_len > 4 && strcmp(name + name_len - 4, ".mjs") == 0)
		is_module = true;
	JSRuntime *runtime = JS_NewRuntime();
	JSContext *context = runtime ? JS_NewContext(runtime) : NULL;
	if (!context) {
		fputs("javascript: no memory\n", stderr);
		return 1;
	}
	JS_SetMaxStackSize(runtime, 256 * 1024);
	JS_SetModuleLoaderFunc(runtime, NULL, load_module, NULL);
	JS_SetHostPromiseRejectionTracker(runtime, on_rejection, NULL);
	seed(context);
	JSValue turn = add_globals(context, argc - at, argv + at);
	int status;
	if (JS_IsException(turn))
		return fail(context);
	if (!is_module)
		is_module = JS_DetectModule(source, len);
	JSValue result = JS_Eval(context, source, len, code ? "<cmdline>" : name,
				 is_module ? JS_EVAL_TYPE_MODULE : JS_EVAL_TYPE_GLOBAL);
	status = JS_IsException(result) ? fail(context) : run_to_end(context, turn);
	/* Freeing it all would only cost time. */
	fflush(stdout);
	return status;
}
