/* SPDX-License-Identifier: Apache-2.0 */
/* start.c - from the plan to a running command */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "base/text.h"
#include "evidence/log.h"
#include "evidence/lost.h"
#include "limits/reclaim.h"
#include "monitor/monitor.h"

#define RELAY_PIPE_BYTES (1024 * 1024)

static const struct level *const levels[] = { &level_process, &level_wasm };

/* Twelve characters of a 32-letter alphabet: 60 bits. */
static int make_id(char ret_id[RUNDIR_ID_BYTES])
{
	static const char letters[] = "abcdefghijkmnpqrstuvwxyz23456789";
	uint8_t bytes[12];
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return -1;
	for (size_t i = 0; i < sizeof(bytes); i++)
		ret_id[i] = letters[bytes[i] & 31];
	ret_id[sizeof(bytes)] = '\0';
	return 0;
}

static uint64_t realtime_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * What the caller had set on signals came along through the exec.  What he ignores is not meant
 * for the command either (nohup, a job of a shell without job control); the rest is set anew: a
 * child of ours must be waited for, and a file that may not grow is an error and not our end.
 */
static void reset_signals(sigset_t *ret_watched)
{
	static const int signals[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT, SIGUSR1,
				       SIGUSR2, SIGTSTP, SIGCONT, SIGWINCH };
	static const int ignored[] = { SIGPIPE, SIGTTOU, SIGTTIN, SIGXFSZ };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, by_default = { .sa_handler = SIG_DFL };
	struct sigaction old;
	sigemptyset(ret_watched);
	sigaddset(ret_watched, RUNDIR_KILL_SIGNAL);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaddset(ret_watched, signals[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
		(void)sigaction(ignored[i], &ignore, NULL);
	(void)sigaction(SIGCHLD, &by_default, NULL);
}

static int open_signals(struct monitor *monitor, struct error *err)
{
	sigset_t set;
	reset_signals(&set);
	monitor->is_stdin_terminal = isatty(0) == 1;
	if (sigprocmask(SIG_SETMASK, &set, NULL) < 0 || /* NOLINT(concurrency-mt-unsafe) */
	    (monitor->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK)) < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, "signals", "cannot be watched");
		return error_remedy(err, r, "raise the limit of open files");
	}
	return 0;
}

/* The command as text for `foso ps`: hostile bytes escaped, cut. */
static void describe_command(const struct policy_list *args, char *text, size_t size)
{
	size_t used = 0;
	text[0] = '\0';
	for (size_t i = 0; i < args->n_items && used + 2 < size; i++) {
		if (i > 0)
			text[used++] = ' ';
		text_escape(args->items[i], strlen(args->items[i]), text + used, size - used);
		used += strlen(text + used);
	}
}

/* What every record needs, found out before the command runs. */
static int check_canonical(struct monitor *monitor, struct error *err)
{
	if (buf_is_whole(monitor_canonical(monitor)))
		return 0;
	int r = error_set(err, ERR_LIMIT, 0, "policy", "its canonical form has more than %d bytes",
			  POLICY_MAX_ENCODED_BYTES);
	return error_remedy(err, r, "pass large data through a file or stdin");
}

/* So that whoever finds the sandbox without us can write its record. */
static int leave_will(struct monitor *monitor, struct error *err)
{
	not_zeroed char storage[2560];
	auto_buf struct buf will = BUF_ON(storage, EVIDENCE_WILL_BYTES);
	evidence_will_format(&monitor->plan->policy, monitor_canonical(monitor), &will);
	if (!buf_is_whole(&will)) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "evidence", "no memory");
		return error_remedy(err, r, "free some memory");
	}
	return rundir_will_write(monitor->state_fd, will.data, will.len, err);
}

