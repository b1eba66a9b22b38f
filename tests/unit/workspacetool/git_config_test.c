/* SPDX-License-Identifier: Apache-2.0 */
/* git_config_test.c - what of a git config runs programs */
#include "base/cleanup.h"
#include "support/tap.h"
#include "workspacetool/git_config.h"

/* The lines of what is new; "?" if it cannot be read. */
static const char *news(const char *before, const char *now)
{
	static char text[4096];
	auto_buf struct buf out = BUF_INIT(sizeof(text) - 1);
	if (!git_config_compare(before, strlen(before), now, strlen(now), &out))
		return "?";
	(void)snprintf(text, sizeof(text), "%s", buf_string(&out));
	return text;
}

static void test_keys_that_run_programs_are_found(void)
{
	STR_EQ(news("", "[core]\n\tpager = evil\n"),
	       "core.pager = evil (run by log, diff and others)\n");
	STR_EQ(news("", "[CORE] PAGER=\"e v\" \"il\" # no\n"),
	       "core.pager = e v il (run by log, diff and others)\n");
	STR_EQ(news("", "[filter \"My/One\"]\nclean = x\n"),
	       "filter.My/One.clean = x (run by add and status)\n");
	STR_EQ(news("", "[diff.old]\ntextconv = x\n"),
	       "diff.old.textconv = x (run by diff and log)\n");
	STR_EQ(news("", "[alias]\n\tst = !sh\n"), "alias.st = !sh (a command of git)\n");
	STR_EQ(news("", "[credential \"https://x\"]\nhelper=!y\n"),
	       "credential.https://x.helper = !y (run where a password is asked for)\n");
	STR_EQ(news("", "[include]\npath = ../evil\n"),
	       "include.path = ../evil (another config counts, too)\n");
	STR_EQ(news("", "[core]\nfsmonitor\n"), "core.fsmonitor =  (run by git status)\n");
	STR_EQ(news("", "[core]\npager = a\\\nb\n"),
	       "core.pager = ab (run by log, diff and others)\n");
	STR_EQ(news("", "\xef\xbb\xbf[core]\r\npager = a\r\n"),
	       "core.pager = a (run by log, diff and others)\n");
	STR_EQ(news("", "[core]pager=a\\tb\\\"c"),
	       "core.pager = a\tb\"c (run by log, diff and others)\n");
}

static void test_other_keys_are_not(void)
{
	STR_EQ(news("", "[core]\nbare = false\n[user]\nname = x\n; pager = y\n"), "");
	STR_EQ(news("", "[branch \"core.pager\"]\nmerge = refs/heads/x\n"), "");
	STR_EQ(news("", ""), "");
}

static void test_what_was_there_is_no_news(void)
{
	const char *before = "[core]\npager = less\n[alias]\nst = status\n";
	STR_EQ(news(before, before), "");
	STR_EQ(news(before, "[alias] st=status\n[core] pager = less\n[x] y = z\n"), "");
	STR_EQ(news(before, "[core]\npager = lesser\n"),
	       "core.pager = lesser (run by log, diff and others)\n"
	       "core.pager = less (taken out: run by log, diff and others)\n"
	       "alias.st = status (taken out: a command of git)\n");
	/* The same value of another key is no excuse. */
	STR_EQ(news("[core]\npager = less\n", "[core]\neditor = less\npager = less\n"),
	       "core.editor = less (run by commit)\n");
	/* What of the old one cannot be read is not known. */
	STR_EQ(news("[core\npager = a", "[core]\npager = a\n"),
	       "core.pager = a (run by log, diff and others)\n");
}

/* A key can be there so that something does not run; and the last of several counts. */
static void test_what_is_gone_or_moved_is_news(void)
{
	const char *off = "[core]\nhooksPath = /dev/null\n[user]\nname = x\n";
	const char *two = "[core]\nhooksPath = own\nhooksPath = /dev/null\n";
	STR_EQ(news(off, off), "");
	STR_EQ(news(off, "[core]\nhooksPath = /dev/null\n[user]\nname = y\n"), "");
	STR_EQ(news(off, "[user]\nname = x\n"),
	       "core.hookspath = /dev/null (taken out: where hooks are)\n");
	STR_EQ(news(two, two), "");
	STR_EQ(news(two, "[core]\nhooksPath = own\n"),
	       "core.hookspath = /dev/null (taken out: where hooks are)\n");
	STR_EQ(news(two, "[core]\nhooksPath = /dev/null\nhooksPath = own\n"),
	       "core.hookspath = /dev/null (where hooks are)\n"
	       "core.hookspath = own (where hooks are)\n"
	       "core.hookspath = own (taken out: where hooks are)\n"
	       "core.hookspath = /dev/null (taken out: where hooks are)\n");
}

static void test_what_git_does_not_read_is_odd(void)
{
	STR_EQ(news("", "[core\npager = x\n"), "?");
	STR_EQ(news("", "pager = x\n"), "?");
	STR_EQ(news("", "[core]\npager = \"x\n"), "?");
	STR_EQ(news("", "[core]\npager = \\x\n"), "?");
	STR_EQ(news("", "[core]\n=x\n"), "?");
	STR_EQ(news("", "[core \"a]\nb=c\n"), "?");
	STR_EQ(news("", "[]\nb=c\n"), "?");
	STR_EQ(news("", "[core]\npager ! x\n"), "?");
}

int main(void)
{
	RUN(test_keys_that_run_programs_are_found);
	RUN(test_other_keys_are_not);
	RUN(test_what_was_there_is_no_news);
	RUN(test_what_is_gone_or_moved_is_news);
	RUN(test_what_git_does_not_read_is_odd);
	return tap_done();
}
