/* SPDX-License-Identifier: Apache-2.0 */
/* ps.c - foso ps: the sandboxes of this user, as a table or as JSON, one object a line */
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "cli/cli.h"
#include "format/json.h"
#include "wire/rundir.h"

struct ps {
	bool is_json, is_quiet;
	bool has_head; /* the line above the table is printed */
};

/* What a state word means is said in foso-ps(1). */
static const char *state_word(const struct rundir_entry *entry)
{
	if (!entry->is_alive)
		return entry->has_state ? "lost" : "unknown";
	return entry->state.is_background ? "background" : "running";
}

static uint64_t age_ns(const struct rundir_entry *entry)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	uint64_t now_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	uint64_t started_ns = entry->state.started_realtime_ns;
	return started_ns > 0 && started_ns < now_ns ? now_ns - started_ns : 0;
}

/* "7s", "12min", "3h", "2d" */
static void format_age(uint64_t ns, char *text, size_t size)
{
	static const struct {
		uint64_t seconds, below;
		const char *unit;
	} units[] = { { 1, 120, "s" }, { 60, 7200, "min" }, { 3600, 172800, "h" } };
	uint64_t seconds = ns / 1000000000u;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (seconds < units[i].below) {
			(void)snprintf(text, size, "%llu%s",
				       (unsigned long long)(seconds / units[i].seconds),
				       units[i].unit);
			return;
		}
	}
	(void)snprintf(text, size, "%llud", (unsigned long long)(seconds / 86400));
}

static void print_json(const struct rundir_entry *entry)
{
	auto_buf struct buf text = BUF_INIT(8192);
	struct json json;
	json_init(&json, &text);
	json_object_open(&json, NULL);
	json_string(&json, "id", entry->id);
	json_string(&json, "state", state_word(entry));
	if (entry->has_state) {
		json_string(&json, "level", entry->state.level);
		json_u64(&json, "started_realtime_ns", entry->state.started_realtime_ns);
		json_u64(&json, "age_ns", age_ns(entry));
		json_i64(&json, "monitor_pid", entry->state.monitor_pid);
		json_i64(&json, "init_pid", entry->state.init_pid);
		json_bytes(&json, "command", entry->state.command, strlen(entry->state.command));
	}
	json_object_close(&json);
	(void)printf("%s\n", buf_string(&text));
}

static int print_entry(const struct rundir_entry *entry, void *context)
{
	struct ps *ps = context;
	char age[32];
	if (ps->is_json) {
		print_json(entry);
		return 0;
	}
	if (ps->is_quiet) {
		(void)printf("%s\n", entry->id);
		return 0;
	}
	if (!ps->has_head)
		(void)printf("%-16s %-10s %-8s %6s %8s  %s\n", "ID", "STATE", "LEVEL", "AGE",
			     "MONITOR", "COMMAND");
	ps->has_head = true;
	format_age(age_ns(entry), age, sizeof(age));
	(void)printf("%-16s %-10s %-8s %6s %8d  %s\n", entry->id, state_word(entry),
		     entry->has_state ? entry->state.level : "-", entry->has_state ? age : "-",
		     entry->state.monitor_pid, entry->state.command);
	return 0;
}

int command_ps(struct cli *cli, int *ret_status, struct error *err)
{
	struct ps ps = { .is_json = false };
	auto_fd int dir_fd = -1;
	struct option option;
	int r;
	while ((r = options_next(&cli->options, &option, err)) == 0) {
		if (option.row->id == OPTION_JSON)
			ps.is_json = true;
		else if (option.row->id == OPTION_QUIET)
			ps.is_quiet = true;
	}
	if (r > 0)
		r = options_operands(&cli->options, 0, 0, "[OPTION]...", err);
	if (r == 0)
		r = rundir_open(&dir_fd, err);
	if (r == 0)
		r = rundir_scan(dir_fd, print_entry, &ps, err);
	if (r < 0)
		return r;
	*ret_status = 0;
	return 0;
}
