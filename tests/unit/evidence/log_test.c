/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "confine/confine.h"
#include "confine/seccomp.h"
#include "evidence/line.h"
#include "evidence/log.h"
#include "scratch.h"
#include "support/tap.h"

static const char record[] = "{\"id\":\"x\"}";

static int log_fd(void)
{
	struct error err = { 0 };
	int dir_fd = -1;
	EQ(evidence_log_open(scratch_path, &dir_fd, &err), 0);
	STR_EQ(err.message, "");
	return dir_fd;
}

static int append(int dir_fd)
{
	struct error err = { 0 };
	int r = evidence_log_append(dir_fd, record, sizeof(record) - 1, NULL, NULL, &err);
	STR_EQ(err.message, "");
	return r;
}

/* Holds the chain to the rules of log.h, without the code under test but for the parser. */
static uint64_t n_chained_lines(void)
{
	struct buf log = BUF_INIT(64 * 1024 * 1024);
	char prev[DIGEST_HEX_BYTES] = EVIDENCE_NO_HASH;
	uint64_t n = 0;
	scratch_read("log.jsonl", &log);
	for (char *at = log.data; at && *at;) {
		struct evidence_line line = { 0 };
		char *end = strchr(at, '\n');
		OK(end != NULL);
		if (!end)
			break;
		const char *wrong = evidence_line_parse(at, (size_t)(end - at), &line);
		OK(wrong == NULL);
		if (wrong)
			break;
		OK(evidence_line_has_right_hash(&line, at));
		EQ(line.seq, n + 1);
		STR_EQ(line.prev, prev);
		memcpy(prev, line.hash, sizeof(prev));
		n++;
		at = end + 1;
	}

	struct buf head = BUF_INIT(1024);
	struct evidence_head parsed = { 0 };
	scratch_read("head", &head);
	if (n > 0) {
		OK(evidence_head_parse(buf_string(&head), head.len, &parsed));
		EQ(parsed.seq, n);
		EQ(parsed.log_bytes, log.len);
		STR_EQ(parsed.hash, prev);
	}
	buf_fini(&head);
	buf_fini(&log);
	return n;
}

static void test_log_lines_are_chained(void)
{
	scratch_make();
	auto_fd int dir_fd = log_fd();
	for (int i = 0; i < 5; i++)
		EQ(append(dir_fd), 0);
	EQ(n_chained_lines(), 5);
	scratch_remove();
}

/* The digests were computed with sha256sum(1). */
static void test_log_first_line_is_exactly_this(void)
{
	struct buf log = BUF_INIT(4096);
	scratch_make();
	auto_fd int dir_fd = log_fd();
	EQ(append(dir_fd), 0);
	scratch_read("log.jsonl", &log);
	STR_EQ(buf_string(&log),
	       "{\"seq\":1,\"prev\":\"00000000000000000000000000000000000000000000000000000000000000"
	       "00\",\"record\":{\"id\":\"x\"},\"hash\":\"e3476835b8855c85161960f5f8a22f1f87a0f3345a75a8a760532e24fea875ab\"}\n");
	buf_fini(&log);
	scratch_remove();
}

static void test_log_folder_and_files_are_private(void)
{
	struct stat status;
	scratch_make();
	(void)snprintf(scratch_path + strlen(scratch_path), 16, "/a/b");
	mode_t mask = umask(0);
	auto_fd int dir_fd = log_fd();
	EQ(append(dir_fd), 0);
	umask(mask);
	EQ(stat(scratch_path, &status), 0);
	EQ(status.st_mode & 07777, 0700);
	EQ(stat(scratch_file("log.jsonl"), &status), 0);
	EQ(status.st_mode & 07777, 0600);
	EQ(stat(scratch_file("head"), &status), 0);
	EQ(status.st_mode & 07777, 0600);
	*strrchr(scratch_path, '/') = '\0';
	EQ(stat(scratch_path, &status), 0);
	EQ(status.st_mode & 07777, 0755);
	*strrchr(scratch_path, '/') = '\0';
	scratch_remove();
}

