/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor.c - foso doctor: which levels and limits work on this host, and what to do about others
 *
 * Exits with 0 if every level that was looked at works, with 1 if one does not.
 */
#include "cli/doctor.h"

#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/programs.h"
#include "base/version.h"
#include "cli/cli.h"
#include "format/json.h"
#include "limits/mechanism.h"
#include "policy/runtimes.h"
#include "workspace/changes.h"

/* clang-format off */
/* LEVEL(word, why not; "" if it is there; NULL: if the library is there), strongest first */
#define DOCTOR_LEVELS(LEVEL)  \
	LEVEL("microvm", not_built) \
	LEVEL("kernel",  not_built) \
	LEVEL("process", "")        \
	LEVEL("wasm",    NULL)
/* clang-format on */

static const char not_built[] = "not part of this version of foso; use level process, or wasm";
static const char no_library[] = "its library is not beside foso's programs; run "
				 "tools/fetch-wasmtime build, or ./x build";

struct level_row {
	char word[12];
	const char *lack; /* why this build has it not; "" if it has */
};

static struct level_row level_rows[] = {
#define LEVEL_ROW(word_, lack_) { .word = word_, .lack = lack_ },
	DOCTOR_LEVELS(LEVEL_ROW)
#undef LEVEL_ROW
};

#define N_LEVELS ARRAY_LEN(level_rows)

struct report {
	const char *wanted; /* level, or NULL: those that are built */
	struct doctor_fact facts[DOCTOR_N_FACTS];
	struct doctor_trial trials[N_LEVELS];
	struct cgroup_host host;
};

static bool is_built(size_t level)
{
	char path[PROGRAM_PATH_BYTES];
	struct error err = { 0 };
	struct level_row *row = &level_rows[level];
	if (!row->lack)
		row->lack = program_path("libwasmtime.so", path, &err) < 0 ? no_library : "";
	return !row->lack[0];
}

static bool is_shown(const struct report *report, size_t level)
{
	return !report->wanted || strcmp(report->wanted, level_rows[level].word) == 0;
}

