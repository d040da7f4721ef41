# tests/local.mk - the test suite: every test listed (in sources.mk), one driver, one total.
#
#   make check                                  everything
#   make check TESTS=tests/unit/decode/dis.sh   one test (a C test without its .c)
#   make check-short                           one or two of each part
#   make guests                                 the programs of tests/guest only
#
# A C test tests/unit/FOLDER/NAME.c is a program of that name, linked with all of lib/ that does not need the running
# engine (libquern.a; libtranslator.a: guest block event emit tcache).  A shell test is run by sh.
# Both print TAP (tests/tap/tap.h, tests/tap/tap.sh); tests/tap/driver.sh gives them their environment.

AM_CPPFLAGS += -I$(top_srcdir)/tests/tap

## The engine's folders that need no engine to run, hosted, for the tests of them.
EXTRA_LIBRARIES = libtranslator.a
libtranslator_a_SOURCES = $(translator_sources)

LDADD = libtranslator.a $(libraries) $(ZYDIS_LIBS) $(OPCODES_LIBS)
## Not check_PROGRAMS: a log depends on its program, so that one test that does not compile is one failure, and the
## others run.
EXTRA_PROGRAMS = $(unit_programs) $(zydis_programs) $(opcodes_programs) quern-shared
CLEANFILES += libtranslator.a $(unit_programs) $(zydis_programs) $(opcodes_programs) $(guest_programs) quern-shared
## quern with shared libraries, for a test that puts another one before them.
quern_shared_SOURCES = $(quern_SOURCES)
quern_shared_LDADD = $(libraries)
tests/unit/cost/collector_guard.log: quern-shared$(EXEEXT)
tests/unit/build/sanitized.log: libtranslator.a
TESTS = $(unit_programs) $(shell_tests)
TEST_EXTENSIONS = .sh

## Tests that compare with Zydis are named so: NAME_zydis.c.
if HAVE_ZYDIS
TESTS += $(zydis_programs)
else
TESTS += tests/tap/no-zydis.sh
endif
## and with binutils' libopcodes NAME_opcodes.c.
if HAVE_OPCODES
TESTS += $(opcodes_programs)
else
TESTS += tests/tap/no-opcodes.sh
endif

## All unit tests in C, built and not run: they link single files, which a function called from another file may break.
unit-tests:
	$(MAKE) $(AM_MAKEFLAGS) -k $(filter-out %.sh,$(TESTS))
.PHONY: unit-tests

## A quick look at each part; `make distcheck` is content with it.
short_tests = tests/unit/build/tap tests/unit/build/driver.sh tests/unit/build/lines.sh tests/unit/build/order.sh \
	tests/unit/build/sources.sh tests/unit/man/completion.sh tests/unit/build/install.sh tests/unit/cost/count \
	tests/unit/debug/demangle tests/unit/decode/decode_golden tests/unit/text/csv tests/unit/lab/model_cache \
	tests/unit/man/man.sh tests/unit/out/expr tests/unit/plot/knees tests/unit/prof/read tests/unit/report/html \
	tests/unit/run/toggle.sh tests/unit/sim/headers.sh tests/unit/sim/lru tests/unit/sim/cachegrind tests/guest/native.sh
check-short:
	$(MAKE) $(AM_MAKEFLAGS) check TESTS='$(short_tests)'
.PHONY: check-short

TEST_CC = $(CC)
tap_driver = QUERN='$(abs_top_builddir)/quern' CC='$(TEST_CC)' top_srcdir='$(abs_top_srcdir)' \
	top_builddir='$(abs_top_builddir)' $(SHELL) $(top_srcdir)/tests/tap/driver.sh
LOG_DRIVER = $(tap_driver)
SH_LOG_DRIVER = $(tap_driver)
SH_LOG_COMPILER = $(SHELL)

## Guest programs: static, freestanding, one file each.  -O1 keeps lines and instructions close together.  GUEST_CC is gcc even if CC is
## not: what their comments say of lines and functions is so with its code, and their assembly is GNU as's.
GUEST_CFLAGS = -std=gnu11 -O1 -g -ffreestanding -fno-builtin -fno-stack-protector -fcf-protection=none \
	-fno-asynchronous-unwind-tables -fno-pic -fno-pie -nostdlib -static -no-pie -Wall -Wextra \
	-Wl,-e,guest_start -Wl,--build-id=none -Wl,-z,noexecstack
