/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - foso-wasm: started by the engine of level `wasm`, or by hand: "assemble", "compile" */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "wasm/wasm.h"

int main(int argc, char **argv)
{
	static struct wasm_program program;
	bool is_assembly = argc >= 2 && strcmp(argv[1], "assemble") == 0;
	bool is_ahead = argc == 4 && strcmp(argv[1], "compile") == 0;
	if (argc == 4 && (is_assembly || is_ahead)) {
		/* In place of stdin and stdout, before anything is given up. */
		int in = open(argv[2], O_RDONLY | O_CLOEXEC);
		int out = open(argv[3], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		if (in < 0 || out < 0 || dup3(in, STDIN_FILENO, O_CLOEXEC) < 0 ||
		    dup3(out, STDOUT_FILENO, O_CLOEXEC) < 0) {
			(void)fprintf(stderr, "foso-wasm: a file cannot be opened\n");
			return 125;
		}
	}
	if (is_ahead)
		return compile_ahead();
	if ((argc == 2 || argc == 4) && is_assembly)
		return compile_assemble();
	if (argc == 4 && strcmp(argv[1], "help") == 0 && strcmp(argv[2], "--scdoc") == 0)
		return man_print(argv[3]);
	if (argc != 1 || fcntl(WASM_CODE_FD, F_GETFD) < 0) {
		(void)fprintf(stderr,
			      "foso-wasm: is started by foso run --level wasm; by hand it "
			      "only turns text into a module: foso-wasm assemble [IN OUT], or "
			      "a module into code: foso-wasm compile IN OUT\n");
		return 125;
	}
	return zygote_serve(&program);
}
