/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limit_table.h - every limit of a sandbox, and by what it is held where
 *
 * LIMIT(id, member of struct policy_limits that sets it)
 * LIMIT_FIELD_id is the field as the user writes it.
 *
 * LIMIT_MECHANISM(id, situation, whole-tree?, words, remedy)
 *
 * Situations are those of enum mechanism_situation in mechanism.c.  Whole-tree means: either the
 * kernel holds one account for all processes of the sandbox, or what is counted passes through
 * one place that the sandbox cannot go round, or the limit is one of a process by definition.
 *
 * limits.pids without a cgroup is not whole-tree, though Linux 5.14 and later count RLIMIT_NPROC
 * per user and user namespace, and so over all processes of a sandbox.  The count belongs to a
 * user and not to the tree: it is right only while every process has the same uid, none has a
 * capability in the initial namespace, and foso-init is the only one that does not count as work.
 * Whoever sets limits.strict asks for an account that needs no such conditions.
 */
/* clang-format off */
#define LIMIT_FIELD_WALL        "limits.wall"
#define LIMIT_FIELD_CPU_TIME    "limits.cpu_time"
#define LIMIT_FIELD_CPUS        "limits.cpus"
#define LIMIT_FIELD_MEMORY      "limits.memory"
#define LIMIT_FIELD_PIDS        "limits.pids"
#define LIMIT_FIELD_DISK        "limits.disk"
#define LIMIT_FIELD_DISK_INODES "limits.disk_inodes"
#define LIMIT_FIELD_FILES       "limits.files"
#define LIMIT_FIELD_FILE_SIZE   "limits.file_size"
#define LIMIT_FIELD_OUTPUT      "limits.output"

#define LIMITS(LIMIT)                                                                             \
	LIMIT(WALL,        wall_ns)                                                               \
	LIMIT(CPU_TIME,    cpu_time_ns)                                                           \
	LIMIT(CPUS,        cpus_milli)                                                            \
	LIMIT(MEMORY,      memory_bytes)                                                          \
	LIMIT(PIDS,        pids)                                                                  \
	LIMIT(DISK,        disk_bytes)                                                            \
	LIMIT(DISK_INODES, disk_inodes)                                                           \
	LIMIT(FILES,       files)                                                                 \
	LIMIT(FILE_SIZE,   file_size_bytes)                                                       \
	LIMIT(OUTPUT,      output_bytes)

#define LIMIT_MECHANISMS(M)                                                                       \
	M(WALL,      ANY,     true,  "monotonic timer of the monitor, which kills the tree", "")  \
	M(CPU_TIME,  V2,      true,  "cgroup v2 cpu.stat, timer of the monitor", "")              \
	M(CPU_TIME,  V1,      true,  "cgroup v1 cpuacct.usage, timer of the monitor", "")         \
	M(CPU_TIME,  NONE,    false, "RLIMIT_CPU per process, watchdog over the tree",            \
	  "give foso a cgroup v2 of its own, or the cgroup v1 controller cpuacct")                \
	M(CPUS,      V2,      true,  "cgroup v2 cpu.max", "")                                     \
	M(CPUS,      V1,      true,  "cgroup v1 cpu.cfs_quota_us", "")                            \
	M(CPUS,      NONE,    false, "CPU affinity mask of each process, in whole processors",    \
	  "give foso the cgroup controller cpu")                                                  \
	M(MEMORY,    V2,      true,  "cgroup v2 memory.max, memory.swap.max 0", "")               \
	M(MEMORY,    V2_SWAP, false, "cgroup v2 memory.max, swap not counted",                    \
	  "boot with swapaccount=1, or run on Linux 6.1 or later")                                \
	M(MEMORY,    V1,      true,  "cgroup v1 memory.memsw.limit_in_bytes", "")                 \
	M(MEMORY,    V1_SWAP, false, "cgroup v1 memory.limit_in_bytes, swap not counted",         \
	  "boot with swapaccount=1")                                                              \
	M(MEMORY,    NONE,    false, "RLIMIT_DATA per process, watchdog over the tree",           \
	  "give foso the cgroup controller memory")                                               \
	M(PIDS,      V2,      true,  "cgroup v2 pids.max", "")                                    \
	M(PIDS,      V1,      true,  "cgroup v1 pids.max", "")                                    \
	M(PIDS,      NONE,    false, "RLIMIT_NPROC in the user namespace",                        \
	  "give foso the cgroup controller pids")                                                 \
	M(DISK,      ANY,     true,  "tmpfs size=", "")                                           \
	M(DISK_INODES, ANY,   true,  "tmpfs nr_inodes=", "")                                      \
	M(FILES,     ANY,     true,  "RLIMIT_NOFILE, of each process by definition", "")          \
	M(FILE_SIZE, ANY,     true,  "RLIMIT_FSIZE, of each file by definition", "")              \
	M(OUTPUT,    ANY,     true,  "count of the monitor, through which all output passes", "")
/* clang-format on */
