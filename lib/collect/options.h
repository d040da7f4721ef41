/* lib/collect/options.h - the options of `quern run`, declared once, and their values.
 *
 *   quern run --D1=32768,8,64 --branch-sim --no-aslr -q -- ./prog arg
 *   -> geometry[D1] = { 32768, 8, 64 }, branch_sim = true, aslr = false, quiet = true, argv = { "./prog", "arg" }
 *
 * A line of the list: kind (a function take_KIND of tools/run.c), name, field, argument as --help shows it, text.
 * The words of a WORD stand in the order of their enum.
 */
#ifndef QN_COLLECT_OPTIONS_H
#define QN_COLLECT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "cost/arena.h"

enum qn_collect_level { QN_COLLECT_I1, QN_COLLECT_D1, QN_COLLECT_LL, QN_COLLECT_L2, QN_COLLECT_LEVELS };

#define QN_COLLECT_OPTION_LIST(X)                                                                                       \
    X(GEOMETRY, "I1", geometry[QN_COLLECT_I1], "SIZE,ASSOC,LINE", "instruction cache [this machine's]")                  \
    X(GEOMETRY, "D1", geometry[QN_COLLECT_D1], "SIZE,ASSOC,LINE", "data cache [this machine's]")                         \
    X(GEOMETRY, "LL", geometry[QN_COLLECT_LL], "SIZE,ASSOC,LINE", "last-level cache [this machine's]")                   \
    X(GEOMETRY, "L2", geometry[QN_COLLECT_L2], "SIZE,ASSOC,LINE", "a level between them and --LL; without --LL its older name [none]") \
    X(TEXT, "machine", machine, "NAME|FILE", "caches, TLB and predictors of a machine (quern machine list) where no other option says otherwise") \
    X(YESNO, "cache-sim", cache_sim, "yes|no", "simulate the caches [yes]")                                          \
    X(BRANCH_SIM, "branch-sim", branch_sim, "yes|no", "simulate the branch predictors [no; yes if --sim names one]")       \
    X(WORD, "counting", counting, "exact|cachegrind", "rules of counting [exact]")                               \
    X(TEXT, "out-file", out_file, "FILE", "profile; %p pid, %q{VAR} environment, %n 1, %% % [cachegrind.out.%p]")     \
    X(TEXT, "cachegrind-out-file", out_file, "FILE", "the same")                                                     \
    X(YESNO, "dump-objects", dump_objects, "yes|no", "the profile names the program or library of each function [no]")     \
    X(YESNO, "dump-instr", dump_instr, "yes|no", "and has counts by instruction, for annotate --asm [no]")           \
    X(INTERVAL, "interval", interval, "N|auto", "also write the counts of every N instructions; auto: of a few hundred equal parts")                            \
    X(TEXT, "interval-file", interval_file, "FILE", "where to; %p, %q{VAR} as above [quern.intervals.%p.csv]")       \
    X(NAMES, "explain", explain, "FILE:LINE", "tell what becomes of the line's data references, and why; may be repeated") \
    X(SOURCE_MAP, "source-map", explain, "FROM=TO", "sources in folder FROM are in TO now, for --explain; may be repeated") \
    X(NUMBER, "explain-first", explain_first, "N", "of the first N references of each line [20]")                    \
    X(NUMBER, "explain-every", explain_every, "N", "then of every Nth; 0 = no more [1000]")                          \
    X(TEXT, "explain-file", explain_file, "FILE", "where to; %p, %q{VAR} as above; JSON if it ends in .json [quern.explain.%p.txt]")           \
    X(NUMBER, "watch", watch, "N", "record N data references with what the D1 held, for `quern watch`")              \
    X(NUMBER, "watch-from", watch_from, "N", "the first of them [the first of --explain's lines, else 1]")               \
    X(TEXT, "watch-region", watch_region, "NAME", "the first of them is the first of this region (quern.h)")         \
    X(TEXT, "watch-file", watch_file, "FILE", "where to; %p, %q{VAR} as above [quern.watch.%p.csv]")                     \
    X(TEXT, "branches-file", branches_file, "FILE", "write where each branch lies, for `quern watch --predictor`; %p, %q{VAR} as above") \
    X(WORD, "inline", inlines, "no|yes|chains", "name inlined functions, and the calls between [no]")             \
    X(YESNO, "demangle", demangle, "yes|no", "readable names of C++ and Rust functions [yes]")                       \
    X(TEXT, "extra-debuginfo-path", debug_root, "DIR", "look for separate debug files in DIR first")                 \
    X(YESNO, "trace-children", trace_children, "yes|no", "also profile what the program executes [no]")              \
    X(YESNO, "merge-children", merge_children, "yes|no", "one profile: the sum of all processes, those that the program forks and, with --trace-children=yes, those that it executes [no]") \
    X(WORD, "data", data, "no|yes|use", "also count misses by variable and allocation, and by source line on which of them; use: and the bytes used of each cache line [no]") \
    X(NAMES, "alloc", alloc, "FUNCTION[:N[*M]]", "a function that allocates, with --data; argument N has the bytes")  \
    X(YESNO, "separate-threads", separate_threads, "yes|no", "counts by thread, too, for annotate --by=thread and --thread=N [no]") \
    X(WORD, "profile-format", profile_format, "cachegrind|callgrind|callgrind-threads", "callgrind: for KCachegrind, with --calls=yes unless --calls is given; callgrind-threads: the same, and its name ends in -01, as that of the first thread does [cachegrind]") \
    X(WORD, "calls", calls, "no|yes|paths", "inclusive costs by call, line and function; paths: and by call path [no]")       \
    X(NUMBER, "calls-room", calls_room, "N", "at most N different calls, and call paths [1000000]")                    \
    X(NUMBER, "calls-depth", calls_depth, "N", "at most N calls that have not returned [1000000]")                     \
    X(NAMES, "toggle", toggle, "FUNCTION", "count only inside this function; may be repeated")                       \
    X(TURNS, "toggle-collect", turn, "FUNCTION", "as Callgrind's: counting is off at first; each call of it and each return turns it on or off; may be repeated") \
    X(NAMES, "dump-before", dump_before, "FUNCTION", "a part of the profile ends where the function is entered; may be repeated") \
    X(NAMES, "dump-after", dump_after, "FUNCTION", "... where it has returned")                                        \
    X(NAMES, "zero-before", zero_before, "FUNCTION", "counts begin anew where the function is entered; may be repeated") \
    X(WORD, "requests", requests, "all|cachegrind|callgrind", "whose client requests are obeyed, besides quern's [all]")   \
    X(YESNO, "instr-at-start", instr_at_start, "yes|no", "count from the start [yes]")                               \
    X(TEXT, "log-file", log_file, "FILE", "messages go there; %p, %q{VAR}, %% as above [stderr]")                    \
    X(LOG_FD, "log-fd", log_fd, "N", "messages go to this descriptor [2]")                                           \
    X(YESNO, "quiet", quiet, "yes|no", "no banner, no summary (-q)")                                                 \
    X(YESNO, "verbose", verbose, "yes|no", "more: what stands in each slot, how it is simulated (-v)")                                                     \
    X(YESNO, "progress", progress, "yes|no", "a line each second on stderr: time, instructions, misses [no]")          \
    X(YESNO, "dump-signal", dump_signal, "yes|no", "SIGUSR1, sent to quern, writes a profile and is not passed on [no]") \
    X(YESNO, "stats", stats, "yes|no", "print the engine's statistics [no]")                                         \
    X(YESNO, "local-rates", local_rates, "yes|no", "also print LL misses per L1 miss [no]")                          \
    X(YESNO, "aslr", aslr, "yes|no", "addresses vary from run to run [no]")                                          \
    X(VDSO, "vdso", vdso, "yes|no", "show the vDSO to the program [no; yes with --aslr]")                           \
    X(LIST, "cpu", cpu, "NAME|+FEATURE|-FEATURE,...", "the processor to show: x86-64, x86-64-v2, -v3, -v4, +avx2, -avx512f [native]") \
    X(CORES, "cores", cores, "N|threads|machine", "N cores (up to 64), one a thread (16), or --machine's, each with I1, D1, L2 and predictors [one for all]") \
    X(TEXT, "coherence", coherence, "PROTOCOL|FILE", "keeps their D1s coherent: msi, mesi, moesi, dragon [mesi]")         \
    X(QUANTUM, "quantum", quantum, "[each:][refs:]N", "a thread's turn is N instructions or data references, or less; each: never several [10000]")   \
    X(PIN, "pin", pin, "CORE,...", "cores of the first threads, and so on again: 0,0,1,1 [by number, or affinity]")  \
    X(NUMBER, "processors", processors, "N", "the program sees N processors, up to 64 [those of the machine]")       \
    X(NUMBER, "seed", seed, "N", "for AT_RANDOM and random policies [1]")                                            \
    X(LIST, "sim", sim, "MODULE|SLOT=MODULE,...|ENGINE", "what simulates: srrip, mine.c, D1=mine.c,BC=gshare, D1=srrip+stride, ./mysim; may be repeated")                                              \
    X(LIST, "versus", versus, "SIMULATOR", "a second one, named as for --sim, on the same references: compare")              \
    X(LIST, "analysis", analysis, "NAME|FILE", "analyses for this run, separated by commas: 3c, sets, latency, values, ...")  \
    X(SAMPLE, "sample", sample, "N/M|all", "of an analysis that observes instructions: N of every M [all]")          \
    X(LIST, "sim-opt", sim_opt, "KEY=VALUE", "option of a simulator module; may be repeated")                        \
    X(SIZE, "tcache-size", tcache_size, "BYTES", "code cache; suffix K, M, G [the engine's]")                        \
    X(NUMBER, "block-max", block_max, "N", "instructions per block [the engine's]")                                  \
    X(YESNO, "filter", filter, "yes|no", "use the hit filter [yes]")                                                 \
    X(WORD, "batch", batch, "auto|never|always|often", "simulate references many at a time where many miss [auto]")  \
    X(VECTORS, "vectors", vectors, "auto|scalar|avx2|avx512", "instructions that simulators may use [auto]")         \
    X(YESNO, "check", check, "yes|no", "compare filtered and unfiltered simulation [no]")                            \
    X(TRACE, "trace", trace, "WHAT,...", "decode, block, event, emit, syscall, signal")                              \
    X(TEXT, "trace-file", trace_file, "FILE", "traces go there [stderr]")                                            \
    X(RANGE, "trace-blocks", trace_blocks, "A-B", "trace only these blocks [all]")

