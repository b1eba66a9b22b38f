/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.c - one foso run, and what its record says */
#include "verify/sandbox.h"

#include <jansson.h>
#include <string.h>
#include <unistd.h>

/* The first word of *act names the module; *act is then what follows it. */
static int add_module(struct words *words, const struct verify *verify, const char **act,
		      struct error *err)
{
	char path[256];
	size_t len = strcspn(*act, " ");
	(void)snprintf(path, sizeof(path), "%s/%.*s.wasm", verify->world.folder, (int)len, *act);
	*act += len + ((*act)[len] == ' ');
	int r = words_add(words, verify, "--", err);
	return r < 0 ? r : words_add_whole(words, path, err);
}

/* The act is mounted into each sandbox, so that tools of the root file system do not matter. */
int sandbox_start(struct verify *verify, const char *options, const char *act, unsigned flags,
		  struct sandbox_run *ret, struct error *err)
{
	struct words words = { 0 };
	char volume[sizeof(verify->act) + 16];
	*ret = (struct sandbox_run){ .run = RUN_INIT };
	(void)snprintf(ret->result, sizeof(ret->result), "%s/record-%u", verify->world.folder,
		       ++verify->n_runs);
	(void)snprintf(volume, sizeof(volume), "%s:/foso-act", verify->act);
	const char *const of_wasm[] = { verify->foso, "run",       "--level",    "wasm",
					"--result",   ret->result, "--evidence", verify->evidence };
	const char *const fixed[] = { verify->foso, "run",       "--level",    "process",
				      "--result",   ret->result, "--evidence", verify->evidence,
				      "--volume",   volume };
	int r = 0;
	size_t n_fixed = verify->is_wasm ? ARRAY_LEN(of_wasm) : ARRAY_LEN(fixed);
	for (size_t i = 0; i < n_fixed && r == 0; i++)
		r = words_add_whole(&words, verify->is_wasm ? of_wasm[i] : fixed[i], err);
	if (r == 0)
		r = words_add(&words, verify, options, err);
	if (r == 0)
		r = verify->is_wasm ? add_module(&words, verify, &act, err)
				    : words_add(&words, verify, "-- /foso-act", err);
	if (r == 0)
		r = words_add(&words, verify, act, err);
	if (r == 0)
		r = run_start(&ret->run, verify, words.items, flags, err);
	words_fini(&words);
	return r;
}

static void copy_text(const json_t *object, const char *key, char *text, size_t size)
{
	const char *value = json_string_value(json_object_get(object, key));
	(void)snprintf(text, size, "%s", value ? value : "");
}

static uint64_t get_number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void read_denials(struct sandbox_run *sandbox, const json_t *denials)
{
	size_t n = json_array_size(denials);
	for (size_t i = 0; i < n && i < SANDBOX_MAX_DENIALS; i++) {
		const json_t *item = json_array_get(denials, i);
		copy_text(item, "syscall", sandbox->denials[i].name,
			  sizeof(sandbox->denials[i].name));
		sandbox->denials[i].count = get_number(item, "count");
		sandbox->n_denials++;
	}
}

static void read_record(struct sandbox_run *sandbox)
{
	json_error_t error;
	json_t *record = json_load_file(sandbox->result, 0, &error);
	const json_t *end = json_object_get(record, "end");
	const json_t *usage = json_object_get(record, "usage");
	if (!json_is_object(end) || !json_is_object(usage)) {
		json_decref(record);
		return;
	}
	sandbox->has_record = true;
	copy_text(record, "id", sandbox->id, sizeof(sandbox->id));
	copy_text(record, "policy_sha256", sandbox->policy_sha256, sizeof(sandbox->policy_sha256));
	copy_text(record, "root_sha256", sandbox->root_sha256, sizeof(sandbox->root_sha256));
	copy_text(end, "reason", sandbox->reason, sizeof(sandbox->reason));
	copy_text(end, "limit", sandbox->limit, sizeof(sandbox->limit));
	sandbox->code = (int)get_number(end, "code");
	sandbox->signal = (int)get_number(end, "signal");
	sandbox->stdout_bytes = get_number(usage, "stdout_bytes");
	sandbox->stderr_bytes = get_number(usage, "stderr_bytes");
	sandbox->lost_bytes = get_number(usage, "lost_output_bytes");
	read_denials(sandbox, json_object_get(record, "denials"));
	json_decref(record);
}

void sandbox_finish(struct sandbox_run *sandbox)
{
	run_finish(&sandbox->run);
	read_record(sandbox);
	(void)unlink(sandbox->result);
}

int sandbox_run(struct verify *verify, const char *options, const char *act, unsigned flags,
		struct sandbox_run *ret, struct error *err)
{
	int r = sandbox_start(verify, options, act, flags, ret, err);
	if (r == 0)
		sandbox_finish(ret);
	return r;
}

void sandbox_fini(struct sandbox_run *sandbox)
{
	run_fini(&sandbox->run);
}
