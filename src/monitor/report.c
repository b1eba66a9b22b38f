/* SPDX-License-Identifier: Apache-2.0 */
/* report.c - what a run leaves: its evidence, the result file, one line, an exit status */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "evidence/log.h"
#include "evidence/signer.h"
#include "monitor/monitor.h"

/* What a reader of stderr or of the result may take, all else being done. */
#define REPORT_PATIENCE_NS (MONITOR_GRACE_NS / 4)

static void say_end(const struct monitor *monitor)
{
	const struct end *end = &monitor->end;
	if (monitor->failure.code != ERR_NONE) {
		error_print(stderr, &monitor->failure);
		if (monitor->plan->is_debug && monitor->failure.origin)
			(void)fprintf(stderr, "foso: at %s\n", monitor->failure.origin);
	} else if (end->limit) {
		(void)fprintf(stderr, "foso: %s: the command was ended, %s was reached\n",
			      end_reason_word(end->reason), end->limit);
	} else if (end->reason == END_SIGNAL) {
		(void)fprintf(stderr, "foso: signal: the command was ended by signal %d\n",
			      end->signal);
	} else if (end->reason == END_KILLED) {
		(void)fprintf(stderr, "foso: killed: the sandbox was killed by its caller\n");
	}
}

/* The engine's own copy goes with it. */
static const char *monitor_keep_id(const char *id)
{
	static char kept[RUNDIR_ID_BYTES];
	(void)snprintf(kept, sizeof(kept), "%s", id);
	return kept;
}

/*
 * What the command wrote did not get where the caller wanted it, for which it could not know: its
 * write had gone to us.  A reader that went away is not meant, as everywhere.
 */
static int check_output(const struct monitor *monitor, struct error *err)
{
	const struct command *command = &monitor->commands[0];
	const struct relay *relays[] = { &command->out, &command->err };
	static const char *const names[] = { "stdout", "stderr" };
	for (size_t i = 0; i < ARRAY_LEN(relays) && !monitor->plan->is_session; i++) {
		if (relays[i]->write_errnum == 0)
			continue;
		int r = error_set(err, ERR_SYSTEM, relays[i]->write_errnum, names[i],
				  "what the command wrote cannot be written");
		return error_remedy(err, r, "free some space where it goes, or send it elsewhere");
	}
	return 0;
}

/* Told only: the command took it for the end, and whether it wanted more is not known. */
static void say_input(const struct monitor *monitor)
{
	struct error err = { 0 };
	int errnum = monitor->commands[0].in.read_errnum;
	if (monitor->plan->is_session || errnum == 0)
		return;
	int r = error_set(&err, ERR_SYSTEM, errnum, "stdin", "cannot be read to its end");
	(void)error_remedy(&err, r, "name a file that can be read, or /dev/null");
	error_print(stderr, &err);
}

/* What waits in the workspace, and by which words it goes on. */
static void say_changes(const struct evidence_changes *changes)
{
	if (!changes || !changes->is_kept)
		return;
	(void)fprintf(
		stderr,
		"foso: %s: %s%llu file%s changed in /workspace: foso diff, commit or discard %s\n",
		changes->id, changes->is_counted ? "" : "at least ",
		(unsigned long long)changes->n_changed, changes->n_changed == 1 ? "" : "s",
		changes->id);
}

static void say(const struct monitor *monitor, const struct evidence_record *record)
{
	const struct command *command = &monitor->commands[0];
	uint64_t n_lost = command->out.n_lost_bytes + command->err.n_lost_bytes;
	struct error err = { 0 };
	if (monitor->plan->is_quiet || monitor->state.is_background)
		return;
	say_end(monitor);
	if (check_output(monitor, &err) < 0)
		error_print(stderr, &err);
	say_input(monitor);
	say_changes(record->changes);
	if (n_lost > 0)
		(void)fprintf(stderr, "foso: output: %llu bytes were cut\n",
			      (unsigned long long)n_lost);
	for (size_t i = 0; i < monitor->leftovers.n_errors; i++)
		error_print(stderr, &monitor->leftovers.items[i]);
}

