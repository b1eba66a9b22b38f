/* SPDX-License-Identifier: Apache-2.0 */
/* git_config_fuzz.c - a git config: read to the end or refused, and nothing of it is lost */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "workspacetool/git_config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_item(const struct git_item *item, void *context)
{
	size_t *n_running = context;
	assert(item->name_len > 0 && item->name_len < GIT_MAX_NAME_BYTES);
	assert(memchr(item->name, '.', item->name_len));
	assert(item->value_len == 0 || item->value);
	*n_running += item->reason != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	size_t n_running = 0;
	auto_buf struct buf news = BUF_INIT(4u << 20), none = BUF_INIT(4u << 20);
	if (size > 64 * 1024)
		return 0;
	bool is_good = git_config_walk(text, size, check_item, &n_running);
	assert(git_config_compare("", 0, text, size, &news) == is_good);
	assert(!is_good || (news.len > 0) == (n_running > 0));
	/* Nothing of it is news beside itself. */
	assert(git_config_compare(text, size, text, size, &none) == is_good);
	assert(none.len == 0);
	return 0;
}
