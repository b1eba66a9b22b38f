/* SPDX-License-Identifier: Apache-2.0 */
/* exec_test.c - what executes on the host, by path and by content */
#include "support/tap.h"
#include "workspacetool/exec.h"
#include "workspacetool/glob.h"

static const char *pattern_of(const char *path)
{
	return exec_reason_pattern(exec_path_reason(path, strlen(path), false));
}

static const char *pattern_of_link(const char *path)
{
	return exec_reason_pattern(exec_path_reason(path, strlen(path), true));
}

static void test_paths_of_the_table_are_found(void)
{
	static const char *const paths[][2] = {
		{ ".git/hooks/pre-commit", ".git/hooks/" },
		{ "vendor/x/.git/hooks/pre-commit", ".git/hooks/" },
		{ ".git/modules/a/b/hooks/update", ".git/modules/**/hooks/" },
		{ "sub/.envrc", ".envrc" },
		{ "Makefile", "makefile" },
		{ "src/rules.mk", "*.mk" },
		{ "package.json", "package.json" },
		{ "a/b/conftest.py", "conftest.py" },
		{ ".vscode/tasks.json", ".vscode/" },
		{ ".github/workflows/ci.yml", ".github/" },
		{ "CMakeLists.txt", "cmakelists.txt" },
		{ "CLAUDE.md", "claude*.md" },
		{ ".claude/settings.json", ".claude/" },
		{ "vite.config.ts", "*.config.?s" },
	};
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		STR_EQ(pattern_of(paths[i][0]), paths[i][1]);
}

static void test_ordinary_paths_are_not(void)
{
	static const char *const paths[] = {
		"src/main.c",  "README.md",  "build/out.o",        "git/hooks",       "hooks/x",
		"makefiles/a", ".gitignore", ".git/objects/ab/cd", "package.json.txt"
	};
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		STR_EQ(pattern_of(paths[i]), "");
}

/* Names that are .git or Makefile for some file system, though not for this program. */
static void test_case_and_invisible_characters_do_not_help(void)
{
	STR_EQ(pattern_of(".GIT/Hooks/Pre-Commit"), ".git/hooks/");
	STR_EQ(pattern_of(".g\xe2\x80\x8cit/hooks/x"), ".git/hooks/");
	STR_EQ(pattern_of(".git /hooks./x"), ".git/hooks/");
	STR_EQ(pattern_of("GIT~1/hooks/x"), ".git/hooks/");
	STR_EQ(pattern_of("Ma\xe2\x84\xaa"
			  "efile"),
	       "makefile");
	STR_EQ(pattern_of(".v\xc5\xbf"
			  "code/x"),
	       ".vscode/");
	/* One character, for a file system that folds all of Unicode, can be two letters. */
	STR_EQ(pattern_of(".con\xef\xac\x81g/fish/config.fish"), ".config/");
	STR_EQ(pattern_of("confte\xef\xac\x86.py"), "conftest.py");
	STR_EQ(pattern_of(".\xc3\x9fh/rc"), ".ssh/");
}

static void test_a_link_stands_for_what_it_leads_to(void)
{
	STR_EQ(pattern_of_link(".github"), ".github/");
	STR_EQ(pattern_of_link("sub/.husky"), ".husky/");
	STR_EQ(pattern_of_link("src"), "");
	STR_EQ(pattern_of_link(".git"), ".git");
	STR_EQ(pattern_of(".git"), ".git");
	STR_EQ(pattern_of("sub/.git"), ".git");
}

static bool leads_out(const char *path, const char *target)
{
	return exec_leads_outside(path, strlen(path), target, strlen(target));
}

static void test_links_that_lead_outside(void)
{
	OK(leads_out("a", "/etc/passwd"));
	OK(leads_out("a", ".."));
	OK(leads_out("d/a", "../../x"));
	OK(leads_out("d/a", "b/../../../x"));
	OK(leads_out("a", ""));
	OK(!leads_out("a", "b"));
	OK(!leads_out("d/a", "../b"));
	OK(!leads_out("d/e/a", "./../../x//y"));
}

static void test_magic(void)
{
	EQ(exec_magic_reason("#!/bin/sh", 9), EXEC_SCRIPT);
	EQ(exec_magic_reason("\177ELF", 4), EXEC_BINARY);
	EQ(exec_magic_reason("\177EL", 3), EXEC_NONE);
	EQ(exec_magic_reason("", 0), EXEC_NONE);
}

/* They are compared with folded paths, where a capital is never found. */
static void test_rows_are_lower_case_and_valid(void)
{
	for (unsigned i = EXEC_PATH_FIRST; i < exec_n_reasons(); i++) {
		const char *pattern = exec_reason_pattern(i);
		OK(glob_is_valid(pattern));
		OK(exec_reason_words(i)[0] != '\0');
		for (const char *c = pattern; *c; c++)
			OK(*c < 'A' || *c > 'Z');
	}
}

int main(void)
{
	RUN(test_paths_of_the_table_are_found);
	RUN(test_ordinary_paths_are_not);
	RUN(test_case_and_invisible_characters_do_not_help);
	RUN(test_a_link_stands_for_what_it_leads_to);
	RUN(test_links_that_lead_outside);
	RUN(test_magic);
	RUN(test_rows_are_lower_case_and_valid);
	return tap_done();
}