/* What finds the sandbox again if we are killed: known before anything is left to find. */
static int register_run(struct sandbox *sandbox, struct error *err)
{
	struct monitor *monitor = sandbox->context;
	struct rundir_state *state = &monitor->state;
	*state = (struct rundir_state){
		.magic = RUNDIR_MAGIC,
		.size = sizeof(*state),
		.monitor_pid = getpid(),
		.init_pid = sandbox->root_pid,
		.started_realtime_ns = monitor->started_realtime_ns,
	};
	(void)snprintf(state->level, sizeof(state->level), "%s", monitor->sandbox.level->name);
	if (sandbox->root_pid != 0)
		state->init_start_ticks = rundir_start_ticks(sandbox->root_pid);
	describe_command(&monitor->plan->policy.args, state->command, sizeof(state->command));
	int r = check_canonical(monitor, err);
	if (r < 0 || (r = rundir_open(&monitor->rundir_fd, err)) < 0)
		return r;
	r = rundir_create(monitor->rundir_fd, monitor->id, state, &monitor->state_fd, err);
	return r < 0 || !monitor->plan->policy.evidence.is_on ? r : leave_will(monitor, err);
}

/* The first process, if there was none when the sandbox was announced. */
static int register_init(struct monitor *monitor, struct error *err)
{
	struct rundir_state *state = &monitor->state;
	if (state->init_pid == monitor->sandbox.root_pid)
		return 0;
	state->init_pid = monitor->sandbox.root_pid;
	state->init_start_ticks = rundir_start_ticks(state->init_pid);
	return rundir_update(monitor->state_fd, state, err);
}

static int choose_level(struct monitor *monitor, struct error *err)
{
	enum policy_level wanted = monitor->plan->policy.level;
	for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
		if (levels[i]->id == wanted) {
			monitor->sandbox.level = levels[i];
			return 0;
		}
	}
	int r = error_set(err, ERR_UNSUPPORTED, 0, "level", "'%s' is not part of this build",
			  policy_level_name(wanted));
	return error_remedy(err, r, "write level: process");
}

/* An internal way: `image build` makes a layer of them. */
static int keep_root_changes(struct monitor *monitor, struct error *err)
{
	if (monitor->plan->root_changes_fd < 0)
		return 0;
	monitor->sandbox.keeps_changes = true;
	monitor->sandbox.changes_fd = monitor->plan->root_changes_fd;
	monitor->sandbox.is_installer = monitor->plan->root_image_fd >= 0;
	(void)fcntl(monitor->plan->root_changes_fd, F_SETFD, FD_CLOEXEC);
	if (monitor->plan->root_image_fd >= 0)
		(void)fcntl(monitor->plan->root_image_fd, F_SETFD, FD_CLOEXEC);
	if (monitor->plan->policy.root != POLICY_ROOT_HOST)
		return 0;
	int r = error_set(err, ERR_REFUSED, 0, "root", "host has no changes that could be kept");
	return error_remedy(err, r, "write image:NAME or dir:PATH");
}

/* Every reason why this host cannot run the policy: the first as *err, the others at once. */
static int probe(struct monitor *monitor, struct error *err)
{
	static struct error_list errors;
	int r = monitor->sandbox.level->probe(&monitor->plan->policy, &errors);
	if (r >= 0)
		return 0;
	for (size_t i = 1; i < errors.n_errors && !monitor->plan->is_quiet; i++)
		error_print(stderr, &errors.items[i]);
	*err = errors.items[0];
	return r;
}

/*
 * A pipe for one stream: our end does not block, the command's does.  A pipe belongs to who made
 * it, and the command is somebody else: with the mode that it has from birth he could not open
 * /dev/stdout.  Who can get at its name in /proc has the right to the process that holds it.
 */
