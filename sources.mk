# Written by "sh build-aux/sources.sh --update"; do not edit.

hosted_sources = \
	lib/base/format.c \
	lib/decode/decode.c \
	lib/decode/operands.c \
	lib/decode/prefix.c \
	lib/decode/tables.c \
	lib/prof/error.c \
	lib/prof/escape.c \
	lib/prof/fns.c \
	lib/prof/hash.c \
	lib/prof/header.c \
	lib/prof/ledger.c \
	lib/prof/lines.c \
	lib/prof/log.c \
	lib/prof/names.c \
	lib/prof/radix.c \
	lib/prof/read.c \
	lib/prof/regex.c \
	lib/prof/regex_match.c \
	lib/prof/regex_set.c \
	lib/prof/rows.c \
	lib/prof/subst.c \
	lib/prof/table.c \
	lib/prof/write.c \
	lib/out/columns.c \
	lib/out/expr.c \
	lib/out/heat.c \
	lib/out/modern.c \
	lib/out/modern_functions.c \
	lib/out/modern_sources.c \
	lib/out/number.c \
	lib/out/options.c \
	lib/out/options_classic.c \
	lib/out/sink.c \
	lib/out/source.c \
	lib/out/table.c \
	lib/debug/debug.c \
	lib/debug/demangle.c \
	lib/debug/lines.c \
	lib/debug/prefer.c \
	lib/debug/separate.c \
	lib/debug/subprogram.c \
	lib/debug/symbols.c \
	lib/cost/count.c \
	lib/cost/events.c \
	lib/cost/fold.c \
	lib/cost/leaves.c \
	lib/cost/modules.c \
	lib/cost/profile.c \
	lib/cost/store.c \
	lib/cost/summary.c

tool_sources = \
	tools/annotate.c \
	tools/main.c \
	tools/run.c \
	tools/run_finish.c \
	tools/run_fork.c \
	tools/run_geometry.c \
	tools/run_launch.c \
	tools/run_log.c \
	tools/run_loop.c \
	tools/run_name.c \
	tools/run_options.c \
	tools/run_program.c \
	tools/run_report.c \
	tools/run_signals.c \
	tools/run_wire.c

engine_sources = \
	lib/base/format.c \
	lib/guest/elf.c \
	lib/guest/exec_map.c \
	lib/guest/stack.c \
	lib/decode/decode.c \
	lib/decode/operands.c \
	lib/decode/prefix.c \
	lib/decode/tables.c \
	lib/block/build.c \
	lib/block/dump.c \
	lib/block/liveness.c \
	lib/event/collect.c \
	lib/event/dump.c \
	lib/emit/check.c \
	lib/emit/copy.c \
	lib/emit/emit.c \
	lib/emit/exits.c \
	lib/emit/flags.c \
	lib/emit/place.c \
	lib/emit/slow.c \
	lib/tcache/tcache.c \
	lib/run/arena.c \
	lib/run/die.c \
	lib/run/dispatch.c \
	lib/run/emulate.c \
	lib/run/libc.c \
	lib/run/main.c \
	lib/run/memory.c \
	lib/run/process.c \
	lib/run/thread.c \
	lib/run/trace.c \
	lib/run/translate.c \
	lib/run/start.S \
	lib/run/switch.S \
	lib/sim/engine.c

module_sources = \
	lib/sim/branchsim_BC.c \
	lib/sim/branchsim_BI.c \
	lib/sim/cachesim_D1.c \
	lib/sim/cachesim_I1.c \
	lib/sim/cachesim_LL.c \
	lib/sim/twin.c

