/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - the command line of foso */
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	static const char version[] = "foso 0.1.0\n";
	if (argc == 2 && strcmp(argv[1], "--version") == 0)
		return write(STDOUT_FILENO, version, sizeof(version) - 1) < 0;
	return 125;
}