static int make_pipe(int *ret_read, int *ret_write, bool is_input)
{
	int fds[2];
	if (pipe2(fds, O_CLOEXEC) < 0)
		return -1;
	(void)fchmod(fds[0], 0666);
	(void)fcntl(is_input ? fds[1] : fds[0], F_SETFL, O_NONBLOCK);
	*ret_read = fds[0];
	*ret_write = fds[1];
	return 0;
}

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* Descriptors of the caller that are closed stand for /dev/null, as shells do it. */
static int open_streams(struct command *command, int stdio[3])
{
	struct relay *outputs[] = { &command->out, &command->err };
	int ours, caller_fd = command->caller_fds[0];
	if (make_pipe(&stdio[0], &ours, true) < 0)
		return -1;
	relay_open(&command->in, take_fd(&command->caller_fds[0]), ours, true);
	if (!is_open(caller_fd))
		relay_close(&command->in);
	for (int i = 0; i < 2; i++) {
		caller_fd = command->caller_fds[i + 1];
		if (make_pipe(&ours, &stdio[i + 1], false) < 0)
			return -1;
		relay_open(outputs[i], ours, take_fd(&command->caller_fds[i + 1]), false);
		outputs[i]->is_discarding = !is_open(caller_fd);
	}
	return 0;
}

static int no_pipe(struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errno, "stdio", "no pipe");
	return error_remedy(err, r, "raise the limit of open files");
}

int monitor_execute(struct monitor *monitor, struct command *command, struct exec_plan *plan,
		    struct error *err)
{
	plan->command = command->number;
	command->is_tty = plan->is_tty;
	command->started_ns = monitor_now_ns();
	command->started_realtime_ns = realtime_ns();
	for (int i = 0; i < 3; i++)
		plan->stdio[i] = -1;
	int r = 0;
	if (!plan->is_tty && open_streams(command, plan->stdio) < 0)
		r = no_pipe(err);
	/* Fewer changes between processes; without the right to it, the default stays. */
	if (!plan->is_tty && !monitor->plan->is_session)
		(void)fcntl(plan->stdio[1], F_SETPIPE_SZ, RELAY_PIPE_BYTES);
	if (r == 0)
		r = monitor->sandbox.level->execute(&monitor->sandbox, plan, err);
	for (int i = 0; i < 3; i++)
		fd_close(&plan->stdio[i]);
	return r;
}

/* The one command of the plan, between the caller's own streams. */
static int execute(struct monitor *monitor, struct error *err)
{
	const struct policy *policy = &monitor->plan->policy;
	struct winsize size = { 0 };
	struct exec_plan plan = {
		.args = &policy->args,
		.env = policy->env,
		.n_env = policy->n_env,
		.cwd = policy->cwd[0] || !policy->workspace.path[0] ? policy->cwd : "/workspace",
		.user = policy->user,
		.is_tty = monitor->plan->is_tty,
		.rows = monitor->plan->rows,
		.columns = monitor->plan->columns,
	};
	struct command *command = command_new(monitor);
	if (plan.is_tty && monitor->plan->control_fd < 0 && sys_ioctl(0, TIOCGWINSZ, &size) == 0) {
		plan.rows = size.ws_row;
		plan.columns = size.ws_col;
	}
	for (int fd = 0; fd < 3; fd++)
		command->caller_fds[fd] = fd;
	return monitor_execute(monitor, command, &plan, err);
}

