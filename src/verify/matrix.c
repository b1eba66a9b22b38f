/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.c - the boundary matrix of each level: its themes in order */
#include "base/macros.h"
#include "verify/verify.h"

static const struct row_group *const of_process[] = {
	&rows_files,  &rows_processes, &rows_limits, &rows_network,  &rows_kernel, &rows_fresh,
	&rows_images, &rows_workspace, &rows_commit, &rows_refusals, &rows_life,   NULL,
};

static const struct row_group *const of_wasm[] = {
	&rows_wasm_ends,
	&rows_wasm_memory,
	&rows_wasm_host,
	&rows_wasm_folders,
	&rows_wasm_modules,
	&rows_wasm_refusals,
	NULL,
};

static const struct row_group *const *chosen = of_process;

void matrix_choose(bool is_wasm)
{
	chosen = is_wasm ? of_wasm : of_process;
}

const struct row_group *matrix_group(size_t index)
{
	return chosen[index];
}

size_t matrix_count(void)
{
	size_t n = 0;
	for (size_t i = 0; chosen[i]; i++)
		n += chosen[i]->n_rows;
	return n;
}

const struct row *matrix_row(size_t index)
{
	for (size_t i = 0; chosen[i]; i++) {
		if (index < chosen[i]->n_rows)
			return &chosen[i]->rows[index];
		index -= chosen[i]->n_rows;
	}
	return NULL;
}
