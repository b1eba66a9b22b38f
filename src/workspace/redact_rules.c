/* SPDX-License-Identifier: Apache-2.0 */
/* redact_rules.c - from globs to what becomes of one path */
#include <string.h>

#include "workspace/glob.h"
#include "workspace/redact.h"
#include "workspace/secrets.h"

static const struct {
	char glob[46];
	uint8_t class;
} table[] = {
#define SECRET_ROW(glob, ...) { glob, REDACT_HIDE },
#define SHOWN_ROW(glob, ...)  { glob, REDACT_SHOW },
#define GIT_ROW(glob)         { glob, REDACT_GIT },
	SECRETS(SECRET_ROW, SHOWN_ROW, GIT_ROW)
#undef SECRET_ROW
#undef SHOWN_ROW
#undef GIT_ROW
};

/* The files whose variables can be replaced one by one. */
static bool is_env(const char *glob)
{
	return strcmp(glob, ".env*") == 0 || strcmp(glob, "*.env") == 0;
}

static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static unsigned char plain(char c)
{
	return strchr("*?[]\\", c) ? 0 : lower(c);
}

static void add_rule(struct redact *redact, const char *glob, enum redact_class class,
		     bool spares_folders)
{
	size_t len = strlen(glob);
	if (len == 0 || len > UINT16_MAX || redact->n_rules == REDACT_MAX_RULES)
		return;
	struct redact_rule *rule = &redact->rules[redact->n_rules++];
	rule->is_folder = glob[len - 1] == '/';
	rule->is_file = spares_folders && !rule->is_folder;
	len -= rule->is_folder;
	rule->glob = glob;
	rule->len = (uint16_t)len;
	rule->class = (uint8_t) class;
	rule->is_anchored = memchr(glob, '/', len) != NULL;
	rule->first = rule->is_anchored ? 0 : plain(glob[0]);
	/* Behind a backslash any byte is plain, but then it is not worth the while. */
	rule->last = memchr(glob, '\\', len) ? 0 : plain(glob[len - 1]);
}

void redact_init(struct redact *ret, const struct policy *policy)
{
	const struct policy_list *globs = &policy->workspace.redact;
	bool hides_secrets = policy->workspace.secrets == POLICY_SECRETS_HIDE;
	bool has_placeholders = policy->workspace.placeholders.n_items > 0;
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; hides_secrets && i < ARRAY_LEN(table); i++) {
		bool is_replaced = has_placeholders && is_env(table[i].glob);
		add_rule(ret, table[i].glob,
			 is_replaced ? REDACT_ENV : (enum redact_class)table[i].class, true);
	}
	static_assert(ARRAY_LEN(table) + POLICY_MAX_RULES <= REDACT_MAX_RULES, "all rules fit");
	/* What is shown again wins, whatever the order: a policy's lists have none. */
	for (int pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < globs->n_items; i++) {
			const char *glob = globs->items[i];
			bool is_shown = glob[0] == '!';
			if (is_shown == (pass == 1))
				add_rule(ret, glob + is_shown, is_shown ? REDACT_SHOW : REDACT_HIDE,
					 false);
		}
	}
}

static bool rule_fits(const struct redact_rule *rule, const char *path, size_t len,
		      const char *name, size_t name_len, bool is_folder)
{
	if (is_folder ? rule->is_file : rule->is_folder)
		return false;
	return rule->is_anchored ? glob_fits(rule->glob, rule->len, path, len)
				 : glob_fits(rule->glob, rule->len, name, name_len);
}

enum redact_class redact_class_of(const struct redact *redact, const char *path, size_t len,
				  bool is_folder)
{
	const char *slash = memrchr(path, '/', len);
	const char *name = slash ? slash + 1 : path;
	size_t name_len = len - (size_t)(name - path);
	unsigned char first = lower(name[0]), last = lower(path[len - 1]);
	for (size_t i = redact->n_rules; i-- > 0;) {
		const struct redact_rule *rule = &redact->rules[i];
		if ((rule->first != 0 && rule->first != first) ||
		    (rule->last != 0 && rule->last != last))
			continue;
		if (rule_fits(&redact->rules[i], path, len, name, name_len, is_folder))
			return (enum redact_class)redact->rules[i].class;
	}
	return REDACT_SHOW;
}

/*
 * Two stars alone, at the beginning, are no head: what such a rule names is found by itself.  The
 * last byte is compared first, since a tree can have many links and most of them fit nothing.
 */
static bool heads_fit(const char *glob, size_t glob_len, const char *path, size_t len)
{
	for (size_t at = 1; at < glob_len; at++) {
		if (glob[at] != '/' || (at == 2 && memcmp(glob, "**", 2) == 0))
			continue;
		unsigned char last = plain(glob[at - 1]);
		if ((last == 0 || last == lower(path[len - 1])) && glob_fits(glob, at, path, len))
			return true;
	}
	return false;
}

bool redact_looks_below(const struct redact *redact, const char *path, size_t len)
{
	for (size_t i = 0; i < redact->n_rules; i++) {
		const struct redact_rule *rule = &redact->rules[i];
		if (rule->is_anchored && heads_fit(rule->glob, rule->len, path, len))
			return true;
	}
	return false;
}