/* As the policy spells it. */
static const char *root_words(const struct policy *policy, char *words, size_t size)
{
	if (policy->root == POLICY_ROOT_HOST)
		return "host";
	if (policy->root == POLICY_ROOT_NONE)
		return "none";
	(void)snprintf(words, size, "%s:%s", policy->root == POLICY_ROOT_DIR ? "dir" : "image",
		       policy->root_path);
	return words;
}

static void fill_record(struct monitor *monitor, struct evidence_record *record)
{
	static char root[EVIDENCE_MAX_ROOT_BYTES + 8];
	const struct policy *policy = &monitor->plan->policy;
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	record->id = monitor->id;
	record->level = policy_level_name(policy->level);
	record->level_why = monitor->plan->level_why[0] ? monitor->plan->level_why : NULL;
	/* An engine that has no root file system says itself what was run. */
	if (!record->root) {
		record->root = root_words(policy, root, sizeof(root));
		record->root_digest = monitor->root_digest;
	}
	record->started_realtime_ns = monitor->started_realtime_ns;
	record->ended_realtime_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	record->end = monitor->end;
	record->is_signed = policy->evidence.sign[0] != '\0';
	record->argv = policy->args.n_items > 0 ? (const char *const *)policy->args.items : NULL;
	record->commands = monitor->history;
	record->n_commands = monitor->n_history;
	record->usage.wall_ns = monitor_now_ns() - monitor->started_ns;
	record->usage.stdout_bytes = monitor->n_stdout_bytes;
	record->usage.stderr_bytes = monitor->n_stderr_bytes;
	record->usage.lost_output_bytes = monitor->n_lost_bytes;
	if (!monitor->plan->is_session) {
		const struct command *command = &monitor->commands[0];
		record->usage.stdout_bytes = command->out.n_passed_bytes;
		record->usage.stderr_bytes = command->err.n_passed_bytes;
		record->usage.lost_output_bytes =
			command->out.n_lost_bytes + command->err.n_lost_bytes;
	}
	for (size_t i = 0; i < monitor->n_notes && record->n_notes < EVIDENCE_MAX_NOTES; i++)
		record->notes[record->n_notes++] = monitor->notes[i];
}

/* It may be a pipe that nobody reads: the alarm rings, and then it is not waited for. */
static int write_in_time(int fd, const char *bytes, size_t len)
{
	uint64_t last_ns = monitor_now_ns() + REPORT_PATIENCE_NS;
	for (size_t done = 0; done < len;) {
		ssize_t n = write(fd, bytes + done, len - done);
		if (n < 0 && errno == EINTR && monitor_now_ns() < last_ns)
			continue;
		if (n <= 0)
			return n == 0 ? ENOSPC : errno == EINTR ? ETIMEDOUT : errno;
		done += (size_t)n;
	}
	return 0;
}

static int write_result(const struct monitor *monitor, struct buf *json, struct error *err)
{
	if (monitor->plan->result_fd < 0)
		return 0;
	buf_append_char(json, '\n');
	int errnum = write_in_time(monitor->plan->result_fd, json->data, json->len);
	if (errnum == 0)
		return 0;
	/* Nothing rather than the half of it; a pipe keeps what it has. */
	(void)!ftruncate(monitor->plan->result_fd, 0);
	int r = error_set(err, ERR_SYSTEM, errnum, "--result", "the record cannot be written");
	return error_remedy(err, r,
			    errnum == ETIMEDOUT ? "read the pipe, or name a file"
						: "check the file's free space");
}

const struct buf *monitor_canonical(struct monitor *monitor)
{
	static char storage[2048];
	if (!monitor->canonical.data) {
		monitor->canonical = BUF_ON(storage, POLICY_MAX_ENCODED_BYTES);
		policy_canonical(&monitor->plan->policy, &monitor->canonical);
	}
	return &monitor->canonical;
}