static void expect_open_refused(const char *path, const char *subject, const char *message)
{
	struct error err = { 0 };
	int dir_fd = -1;
	int r = evidence_log_open(path, &dir_fd, &err);
	ERR(r, &err, ERR_DENIED, subject);
	STR_EQ(err.message, message);
	OK(err.remedy[0] != '\0');
	EQ(dir_fd, -1);
}

static void test_log_open_refuses_links(void)
{
	char subject[128];
	scratch_make();
	mkdir(scratch_file("real"), 0700);
	EQ(symlink("real", scratch_file("link")), 0);
	(void)snprintf(subject, sizeof(subject), "%s/link", scratch_path);
	expect_open_refused(subject, subject,
			    "is a symbolic link, which could point elsewhere in the next run");
	(void)snprintf(subject, sizeof(subject), "%s/link//", scratch_path);
	char *slashes = strstr(subject, "//");
	struct error err = { 0 };
	int dir_fd = -1;
	EQ(evidence_log_open(subject, &dir_fd, &err), -ERR_DENIED);
	*slashes = '\0';
	STR_EQ(err.subject, subject);

	EQ(symlink("/etc/passwd", scratch_file("head")), 0);
	(void)snprintf(subject, sizeof(subject), "%s: head", scratch_path);
	expect_open_refused(scratch_path, subject,
			    "is a symbolic link, which could point elsewhere in the next run");
	scratch_remove();
}

static void test_log_open_refuses_what_is_no_folder_or_file(void)
{
	char subject[128];
	scratch_make();
	scratch_write("file", "x", 1);
	(void)snprintf(subject, sizeof(subject), "%s/file", scratch_path);
	expect_open_refused(subject, subject, "is not a folder");
	EQ(mkfifo(scratch_file("log.jsonl"), 0600), 0);
	(void)snprintf(subject, sizeof(subject), "%s: log.jsonl", scratch_path);
	expect_open_refused(scratch_path, subject, "is not a file");
	EQ(unlink(scratch_file("log.jsonl")), 0);
	EQ(mkdir(scratch_file("log.jsonl"), 0700), 0);
	expect_open_refused(scratch_path, subject, "is not a file");
	scratch_remove();
}

static void test_log_open_refuses_what_others_may_write(void)
{
	char subject[128];
	scratch_make();
	EQ(chmod(scratch_path, 0720), 0);
	expect_open_refused(scratch_path, scratch_path,
			    "may be written by others than its owner (mode 0720)");
	EQ(chmod(scratch_path, 01702), 0);
	expect_open_refused(scratch_path, scratch_path,
			    "may be written by others than its owner (mode 1702)");
	EQ(chmod(scratch_path, 0755), 0);
	auto_fd int dir_fd = log_fd();
	EQ(chmod(scratch_file("log.jsonl"), 0602), 0);
	(void)snprintf(subject, sizeof(subject), "%s: log.jsonl", scratch_path);
	expect_open_refused(scratch_path, subject,
			    "may be written by others than its owner (mode 0602)");
	struct error err = { 0 };
	ERR(evidence_log_append(dir_fd, record, sizeof(record) - 1, NULL, NULL, &err), &err,
	    ERR_DENIED, "log.jsonl");
	scratch_remove();
}

static void test_log_open_refuses_what_belongs_to_another(void)
{
	char message[128];
	if (geteuid() != 0)
		SKIP("needs root to give a folder away");
	scratch_make();
	if (chown(scratch_path, 1234, 0) < 0) {
		scratch_remove();
		SKIP("this user namespace has no other user");
	}
	(void)snprintf(message, sizeof(message),
		       "belongs to uid 1234 and not to uid 0, who runs foso");
	expect_open_refused(scratch_path, scratch_path, message);
	scratch_remove();
}

