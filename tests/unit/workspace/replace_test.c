/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are shown with their secrets replaced: exact texts. */
#include "support/tap.h"
#include "workspace/replace.h"

struct row {
	const char *before, *after; /* after NULL: not understood; "=": unchanged */
};

static void check(const struct row *row, enum replace_result result, const struct buf *out)
{
	if (!row->after) {
		if (result != REPLACE_UNKNOWN)
			FAIL("'%s' was understood: '%s'", row->before, buf_string(out));
		return;
	}
	if (strcmp(row->after, "=") == 0) {
		if (result != REPLACE_UNCHANGED)
			FAIL("'%s' was changed: '%s'", row->before, buf_string(out));
		return;
	}
	EQ(result, REPLACE_CHANGED);
	STR_EQ(buf_string(out), row->after);
}

static void git_configurations(void)
{
	static const struct row rows[] = {
		{ "", "=" },
		{ "[core]\n\tbare = false\n", "=" },
		{ "# a comment\n[a \"b\"] c = d ; e\r\n", "=" },
		{ "[remote \"o\"]\n\turl = git@example.org:x.git\n", "=" },
		{ "[remote \"o\"]\n\turl = ssh://git@example.org/x\n", "=" },
		{ "[a]\n\tb = c # u:p@h\n", "[a]\n\tb = \"c\"\n" },
		{ "[remote \"o\"]\n\turl = ssh://git:pw@example.org/x\n",
		  "[remote \"o\"]\n\turl = \"ssh://git@example.org/x\"\n" },
		{ "[remote \"o\"]\n\turl = https://u:p@example.org/x\n",
		  "[remote \"o\"]\n\turl = \"https://example.org/x\"\n" },
		{ "[remote \"o\"]\n\turl = https://TOKEN@example.org/x # u:p@h\n",
		  "[remote \"o\"]\n\turl = \"https://example.org/x\"\n" },
		{ "[a]\n\tb = \"ht\"tps://u:\"p@q\"@example.org/x\n",
		  "[a]\n\tb = \"https://example.org/x\"\n" },
		{ "[a]\n\tb = https://u:\\\np@example.org/x\n",
		  "[a]\n\tb = \"https://example.org/x\"\n" },
		{ "[url \"https://u:p@h/\"]\n\tinsteadOf = https://h/\n",
		  "[url \"https://h/\"]\n\tinsteadOf = https://h/\n" },
		{ "[http]\n\tExtraHeader = Authorization: basic \\\n  abc\n\tx = y\n",
		  "[http]\n\t# hidden by foso\n\tx = y\n" },
		{ "[http \"h\"] extraheader = \"X: y\"\n", "[http \"h\"] # hidden by foso\n" },
		{ "[http]\n\tproxy = u:p@proxy:3128\n", "[http]\n\t# hidden by foso\n" },
		{ "[sendemail]\n\tsmtpPass = x\n", "[sendemail]\n\t# hidden by foso\n" },
		{ "[credential]\n\thelper = \"!f() { echo password=x; }; f\"\n",
		  "[credential]\n\t# hidden by foso\n" },
		{ "[credential]\n\thelper = store\n", "=" },
		{ "; https://u:p@h\n[a]\n", "#\n[a]\n" },
		{ "[a]\n\tb\n", "=" },
		{ "[a\n", NULL },
		{ "[a \"b]\n", NULL },
		{ "[a]\n\tb = \"c\n", NULL },
		{ "[a]\n\tb = \\x\n", NULL },
		{ "[a]\n\t=\n", NULL },
		{ "[a]\n\tb c\n", NULL },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out = BUF_INIT(65536);
		check(&rows[i], replace_git_config(rows[i].before, strlen(rows[i].before), &out),
		      &out);
		buf_fini(&out);
	}
}

static void dotenv_files(void)
{
	static const struct row rows[] = {
		{ "", "=" },
		{ "A=1\n", "=" },
		{ "# KEY=old\nA=1\n", "A=1\n" },
		{ "KEY=abc\n", "KEY=foso_placeholder_KEY\n" },
		{ "export KEY = 'a b' # c\nA = x # y\n", "export KEY=foso_placeholder_KEY\nA=x\n" },
		{ "KEY=\"a\nb\\\"c\"\nA=\"x\n y\"\n", "KEY=foso_placeholder_KEY\nA=\"x\n y\"\n" },
		{ "KEY=\r\nA=1\r\n", "KEY=foso_placeholder_KEY\nA=1\n" },
		{ "KEYS=1\nKEY=2", "KEYS=1\nKEY=foso_placeholder_KEY\n" },
		{ "KEY=a\\\nb\n", NULL },
		{ "KEY=ab\"c\nX=d\"\n", NULL },
		{ "KEY='a\\'b'\n", NULL },
		{ "KEY='a\n", NULL },
		{ "KEY='a' b\n", NULL },
		{ "KEY: a\n", NULL },
		{ "a b\n", NULL },
		{ "1A=b\n", NULL },
	};
	char name[] = "KEY", *items[] = { name };
	const struct policy_list names = { items, 1 };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct buf out = BUF_INIT(65536);
		check(&rows[i],
		      replace_dotenv(rows[i].before, strlen(rows[i].before), &names, &out), &out);
		buf_fini(&out);
	}
}

static void a_star_replaces_all(void)
{
	char star[] = "*", *items[] = { star };
	const struct policy_list names = { items, 1 };
	struct buf out = BUF_INIT(65536);
	EQ(replace_dotenv("A=1\nB='2'\n", 10, &names, &out), REPLACE_CHANGED);
	STR_EQ(buf_string(&out), "A=foso_placeholder_A\nB=foso_placeholder_B\n");
	buf_fini(&out);
}

static void nul_bytes_are_not_understood(void)
{
	struct buf out = BUF_INIT(65536);
	const struct policy_list names = { NULL, 0 };
	EQ(replace_git_config("[a]\0\n", 5, &out), REPLACE_UNKNOWN);
	EQ(replace_dotenv("A=\0\n", 4, &names, &out), REPLACE_UNKNOWN);
	buf_fini(&out);
}

int main(void)
{
	RUN(git_configurations);
	RUN(dotenv_files);
	RUN(a_star_replaces_all);
	RUN(nul_bytes_are_not_understood);
	return tap_done();
}
