/* SPDX-License-Identifier: Apache-2.0 */
/* matrix.c - the boundary matrix of level process: its themes in order */
#include "base/macros.h"
#include "verify/verify.h"

const struct row_group *const matrix[] = {
	&rows_files, &rows_processes, &rows_limits,    &rows_network,  &rows_kernel,
	&rows_fresh, &rows_images,    &rows_workspace, &rows_refusals, &rows_life,
};
const size_t n_matrix = ARRAY_LEN(matrix);

size_t matrix_count(void)
{
	size_t n = 0;
	for (size_t i = 0; i < n_matrix; i++)
		n += matrix[i]->n_rows;
	return n;
}

const struct row *matrix_row(size_t index)
{
	for (size_t i = 0; i < n_matrix; i++) {
		if (index < matrix[i]->n_rows)
			return &matrix[i]->rows[index];
		index -= matrix[i]->n_rows;
	}
	return NULL;
}
