/* SPDX-License-Identifier: Apache-2.0 */
/* describe.c - what this level adds to the evidence */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "levels/wasm/wasm.h"
#include "limits/mechanism.h"

static void note(struct evidence_record *record, const char *text)
{
	if (record->n_notes < EVIDENCE_MAX_NOTES)
		record->notes[record->n_notes++] = text;
}

static void add_limit(struct evidence_record *record, const char *field, const char *mechanism,
		      uint64_t value, uint64_t n_hits)
{
	if (value != POLICY_UNLIMITED && record->n_limits < ARRAY_LEN(record->limits))
		record->limits[record->n_limits++] =
			(struct evidence_limit){ field, mechanism, value, n_hits };
}

static void add_usage(struct wasm *wasm, struct evidence_usage *usage)
{
	struct cgroup_usage group = { 0 };
	if (wasm->has_groups)
		cgroup_usage_read(&wasm->groups, &group);
	usage->cpu_ns = MAX(wasm->cpu_ns, group.cpu_ns);
	usage->memory_peak_bytes =
		group.memory_peak_bytes != 0 ? group.memory_peak_bytes : wasm->memory_peak_bytes;
	/* Without foso-wasm, which is in this group on version 1. */
	if (group.pids_peak > 0 && cgroup_this_host()->version == CGROUP_V1)
		group.pids_peak--;
	usage->pids_peak = MAX(group.pids_peak, (uint64_t)1);
	usage->io_read_bytes = group.io_read_bytes;
	usage->io_write_bytes = group.io_write_bytes;
}

static const char *memory_words(const struct wasm *wasm)
{
	static char words[160];
	if (!wasm_groups_hold(wasm, CGROUP_MEMORY))
		return "store limiter over the linear memory, RLIMIT_DATA over the worker";
	(void)snprintf(words, sizeof(words),
		       "store limiter over the linear memory, %s over all workers",
		       limit_mechanism_get(cgroup_this_host(), LIMIT_MEMORY)->name);
	return words;
}

static void describe_folders(struct wasm *wasm, struct evidence_record *record)
{
	const struct policy_limits *limits = &wasm->policy->limits;
	struct wasm_folders *folders = &wasm->folders;
	bool has_writable = false;
	for (size_t i = 0; i < folders->n_items; i++)
		has_writable = has_writable || folders->items[i].access != POLICY_ACCESS_RO;
	if (has_writable) {
		add_limit(record, "limits.disk", WASM_DISK_WORDS, limits->disk_bytes,
			  wasm->n_disk_refused);
		add_limit(record, "limits.disk_inodes", WASM_DISK_WORDS, limits->disk_inodes, 0);
		record->usage.disk_bytes = wasm->disk_bytes;
		record->usage.disk_inodes = wasm->disk_inodes;
	}
	if (folders->attach.has_changes && record->n_limits < ARRAY_LEN(record->limits))
		record->limits[record->n_limits++] =
			(struct evidence_limit){ "limits.disk", folders->attach.told.mechanism,
						 folders->attach.changes.record.disk_bytes, 0 };
	for (size_t i = 0; i < folders->attach.n_notes; i++)
		note(record, folders->attach.notes[i]);
}

void wasm_describe(struct sandbox *sandbox, struct evidence_record *record)
{
	static const char *const versions[] = { "no control groups", "cgroup v1", "cgroup v2" };
	/* Read after the sandbox is gone; of a monitor, which has one, as long as it lives. */
	static char digest[DIGEST_HEX_BYTES], fuel[64], root[64];
	struct wasm *wasm = sandbox->impl;
	if (!wasm)
		return;
	const struct policy_limits *limits = &wasm->policy->limits;
	attach_end(&wasm->folders.attach, record);
	memcpy(digest, wasm->module_digest, sizeof(digest));
	const struct policy_runtime_row *runtime = &policy_runtimes[wasm->policy->runtime];
	(void)snprintf(root, sizeof(root), "runtime:%s %s", runtime->name, runtime->version);
	(void)snprintf(fuel, sizeof(fuel), "fuel used: %" PRIu64, wasm->fuel);
	record->root = runtime->name[0] ? root : wasm->policy->module;
	record->engine = "wasmtime " WASM_LIBRARY_VERSION ", library " WASM_LIBRARY_SHA256;
	record->root_digest = digest[0] ? digest : NULL;
	record->is_rootless = geteuid() != 0;
	record->host_facts[record->n_host_facts++] =
		wasm->was_compiled ? "module compiled for this run" : "module compiled before";
	add_usage(sandbox->impl, &record->usage);
	record->host_facts[record->n_host_facts++] = versions[cgroup_this_host()->version];
	add_limit(record, "limits.wall", "monotonic timer of the monitor, which kills the worker",
		  limits->wall_ns, 0);
	add_limit(record, "limits.cpu_time", "POSIX timer over the worker's processor time",
		  limits->cpu_time_ns, 0);
	add_limit(record, "limits.memory", memory_words(wasm), limits->memory_bytes,
		  wasm->n_memory_hits);
	if (wasm_groups_hold(wasm, CGROUP_CPU))
		add_limit(record, "limits.cpus",
			  limit_mechanism_get(cgroup_this_host(), LIMIT_CPUS)->name,
			  limits->cpus_milli, 0);
	add_limit(record, "limits.fuel", "fuel of the store, host work included", limits->fuel,
		  wasm->n_fuel_hits);
	add_limit(record, "limits.output", "count of the monitor, through which all output passes",
		  limits->output_bytes, 0);
	note(record, fuel);
	describe_folders(wasm, record);
	if (wasm->was_damaged)
		note(record, "compiled code was kept, but was not what had been written: "
			     "it was compiled anew");
}