static void test_log_path_default_depends_on_the_user(void)
{
	struct error err = { 0 };
	struct buf path = BUF_INIT(4096);
	EQ(evidence_log_path("/x//", &path, &err), 0);
	STR_EQ(buf_string(&path), "/x");
	EQ(evidence_log_path("/", &path, &err), 0);
	STR_EQ(buf_string(&path), "/");
	if (geteuid() == 0) {
		EQ(evidence_log_path("", &path, &err), 0);
		STR_EQ(buf_string(&path), "/var/lib/foso/evidence");
		if (seteuid(65534) < 0)
			SKIP("cannot become another user");
	}
	setenv("HOME", "/home/u", 1);
	setenv("XDG_DATA_HOME", "/data", 1);
	EQ(evidence_log_path("", &path, &err), 0);
	STR_EQ(buf_string(&path), "/data/foso/evidence");
	setenv("XDG_DATA_HOME", "relative", 1);
	EQ(evidence_log_path("", &path, &err), 0);
	STR_EQ(buf_string(&path), "/home/u/.local/share/foso/evidence");
	unsetenv("XDG_DATA_HOME");
	unsetenv("HOME");
	ERR(evidence_log_path("", &path, &err), &err, ERR_NOT_FOUND, "evidence.path");
	if (getuid() == 0)
		EQ(seteuid(0), 0);
	buf_fini(&path);
}

static void test_log_unfinished_line_is_moved_away(void)
{
	struct buf log = BUF_INIT(4096);
	scratch_make();
	auto_fd int dir_fd = log_fd();
	EQ(append(dir_fd), 0);
	scratch_append("log.jsonl", "{\"seq\":2,\"prev\":\"half", 21);
	EQ(append(dir_fd), 0);
	EQ(n_chained_lines(), 2);

	char torn[256] = "";
	DIR *dir = opendir(scratch_path);
	OK(dir != NULL);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (strncmp(entry->d_name, "torn-", 5) == 0)
			(void)snprintf(torn, sizeof(torn), "%s", entry->d_name);
	}
	closedir(dir);
	scratch_read(torn, &log);
	STR_EQ(buf_string(&log), "{\"seq\":2,\"prev\":\"half");
	buf_fini(&log);
	scratch_remove();
}

/* Killed between the line and head. */
static void test_log_line_that_head_lacks_is_followed(void)
{
	struct buf head = BUF_INIT(4096);
	scratch_make();
	auto_fd int dir_fd = log_fd();
	EQ(append(dir_fd), 0);
	scratch_read("head", &head);
	EQ(append(dir_fd), 0);
	scratch_write("head", head.data, head.len);
	EQ(append(dir_fd), 0);
	EQ(n_chained_lines(), 3);
	buf_fini(&head);
	scratch_remove();
}

static void test_log_lost_or_broken_head_is_made_anew(void)
{
	scratch_make();
	auto_fd int dir_fd = log_fd();
	for (int i = 0; i < 3; i++)
		EQ(append(dir_fd), 0);
	EQ(unlink(scratch_file("head")), 0);
	EQ(append(dir_fd), 0);
	EQ(n_chained_lines(), 4);
	scratch_write("head", "", 0);
	EQ(append(dir_fd), 0);
	EQ(n_chained_lines(), 5);
	scratch_write("head", "{\"seq\":07}", 10);
	scratch_append("log.jsonl", "{", 1);
	EQ(append(dir_fd), 0);
	EQ(n_chained_lines(), 6);
	scratch_remove();
}

/* The lost lines must show: what follows continues from head and not from what is left. */
static void test_log_cut_tail_leaves_a_gap(void)
{
	struct buf log = BUF_INIT(4096);
	scratch_make();
	auto_fd int dir_fd = log_fd();
	EQ(append(dir_fd), 0);
	scratch_read("log.jsonl", &log);
	EQ(append(dir_fd), 0);
	EQ(truncate(scratch_file("log.jsonl"), (off_t)log.len - 3), 0);
	EQ(append(dir_fd), 0);
	scratch_read("log.jsonl", &log);
	OK(strncmp(buf_string(&log), "{\"seq\":3,", 9) == 0);
	buf_fini(&log);
	scratch_remove();
}

