/* SPDX-License-Identifier: Apache-2.0 */
/* rows_commit.c - the matrix: what comes out of a workspace, and what does not */
#include "verify/check.h"

static const struct row rows[] = {
	{
		.id = "p190",
		.claim = "a workspace in an overlay stays as it is until a commit",
		.forbidden = "write, delete and make files in it, look at the folder",
		.control_words = "the same with :rw changes it",
		.check = check_commit_waits,
		.options = "-w {tree}:overlay",
		.act = "plant /workspace/plain /workspace/made",
		.expected = "the folder is byte-identical",
		.weak = "-w {tree}:rw",
		.controls = CONTROL_POLICY,
	},
	{
		.id = "p191",
		.claim = "a git hook that a sandbox made stays out of a commit",
		.forbidden = "make .git/hooks/post-checkout, commit without --allow-exec-paths",
		.control_words = "the same with :rw makes the hook",
		.check = check_commit_hook,
		.options = "-w {tree}:overlay",
		.act = "plant /workspace/.git/hooks/post-checkout",
		.expected = "the commit names it and does not make it",
		.weak = "-w {tree}:rw",
		.controls = CONTROL_POLICY,
	},
	{
		.id = "p192",
		.claim = "a commit makes no set-user-id file",
		.forbidden = "make a set-user-id program, commit with --allow-exec-paths",
		.control_words = "the same with :rw makes one",
		.check = check_commit_setuid,
		.options = "-w {tree}:overlay",
		.act = "plant /workspace/made",
		.expected = "the file is there, without the bit",
		.weak = "-w {tree}:rw",
		.controls = CONTROL_POLICY,
	},
	{
		.id = "p193",
		.claim = "a commit follows no link",
		.forbidden =
			"make a file in a folder, which is a link to elsewhere when it is committed",
		.control_words = "open(2) of the same path writes there",
		.check = check_commit_link,
		.options = "-w {tree}:overlay",
		.act = "plant /workspace/sub/made",
		.expected = "the commit is refused, nothing is made elsewhere",
		.control_act = "plant {tree}/sub/made",
		.controls = CONTROL_HOST,
	},
};

const struct row_group rows_commit = { "Commit", rows, ARRAY_LEN(rows) };