/* --interval=auto: the first length in instructions; at so many rows each two become one. */
#define QN_COLLECT_INTERVAL_FIRST 10000
#define QN_COLLECT_INTERVAL_ROWS 400
#define QN_COLLECT_CORES_OF_THREADS 16 /* --cores=threads: the table of pairs of cores has as many */
#define QN_COLLECT_NAMES_MAX QN_EXPLAIN_MAX

enum qn_collect_format { QN_COLLECT_CACHEGRIND, QN_COLLECT_CALLGRIND, QN_COLLECT_CALLGRIND_THREADS };

struct qn_collect_names {
    char *text[QN_COLLECT_NAMES_MAX];
    unsigned count;
};

#define QN_COLLECT_SLOTS 6 /* as QN_ENGINES_SLOTS */

/* What --machine stands for where no other option is given. */
struct qn_collect_machine {
    const char *text;                                /* for the profile; NULL: none */
    struct qn_geometry geometry[QN_COLLECT_LEVELS];  /* line 0: none */
    uint32_t cores;                                  /* --cores=machine; 0: not said */
    struct {
        const char *name, *origin, *options;         /* name NULL: the default; origin: FILE:LINE */
    } module[QN_COLLECT_SLOTS];
};

struct qn_collect_options {
    struct qn_geometry geometry[QN_COLLECT_LEVELS]; /* line 0: not given */
    bool cache_sim, branch_sim, trace_children, merge_children, instr_at_start, quiet, verbose, stats, progress, dump_signal, local_rates, aslr, vdso,
        filter, check, dump_objects, dump_instr, demangle;
    bool vdso_given, branch_sim_given, log_fd_given, interval_given, interval_auto;
    uint64_t counting;     /* enum qn_counting */
    uint64_t batch;        /* enum qn_batch */
    uint64_t calls;        /* enum qn_calls */
    uint64_t data;         /* enum qn_data */
    uint64_t profile_format; /* enum qn_collect_format */
    uint64_t calls_room, calls_depth;
    uint64_t requests;     /* enum qn_requests */
    uint64_t inlines;      /* enum qn_debug_inlines */
    uint64_t vectors;      /* enum qn_vectors */
    char *out_file, *log_file, *sim, *sim_opt, *trace_file, *debug_root; /* NULL: not given */
    char *coherence, *interval_file, *explain_file, *watch_file, *watch_region, *branches_file, *versus, *analysis, *cpu, *machine;
    struct qn_collect_machine from_machine;
    uint64_t log_fd, cores, quantum, processors, seed, tcache_size, block_max, interval, explain_first, explain_every, watch, watch_from;
    bool quantum_is_refs, quantum_each, core_for_each, cores_of_machine, separate_threads;
    struct {
        uint8_t core[QN_PINS_MAX], count;
    } pin;
    struct qn_collect_names explain, toggle, alloc, turn, dump_before, dump_after, zero_before;
    uint32_t trace;        /* QN_TRACE_* */
    struct {
        uint64_t first, last;
    } trace_blocks;
    struct {
        uint64_t count, of; /* of 0: all */
        bool given;
    } sample;
    char **argv;           /* the program and its arguments */
};