guests: $(guest_programs)
.PHONY: guests
guest_logs = tests/guest/native.log tests/guest/oracle.log tests/unit/build/clang.log \
	tests/unit/build/with_sim.log tests/unit/cost/insns.log tests/unit/plot/data.log tests/unit/prof/callgrind.log tests/unit/run/batch.log \
	tests/unit/run/explain.log tests/unit/run/interval.log tests/unit/run/levels.log tests/unit/run/sample.log \
	tests/unit/run/stats.log tests/unit/run/together.log tests/unit/run/toggle.log tests/unit/run/valgrind.log tests/unit/sim/champsim.log tests/unit/run/versus.log \
	tests/unit/sim/events.log tests/unit/sim/installed.log tests/unit/sim/named.log tests/unit/sim/observers.log
$(guest_logs): $(guest_programs)
## The slow models, which several tests compare with.
model_logs = $(patsubst %,tests/unit/sim/%.log,three_levels any_sets mistakes labs settled levels properties analyses models replay composed)
$(model_logs): tests/models/model
tests/models/model: $(wildcard $(top_srcdir)/tests/models/*.[ch])
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) -std=gnu11 -O2 -o $@ $(filter %.c,$^)
CLEANFILES += tests/models/model
tests/guest/%: tests/guest/%.c tests/guest/guest.h
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(GUEST_CC) $(GUEST_CFLAGS) -o $@ $<
tests/guest/%: tests/guest/%.S tests/guest/guest.h
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(GUEST_CC) $(GUEST_CFLAGS) -o $@ $<

## Numbers of README and doc, made anew beside the written ones; PROOF='demo bench': some (tests/long/proof.table).
PROOF =
proof: quern$(EXEEXT) quern-engine$(EXEEXT)
	$(SHELL) $(top_srcdir)/tests/long/proof.sh $(abs_top_builddir) $(PROOF)
.PHONY: proof

## How large is the house, and how many files does a data reference pass?
measure:
	$(SHELL) $(top_srcdir)/build-aux/measure.sh
path: quern$(EXEEXT) quern-engine$(EXEEXT)
	CC='$(CC)' $(SHELL) $(top_srcdir)/build-aux/path.sh $(abs_top_builddir)
.PHONY: measure path

## Time and memory of annotate and merge on five million lines, beside the original.
examples: quern$(EXEEXT)
	OUT=$(abs_top_builddir)/examples QUERN=$(abs_top_builddir)/quern $(SHELL) $(top_srcdir)/doc/examples/run.sh all
.PHONY: examples

## The documentation as pages for a browser; with `make examples` before it, and `sh doc/examples/screens.sh`, the gallery has all pictures.
site: quern$(EXEEXT) quern-engine$(EXEEXT)
	$(SHELL) $(top_srcdir)/build-aux/site/site.sh $(abs_top_builddir) $(abs_top_builddir)/site $(wildcard $(abs_top_builddir)/examples)
.PHONY: site
bench-annotate: quern$(EXEEXT)
	QUERN=$(abs_top_builddir)/quern $(SHELL) $(top_srcdir)/tests/perf/annotate.sh
.PHONY: bench-annotate

## Instructions per second of the decoder, beside Zydis and libopcodes.
bench-decode: libquern.a
	BUILD=$(abs_top_builddir) CC='$(CC)' $(SHELL) $(top_srcdir)/tests/perf/decode.sh
.PHONY: bench-decode

## Fuzzers of what reads text from outside (tests/fuzz); clang is needed.  doc/testing.md has what was run.
FUZZ_RUNS = 1000000
fuzz:
	$(SHELL) $(top_srcdir)/tests/fuzz/fuzz.sh $(abs_top_builddir)
	for name in profile calls data csv tables regex options demangle trace experiment debug decode jit; do \
		$(SHELL) $(top_srcdir)/tests/fuzz/fuzz.sh $(abs_top_builddir) $$name $(FUZZ_RUNS) || exit 1; done
.PHONY: fuzz

## Hours of comparisons of the decoder; doc/decoder.md has what was run.
check-decoder-long: quern$(EXEEXT) quern-engine$(EXEEXT)
	for what in hardware hardware32 zydis objdump elf vectors fuzz; do \
		$(SHELL) $(top_srcdir)/tests/long/decoder.sh $(abs_top_builddir) $$what || exit 1; done
.PHONY: check-decoder-long

## Signals and threads with random timing, 10,000 rounds of each test: hours; doc/testing.md has what was run.
STRESS_ROUNDS = 10000
STRESS_SEED = 1
stress: quern$(EXEEXT) quern-engine$(EXEEXT)
	CC='$(CC)' $(SHELL) $(top_srcdir)/tests/long/stress.sh $(abs_top_builddir) $(STRESS_ROUNDS) $(STRESS_SEED)
.PHONY: stress

## Every form of instruction as Cachegrind counts it: three geometries times five placements, minutes; doc/testing.md has what
## was run.  (Four of these are in `check`.)
counting: quern$(EXEEXT) quern-engine$(EXEEXT)
	COUNTING=all QUERN=$(abs_top_builddir)/quern CC='$(CC)' top_builddir=$(abs_top_builddir) nice -n 15 \
		$(SHELL) $(top_srcdir)/tests/guest/counting.sh
.PHONY: counting

## What cppcheck and clang-tidy say: nothing.
lint: sim_slots.h
	$(SHELL) $(top_srcdir)/build-aux/lint.sh $(abs_top_builddir)
.PHONY: lint

## Tests of hosted code: all in C, and the commands that read and write files, but for those that link libquern.a on their own, and one
## that measures memory.
hosted_folders = cost debug decode exp man out plot prof report text
links_alone = tests/unit/decode/library.sh tests/unit/decode/vectors.sh
hosted_tests = $(unit_programs) \
	$(filter-out $(links_alone) tests/golden/annotate/memory.sh,$(filter $(hosted_folders:%=tests/unit/%/%.sh) tests/golden/%,$(shell_tests)))

## These under AddressSanitizer and UndefinedBehaviorSanitizer, in a build of its own, configured by the words of HACKING and without a
## warning; SANITIZE_TESTS names others.  A malloc that cannot be is refused, as without (damaged files ask for some).
SANITIZE_TESTS = $(hosted_tests)
sanitize:
	$(MKDIR_P) sanitize
	cd sanitize && { test -f Makefile || eval "$(abs_top_srcdir)/configure -q CC='$(CC)' --enable-werror \
		$$(sed -n "s/^ *\.\.\/configure \(CFLAGS='[^']*\)' && make check$$/\1 -fno-sanitize-recover=undefined'/p" $(abs_top_srcdir)/HACKING)"; }
	grep -q '^CFLAGS = .*-fsanitize=address' sanitize/Makefile
	$(MAKE) -C sanitize
	$(MAKE) -C sanitize guests
	ASAN_OPTIONS=allocator_may_return_null=1 $(MAKE) -C sanitize check TESTS='$(SANITIZE_TESTS)'
.PHONY: sanitize

## For engines that are slow: fewer programs, and more time.
fewer = QN_CORPUS=tiny QN_CHECK_PROGRAMS='perl hash.pl' QN_MISTAKES=no TEST_CPU=14400

## How many lines of lib/ and tools/ the tests execute, in hosted code and in the engine.  Not asked: tests of the build itself, and those that take
## too long with an engine that is not optimised.  An hour or two.
COVERAGE_TESTS = $(filter-out tests/unit/build/% tests/unit/decode/library.sh tests/unit/sim/check.sh tests/unit/run/levels.sh \
	tests/guest/oracle.sh,$(TESTS))
## These build simulators, of lib/sim, with tests/coverage/cc.sh, and replays with --coverage (so do labs, but there both are shut in), or link
## libquern.a.
coverage_compiled = tests/unit/sim/% tests/unit/run/% tests/unit/exp/% tests/guest/% tests/unit/decode/vectors.sh
coverage_objects = ENGINE_EXTRA=tests/coverage/engine.o LDFLAGS='$(abs_top_builddir)/coverage/exit.o'
coverage_replays = REPLAY_EXTRA=tests/coverage/replay.o REPLAY_OPT='-O0 -g --coverage'
coverage_check = QN_FAULTS=50 $(fewer) $(MAKE) -k -C coverage check $(coverage_objects)
coverage:
	$(MKDIR_P) coverage/sims
	$(CC) -O2 -c -o coverage/exit.o $(abs_top_srcdir)/tests/coverage/exit.c
	cd coverage && { test -f Makefile || $(abs_top_srcdir)/configure -q CC='$(CC)' CFLAGS='-O0 -g --coverage' \
		ENGINE_OPT='-O0 -g --coverage'; }
	$(MAKE) -C coverage $(coverage_objects)
	$(MAKE) -C coverage guests
	printf '#!/bin/sh\nexec /bin/sh %s %s "%s" "$$@"\n' '$(abs_top_srcdir)/tests/coverage/cc.sh' \
		'$(abs_top_builddir)/coverage/sims' "$$(command -v '$(CC)' || echo '$(CC)')" >coverage/cc && chmod +x coverage/cc
	-$(coverage_check) TESTS='$(filter-out $(coverage_compiled),$(COVERAGE_TESTS))'
	cd coverage && rm -f $(libquern_replay_a_OBJECTS) $(replay_units)
	-$(coverage_check) $(coverage_replays) TESTS='$(filter $(coverage_compiled),$(COVERAGE_TESTS))' TEST_CC='$(abs_top_builddir)/coverage/cc'
	$(SHELL) $(top_srcdir)/build-aux/coverage.sh coverage $(abs_top_srcdir)
.PHONY: coverage

## What an engine and a replay with --coverage are linked with, libgcov in it, so that what is linked with their archives has it, too.
with_libgcov = $(CC) -nostdlib -r -Wl,-u,__gcov_init,-u,__gcov_exit,-u,__gcov_merge_add -o $@ $^ -lgcov
tests/coverage/engine.o: tests/coverage/engine_alone.o
	$(AM_V_CC)$(with_libgcov)
tests/coverage/engine_alone.o: tests/coverage/engine.c
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(CC) $(AM_CPPFLAGS) $(AM_CFLAGS) $(ENGINE_CFLAGS) -O2 -g -c -o $@ $<
tests/coverage/replay.o:
	$(AM_V_CC)$(MKDIR_P) $(@D) && $(with_libgcov)

## The engine with tables so small that everything is evicted all the time (lib/base/sizes.h): same behaviour, same counts.
## Without stats.sh, whose figures are those of tables of the usual size; qemu.sh, where an emulator runs it; levels.sh, which takes single steps
## through it; and gdb.sh, which attaches to a program while its code runs and not while it is translated, which is nearly all of the time here.
## The variables leave out what would take hours: to tell of a mistake, for one, a sanitizer reads debug information.  About an hour and a half.
TINY_TESTS = $(filter-out %/stats.sh %/gdb.sh %/qemu.sh %/levels.sh,$(filter tests/guest/% tests/unit/run/% tests/unit/sim/check.sh tests/corpus/%,$(shell_tests)))
tiny:
	$(MKDIR_P) tiny
	cd tiny && { test -f Makefile || $(abs_top_srcdir)/configure -q CC='$(CC)' ENGINE_OPT='-O2 -g -DQN_TINY'; }
	$(MAKE) -C tiny
	$(MAKE) -C tiny guests
	QN_FIGURES=no QN_FAULTS=1000 QN_LIMIT=1800 $(fewer) $(MAKE) -C tiny check TESTS='$(TINY_TESTS)'
.PHONY: tiny

## Hours: programs of many packages, twenty times each, and stress-ng's stressors, ten times (doc/corpus.md).
soak = cd $(abs_top_builddir) && QUERN=$(abs_top_builddir)/quern CC='$(CC)' top_builddir=$(abs_top_builddir) nice -n 19 $(SHELL)
soak: quern$(EXEEXT) quern-engine$(EXEEXT)
	QN_CORPUS=soak QN_REPEAT=20 && export QN_CORPUS QN_REPEAT && $(soak) $(abs_top_srcdir)/tests/corpus/paired.sh
	QN_REPEAT=10 && export QN_REPEAT && $(soak) $(abs_top_srcdir)/tests/corpus/stress.sh
.PHONY: soak

## Built by gcc and clang and without each optional library: half an hour; doc/testing.md has what came of it.
matrix:
	nice -n 15 $(SHELL) $(top_srcdir)/tests/long/matrix.sh $(abs_top_builddir)
.PHONY: matrix

## What depends on the processor, on each level of the x86-64 psABI that this one has, 20 seeds each; doc/testing.md has what came of it.
cpus: quern$(EXEEXT) quern-engine$(EXEEXT) libquern.a guests
	CC='$(CC)' nice -n 15 $(SHELL) $(top_srcdir)/tests/long/cpus.sh $(abs_top_builddir) $(CPUS)
.PHONY: cpus

## --calls beside Callgrind on programs of the distribution: a minute or two; doc/testing.md has what came of it.
calls: quern$(EXEEXT) quern-engine$(EXEEXT)
	nice -n 15 $(SHELL) $(top_srcdir)/tests/long/calls.sh $(abs_top_builddir) $(CALLS)
.PHONY: calls

## Random programs that fault, in ten ways each, beside a program that executes them step by step: half an hour for 1000; doc/testing.md.
FAULTS = 1-1000
faults: quern$(EXEEXT) quern-engine$(EXEEXT) libquern.a
	QN_SEEDS=$(FAULTS) QUERN=$(abs_top_builddir)/quern CC='$(CC)' top_builddir=$(abs_top_builddir) nice -n 15 \
		$(SHELL) $(top_srcdir)/tests/unit/run/random_faults.sh
.PHONY: faults

## What tests/tap/totals.sh adds up.
list-results:
	@echo $(TEST_LOGS:.log=.trs)
.PHONY: list-results

clean-local:
	rm -rf portable
	rm -rf quern.html quern.t2d site proof tests/scratch tests/oracle-cache demo fuzz matrix sanitize coverage stress cpus tiny
