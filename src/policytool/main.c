/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-policy: the only program of foso that reads policy text
 *
 * "foso policy" starts it with the user's arguments; "foso run --policy" starts "compile" and
 * reads the encoded policy from its stdout.
 */
#include <string.h>

#include "base/version.h"
#include "policy/value.h"
#include "policytool/tool.h"

static const char usage[] =
	"usage: foso policy check [--level LEVEL] FILE\n"
	"       foso policy explain FILE\n"
	"       foso policy schema\n"
	"       foso policy fields [--scdoc]\n"
	"       foso policy compile [--name NAME]\n"
	"\n"
	"  check    say what is wrong with the policy in FILE (- is stdin); with --level also what\n"
	"           that level (process, kernel, microvm or wasm) would refuse\n"
	"  explain  say in words what a sandbox under this policy can read, write, reach and spend,\n"
	"           and what each level would refuse\n"
	"  schema   print the JSON Schema of a policy, for editors\n"
	"  fields   print all fields with type, default and range, separated by tabs\n"
	"  compile  turn the policy on stdin into the form that foso's programs exchange\n"
	"\n"
	"Exit status: 0, or 125 if the policy is wrong or the command line is.\n"
	"The fields of a policy are described in foso-policy(5).\n";

static int refuse_usage(const char *subject, const char *message)
{
	struct error err = { .code = ERR_NONE };
	int result = error_set(&err, ERR_INVALID, 0, subject, "%s", message);
	(void)error_remedy(&err, result, "see foso policy --help");
	error_print(stderr, &err);
	return TOOL_EXIT_REFUSED;
}

static int run_check(int argc, char **argv)
{
	enum policy_level level = POLICY_LEVEL_AUTO;
	if (argc >= 2 && strcmp(argv[0], "--level") == 0) {
		struct error err = { .code = ERR_NONE };
		unsigned value = 0;
		const struct policy_field *field = &policy_fields[POLICY_FIELD_LEVEL];
		if (policy_word_parse(field, "--level", argv[1], &value, &err) != 0) {
			error_print(stderr, &err);
			return TOOL_EXIT_REFUSED;
		}
		level = (enum policy_level)value;
		argc -= 2;
		argv += 2;
	}
	if (argc != 1 || (argv[0][0] == '-' && argv[0][1] != '\0'))
		return refuse_usage("check", "takes one FILE, and before it --level LEVEL");
	return tool_check(argv[0], level);
}

static int run_compile(int argc, char **argv)
{
	const char *name = "-";
	/* For libfoso alone, so the usage does not name it. */
	bool for_program = argc > 0 && strcmp(argv[0], "--for-program") == 0;
	argc -= for_program;
	argv += for_program;
	if (argc == 2 && strcmp(argv[0], "--name") == 0)
		name = argv[1];
	else if (argc != 0 && !(argc == 1 && strcmp(argv[0], "-") == 0))
		return refuse_usage("compile", "takes the policy on stdin, and --name NAME");
	return tool_compile(name, for_program);
}

static int run_explain(int argc, char **argv)
{
	if (argc != 1 || (argv[0][0] == '-' && argv[0][1] != '\0'))
		return refuse_usage("explain", "takes one FILE");
	return tool_explain(argv[0]);
}

static int run_schema(int argc, char **argv)
{
	UNUSED(argv);
	return argc == 0 ? tool_schema() : refuse_usage("schema", "takes no argument");
}

static int run_fields(int argc, char **argv)
{
	bool is_scdoc = argc == 1 && strcmp(argv[0], "--scdoc") == 0;
	if (argc != (is_scdoc ? 1 : 0))
		return refuse_usage("fields", "takes nothing but --scdoc");
	return tool_fields(is_scdoc);
}

static bool asks_for_help(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
	return argc == 2 && strcmp(argv[1], "help") == 0;
}

int main(int argc, char **argv)
{
	static const struct {
		char word[12];
		int (*run)(int argc, char **argv);
	} commands[] = {
		{ "check", run_check },   { "explain", run_explain }, { "schema", run_schema },
		{ "fields", run_fields }, { "compile", run_compile },
	};
	if (asks_for_help(argc, argv)) {
		(void)fputs(usage, stdout);
		return fflush(stdout) == 0 ? 0 : TOOL_EXIT_REFUSED;
	}
	for (size_t i = 0; argc >= 2 && i < ARRAY_LEN(commands); i++)
		if (strcmp(argv[1], commands[i].word) == 0)
			return commands[i].run(argc - 2, argv + 2);
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		(void)printf("foso-policy %s (%s)\n", version_number(), version_build_id());
		return fflush(stdout) == 0 ? 0 : TOOL_EXIT_REFUSED;
	}
	return argc < 2 ? refuse_usage("foso policy", "needs a command")
			: refuse_usage(argv[1], "is not a command");
}