/* Appends the record to the log and gives it to the caller; complains on stderr if it cannot. */
static int leave_evidence(struct monitor *monitor, struct evidence_record *record)
{
	struct error err = { 0 };
	not_zeroed char json_storage[6144];
	const struct buf *canonical = monitor_canonical(monitor);
	auto_buf struct buf json = BUF_ON(json_storage, EVIDENCE_MAX_RECORD_BYTES + 1);
	int r = 0;
	record->policy_canonical = buf_string(canonical);
	digest_sha256(canonical->data, canonical->len, NULL, 0, record->policy_digest);
	evidence_record_format(record, &json);
	if (!buf_is_whole(canonical) || !buf_is_whole(&json)) {
		r = error_set(&err, ERR_SYSTEM, 0, "evidence", "the record cannot be made");
		(void)error_remedy(&err, r, "free some memory, or mend what is told below");
	}
	/* Without its signer the run was refused, and that has been said. */
	bool can_be_left = !record->is_signed || monitor->signer.fd >= 0;
	if (r == 0 && monitor->evidence_fd >= 0 && can_be_left) {
		r = evidence_log_append(monitor->evidence_fd, json.data, json.len,
					record->is_signed ? evidence_signer_sign : NULL,
					&monitor->signer, &err);
	}
	if (r == 0)
		r = write_result(monitor, &json, &err);
	if (r < 0 && monitor->plan->control_fd < 0)
		error_print(stderr, &err);
	else if (r < 0 && monitor->failure.code == ERR_NONE)
		monitor->failure = err;
	return r;
}

static void tear_down(struct monitor *monitor)
{
	struct error err = { 0 };
	size_t n_before = monitor->leftovers.n_errors; /* of others, found at the start */
	if (monitor->sandbox.impl)
		monitor->sandbox.level->teardown(&monitor->sandbox, &monitor->leftovers);
	/* What could not be removed is found by foso gc through the folder, so then it stays. */
	if (monitor->state_fd >= 0 && monitor->leftovers.n_errors == n_before &&
	    rundir_remove(monitor->rundir_fd, monitor->id, &err) < 0)
		*error_list_next(&monitor->leftovers) = err;
}

int monitor_report(struct monitor *monitor)
{
	static struct evidence_record record;
	static struct seccomp_denials denials;
	static struct evidence_changes changes;
	/* Without a session, what became of the command became of the sandbox. */
	if (!monitor->plan->is_session && monitor->commands[0].end.reason != END_N_REASONS &&
	    monitor->n_commands > 0)
		monitor->end = monitor->commands[0].end;
	monitor_end(monitor, END_SANDBOX_LOST, NULL); /* unless there is a reason already */
	int status = end_exit_status(&monitor->end);
	/* What is left are writes to what the caller gave us, and he may not read it. */
	if (monitor->alarm_ns == 0 || monitor->alarm_ns > monitor_now_ns())
		monitor_arm_alarm(monitor, monitor_now_ns() + REPORT_PATIENCE_NS);
	/* The counters go with the sandbox, so they are read first. */
	if (monitor->sandbox.impl)
		monitor->sandbox.level->describe(&monitor->sandbox, &record);
	if (record.denials) {
		denials = *record.denials;
		record.denials = &denials;
	}
	if (record.changes) {
		changes = *record.changes;
		changes.id = monitor_keep_id(changes.id);
		record.changes = &changes;
	}
	tear_down(monitor);
	fill_record(monitor, &record);
	struct error err = { 0 };
	bool is_whole = leave_evidence(monitor, &record) == 0 && check_output(monitor, &err) == 0;
	if (!is_whole && status == 0)
		status = 125;
	say(monitor, &record);
	monitor_send_status(monitor, &monitor->end, status);
	if (monitor->plan->control_fd >= 0) {
		if (!monitor->plan->is_session && monitor->n_commands > 0)
			control_say_ended(monitor, &monitor->commands[0], status);
		control_say_closed(monitor, status);
	}
	free(monitor->history);
	buf_fini(&monitor->canonical);
	evidence_signer_stop(&monitor->signer);
	return status;
}
