/* SPDX-License-Identifier: Apache-2.0 */
/* setxattr.c - setxattr PATH NAME VALUE: busybox has no program for it */
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>

int main(int argc, char **argv)
{
	if (argc != 4) {
		(void)fprintf(stderr, "setxattr PATH NAME VALUE\n");
		return 2;
	}
	if (setxattr(argv[1], argv[2], argv[3], strlen(argv[3]), 0) < 0) {
		perror(argv[1]);
		return 1;
	}
	return 0;
}
