/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - the processes of the sandbox, as its own /proc shows them */
#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "init/init.h"

static void send_process(const struct init *init, int proc_fd, const char *pid_text, uint64_t pid)
{
	char path[64];
	struct init_event event = { .pid = (uint32_t)pid };
	(void)snprintf(path, sizeof(path), "%s/comm", pid_text);
	auto_fd int fd = openat(proc_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, event.name, sizeof(event.name) - 1);
	if (n > 0 && event.name[n - 1] == '\n')
		event.name[n - 1] = '\0';
	if (n > 0)
		init_send_event(init, INIT_PROCESS, &event, -1);
}

void init_list(const struct init *init)
{
	auto_dir DIR *dir = opendir("/proc");
	for (struct dirent *item;
	     dir && (item = readdir(dir));) { /* NOLINT(concurrency-mt-unsafe) */
		uint64_t pid;
		if (text_parse_u64(item->d_name, &pid) && pid > 1)
			send_process(init, dirfd(dir), item->d_name, pid);
	}
	init_send_event(init, INIT_LIST_END, &(struct init_event){ 0 }, -1);
}