/* Runs the program.  Returns the exit status of `quern run`, or does not return and ends as the program did.  Call it once in a process. */
int qn_collect_run(const struct qn_collect_options *options);

/* name: "--D1".  false: a line was printed. */
bool qn_collect_check_geometry(const char *name, const struct qn_geometry *g);

/* The caches of this machine as CPUID lists them, level 1 first.  0: it lists none. */
enum qn_collect_cache_kind { QN_COLLECT_DATA = 1, QN_COLLECT_FETCHES, QN_COLLECT_ALL };

struct qn_collect_cache {
    unsigned level;
    enum qn_collect_cache_kind kind;
    uint64_t sets, ways, line;
};

#define QN_COLLECT_CACHES_MAX 16
unsigned qn_collect_list_caches(struct qn_collect_cache list[QN_COLLECT_CACHES_MAX]);

/* ---- the protocol between `quern ctl` and a `quern run` ----
 *
 *   abstract socket "quern-run-PID", SOCK_STREAM; only processes of the same user, or root's, are answered.  PID is that of `quern run`, the
 *   main collector; for a process that the program has forked, it is the pid of that process
 *   ctl: "dump", "status", "start", "stop" or "zero"     run: a digit (the exit status), a blank, lines for the user; then it closes
 */
#define QN_CONTROL_WORD_MAX 32 /* bytes of a command */

struct ucred;

/* Writes the address of a run; returns its length. */
socklen_t qn_control_address(struct sockaddr *address, size_t size, pid_t pid);

/* Does the process at the other end belong to our user or to root?  *who: its credentials. */
bool qn_control_is_own(int socket, struct ucred *who);

#define QN_COLLECT_STAT_MAX 1024
/* Reads /proc/PID/stat; returns what is behind the name of the program, "" if it cannot be read. */
const char *qn_collect_read_stat(pid_t pid, char text[QN_COLLECT_STAT_MAX]);

#endif
