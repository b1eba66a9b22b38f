/* SPDX-License-Identifier: Apache-2.0 */
/* make_erofs.c - one image of the store as an EROFS file: prints "made" or "exists" */
#include <stdio.h>

#include "imagetool/erofs.h"

int main(int argc, char **argv)
{
	static struct image image;
	struct image_store store;
	struct error err = { 0 };
	if (argc != 2)
		return 2;
	int r = image_store_open(&store, NULL, &err);
	if (r == 0)
		r = image_open(&store, argv[1], &image, &err);
	if (r == 0)
		r = erofs_make(&store, &image, &err);
	if (r < 0) {
		error_print(stderr, &err);
		return error_code_exit_status(err.code);
	}
	puts(r == EROFS_EXISTS ? "exists" : "made");
	return 0;
}
