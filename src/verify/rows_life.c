/* SPDX-License-Identifier: Apache-2.0 */
/* rows_life.c - the matrix: what is left of a sandbox, and what its record says */
#include "verify/check.h"

static const struct row rows[] = {
	{
		.id = "p123",
		.claim = "nothing is left of a sandbox that ended",
		.forbidden = "look for processes, control groups, mounts, run folder",
		.control_words = "they were there before",
		.check = check_teardown,
		.options = "--limit wall=700ms -v tmpfs:/scratch",
		.act = "hide {comm}t",
		.expected = "no process, group, mount or run folder is left",
	},
	{
		.id = "p124",
		.claim = "a sandbox whose process 1 was killed is lost, and says so",
		.forbidden = "kill -9 of foso-init",
		.control_words = "it ran before",
		.check = check_init_killed,
		.options = "--limit wall=8s",
		.act = "hide {comm}i",
		.expected = "sandbox-lost, exit status 125, no process left",
	},
	{
		.id = "p125",
		.claim = "a sandbox dies with its monitor, and gc removes the rest",
		.forbidden = "kill -9 of foso-monitor, foso gc",
		.control_words = "it ran before",
		.check = check_monitor_killed,
		.options = "--limit wall=8s",
		.act = "hide {comm}m",
		.expected = "no process, group, mount or run folder is left",
	},
	{
		.id = "p126",
		.claim = "denied system calls are counted in the record",
		.forbidden = "one bpf()",
		.control_words = "a run without denied calls has none",
		.check = check_denials,
		.act = "bpf",
		.expected = "bpf, once, and nothing else",
		.control_act = "own-kill",
	},
	{
		.id = "p127",
		.claim = "each run leaves exactly one record",
		.forbidden = "run one",
		.control_words = "with evidence: off there is none",
		.check = check_record,
		.act = "own-kill",
		.expected = "one record more, with its id",
		.weak = "--set evidence=off",
	},
	{
		.id = "p128",
		.claim = "values of env are not in the record",
		.forbidden = "hand a value over by --env",
		.control_words = "an argument is found in the log",
		.check = check_secret_in_log,
		.options = "--env VERIFY_CANARY",
		.act = "own-kill",
		.expected = "the value is not in the log",
		.control_act = "proc-find {canary}",
	},
	{
		.id = "p129",
		.claim = "an edited log does not verify",
		.forbidden = "change a byte, leave out, swap and cut records",
		.control_words = "the log as it is verifies",
		.check = check_chain,
		.act = "own-kill",
		.expected = "foso evidence verify finds every edit",
	},
};

const struct row_group rows_life = { "Ends and evidence", rows, ARRAY_LEN(rows) };