/* Bytes that are no line stay for verify to name, and the chain goes on behind them. */
static void test_log_foreign_lines_are_kept_and_passed_over(void)
{
	struct buf log = BUF_INIT(8 * 1024 * 1024);
	static char noise[3 * EVIDENCE_MAX_LINE_BYTES];
	scratch_make();
	auto_fd int dir_fd = log_fd();
	EQ(append(dir_fd), 0);
	memset(noise, 'n', sizeof(noise));
	noise[0] = noise[sizeof(noise) - 1] = '\n';
	scratch_append("log.jsonl", noise, sizeof(noise));
	EQ(append(dir_fd), 0);
	EQ(unlink(scratch_file("head")), 0);
	scratch_append("log.jsonl", noise, sizeof(noise));
	EQ(append(dir_fd), 0);
	scratch_read("log.jsonl", &log);
	const char *second = strstr(buf_string(&log), "\n{\"seq\":2,");
	OK(second && strstr(second, "\n{\"seq\":3,"));
	EQ(log.len, 2 * sizeof(noise) + 3 * (strcspn(log.data, "\n") + 1));
	buf_fini(&log);
	scratch_remove();
}

/* Longer than any window: the line break before it must be found all the same. */
static void test_log_long_unfinished_line_is_moved_away_whole(void)
{
	static char noise[3 * EVIDENCE_MAX_LINE_BYTES];
	scratch_make();
	auto_fd int dir_fd = log_fd();
	EQ(append(dir_fd), 0);
	memset(noise, 'n', sizeof(noise));
	scratch_append("log.jsonl", noise, sizeof(noise));
	EQ(append(dir_fd), 0);
	EQ(n_chained_lines(), 2);
	scratch_append("log.jsonl", noise, sizeof(noise));
	EQ(unlink(scratch_file("head")), 0);
	EQ(append(dir_fd), 0);
	EQ(n_chained_lines(), 3);
	scratch_remove();
}

#define N_WRITERS 8
#define N_LINES   100

static void test_log_writers_at_once_make_one_chain(void)
{
	int n_failed = 0;
	scratch_make();
	auto_fd int dir_fd = log_fd();
	for (int i = 0; i < N_WRITERS; i++) {
		if (fork() != 0)
			continue;
		int r = 0;
		for (int n = 0; n < N_LINES && r == 0; n++)
			r = append(dir_fd);
		_exit(r == 0 ? 0 : 1);
	}
	for (int status; wait(&status) > 0;)
		n_failed += status != 0;
	EQ(n_failed, 0);
	EQ(n_chained_lines(), N_WRITERS * N_LINES);
	scratch_remove();
}

/* Writers are killed at random points; each line that was reported as written must be there. */
static void test_log_killed_writers_lose_nothing(void)
{
	int reports[2];
	char byte;
	uint64_t n_reported = 0;
	scratch_make();
	auto_fd int dir_fd = log_fd();
	EQ(pipe2(reports, O_CLOEXEC), 0);
	for (int round = 0; round < 60; round++) {
		pid_t pid = fork();
		if (pid == 0) {
			while (append(dir_fd) == 0 && write(reports[1], "x", 1) == 1)
				;
			_exit(1);
		}
		/* After some lines, so that the kill hits any point of the next ones. */
		for (int i = 0; i < 3 + round % 7; i++)
			n_reported += read(reports[0], &byte, 1) == 1;
		kill(pid, SIGKILL);
		EQ(waitpid(pid, NULL, 0), pid);
	}
	close(reports[1]);
	while (read(reports[0], &byte, 1) == 1)
		n_reported++;
	close(reports[0]);
	EQ(append(dir_fd), 0);
	uint64_t n_lines = n_chained_lines();
	OK(n_lines > n_reported);
	OK(n_lines <= n_reported + 60 + 1);
	scratch_remove();
}

static void test_log_full_disk_keeps_what_is_there(void)
{
	struct error err = { 0 };
	static char big[64 * 1024];
	scratch_make();
	if (mount("tmpfs", scratch_path, "tmpfs", 0, "size=4M,mode=0700") < 0) {
		scratch_remove();
		SKIP("cannot mount a tmpfs");
	}
	auto_fd int dir_fd = log_fd();
	memset(big, 'b', sizeof(big));
	memcpy(big, "{\"b\":\"", 6);
	memcpy(big + sizeof(big) - 2, "\"}", 2);
	uint64_t n = 0;
	int r = 0;
	for (; r == 0 && n < 1000; n++)
		r = evidence_log_append(dir_fd, big, sizeof(big), NULL, NULL, &err);
	ERR(r, &err, ERR_SYSTEM, "log.jsonl");
	EQ(err.errnum, ENOSPC);
	STR_EQ(err.remedy, "free some space on its disk");
	EQ(n_chained_lines(), n - 1);

	int other_fd = -1;
	error_clear(&err);
	ERR(evidence_log_open(scratch_path, &other_fd, &err), &err, ERR_SYSTEM, scratch_path);
	EQ(err.errnum, ENOSPC);

	/* With room again the chain goes on. */
	EQ(mount(NULL, scratch_path, NULL, MS_REMOUNT, "size=8M"), 0);
	EQ(append(dir_fd), 0);
	EQ(n_chained_lines(), n);
	close(take_fd(&dir_fd));
	EQ(umount(scratch_path), 0);
	scratch_remove();
}

