/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content_patch.c - the hunks of a unified diff, by libgit2
 *
 * libgit2 decides as git does what is text.  Only hunks are made here: names are for
 * foso-workspace, which knows them.
 */
#include <git2.h>
#include <string.h>

#include "workspacetool/content.h"

struct patch {
	struct content_answer *answer;
	struct buf *out;
	bool is_binary;
};

static int take_binary(const git_diff_delta *delta, const git_diff_binary *binary, void *payload)
{
	struct patch *patch = payload;
	UNUSED(delta);
	UNUSED(binary);
	patch->is_binary = true;
	return 0;
}

static int take_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *payload)
{
	struct patch *patch = payload;
	UNUSED(delta);
	/* The words behind the second @@ would be a line of the file: not needed. */
	buf_printf(patch->out, "@@ -%d,%d +%d,%d @@\n", hunk->old_start, hunk->old_lines,
		   hunk->new_start, hunk->new_lines);
	return 0;
}

static int take_line(const git_diff_delta *delta, const git_diff_hunk *hunk,
		     const git_diff_line *line, void *payload)
{
	struct patch *patch = payload;
	UNUSED(delta);
	UNUSED(hunk);
	patch->answer->n_added += line->origin == GIT_DIFF_LINE_ADDITION;
	patch->answer->n_removed += line->origin == GIT_DIFF_LINE_DELETION;
	if (line->origin == GIT_DIFF_LINE_ADDITION || line->origin == GIT_DIFF_LINE_DELETION ||
	    line->origin == GIT_DIFF_LINE_CONTEXT)
		buf_append_char(patch->out, line->origin);
	buf_append(patch->out, line->content, line->content_len);
	return buf_is_whole(patch->out) ? 0 : -1;
}

enum content_status content_patch(const char *before, size_t n_before, const char *now,
				  size_t n_now, struct content_answer *ret, struct buf *out)
{
	struct patch patch = { .answer = ret, .out = out };
	git_diff_options options = GIT_DIFF_OPTIONS_INIT;
	options.max_size = (git_off_t)CONTENT_MAX_BYTES + 1;
	if (git_diff_buffers(before, n_before, NULL, now, n_now, NULL, &options, NULL, take_binary,
			     take_hunk, take_line, &patch) != 0)
		return buf_is_whole(out) ? CONTENT_ODD : CONTENT_LARGE;
	return patch.is_binary ? CONTENT_BINARY : CONTENT_TEXT;
}