/* A holder that does not read is waited for no longer than this, whatever else there is to do. */
static void open_control(int control_fd)
{
	const struct timeval most = { .tv_usec = 250000 };
	(void)setsockopt(control_fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	(void)fcntl(control_fd, F_SETFD, FD_CLOEXEC);
}

static int open_evidence(struct monitor *monitor, struct error *err)
{
	const struct policy *policy = &monitor->plan->policy;
	int r = evidence_log_open(policy->evidence.path, &monitor->evidence_fd, err);
	if (r < 0 || !policy->evidence.sign[0])
		return r;
	return evidence_signer_start(&monitor->signer, policy->evidence.sign, err);
}

/* A folder without state is being born or removed just now; if neither, foso gc takes it. */
static int is_leftover(const struct rundir_entry *entry, void *context)
{
	UNUSED(context);
	return !entry->is_alive && entry->has_state;
}

static void tell_reclaimed(const struct reclaim_item *item, void *context)
{
	const struct monitor *monitor = context;
	if (!monitor->plan->is_quiet && item->is_removed)
		(void)fprintf(
			stderr,
			"foso: %s: its monitor had been killed; removed %zu control groups%s\n",
			item->id, item->n_groups, item->has_init ? " and its processes" : "");
}

/* What a killed monitor could not remove is removed by the next start; here the child is busy. */
static void reclaim_leftovers(struct monitor *monitor)
{
	struct error err = { 0 };
	struct reclaim_options options = { .lost = evidence_lost_record,
					   .found = tell_reclaimed,
					   .context = monitor };
	if (rundir_scan(monitor->rundir_fd, is_leftover, NULL, &err) == 1 &&
	    reclaim_all(monitor->rundir_fd, &options, &monitor->leftovers, &err) < 0)
		monitor_note(monitor, "leftovers of killed monitors could not be looked for");
}

/* A starter whose death is to end us, as a build's does. */
struct starter {
	pid_t pid;
	int death_signal; /* 0: we outlive it */
};

static struct starter find_starter(void)
{
	struct starter starter = { .pid = getppid() };
	(void)prctl(PR_GET_PDEATHSIG, &starter.death_signal);
	return starter;
}

/* Another id, taken for a moment while the sandbox is built, makes the kernel forget the signal. */
static void stay_with(const struct starter *starter)
{
	if (starter->death_signal == 0)
		return;
	(void)prctl(PR_SET_PDEATHSIG, starter->death_signal);
	if (getppid() != starter->pid)
		(void)kill(getpid(), starter->death_signal);
}

int monitor_start(struct monitor *monitor, struct error *err)
{
	struct starter starter = find_starter();
	const struct policy *policy = &monitor->plan->policy;
	bool is_session = monitor->plan->is_session;
	uint64_t wall_ns = is_session ? policy->lifetime_ns : policy->limits.wall_ns;
	int r;
	monitor->started_ns = monitor_now_ns();
	monitor->started_realtime_ns = realtime_ns();
	monitor->deadline_ns =
		wall_ns == POLICY_UNLIMITED ? UINT64_MAX : monitor->started_ns + wall_ns;
	if (make_id(monitor->id) < 0) {
		r = error_set(err, ERR_SYSTEM, errno, "sandbox", "no random numbers");
		return error_remedy(err, r, "see foso doctor");
	}
	if (monitor->plan->control_fd >= 0)
		open_control(monitor->plan->control_fd);
	if ((r = monitor_open_image(monitor, err)) < 0 || (r = choose_level(monitor, err)) < 0 ||
	    (r = keep_root_changes(monitor, err)) < 0 || (r = probe(monitor, err)) < 0 ||
	    (r = open_signals(monitor, err)) < 0)
		return r;
	monitor_open_root_disk(monitor);
	monitor->sandbox.policy = policy;
	monitor->sandbox.id = monitor->id;
	monitor->sandbox.has_many_commands = is_session;
	monitor->sandbox.announce = register_run;
	monitor->sandbox.context = monitor;
	if ((r = monitor->sandbox.level->provision(&monitor->sandbox, err)) < 0 ||
	    (r = register_init(monitor, err)) < 0)
		return r;
	stay_with(&starter);
	/*
	 * A run that could not leave its evidence is refused before the command starts, and not
	 * found out afterwards.  The child builds meanwhile.
	 */
	if (policy->evidence.is_on && (r = open_evidence(monitor, err)) < 0)
		return r;
	if (monitor->signer.pid > 0 && (r = evidence_signer_await(&monitor->signer, err)) < 0) {
		evidence_signer_stop(&monitor->signer);
		return r;
	}
	monitor->idle_since_ns = monitor_now_ns();
	if (!is_session && (r = execute(monitor, err)) < 0)
		return r;
	reclaim_leftovers(monitor);
	return 0;
}