/* Somebody who was stopped with the lock in his hands. */
static void test_log_locked_for_long_is_told(void)
{
	struct error err = { 0 };
	struct timespec from, to;
	scratch_make();
	auto_fd int dir_fd = log_fd();
	auto_fd int held_fd = openat(dir_fd, "log.jsonl", O_RDONLY | O_CLOEXEC);
	EQ(flock(held_fd, LOCK_SH), 0);
	clock_gettime(CLOCK_MONOTONIC, &from);
	ERR(evidence_log_append(dir_fd, record, sizeof(record) - 1, NULL, NULL, &err), &err,
	    ERR_UNAVAILABLE, "log.jsonl");
	clock_gettime(CLOCK_MONOTONIC, &to);
	OK(to.tv_sec - from.tv_sec >= 6 && to.tv_sec - from.tv_sec < 60);
	EQ(flock(held_fd, LOCK_UN), 0);
	EQ(append(dir_fd), 0);
	EQ(n_chained_lines(), 1);
	scratch_remove();
}

static void test_log_open_refuses_files_that_may_not_grow(void)
{
	struct rlimit before, small = { .rlim_cur = 4096, .rlim_max = RLIM_INFINITY };
	struct error err = { 0 };
	int dir_fd = -1;
	scratch_make();
	EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
	small.rlim_max = before.rlim_max;
	EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
	EQ(evidence_log_open(scratch_path, &dir_fd, &err), -ERR_SYSTEM);
	EQ(err.errnum, EFBIG);
	EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
	auto_fd int open_fd = log_fd();
	EQ(append(open_fd), 0);
	scratch_remove();
}

static void test_log_refuses_what_is_no_record(void)
{
	static char big[EVIDENCE_MAX_RECORD_BYTES + 1];
	struct error err = { 0 };
	scratch_make();
	auto_fd int dir_fd = log_fd();
	memset(big, 'x', sizeof(big));
	ERR(evidence_log_append(dir_fd, big, sizeof(big), NULL, NULL, &err), &err, ERR_LIMIT,
	    "record");
	error_clear(&err);
	ERR(evidence_log_append(dir_fd, "{\n}", 3, NULL, NULL, &err), &err, ERR_INTERNAL, "record");
	error_clear(&err);
	ERR(evidence_log_append(dir_fd, "", 0, NULL, NULL, &err), &err, ERR_INTERNAL, "record");
	EQ(n_chained_lines(), 0);
	scratch_remove();
}

#define KEY "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SIG \
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="

static int sign_with(void *context, const uint8_t hash[32], struct buf *ret, struct error *err)
{
	UNUSED(hash);
	UNUSED(err);
	buf_append_string(ret, context);
	return 0;
}

static int sign_fails(void *context, const uint8_t hash[32], struct buf *ret, struct error *err)
{
	UNUSED(context);
	UNUSED(hash);
	UNUSED(ret);
	return error_set(err, ERR_UNAVAILABLE, 0, "evidence.sign", "no");
}

static void test_log_signature_stands_before_the_brace(void)
{
	struct buf log = BUF_INIT(4096);
	struct error err = { 0 };
	char answer[] = KEY " " SIG;
	scratch_make();
	auto_fd int dir_fd = log_fd();
	EQ(evidence_log_append(dir_fd, record, sizeof(record) - 1, sign_with, answer, &err), 0);
	scratch_read("log.jsonl", &log);
	OK(strstr(buf_string(&log), "\",\"key\":\"" KEY "\",\"sig\":\"" SIG "\"}\n") != NULL);
	EQ(n_chained_lines(), 1);
	buf_fini(&log);
	scratch_remove();
}