static int look(struct report *report, struct error *err)
{
	doctor_look(report->facts);
	cgroup_host_probe(&report->host);
	for (size_t i = 0; i < N_LEVELS; i++) {
		if (!is_shown(report, i) || !is_built(i))
			continue;
		int r = doctor_try(level_rows[i].word, &report->trials[i], err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A level that this build lacks counts as not working if it was asked for. */
static bool is_healthy(const struct report *report)
{
	bool is_good = true;
	for (size_t i = 0; i < N_LEVELS; i++)
		if (is_shown(report, i) && (is_built(i) || report->wanted))
			is_good = is_good && report->trials[i].is_good;
	return is_good;
}

/* What foso said, each line under the level. */
static void print_lines(const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n");
		(void)printf("           %.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
	}
}

/* Those of level wasm that were built, and how to get the others. */
static void print_runtimes(void)
{
	char folder[PROGRAM_PATH_BYTES], path[PROGRAM_PATH_BYTES + 32];
	struct error err = { 0 };
	if (program_path("foso-wasm", folder, &err) < 0)
		return;
	*strrchr(folder, '/') = '\0';
	for (size_t i = 1; i < POLICY_N_RUNTIMES; i++) {
		const struct policy_runtime_row *runtime = &policy_runtimes[i];
		(void)snprintf(path, sizeof(path), "%s/runtimes/%s.sum", folder, runtime->name);
		bool is_there = access(path, R_OK) == 0;
		(void)printf("           --runtime %-11s %s%s\n", runtime->name,
			     is_there ? "" : "not built: ",
			     is_there ? runtime->version : "./x runtimes makes it");
	}
}

static void print_levels(const struct report *report)
{
	for (size_t i = 0; i < N_LEVELS; i++) {
		const struct level_row *row = &level_rows[i];
		if (!is_shown(report, i))
			continue;
		if (!is_built(i)) {
			(void)printf("  %-8s no: %s\n", row->word, row->lack);
			continue;
		}
		(void)printf("  %-8s %s\n", row->word,
			     report->trials[i].is_good ? "works" : "does not work:");
		if (!report->trials[i].is_good)
			print_lines(report->trials[i].text);
		if (strcmp(row->word, "wasm") == 0)
			print_runtimes();
	}
}

static void print_facts(const struct report *report)
{
	for (size_t i = 0; i < DOCTOR_N_FACTS; i++) {
		const struct doctor_fact *fact = &report->facts[i];
		const char *mark = fact->is_good ? "" : fact->is_essential ? "missing: " : "weak: ";
		(void)printf("  %-16s %s%s%s%s\n", fact->name, mark, fact->text,
			     fact->is_good ? "" : "; ", fact->remedy);
	}
}

static void print_weakness(const char *remedy)
{
	(void)printf("  %-16s not for the whole tree, so limits.strict refuses it; %s\n", "",
		     remedy);
}

static void print_disk_of_changes(void)
{
	const char *lack = changes_disk_lack();
	(void)printf("  %-16s both, of a workspace with access overlay: %s%s%s\n", "",
		     lack ? CHANGES_FOLDER_WORDS : CHANGES_DISK_WORDS, lack ? ", since " : "",
		     lack ? lack : "");
	if (lack)
		print_weakness(CHANGES_DISK_REMEDY);
}

static void print_limits(const struct report *report)
{
	for (unsigned id = 0; id < LIMIT_N; id++) {
		const struct limit_mechanism *mechanism =
			limit_mechanism_get(&report->host, (enum limit_id)id);
		(void)printf("  %-16s %s\n", mechanism->field + strlen("limits."), mechanism->name);
		if (!mechanism->is_whole_tree)
			print_weakness(mechanism->remedy);
		if (id == LIMIT_DISK_INODES)
			print_disk_of_changes();
	}
}

static void print_text(const struct report *report)
{
	(void)printf("foso %s (%s), %s\n\nLevels:\n", version_number(), version_build_id(),
		     geteuid() == 0 ? "as root" : "rootless");
	print_levels(report);
	(void)printf("\nHost:\n");
	print_facts(report);
	(void)printf("\nLimits, and what holds them:\n");
	print_limits(report);
}

static void put_levels(struct json *json, const struct report *report)
{
	json_array_open(json, "levels");
	for (size_t i = 0; i < N_LEVELS; i++) {
		const struct doctor_trial *trial = &report->trials[i];
		if (!is_shown(report, i))
			continue;
		json_object_open(json, NULL);
		json_string(json, "level", level_rows[i].word);
		json_bool(json, "works", trial->is_good);
		if (!is_built(i))
			json_string(json, "why", level_rows[i].lack);
		else if (!trial->is_good)
			json_bytes(json, "why", trial->text, strlen(trial->text));
		json_object_close(json);
	}
	json_array_close(json);
}

static void put_facts(struct json *json, const struct report *report)
{
	json_array_open(json, "host");
	for (size_t i = 0; i < DOCTOR_N_FACTS; i++) {
		const struct doctor_fact *fact = &report->facts[i];
		json_object_open(json, NULL);
		json_string(json, "name", fact->name);
		json_bool(json, "good", fact->is_good);
		json_bool(json, "essential", fact->is_essential);
		json_bytes(json, "text", fact->text, strlen(fact->text));
		json_string(json, "remedy", fact->remedy);
		json_object_close(json);
	}
	json_array_close(json);
}

static void put_limits(struct json *json, const struct report *report)
{
	json_array_open(json, "limits");
	for (unsigned id = 0; id < LIMIT_N; id++) {
		const struct limit_mechanism *mechanism =
			limit_mechanism_get(&report->host, (enum limit_id)id);
		json_object_open(json, NULL);
		json_string(json, "field", mechanism->field);
		json_string(json, "mechanism", mechanism->name);
		json_bool(json, "whole_tree", mechanism->is_whole_tree);
		json_string(json, "remedy", mechanism->is_whole_tree ? "" : mechanism->remedy);
		json_object_close(json);
	}
	const char *lack = changes_disk_lack();
	json_object_open(json, NULL);
	json_string(json, "field", "limits.disk");
	json_string(json, "of", "workspace.access overlay");
	json_string(json, "mechanism", lack ? CHANGES_FOLDER_WORDS : CHANGES_DISK_WORDS);
	json_bool(json, "whole_tree", !lack);
	if (lack)
		json_string(json, "why", lack);
	json_string(json, "remedy", lack ? CHANGES_DISK_REMEDY : "");
	json_object_close(json);
	json_array_close(json);
}

static void print_json(const struct report *report)
{
	struct buf text = BUF_INIT(256 * 1024);
	struct json json;
	json_init(&json, &text);
	json_object_open(&json, NULL);
	json_string(&json, "version", version_number());
	json_string(&json, "build_id", version_build_id());
	json_bool(&json, "rootless", geteuid() != 0);
	put_levels(&json, report);
	put_facts(&json, report);
	put_limits(&json, report);
	json_object_close(&json);
	(void)printf("%s\n", buf_string(&text));
	buf_fini(&text);
}

static int check_level(const char *word, struct error *err)
{
	for (size_t i = 0; i < N_LEVELS; i++)
		if (strcmp(level_rows[i].word, word) == 0)
			return 0;
	int r = error_set(err, ERR_INVALID, 0, "--level", "'%s' is not a level", word);
	return error_remedy(err, r, "write process, kernel, microvm or wasm");
}

int command_doctor(struct cli *cli, int *ret_status, struct error *err)
{
	struct report report = { .wanted = NULL };
	struct option option;
	bool is_json = false;
	int r;
	while ((r = options_next(&cli->options, &option, err)) == 0) {
		if (option.row->id == OPTION_JSON)
			is_json = true;
		else if (option.row->id == OPTION_LEVEL)
			report.wanted = option.value;
	}
	if (r > 0)
		r = options_operands(&cli->options, 0, 0, "[OPTION]...", err);
	if (r == 0 && report.wanted)
		r = check_level(report.wanted, err);
	if (r == 0)
		r = look(&report, err);
	if (r < 0)
		return r;
	if (is_json)
		print_json(&report);
	else
		print_text(&report);
	*ret_status = is_healthy(&report) ? 0 : 1;
	return 0;
}
