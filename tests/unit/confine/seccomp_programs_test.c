/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_programs_test.c - ordinary programs run under the profiles and miss nothing
 *
 * Each runs in an empty folder and must succeed without a single denied call: a call that is
 * denied and survived is still one that the program wanted.  Under "strict" socket() may be
 * denied, by which the C library asks nscd for the names of users before it reads the files.
 */
#include <fcntl.h>
#include <linux/audit.h>
#include <stdio.h>
#include <sys/stat.h>

#include "confined.h"

struct program {
	const char *needs; /* looked for in PATH */
	const char *script;
};

static const struct program *current;
static char folder[] = "/tmp/foso-programs-XXXXXX";
static char words[64]; /* path of what the program wrote to stderr */

static int run_script(void)
{
	if (chdir(folder) < 0)
		return ACT_BROKE;
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-euc" }, strdup(current->script), NULL };
	char home[64], path[1024];
	(void)snprintf(home, sizeof(home), "HOME=%s", folder);
	(void)snprintf(path, sizeof(path), "PATH=%s", getenv("PATH"));
	char *environment[] = { home, path, (char[]){ "LC_ALL=C.UTF-8" }, NULL };
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int words_fd = open(words, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (dup2(null_fd, 0) < 0 || dup2(null_fd, 1) < 0 || dup2(words_fd, 2) < 0)
		return ACT_BROKE;
	execve("/bin/sh", argv, environment);
	return ACT_BROKE;
}

static bool is_installed(const char *program)
{
	char command[128];
	(void)snprintf(command, sizeof(command), "command -v %s >/dev/null 2>&1", program);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(ACT_BROKE);
	}
	return child_status(child) == 0;
}

static void words_print(void)
{
	FILE *file = fopen(words, "re");
	char line[512];
	while (file && fgets(line, sizeof(line), file))
		printf("# %s", line);
	if (file)
		fclose(file);
}

/* Nothing denied; what was is named. */
static const char *check_program(const struct program *program, const struct policy *policy)
{
	static char reason[64];
	(void)snprintf(reason, sizeof(reason), "%s is not installed", program->needs);
	if (!is_installed(program->needs))
		return reason;
	current = program;
	struct seccomp_denials denials;
	EQ(act_confined(run_script, policy, &denials), 0);
	for (size_t i = 0; i < denials.n_items; i++) {
		if (policy->syscalls.profile == POLICY_PROFILE_STRICT &&
		    denials.items[i].number == (uint32_t)seccomp_syscall_number("socket"))
			continue;
		const char *name =
			seccomp_syscall_name(denials.items[i].audit_arch, denials.items[i].number);
		FAIL("%s: %s (%x:%u) was denied %llu times", program->needs, name ? name : "?",
		     denials.items[i].audit_arch, denials.items[i].number,
		     (unsigned long long)denials.items[i].n_calls);
	}
	if (tap_is_failing)
		words_print();
	return NULL;
}

#define PROGRAM_TEST(test, profile_, needs_, script_)                                 \
	static void test_##test(void)                                                 \
	{                                                                             \
		static const struct program program = { needs_, script_ };            \
		const struct policy policy = { .syscalls = { .profile = profile_ } }; \
		const char *reason = check_program(&program, &policy);                \
		if (reason)                                                           \
			SKIP(reason);                                                 \
	}

