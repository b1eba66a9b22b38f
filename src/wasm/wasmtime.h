/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasmtime.h - the part of Wasmtime's C API that foso uses, as one table
 *
 * The library comes as a Python wheel without headers (docs/decisions/0014-wasmtime.md), so what is
 * called is declared here.  tests/wasm/bindings_test holds every row, and the sizes of the structs,
 * against the bindings that the wheel generated from the library's own headers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wasm_config;
struct wasm_engine;
struct wasm_frame;
struct wasm_functype;
struct wasm_memorytype;
struct wasm_trap;
struct wasm_valtype;
struct wasmtime_caller;
struct wasmtime_context;
struct wasmtime_error;
struct wasmtime_instance_pre;
struct wasmtime_linker;
struct wasmtime_module;
struct wasmtime_store;

/* wasm_byte_vec_t, also wasm_name_t and wasm_message_t */
struct wasm_bytes {
	size_t size;
	char *data;
};

struct wasm_frames {
	size_t size;
	struct wasm_frame **data;
};

struct wasm_valtypes {
	size_t size;
	struct wasm_valtype **data;
};

struct wasmtime_func {
	uint64_t store_id;
	void *private;
};

struct wasmtime_instance {
	uint64_t store_id;
	size_t private;
};

struct wasmtime_memory {
	uint64_t store_id;
	uint32_t private1, private2, private3;
};

union wasmtime_raw {
	int32_t i32;
	int64_t i64;
	uint8_t v128[16];
};

/* What the library asks of a memory that is not its own. */
struct wasmtime_linear_memory {
	void *env;
	uint8_t *(*get)(void *env, size_t *ret_bytes, size_t *ret_max_bytes);
	struct wasmtime_error *(*grow)(void *env, size_t new_bytes);
	void (*finalize)(void *env);
};

#define WASMTIME_NEW_MEMORY(name)                                                              \
	struct wasmtime_error *name(void *env, const struct wasm_memorytype *type,             \
				    size_t min_bytes, size_t max_bytes, size_t reserved_bytes, \
				    size_t guard_bytes, struct wasmtime_linear_memory *ret)

struct wasmtime_memory_creator {
	void *env;
	WASMTIME_NEW_MEMORY((*new));
	void (*finalize)(void *env);
};

enum wasmtime_extern_kind { WASMTIME_EXTERN_FUNC = 0, WASMTIME_EXTERN_MEMORY = 3 };

struct wasmtime_extern {
	uint8_t kind;
	union {
		struct wasmtime_func func;
		struct wasmtime_memory memory;
		uint64_t room[3];
	} of;
};

enum { WASM_I32 = 0, WASM_I64 = 1 }; /* wasm_valkind_t */

/* NULL, or the trap that the call ends in. */
#define WASMTIME_CALLBACK(name)                                              \
	struct wasm_trap *(*name)(void *env, struct wasmtime_caller *caller, \
				  union wasmtime_raw *args_and_results, size_t n_raws)
#define WASMTIME_FINALIZER(name) void (*name)(void *data)

