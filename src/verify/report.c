/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report.c - the findings as a table, as JSON and, without a run, as the document of claims
 *
 * docs/boundary.md is what `foso verify --claims` prints; a test compares them.
 */
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/version.h"
#include "format/json.h"
#include "verify/verify.h"
#include "verify/wasm_modules.h"

#define MAX_REPORT_BYTES (8 * 1024 * 1024)

static const char *const verdict_words[N_VERDICTS] = {
	[VERDICT_HELD] = "held",
	[VERDICT_BROKEN] = "broken",
	[VERDICT_SKIPPED] = "skipped",
};

void report_line(const struct row *row, const struct finding *finding)
{
	printf("%-5s %-8s %s\n", row->id, verdict_words[finding->verdict], row->claim);
	if (finding->verdict == VERDICT_BROKEN)
		printf("      act:      %s\n      expected: %s\n      observed: %s\n",
		       row->forbidden, finding->expected, finding->observed);
	if (finding->verdict == VERDICT_SKIPPED)
		printf("      reason:   %s\n", finding->reason);
	if (finding->verdict == VERDICT_SKIPPED && finding->observed[0])
		printf("      observed: %s\n", finding->observed);
	(void)fflush(stdout);
}

static size_t count(const struct finding *findings, enum verdict verdict)
{
	size_t n = 0;
	for (size_t i = 0; i < matrix_count(); i++)
		n += findings[i].is_there && findings[i].verdict == verdict;
	return n;
}

void report_count(FILE *stream, const struct finding *findings)
{
	(void)fprintf(stream, "%zu held, %zu broken, %zu skipped\n", count(findings, VERDICT_HELD),
		      count(findings, VERDICT_BROKEN), count(findings, VERDICT_SKIPPED));
}

static void put_row(struct json *json, const struct row *row, const struct finding *finding)
{
	const char *source, *module;
	json_object_open(json, NULL);
	json_string(json, "id", row->id);
	json_string(json, "claim", row->claim);
	json_string(json, "forbidden", row->forbidden);
	json_string(json, "control", row->control_words);
	json_string(json, "verdict", verdict_words[finding->verdict]);
	json_string(json, "expected", finding->expected);
	json_string(json, "observed", finding->observed);
	if (finding->verdict == VERDICT_SKIPPED)
		json_string(json, "reason", finding->reason);
	if (finding->policy_sha256[0])
		json_string(json, "policy_sha256", finding->policy_sha256);
	else
		json_null(json, "policy_sha256");
	if (finding->root_sha256[0])
		json_string(json, "root_sha256", finding->root_sha256);
	if (row->act && wasm_module_digests(row->act, &source, &module)) {
		json_string(json, "source_sha256", source);
		json_string(json, "module_sha256", module);
	}
	json_u64(json, "duration_ns", finding->duration_ns);
	json_string(json, "build_id", version_build_id());
	json_object_close(json);
}

static void put_host(struct json *json, const struct verify *verify)
{
	struct utsname name;
	struct tm when;
	char text[32];
	time_t now = time(NULL);
	json_object_open(json, "foso");
	json_string(json, "version", version_number());
	json_string(json, "build_id", version_build_id());
	json_object_close(json);
	json_string(json, "level", verify->is_wasm ? "wasm" : "process");
	if (gmtime_r(&now, &when) && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &when) > 0)
		json_string(json, "ended", text);
	json_object_open(json, "host");
	if (uname(&name) == 0) {
		json_string(json, "kernel", name.release);
		json_string(json, "machine", name.machine);
	}
	json_u64(json, "uid", geteuid());
	json_bool(json, "root", verify->world.is_root);
	json_object_close(json);
}

int report_json(const struct verify *verify, const struct finding *findings, struct error *err)
{
	auto_buf struct buf text = BUF_INIT(MAX_REPORT_BYTES);
	struct json json;
	json_init(&json, &text);
	json_object_open(&json, NULL);
	put_host(&json, verify);
	json_array_open(&json, "rows");
	for (size_t i = 0; i < matrix_count(); i++) {
		if (findings[i].is_there)
			put_row(&json, matrix_row(i), &findings[i]);
	}
	json_array_close(&json);
	for (size_t i = 0; i < N_VERDICTS; i++)
		json_u64(&json, verdict_words[i], count(findings, (enum verdict)i));
	json_object_close(&json);
	if (!buf_is_whole(&text)) {
		int r = error_set(err, ERR_SYSTEM, 0, "verify", "no memory for the report");
		return error_remedy(err, r, "free some memory");
	}
	printf("%s\n", buf_string(&text));
	return 0;
}

/* A cell of a Markdown table: what would end or format it is escaped. */
static void put_cell(const char *text)
{
	for (; *text; text++) {
		if (strchr("|*_<>`[]\\", *text))
			(void)putchar('\\');
		(void)putchar(*text);
	}
}

void report_claims(bool is_wasm)
{
	const struct row_group *group;
	printf("<!-- Written by foso verify%s --claims; a test compares the two. -->\n\n"
	       "# The boundary at level `%s`, claim by claim\n\n"
	       "`foso verify%s` tries each row on the host at hand.  A row is *held* if the act fails "
	       "inside a\nsandbox, as expected and with nothing changed outside, and if the control "
	       "shows that the same act\nworks without the boundary.  Where the control does not "
	       "work, the row is *skipped*, with the reason.\n",
	       is_wasm ? " --level wasm" : "", is_wasm ? "wasm" : "process",
	       is_wasm ? " --level wasm" : "");
	for (size_t i = 0; (group = matrix_group(i)); i++) {
		printf("\n## %s\n\n| id | claim | forbidden act | control |\n|---|---|---|---|\n",
		       group->heading);
		for (size_t j = 0; j < group->n_rows; j++) {
			const struct row *row = &group->rows[j];
			printf("| %s | ", row->id);
			put_cell(row->claim);
			printf(" | ");
			put_cell(row->forbidden);
			printf(" | ");
			put_cell(row->control_words);
			printf(" |\n");
		}
	}
}
