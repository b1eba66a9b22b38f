# SPDX-License-Identifier: Apache-2.0
# level wasm on cgroup version 2: workers are cloned into the sandbox's group
# shellcheck shell=dash
# timeout: 120
. /vm/lib.sh

if [ ! -r "$FOSO_BIN/libwasmtime.so" ]; then
	skip 'level wasm' 'libwasmtime.so is not there: tools/fetch-wasmtime'
	done_testing
	exit
fi
export FOSO_MODULES=/tmp/modules

cat >/tmp/hello.wat <<'END'
(module (import "wasi_snapshot_preview1" "fd_write"
 (func $write (param i32 i32 i32 i32) (result i32)))
 (memory (export "memory") 1) (data (i32.const 64) "hello\n")
 (func (export "_start")
  (i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 6))
  (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))))
END
cat >/tmp/loop.wat <<'END'
(module (memory (export "memory") 1) (func (export "_start") (loop $l (br $l))))
END
for name in hello loop; do
	"$FOSO_BIN/foso-wasm" assemble /tmp/$name.wat /tmp/$name.wasm || echo "# $name: no module"
done

try() {
	is "$1: a module runs" "$($2 foso run --level wasm --set limits.strict=true \
		--result /tmp/record /tmp/hello.wasm 2>&1)" hello
	ok "$1: its memory is held by version 2" \
		"$(grep -q 'cgroup v2 memory.max, memory.swap.max 0 over all' /tmp/record; echo $?)"
	$2 foso run --level wasm --limit cpus=0.2 --limit wall=3s --result /tmp/record \
		/tmp/loop.wasm >/tmp/out 2>&1
	is "$1: a loop with a part of a processor ends by its deadline" "$?" 124
	cpu_ns=$(sed -n 's/.*"cpu_ns":\([0-9]*\).*/\1/p' /tmp/record)
	ok "$1: and had only that part, which is in the record" "$([ "${cpu_ns:-0}" -gt 100000000 ] &&
		[ "$cpu_ns" -lt 1200000000 ]; echo $?)"
	echo "# $cpu_ns ns"
	is "$1: no group is left" "$(find $cgroup -name 'foso-*' ! -name foso-self)" ''
}

try 'top' ''
cgroup_make system.slice/agent.service
try 'in a service' 'in_cgroup system.slice/agent.service'
cgroup_empty system.slice
done_testing
