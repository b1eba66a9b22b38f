/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.c - start a command many times and say what one start costs
 *
 *   spawn [-n RUNS] [-w WARM] [-j JOBS] COMMAND [ARG]... [::: COMMAND [ARG]...]...
 *   spawn -i COMMAND [ARG]...
 *
 * Theory of operation.  Several commands are run in turn (A B A B ...), so that whatever else
 * the machine does meets all of them alike.  Wall time is from before the spawn until the wait
 * returned; CPU time and page faults are what wait4() says of the child and all that it waited
 * for.  With -j one command is kept running JOBS times over, and the time of all is one line.
 * With -i a line on stdin starts one run and a line on stdout answers it: that is how a script
 * measures inside a sandbox and outside of it in turn, without counting the sandbox's start.
 *
 * Static and without dependencies, so that it runs in every root file system.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/text.h"

#define MAX_COMMANDS 16
#define MAX_RUNS     100000

struct sample {
	uint64_t wall_ns, cpu_ns, faults;
};

struct command {
	char **argv;
	struct sample *samples;
};

struct settings {
	uint64_t runs, warm, jobs;
	bool is_interactive;
};

static _Noreturn void die(const char *what, const char *name)
{
	(void)fprintf(stderr, "spawn: %s: %s (%s)\n", name, what, strerror(errno));
	exit(125);
}

static uint64_t now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t timeval_ns(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* stdin and stdout of what is measured are not ours: with -i those carry the conversation. */
static pid_t start(char **argv)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;
	if (posix_spawn_file_actions_init(&actions) != 0 ||
	    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) != 0 ||
	    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) != 0)
		die("no memory", argv[0]);
	errno = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	if (errno != 0)
		die("cannot be started", argv[0]);
	(void)posix_spawn_file_actions_destroy(&actions);
	return pid;
}

static void check_status(int status, const char *name)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return;
	(void)fprintf(stderr, "spawn: %s: ended with status %d\n", name,
		      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	exit(1);
}

static struct sample run_once(char **argv)
{
	struct rusage usage;
	int status;
	uint64_t began_ns = now_ns();
	pid_t pid = start(argv);
	while (wait4(pid, &status, 0, &usage) < 0) {
		if (errno != EINTR)
			die("cannot be waited for", argv[0]);
	}
	uint64_t wall_ns = now_ns() - began_ns;
	check_status(status, argv[0]);
	return (struct sample){
		.wall_ns = wall_ns,
		.cpu_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime),
		.faults = (uint64_t)usage.ru_minflt,
	};
}

/* Keeps @jobs of them running until @runs have ended. */
static uint64_t run_parallel(char **argv, uint64_t runs, uint64_t jobs)
{
	uint64_t began_ns = now_ns();
	for (uint64_t n_started = 0, n_ended = 0; n_ended < runs;) {
		while (n_started < runs && n_started - n_ended < jobs) {
			(void)start(argv);
			n_started++;
		}
		int status;
		if (wait(&status) > 0) {
			n_ended++;
			check_status(status, argv[0]);
		}
	}
	return now_ns() - began_ns;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;
	return (*left > *right) - (*left < *right);
}

static void print_quantiles(const struct command *command, uint64_t runs, const char *name,
			    size_t offset)
{
	static uint64_t values[MAX_RUNS];
	for (uint64_t i = 0; i < runs; i++)
		memcpy(&values[i], (const char *)&command->samples[i] + offset, sizeof(uint64_t));
	qsort(values, runs, sizeof(values[0]), compare);
	(void)printf(", \"%s\": {\"median\": %llu, \"p10\": %llu, \"p90\": %llu}", name,
		     (unsigned long long)values[runs / 2], (unsigned long long)values[runs / 10],
		     (unsigned long long)values[runs * 9 / 10]);
}

static void print_command(const struct command *command, uint64_t runs)
{
	(void)printf("{\"command\": \"%s\", \"runs\": %llu", command->argv[0],
		     (unsigned long long)runs);
	print_quantiles(command, runs, "wall_ns", offsetof(struct sample, wall_ns));
	print_quantiles(command, runs, "cpu_ns", offsetof(struct sample, cpu_ns));
	print_quantiles(command, runs, "faults", offsetof(struct sample, faults));
	(void)printf("}\n");
}

/* Splits the words at ":::"; returns how many commands there are. */
static size_t split_commands(char **words, struct command commands[MAX_COMMANDS])
{
	size_t n_commands = 0;
	for (char **word = words; *word && n_commands < MAX_COMMANDS; n_commands++) {
		commands[n_commands].argv = word;
		while (*word && strcmp(*word, ":::") != 0)
			word++;
		if (*word)
			*word++ = NULL;
		if (!commands[n_commands].argv[0])
			die("a command is empty", ":::");
	}
	return n_commands;
}

static void serve(char **argv)
{
	for (int c = getchar(); c != EOF; c = getchar()) {
		if (c != '\n')
			continue;
		struct sample sample = run_once(argv);
		(void)printf("%llu %llu %llu\n", (unsigned long long)sample.wall_ns,
			     (unsigned long long)sample.cpu_ns, (unsigned long long)sample.faults);
		(void)fflush(stdout);
	}
}

static void run_in_turn(struct command *commands, size_t n_commands,
			const struct settings *settings)
{
	for (size_t i = 0; i < n_commands; i++) {
		commands[i].samples = calloc(settings->runs, sizeof(struct sample));
		if (!commands[i].samples)
			die("no memory", commands[i].argv[0]);
	}
	for (uint64_t run = 0; run < settings->warm + settings->runs; run++) {
		for (size_t i = 0; i < n_commands; i++) {
			struct sample sample = run_once(commands[i].argv);
			if (run >= settings->warm)
				commands[i].samples[run - settings->warm] = sample;
		}
	}
	for (size_t i = 0; i < n_commands; i++)
		print_command(&commands[i], settings->runs);
}

static _Noreturn void usage(void)
{
	(void)fprintf(stderr, "usage: spawn [-n RUNS] [-w WARM] [-j JOBS] COMMAND... "
			      "[::: COMMAND...]...\n       spawn -i COMMAND...\n");
	exit(125);
}

static void read_settings(int argc, char **argv, struct settings *ret)
{
	/* POSIXLY: the first word that is no option is the command. */
	for (int option; (option = getopt(argc, argv, "+n:w:j:i")) != -1;) {
		uint64_t *number = option == 'n'   ? &ret->runs
				   : option == 'w' ? &ret->warm
				   : option == 'j' ? &ret->jobs
						   : NULL;
		if (option == 'i')
			ret->is_interactive = true;
		else if (!number || !text_parse_u64(optarg, number) || *number > MAX_RUNS)
			usage();
	}
	if (optind == argc || ret->runs == 0)
		usage();
}

int main(int argc, char **argv)
{
	struct settings settings = { .runs = 50, .warm = 3 };
	struct command commands[MAX_COMMANDS] = { { 0 } };
	read_settings(argc, argv, &settings);
	size_t n_commands = split_commands(argv + optind, commands);
	if (settings.is_interactive)
		serve(commands[0].argv);
	else if (settings.jobs > 0)
		(void)printf("{\"command\": \"%s\", \"runs\": %llu, \"jobs\": %llu, "
			     "\"wall_ns\": %llu}\n",
			     commands[0].argv[0], (unsigned long long)settings.runs,
			     (unsigned long long)settings.jobs,
			     (unsigned long long)run_parallel(commands[0].argv, settings.runs,
							      settings.jobs));
	else
		run_in_turn(commands, n_commands, &settings);
	return 0;
}