/* clang-format off */
#define PROGRAMS(PROGRAM) \
	PROGRAM(shell, POLICY_PROFILE_DEFAULT, "sh", \
		"for i in 3 1 2; do echo $i; done | sort | tail -n 1; x=$(id -u); ulimit -c 0; " \
		"(sleep 0 & wait); trap 'exit 0' USR1; kill -USR1 $$; exit 1") \
	PROGRAM(bash, POLICY_PROFILE_DEFAULT, "bash", \
		"bash -c 'coproc cat; echo x >&${COPROC[1]}; read -r y <&${COPROC[0]}; " \
		"cat <(echo a) <<<b; ulimit -a; times; [ $y = x ]'") \
	PROGRAM(coreutils, POLICY_PROFILE_DEFAULT, "tar", \
		"mkdir a; seq 1000 > a/f; mkfifo a/p; ln -s f a/l; tar czf a.tgz a; rm -r a; " \
		"tar xzf a.tgz; cp -a a b; touch -d yesterday b/f; chmod 4755 b/f; df .; du -s .; " \
		"find . -type f -exec sha256sum {} +; split -l 10 b/f; sync b/f; nproc; " \
		"truncate -s 1M z; dd if=z of=y bs=64k conv=fsync status=none; timeout 9 true; mv y w; " \
		"nice true; stat -f .; ls -lR; tail -n 1 b/f; shuf b/f | sort -n | cmp - b/f") \
	PROGRAM(python, POLICY_PROFILE_DEFAULT, "python3", \
		"python3 -c '\n" \
		"import asyncio, multiprocessing, os, socket, ssl, sqlite3, subprocess, tempfile, threading\n" \
		"t = threading.Thread(target=lambda: None); t.start(); t.join()\n" \
		"subprocess.run([\"true\"], check=True)\n" \
		"s = socket.create_server((\"127.0.0.1\", 0)); c = socket.create_connection(s.getsockname())\n" \
		"s.accept()[0].sendall(b\"x\"); assert c.recv(1) == b\"x\"\n" \
		"socket.getaddrinfo(\"localhost\", 80); socket.if_nameindex(); socket.socket(socket.AF_INET6)\n" \
		"asyncio.run(asyncio.create_subprocess_exec(\"true\"))\n" \
		"multiprocessing.Pool(2).map(abs, range(9))\n" \
		"d = sqlite3.connect(\"db\"); d.execute(\"create table t(a)\"); d.commit()\n" \
		"tempfile.TemporaryFile().write(os.urandom(9)); ssl.create_default_context()\n" \
		"os.memfd_create(\"m\"); os.nice(1); os.mkfifo(\"fifo\"); os.cpu_count()\n" \
		"'") \
	PROGRAM(perl, POLICY_PROFILE_DEFAULT, "perl", \
		"perl -MIO::Socket::INET -MPOSIX -e 'my $s = IO::Socket::INET->new(Listen => 1, " \
		"LocalAddr => \"127.0.0.1\") or die; my $p = fork // die; exit 0 unless $p; waitpid $p, 0; " \
		"alarm 5; system(\"true\") == 0 or die'") \
	PROGRAM(git, POLICY_PROFILE_DEFAULT, "git", \
		"git init -q r; cd r; git config user.email a@b; git config user.name a; " \
		"seq 9 > f; git add f; git commit -qm one; git status; git log --stat; git branch x; " \
		"git checkout -q x; seq 8 > f; git diff; git stash -q; git gc -q; git clone -q . ../s") \
	PROGRAM(gcc, POLICY_PROFILE_DEFAULT, "gcc", \
		"printf '#include <pthread.h>\n#include <stdio.h>\nstatic void *f(void *p) { return p; }\n" \
		"int main(void) { pthread_t t; return pthread_create(&t, 0, f, 0) || " \
		"pthread_join(t, 0) || puts(\"x\") < 0; }\n' > m.c; gcc -O2 -g -pthread m.c -o m; ./m") \
	PROGRAM(make, POLICY_PROFILE_DEFAULT, "make", \
		"printf 'all: a b\na b:\n\ttouch $@\n' > Makefile; make -j2") \
	PROGRAM(node, POLICY_PROFILE_DEFAULT, "node", \
		"node -e 'const h = require(\"http\"), w = require(\"worker_threads\"), f = require(\"fs\");" \
		"require(\"child_process\").execSync(\"true\"); f.writeFileSync(\"n\", \"x\");" \
		"f.watch(\".\").close(); require(\"os\").networkInterfaces();" \
		"new w.Worker(\"1\", { eval: true }).on(\"exit\", () => {" \
		" const s = h.createServer((q, r) => r.end(\"x\")).listen(0, \"127.0.0.1\", () =>" \
		" h.get(s.address(), r => { r.resume(); r.on(\"end\", () => { s.close(); " \
		" s.closeAllConnections(); }); })); });'") \
	PROGRAM(npm, POLICY_PROFILE_DEFAULT, "npm", "export npm_config_update_notifier=false; npm init -y; npm pack --dry-run --offline") \
	PROGRAM(java, POLICY_PROFILE_DEFAULT, "java", \
		"printf 'class M { public static void main(String[] a) throws Exception { " \
		"Thread t = new Thread(() -> {}); t.start(); t.join(); " \
		"new java.net.ServerSocket(0).close(); " \
		"new ProcessBuilder(\"true\").start().waitFor(); } }\n' > M.java; java M.java") \
	PROGRAM(go, POLICY_PROFILE_DEFAULT, "go", "go version; go env GOROOT; go doc fmt.Println") \
	PROGRAM(ssh_keygen, POLICY_PROFILE_DEFAULT, "ssh-keygen", "id -un || exit 0; ssh-keygen -q -t ed25519 -N '' -f k") \
	PROGRAM(gpg, POLICY_PROFILE_DEFAULT, "gpg", "mkdir -m 700 g; gpg --homedir g --list-keys") \
	PROGRAM(strict_shell, POLICY_PROFILE_STRICT, "sh", \
		"for i in 3 1 2; do echo $i; done | sort | tail -n 1; x=$(ls -l /); (sleep 0 & wait)") \
	PROGRAM(strict_python, POLICY_PROFILE_STRICT, "python3", \
		"python3 -c '\n" \
		"import json, math, subprocess, tempfile, threading\n" \
		"t = threading.Thread(target=lambda: None); t.start(); t.join()\n" \
		"print(sum(range(10**6)), math.pi, json.dumps([1]))\n" \
		"subprocess.run([\"true\"], check=True); open(\"f\", \"w\").write(\"x\")\n" \
		"tempfile.TemporaryFile().write(b\"x\")\n'") \
	PROGRAM(strict_gcc, POLICY_PROFILE_STRICT, "gcc", \
		"printf 'int main(void) { return 0; }\n' > m.c; gcc -O2 m.c -o m; ./m") \
	PROGRAM(strict_perl, POLICY_PROFILE_STRICT, "perl", "perl -e 'print 1 + 1; system(\"true\")'") \
	PROGRAM(strict_node, POLICY_PROFILE_STRICT, "node", "node -e 'console.log([3, 1].sort())'") \
	PROGRAM(strict_java, POLICY_PROFILE_STRICT, "java", \
		"printf 'class M { public static void main(String[] a) { System.out.println(1); } }\n' " \
		"> M.java; java M.java")
/* clang-format on */
PROGRAMS(PROGRAM_TEST)

/* An empty folder for each program. */
static void folder_empty(void)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		execl("/bin/sh", "sh", "-c", "rm -rf -- \"$1\"/* \"$1\"/.[a-z]*", "sh", folder,
		      (char *)NULL);
		_exit(ACT_BROKE);
	}
	EQ(child_status(child), 0);
}

static int run_tests(void)
{
	if (!mkdtemp(folder)) {
		printf("Bail out! /tmp cannot be written\n");
		return 1;
	}
	(void)snprintf(words, sizeof(words), "%s.stderr", folder);
#define RUN_PROGRAM(test, profile, needs, script) \
	RUN(test_##test);                         \
	folder_empty();
	PROGRAMS(RUN_PROGRAM)
	unlink(words);
	rmdir(folder);
	return tap_done();
}

int main(void)
{
	return confined_main(run_tests);
}
