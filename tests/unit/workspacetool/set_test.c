/* SPDX-License-Identifier: Apache-2.0 */
/* set_test.c - sets in memory and in their stored form */
#include "base/cleanup.h"
#include "support/tap.h"
#include "workspacetool/set.h"

static void add(struct set *set, const char *path, uint64_t inode)
{
	struct error err = { 0 };
	struct entry *entry;
	EQ(set_add(set, path, strlen(path), &entry, &err), 0);
	entry->upper = (struct node){ .type = NODE_FILE, .mode = 0644, .inode = inode };
	entry->change = CHANGE_CREATED;
}

static void fill(struct set *set)
{
	set_init(set);
	add(set, "b", 1);
	add(set, "a-b", 2);
	add(set, "a/z", 3);
	add(set, "a", 4);
	add(set, "a/b/c", 5);
	add(set, "a/b", 6);
	set_sort(set);
}

static void test_a_folder_is_followed_by_what_is_in_it(void)
{
	static const char *const order[] = { "a", "a/b", "a/b/c", "a/z", "a-b", "b" };
	CLEANUP(set_fini) struct set set;
	fill(&set);
	for (size_t i = 0; i < ARRAY_LEN(order); i++) {
		STR_EQ(set.entries[i].path, order[i]);
		EQ(set_find(&set, order[i], strlen(order[i])), i);
	}
	EQ(set_end_of(&set, 0), 4);
	EQ(set_end_of(&set, 1), 3);
	EQ(set_end_of(&set, 5), 6);
	EQ(set_find(&set, "c", 1), SET_NO_ENTRY);
}

static void test_the_stored_form_comes_back(void)
{
	CLEANUP(set_fini) struct set set, back = { 0 };
	auto_buf struct buf bytes = BUF_INIT(65536);
	struct error err = { 0 };
	fill(&set);
	set.entries[2].renamed_from = 1;
	set_encode(&set, &bytes);
	EQ(set_decode(&back, bytes.data, bytes.len, "shown", &err), 0);
	EQ(back.n_entries, 6);
	EQ(back.entries[2].renamed_from, 1);
	for (size_t i = 0; i < back.n_entries; i++) {
		STR_EQ(back.entries[i].path, set.entries[i].path);
		EQ(back.entries[i].upper.inode, set.entries[i].upper.inode);
	}
}

static void test_a_changed_byte_is_noticed(void)
{
	CLEANUP(set_fini) struct set set, cut = { 0 };
	auto_buf struct buf bytes = BUF_INIT(65536);
	struct error last = { 0 };
	fill(&set);
	set_encode(&set, &bytes);
	for (size_t i = 0; i < bytes.len; i += 7) {
		CLEANUP(set_fini) struct set back = { 0 };
		struct error err = { 0 };
		bytes.data[i] ^= 1;
		ERR(set_decode(&back, bytes.data, bytes.len, "shown", &err), &err, ERR_CORRUPT,
		    "shown");
		bytes.data[i] ^= 1;
	}
	ERR(set_decode(&cut, bytes.data, bytes.len - 1, "shown", &last), &last, ERR_CORRUPT,
	    "shown");
}

int main(void)
{
	RUN(test_a_folder_is_followed_by_what_is_in_it);
	RUN(test_the_stored_form_comes_back);
	RUN(test_a_changed_byte_is_noticed);
	return tap_done();
}