/* clang-format off */
#define WASMTIME_FUNCTIONS(F)                                                                     \
	F(struct wasm_config *, wasm_config_new, (void))                                          \
	F(struct wasm_engine *, wasm_engine_new_with_config, (struct wasm_config *))              \
	F(void, wasmtime_config_async_stack_size_set, (struct wasm_config *, size_t))             \
	F(void, wasmtime_config_consume_fuel_set, (struct wasm_config *, bool))                   \
	F(void, wasmtime_config_memory_init_cow_set, (struct wasm_config *, bool))                \
	F(void, wasmtime_config_host_memory_creator_set,                                          \
	  (struct wasm_config *, const struct wasmtime_memory_creator *))                         \
	F(void, wasmtime_config_max_wasm_stack_set, (struct wasm_config *, size_t))               \
	F(void, wasmtime_config_parallel_compilation_set, (struct wasm_config *, bool))           \
	F(void, wasmtime_config_wasm_gc_set, (struct wasm_config *, bool))                        \
	F(void, wasmtime_config_wasm_memory64_set, (struct wasm_config *, bool))                  \
	F(void, wasmtime_config_wasm_multi_memory_set, (struct wasm_config *, bool))              \
	F(void, wasmtime_config_wasm_relaxed_simd_set, (struct wasm_config *, bool))              \
	F(void, wasmtime_config_wasm_threads_set, (struct wasm_config *, bool))                   \
	F(struct wasmtime_error *, wasmtime_wat2wasm, (const char *, size_t, struct wasm_bytes *)) \
	F(struct wasmtime_error *, wasmtime_module_new,                                           \
	  (struct wasm_engine *, const uint8_t *, size_t, struct wasmtime_module **))             \
	F(struct wasmtime_error *, wasmtime_module_serialize,                                     \
	  (struct wasmtime_module *, struct wasm_bytes *))                                        \
	F(struct wasmtime_error *, wasmtime_module_deserialize_file,                              \
	  (struct wasm_engine *, const char *, struct wasmtime_module **))                        \
	F(struct wasmtime_linker *, wasmtime_linker_new, (struct wasm_engine *))                  \
	F(struct wasmtime_error *, wasmtime_linker_define_func_unchecked,                         \
	  (struct wasmtime_linker *, const char *, size_t, const char *, size_t,                  \
	   const struct wasm_functype *, WASMTIME_CALLBACK(call), void *, WASMTIME_FINALIZER(end)))      \
	F(struct wasmtime_error *, wasmtime_linker_instantiate_pre,                               \
	  (const struct wasmtime_linker *, const struct wasmtime_module *,                        \
	   struct wasmtime_instance_pre **))                                                      \
	F(struct wasmtime_error *, wasmtime_instance_pre_instantiate,                             \
	  (const struct wasmtime_instance_pre *, struct wasmtime_context *,                       \
	   struct wasmtime_instance *, struct wasm_trap **))                                      \
	F(bool, wasmtime_instance_export_get,                                                     \
	  (struct wasmtime_context *, const struct wasmtime_instance *, const char *, size_t,     \
	   struct wasmtime_extern *))                                                             \
	F(bool, wasmtime_caller_export_get,                                                       \
	  (struct wasmtime_caller *, const char *, size_t, struct wasmtime_extern *))             \
	F(struct wasmtime_context *, wasmtime_caller_context, (struct wasmtime_caller *))         \
	F(struct wasmtime_error *, wasmtime_func_call_unchecked,                                  \
	  (struct wasmtime_context *, const struct wasmtime_func *, union wasmtime_raw *, size_t, \
	   struct wasm_trap **))                                                                  \
	F(struct wasmtime_store *, wasmtime_store_new,                                            \
	  (struct wasm_engine *, void *, WASMTIME_FINALIZER(end)))                                   \
	F(struct wasmtime_context *, wasmtime_store_context, (struct wasmtime_store *))           \
	F(void, wasmtime_store_limiter,                                                           \
	  (struct wasmtime_store *, int64_t, int64_t, int64_t, int64_t, int64_t))                 \
	F(struct wasmtime_error *, wasmtime_context_set_fuel, (struct wasmtime_context *, uint64_t)) \
	F(struct wasmtime_error *, wasmtime_context_get_fuel,                                     \
	  (const struct wasmtime_context *, uint64_t *))                                          \
	F(uint8_t *, wasmtime_memory_data,                                                        \
	  (const struct wasmtime_context *, const struct wasmtime_memory *))                      \
	F(size_t, wasmtime_memory_data_size,                                                      \
	  (const struct wasmtime_context *, const struct wasmtime_memory *))                      \
	F(struct wasmtime_error *, wasmtime_error_new, (const char *))                            \
	F(void, wasmtime_error_message, (const struct wasmtime_error *, struct wasm_bytes *))     \
	F(struct wasm_trap *, wasmtime_trap_new_code, (uint8_t))                                  \
	F(bool, wasmtime_trap_code, (const struct wasm_trap *, uint8_t *))                        \
	F(void, wasm_trap_message, (const struct wasm_trap *, struct wasm_bytes *))               \
	F(void, wasm_trap_trace, (const struct wasm_trap *, struct wasm_frames *))                \
	F(uint32_t, wasm_frame_func_index, (const struct wasm_frame *))                           \
	F(size_t, wasm_frame_module_offset, (const struct wasm_frame *))                          \
	F(const struct wasm_bytes *, wasmtime_frame_func_name, (const struct wasm_frame *))       \
	F(struct wasm_valtype *, wasm_valtype_new, (uint8_t))                                     \
	F(void, wasm_valtype_vec_new,                                                             \
	  (struct wasm_valtypes *, size_t, struct wasm_valtype *const *))                         \
	F(struct wasm_functype *, wasm_functype_new,                                              \
	  (struct wasm_valtypes *, struct wasm_valtypes *))
/* clang-format on */

struct wasmtime {
#define WASMTIME_MEMBER(type, name, args) type(*name) args;
	WASMTIME_FUNCTIONS(WASMTIME_MEMBER)
#undef WASMTIME_MEMBER
};