static void test_log_bad_signature_leaves_no_line(void)
{
	char *answers[] = { (char[]){ "" }, (char[]){ KEY " " SIG "x" }, (char[]){ KEY "\n" SIG },
			    (char[]){ KEY " \"" SIG } };
	struct error err = { 0 };
	scratch_make();
	auto_fd int dir_fd = log_fd();
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		error_clear(&err);
		ERR(evidence_log_append(dir_fd, record, sizeof(record) - 1, sign_with, answers[i],
					&err),
		    &err, ERR_PROTOCOL, "evidence.sign");
	}
	error_clear(&err);
	ERR(evidence_log_append(dir_fd, record, sizeof(record) - 1, sign_fails, NULL, &err), &err,
	    ERR_UNAVAILABLE, "evidence.sign");
	EQ(n_chained_lines(), 0);
	scratch_remove();
}

/*
 * As the monitor does it: rights are given up first.  The child exits with 0 if both appends work
 * and, as the other side, what it has no right to fails.
 */
static int append_restricted(int dir_fd)
{
	struct confine_path own = { dir_fd, CONFINE_PATH_READ | CONFINE_PATH_WRITE };
	if (confine_no_new_privs() != 0)
		return 1;
	if (confine_landlock_abi() > 0 && confine_landlock(&own, 1, true) != 0)
		return 2;
	if (seccomp_self_restrict() != 0)
		return 3;
	if (append(dir_fd) != 0)
		return 4;
	/* An unfinished line: the way of repair makes a file and renames it. */
	int fd = openat(dir_fd, "log.jsonl", O_WRONLY | O_APPEND | O_CLOEXEC);
	if (fd < 0 || write(fd, "{", 1) != 1 || append(dir_fd) != 0)
		return 5;
	if (socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) >= 0)
		return 6;
	if (confine_landlock_abi() > 0 && open("/etc/passwd", O_RDONLY | O_CLOEXEC) >= 0)
		return 7;
	return 0;
}

static void test_log_append_works_without_rights(void)
{
	int status = 0;
	if (TAP_IS_SANITIZED)
		SKIP("a sanitizer needs system calls that the filter refuses");
	scratch_make();
	auto_fd int dir_fd = log_fd();
	pid_t pid = fork();
	if (pid == 0)
		_exit(append_restricted(dir_fd));
	EQ(waitpid(pid, &status, 0), pid);
	EQ(status, 0);
	EQ(n_chained_lines(), 2);
	scratch_remove();
}

int main(void)
{
	RUN(test_log_lines_are_chained);
	RUN(test_log_first_line_is_exactly_this);
	RUN(test_log_folder_and_files_are_private);
	RUN(test_log_open_refuses_links);
	RUN(test_log_open_refuses_what_is_no_folder_or_file);
	RUN(test_log_open_refuses_what_others_may_write);
	RUN(test_log_open_refuses_what_belongs_to_another);
	RUN(test_log_path_default_depends_on_the_user);
	RUN(test_log_unfinished_line_is_moved_away);
	RUN(test_log_line_that_head_lacks_is_followed);
	RUN(test_log_lost_or_broken_head_is_made_anew);
	RUN(test_log_cut_tail_leaves_a_gap);
	RUN(test_log_foreign_lines_are_kept_and_passed_over);
	RUN(test_log_long_unfinished_line_is_moved_away_whole);
	RUN(test_log_writers_at_once_make_one_chain);
	RUN(test_log_killed_writers_lose_nothing);
	RUN(test_log_full_disk_keeps_what_is_there);
	RUN(test_log_append_works_without_rights);
	RUN(test_log_locked_for_long_is_told);
	RUN(test_log_open_refuses_files_that_may_not_grow);
	RUN(test_log_refuses_what_is_no_record);
	RUN(test_log_signature_stands_before_the_brace);
	RUN(test_log_bad_signature_leaves_no_line);
	return tap_done();
}
