/* SPDX-License-Identifier: Apache-2.0 */
/* rows_fresh.c - the matrix: what one sandbox could leave for another */
#include "verify/check.h"

static const struct row rows[] = {
	{
		.id = "p100",
		.claim = "the host's name does not show",
		.forbidden = "ask for it",
		.control_words = "the same on the host",
		.check = check_denied,
		.act = "hostname {host}",
		.expected = "ENOENT",
		.controls = CONTROL_HOST,
	},
	{
		.id = "p101",
		.claim = "shared memory and message queues of the host do not show",
		.forbidden = "find them by key and name",
		.control_words = "the same on the host",
		.check = check_denied,
		.act = "ipc-find {key} {name}",
		.expected = "ENOENT",
		.controls = CONTROL_HOST,
	},
	{
		.id = "p102",
		.claim = "nothing of one sandbox shows in another, beside it or after it",
		.forbidden =
			"leave files in /tmp, /var/tmp, /dev/shm, /run and homes, shared memory, a message queue",
		.control_words = "they are found in the sandbox that left them",
		.check = check_fresh,
		.options = "--user 0",
		.act = "fresh-mark {name} 700",
		.expected = "no trace",
		.weak = "--user 0",
		.control_act = "fresh-find {name} mark",
		.controls = CONTROL_POLICY,
	},
	{
		.id = "p103",
		.claim = "a run begins without arguments and environment but its own",
		.forbidden = "have a variable of the caller's",
		.control_words = "the policy hands it over",
		.check = check_denied,
		.act = "variable VERIFY_CANARY",
		.expected = "ENOENT",
		.weak = "--env VERIFY_CANARY",
		.controls = CONTROL_POLICY,
	},
};

const struct row_group rows_fresh = { "A fresh state", rows, ARRAY_LEN(rows) };
