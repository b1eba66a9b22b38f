/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-evidence: reads, verifies and signs the evidence log
 *
 * `foso evidence ...` is this program.  It is apart from foso and its monitor because it needs
 * OpenSSL and a JSON parser, and because it reads what sandboxes wrote.
 */
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/version.h"
#include "evidencetool/commands.h"

#define STATUS_UNUSABLE 125

static const struct command commands[] = {
	{ "list", COMMAND_LIST, "[OPTION]... [FOLDER]", "List the runs, one a line, oldest first.",
	  0, 1, command_list },
	{ "show", COMMAND_SHOW, "[OPTION]... SEQ|ID [FOLDER]", "Show one record, every field.", 1,
	  2, command_show },
	{ "verify", COMMAND_VERIFY, "[OPTION]... [FOLDER|FILE]",
	  "Tell whether the log is the one that was written.\n"
	  "Exit status: 0 if it is; 1 if it was edited, cut or reordered, and each problem is\n"
	  "named with line, record and id; 125 if it cannot be read.",
	  0, 1, command_verify },
	{ "export", COMMAND_EXPORT, "[OPTION]... [FOLDER]",
	  "Write the log to stdout, byte for byte, or its head.", 0, 1, command_export },
	{ "keygen", COMMAND_KEYGEN, "--out FILE",
	  "Make an Ed25519 key for evidence.sign; no file is overwritten.", 0, 0, command_keygen },
	{ "sign", COMMAND_SIGN, "[OPTION]... --key FILE",
	  "Sign the 32 bytes of a hash from stdin: write \"KEYID SIGNATURE\".\n"
	  "foso starts it by itself; it gives up all rights before it reads.",
	  0, 0, command_sign },
};

static void print_help(void)
{
	printf("usage: foso evidence COMMAND [OPTION]...\n\n"
	       "Read, verify and sign the records that runs leave.\n\n"
	       "Commands:\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		int len = (int)strcspn(commands[i].meaning, "\n");
		printf("  %-9s  %.*s\n", commands[i].name, len, commands[i].meaning);
	}
	printf("\nFOLDER is the log's; without it, the one that foso run uses by default:\n"
	       "/var/lib/foso/evidence for root, $XDG_DATA_HOME/foso/evidence or\n"
	       "~/.local/share/foso/evidence for others.\n\n"
	       "foso evidence COMMAND --help says more about one of them.\n");
}

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static int refuse_command(const char *name, struct error *err)
{
	int r = name ? error_set(err, ERR_INVALID, 0, name, "is not a command of foso evidence")
		     : error_set(err, ERR_INVALID, 0, "evidence", "no command is given");
	return error_remedy(err, r, "write one of: list show verify export keygen sign");
}

static int run(char **argv, struct error *err)
{
	struct args args;
	const char *name = argv[0] ? argv[1] : NULL;
	if (name && (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)) {
		print_help();
		return 0;
	}
	if (name && strcmp(name, "--version") == 0) {
		printf("foso-evidence %s (%s)\n", version_number(), version_build_id());
		return 0;
	}
	if (name && strcmp(name, "--scdoc") == 0) { /* for tools/man-page */
		for (size_t i = 0; i < ARRAY_LEN(commands); i++)
			args_print_scdoc(&commands[i]);
		return 0;
	}
	const struct command *command = name ? command_find(name) : NULL;
	if (!command)
		return refuse_command(name, err);
	int r = args_parse(&args, command, argv + 2, err);
	if (r < 0)
		return r;
	if (args.is_help) {
		args_print_help(command);
		return 0;
	}
	return command->run(&args, err);
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	UNUSED(argc);
	/* The machine's openssl.cnf could load modules into a program that holds a key. */
	(void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	int r = run(argv, &err);
	r = output_finish(stdout, r, &err);
	if (r < 0)
		error_print(stderr, &err);
	return r < 0 ? STATUS_UNUSABLE : r;
}
