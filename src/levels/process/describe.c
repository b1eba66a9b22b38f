/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c - what level `process` adds to the evidence of a run */
#include <string.h>
#include <unistd.h>

#include "levels/process/events.h"

static void add_limits(const struct process *process, struct evidence_record *record)
{
	const struct policy_limits *limits = &process->setup.policy->limits;
	const struct {
		enum limit_id id;
		uint64_t value, n_hits;
	} rows[] = {
		{ LIMIT_WALL, limits->wall_ns, 0 },
		{ LIMIT_CPU_TIME, limits->cpu_time_ns, 0 },
		{ LIMIT_CPUS, limits->cpus_milli, 0 },
		{ LIMIT_MEMORY, limits->memory_bytes, process->usage.oom_kills },
		{ LIMIT_PIDS, limits->pids, process->usage.pids_refused },
		{ LIMIT_DISK, process->setup.scratch_bytes, process->was_disk_full },
		{ LIMIT_DISK_INODES, limits->disk_inodes, process->was_disk_full_of_inodes },
		{ LIMIT_FILES, limits->files, 0 },
		{ LIMIT_FILE_SIZE, limits->file_size_bytes, 0 },
		{ LIMIT_OUTPUT, limits->output_bytes, 0 },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows) && record->n_limits < ARRAY_LEN(record->limits);
	     i++) {
		const struct limit_mechanism *mechanism =
			limit_mechanism_get(&process->host, rows[i].id);
		if (rows[i].value == POLICY_UNLIMITED)
			continue;
		record->limits[record->n_limits++] =
			(struct evidence_limit){ mechanism->field, mechanism->name, rows[i].value,
						 rows[i].n_hits };
	}
	if (process->attach.has_changes && record->n_limits < ARRAY_LEN(record->limits))
		record->limits[record->n_limits++] =
			(struct evidence_limit){ "limits.disk", process->attach.told.mechanism,
						 process->attach.changes.record.disk_bytes, 0 };
}

static void add_usage(struct process *process, struct evidence_usage *usage)
{
	if (process->has_cgroup) {
		cgroup_usage_read(&process->cgroup, &process->usage);
		usage->cpu_ns = process->usage.cpu_ns;
		usage->memory_peak_bytes = process->usage.memory_peak_bytes;
		usage->pids_peak = process->usage.pids_peak;
		usage->io_read_bytes = process->usage.io_read_bytes;
		usage->io_write_bytes = process->usage.io_write_bytes;
	}
	usage->cpu_ns = MAX(usage->cpu_ns, process->tree_peak.cpu_ns);
	usage->memory_peak_bytes = MAX(usage->memory_peak_bytes, process->tree_peak.memory_bytes);
	usage->pids_peak = MAX(usage->pids_peak, process->tree_peak.pids);
	process_scratch_usage(process, &usage->disk_bytes, &usage->disk_inodes);
	usage->disk_bytes -= MIN(usage->disk_bytes, process->own_bytes);
	usage->disk_inodes -= MIN(usage->disk_inodes, process->own_inodes);
}

void process_describe(struct sandbox *sandbox, struct evidence_record *record)
{
	static const char *const landlock_abis[] = {
		"no landlock",    "landlock abi 1", "landlock abi 2",
		"landlock abi 3", "landlock abi 4", "landlock abi 5",
		"landlock abi 6", "landlock abi 7", "landlock abi 8",
	};
	static const char *const versions[] = { "no control groups", "cgroup v1", "cgroup v2" };
	struct process *process = sandbox->impl;
	if (!process)
		return;
	size_t abi = (size_t)MIN(MAX(process->landlock_abi, 0), (int)ARRAY_LEN(landlock_abis) - 1);
	record->host_facts[record->n_host_facts++] = landlock_abis[abi];
	record->host_facts[record->n_host_facts++] = versions[process->host.version];
	record->is_rootless = process->setup.is_rootless;
	record->denials = &process->denials;
	add_usage(process, &record->usage);
	attach_end(&process->attach, record);
	record->n_files_changed = record->usage.disk_inodes;
	add_limits(process, record);
	for (size_t i = 0; i < process->attach.n_notes && record->n_notes < EVIDENCE_MAX_NOTES; i++)
		record->notes[record->n_notes++] = process->attach.notes[i];
	for (size_t i = 0; i < process->n_notes && record->n_notes < EVIDENCE_MAX_NOTES; i++)
		record->notes[record->n_notes++] = process->notes[i];
}
