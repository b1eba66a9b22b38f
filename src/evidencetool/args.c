/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - the commands of foso-evidence and their options */
#include "evidencetool/args.h"

#include "evidencetool/commands.h"
#include "evidencetool/options.h"

enum option_id {
	OPTION_JSON = OPTION_HELP + 1,
	OPTION_SINCE,
	OPTION_REASON,
	OPTION_NUMBER,
	OPTION_KEY,
	OPTION_SIGNED_FROM,
	OPTION_KEPT_HEAD,
	OPTION_HEAD,
	OPTION_OUT,
	OPTION_READY,
};

static const struct option_row list_rows[] = { EVIDENCE_LIST_OPTIONS(OPTION_ROW) };
static const struct option_row show_rows[] = { EVIDENCE_SHOW_OPTIONS(OPTION_ROW) };
static const struct option_row verify_rows[] = { EVIDENCE_VERIFY_OPTIONS(OPTION_ROW) };
static const struct option_row export_rows[] = { EVIDENCE_EXPORT_OPTIONS(OPTION_ROW) };
static const struct option_row keygen_rows[] = { EVIDENCE_KEYGEN_OPTIONS(OPTION_ROW) };
static const struct option_row sign_rows[] = { EVIDENCE_SIGN_OPTIONS(OPTION_ROW) };

static const struct verb verbs[] = {
	{ "foso evidence list", "[OPTION]... [FOLDER]", "List the runs, one a line, oldest first.",
	  OPTION_TABLE_OF(list_rows), 0, 1, command_list },
	{ "foso evidence show", "[OPTION]... SEQ|ID [FOLDER]", "Show one record, every field.",
	  OPTION_TABLE_OF(show_rows), 1, 2, command_show },
	{ "foso evidence verify", "[OPTION]... [FOLDER|FILE]",
	  "Tell whether the log is the one that was written.\n"
	  "Exit status: 0 if it is; 1 if it was edited, cut or reordered, and each problem is\n"
	  "named with line, record and id; 125 if it cannot be read.",
	  OPTION_TABLE_OF(verify_rows), 0, 1, command_verify },
	{ "foso evidence export", "[OPTION]... [FOLDER]",
	  "Write the log to stdout, byte for byte, or its head.", OPTION_TABLE_OF(export_rows), 0,
	  1, command_export },
	{ "foso evidence keygen", "--out FILE",
	  "Make an Ed25519 key for evidence.sign; no file is overwritten.",
	  OPTION_TABLE_OF(keygen_rows), 0, 0, command_keygen },
	{ "foso evidence sign", "[OPTION]... --key FILE",
	  "Sign the 32 bytes of a hash from stdin: write \"KEYID SIGNATURE\".\n"
	  "foso starts it by itself; it gives up all rights before it reads.",
	  OPTION_TABLE_OF(sign_rows), 0, 0, command_sign },
};

const struct verbs evidence_verbs = { "foso evidence", verbs, ARRAY_LEN(verbs) };

static int add_key(struct args *args, const char *value, struct error *err)
{
	if (args->n_keys == ARGS_MAX_KEYS) {
		int r = error_set(err, ERR_LIMIT, 0, "--key", "is given more than %d times",
				  ARGS_MAX_KEYS);
		return error_remedy(err, r, "verify in several calls, each with --signed-from");
	}
	args->keys[args->n_keys++] = value;
	return 0;
}

static int set(void *into, const struct option *option, struct error *err)
{
	struct args *args = into;
	switch (option->row->id) {
	case OPTION_JSON:
		args->is_json = true;
		return 0;
	case OPTION_HEAD:
		args->is_head = true;
		return 0;
	case OPTION_READY:
		args->is_ready = true;
		return 0;
	case OPTION_KEY:
		return add_key(args, option->value, err);
	case OPTION_SINCE:
		return option_once(&args->since, option, err);
	case OPTION_REASON:
		return option_once(&args->reason, option, err);
	case OPTION_NUMBER:
		return option_once(&args->number, option, err);
	case OPTION_SIGNED_FROM:
		return option_once(&args->signed_from, option, err);
	case OPTION_KEPT_HEAD:
		return option_once(&args->kept_head, option, err);
	default:
		return option_once(&args->out, option, err);
	}
}

int args_parse(struct args *ret, const struct verb *verb, char **words, struct error *err)
{
	*ret = (struct args){ 0 };
	return verb_parse(verb, words, set, ret, &ret->operands, err);
}