headers = \
	lib/base/base.h \
	lib/base/context.h \
	lib/base/format.h \
	lib/base/syscall.h \
	lib/block/block.h \
	lib/cost/arena.h \
	lib/cost/count.h \
	lib/cost/events.h \
	lib/cost/fold.h \
	lib/cost/leaves.h \
	lib/cost/modules.h \
	lib/cost/profile.h \
	lib/cost/store.h \
	lib/cost/summary.h \
	lib/cost/wire.h \
	lib/debug/debug.h \
	lib/debug/internal.h \
	lib/decode/decode.h \
	lib/decode/decoder.h \
	lib/decode/tables.h \
	lib/emit/emit.h \
	lib/emit/internal.h \
	lib/emit/x86.h \
	lib/event/event.h \
	lib/guest/elf.h \
	lib/guest/exec_map.h \
	lib/guest/stack.h \
	lib/out/columns.h \
	lib/out/expr.h \
	lib/out/heat.h \
	lib/out/modern.h \
	lib/out/number.h \
	lib/out/options.h \
	lib/out/report.h \
	lib/out/sink.h \
	lib/out/source.h \
	lib/out/table.h \
	lib/prof/counts.h \
	lib/prof/error.h \
	lib/prof/escape.h \
	lib/prof/fns.h \
	lib/prof/hash.h \
	lib/prof/header.h \
	lib/prof/ledger.h \
	lib/prof/lines.h \
	lib/prof/log.h \
	lib/prof/names.h \
	lib/prof/radix.h \
	lib/prof/read.h \
	lib/prof/regex.h \
	lib/prof/regex_program.h \
	lib/prof/regex_set.h \
	lib/prof/rows.h \
	lib/prof/subst.h \
	lib/prof/table.h \
	lib/prof/write.h \
	lib/run/run.h \
	lib/sim/codelines.h \
	lib/sim/contract.h \
	lib/sim/lru.h \
	lib/sim/slots.h \
	lib/sim/twin.h \
	lib/tcache/tcache.h \
	lib/decode/map_evex1.inc \
	lib/decode/map_evex2.inc \
	lib/decode/map_evex3.inc \
	lib/decode/map_evex5.inc \
	lib/decode/map_evex6.inc \
	lib/decode/map_leg0.inc \
	lib/decode/map_leg1.inc \
	lib/decode/map_leg2.inc \
	lib/decode/map_leg3.inc \
	lib/decode/map_now.inc \
	lib/decode/map_vex1.inc \
	lib/decode/map_vex2.inc \
	lib/decode/map_vex3.inc \
	lib/decode/map_x87.inc \
	lib/decode/map_xop8.inc \
	lib/decode/map_xop9.inc \
	lib/decode/map_xopa.inc \
	lib/decode/maps.inc \
	tools/run.h \
	tools/run_options.h \
	tools/run_wire.h \
	tools/tools.h

unit_programs = \
	tests/unit/build/tap

zydis_programs = \
	tests/unit/decode/decode_zydis

shell_tests = \
	tests/unit/build/bootstrap.sh \
	tests/unit/build/driver.sh \
	tests/unit/build/engine.sh \
	tests/unit/build/lines.sh \
	tests/unit/build/oracle.sh \
	tests/unit/build/order.sh \
	tests/unit/build/slots.sh \
	tests/unit/build/sources.sh \
	tests/guest/native.sh \
	tests/guest/oracle.sh

guest_programs = \
	tests/guest/branches \
	tests/guest/calls \
	tests/guest/chase \
	tests/guest/conflict \
	tests/guest/float \
	tests/guest/footprint \
	tests/guest/hash \
	tests/guest/life \
	tests/guest/loops \
	tests/guest/matmul \
	tests/guest/narrow \
	tests/guest/recursion \
	tests/guest/sieve \
	tests/guest/sort \
	tests/guest/strides \
	tests/guest/strings \
	tests/guest/switch \
	tests/guest/address \
	tests/guest/atomics \
	tests/guest/avx \
	tests/guest/beyond \
	tests/guest/bits \
	tests/guest/fetch \
	tests/guest/flow \
	tests/guest/fpstate \
	tests/guest/hints \
	tests/guest/indirect \
	tests/guest/lockbits \
	tests/guest/masked \
	tests/guest/mmx \
	tests/guest/rep \
	tests/guest/rmw \
	tests/guest/segment \
	tests/guest/sse \
	tests/guest/sse4 \
	tests/guest/stack \
	tests/guest/straddle \
	tests/guest/x87
