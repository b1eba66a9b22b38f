/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_disk.c - before Linux 6.6: where the changes of a root lie that go with the sandbox
 *
 * An overlay marks a folder that hides one below it by an attribute user.*, which memory keeps
 * since Linux 6.6 only; without it a folder of the root that is not empty cannot be removed (EIO).
 * Started by root, the upper side is then a disk of its own: a file without a name, on a loop
 * device that goes with its last user.  An ordinary user has nothing of the kind: what he cannot
 * do is said in the evidence (levels/process/sources.c).
 */
#include "base/cleanup.h"
#include "base/shmem.h"
#include "monitor/monitor.h"
#include "workspace/changes.h"

void monitor_open_root_disk(struct monitor *monitor)
{
	const struct policy *policy = &monitor->plan->policy;
	struct sandbox *sandbox = &monitor->sandbox;
	auto_fd int store_fd = -1;
	struct error err = { 0 };
	if ((policy->root != POLICY_ROOT_IMAGE && policy->root != POLICY_ROOT_DIR) ||
	    sandbox->keeps_changes || shmem_has_attributes() || changes_disk_lack())
		return;
	/* Without it there is still memory, and the level says what is lacking. */
	if (changes_store_open(&store_fd, &err) < 0 ||
	    changes_disk_unnamed(store_fd, policy->limits.disk_bytes, policy->limits.disk_inodes,
				 &sandbox->changes_fd, &err) < 0)
		return;
	sandbox->has_root_disk = true;
	monitor_note(
		monitor,
		"limits.disk: before Linux 6.6 the root's changes lie on a disk of their own, bounded apart from the scratch by the same size");
}
