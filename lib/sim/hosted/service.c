/* sim/hosted/service.c - what service.c offers to modules in the engine, with libc underneath. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/context.h"
#include "base/format.h"
#include "cost/side_tables/cells.h"
#include "sim/bank.h"
#include "sim/current_module.h"
#include "sim/hosted/hosted.h"
#include "sim/module.h"
#include "sim/option.h"
#include "sim/observers.h"
#include "sim/service.h"
#include "sim/shadow.h"
#include "text/escape.h"

#define LINE_MAX_BYTES 1024

struct qn_ctx qn_ctx;
const char *hosted_options = "";
uint64_t hosted_options_asked;
static uint64_t event_totals[SIM_EVENTS_MAX];
uint64_t *sim_event_counts = event_totals;
uint64_t sim_event_new[2 * SIM_EVENTS_MAX], sim_events_new, qn_sim_events_shadowed, sim_repetitions;
bool qn_sim_events_of_shadow, qn_sim_events_hidden;
static volatile uint64_t current_module[3];
volatile uint64_t *sim_current = current_module;
static char event_names[SIM_EVENTS_MAX][48];
static const char *event_texts[SIM_EVENTS_MAX];
static unsigned event_count;

void qn_sim_service_modules(const char *names) { (void)names; }
/* Nobody counts by instruction here (engine.c offers it to no analysis). */
bool sim_keep_loads(const uint64_t cycles[3]) { return (void)cycles, false; }
void qn_sim_service_how(unsigned slot, uint8_t how) { (void)slot, (void)how; }

/* Modules keep their memory to the end.  One that is set up again forgets what it had; here it is known, so that nobody who looks for
 * leaks finds it. */
static void remember_memory(void *memory)
{
    static struct kept {
        struct kept *before;
        void *memory;
    } *last;
    struct kept *this = malloc(sizeof *this);

    if (!this)
        abort();
    *this = (struct kept){ last, memory };
    last = this;
}

static void *alloc(uint64_t bytes)
{
    void *p = calloc(1, bytes ? bytes : 1);

    if (p)
        remember_memory(p);
    return p;
}

/* Pages that fault lie before the memory, and behind it.  AddressSanitizer has guards of its own. */
static void *alloc_guarded(uint64_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    return alloc(bytes);
#else
    uint64_t size = qn_round_up(bytes, QN_PAGE);
    char *p = mmap(NULL, size + 2 * QN_SIM_GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED || mprotect(p + QN_SIM_GUARD, size, PROT_READ | PROT_WRITE))
        return NULL;
    return qn_sim_up_to_guard(p + QN_SIM_GUARD, bytes, QN_PAGE);
#endif
}

void *sim_alloc(uint64_t bytes)
{
    static uint64_t total;
    void *p = bytes <= QN_SIM_MEMORY_MAX - total ? alloc_guarded(bytes) : NULL;

    if (!p)
        sim_fail("?", "?", "sim_alloc", 0, "asks for more memory than modules may have, or than there is");
    total += bytes;
    qn_bank_note(p, bytes);
    return p;
}

void *qn_engine_alloc(uint64_t bytes)
{
    void *p = alloc(bytes);

    if (!p)
        abort();
    return p;
}
void *qn_engine_alloc_low(uint64_t bytes) { return qn_engine_alloc(bytes); }

uint64_t sim_option(const char *slot, const char *key, uint64_t otherwise)
{
    return sim_option_find(hosted_options, slot, key, otherwise, &hosted_options_asked);
}

uint64_t sim_option_within(const char *slot, const char *module, const char *key, uint64_t otherwise, uint64_t least,
                           uint64_t most)
{
    uint64_t value = sim_option(slot, key, otherwise);
    char what[120];

    if (value >= least && value <= most)
        return value;
    qn_format(what, sizeof what, "got %lu, wanted %lu to %lu", value, least, most);
    sim_fail(slot, module, key, 0, what);
}

void sim_print(const char *format, ...)
{
    char line[LINE_MAX_BYTES];
    va_list args;

    va_start(args, format);
    qn_format_v(line, sizeof line, format, args);
    va_end(args);
    puts(line);
}

void sim_find(const struct sim_finding *f)
{
    sim_print("0x%lx %s 0x%lx 0x%lx %lu %lu", f->pc, f->what, f->value, f->other, f->count, f->of);
}

/* Printed with the others, in the order in which they were kept. */
static struct kept_finding {
    struct kept_finding *next;
    const uint64_t *of;
    struct sim_finding row;
} *kept, **last_kept = &kept;

struct sim_finding *sim_keep_of(const struct sim_finding *f, const uint64_t *cell)
{
    struct kept_finding *k = qn_engine_alloc(sizeof *k);

    k->row = *f;
    k->of = cell;
    *last_kept = k;
    last_kept = &k->next;
    return &k->row;
}

struct sim_finding *sim_keep(const struct sim_finding *f) { return sim_keep_of(f, NULL); }

/* Lists of a chunk lie side by side (analysis/sites.h). */
static unsigned kept_values;

void *sim_keep_values(uint64_t pc, const char *what, unsigned entries)
{
    enum { CHUNK = 4096 };
    static uint8_t *chunk;
    uint64_t bytes = qn_value_list_bytes(entries);
    struct qn_value_list *list;

    if (kept_values % CHUNK == 0)
        chunk = qn_engine_alloc(CHUNK * bytes);
    list = (void *)(chunk + kept_values++ % CHUNK * bytes);
    list->pc = pc;
    memcpy(list->what, what, sizeof list->what);
    return list;
}

static struct kept_shared {
    struct kept_shared *next;
    struct sim_shared row;
} *kept_shared, **last_kept_shared = &kept_shared;

struct sim_shared *sim_keep_shared(const struct sim_shared *row)
{
    struct kept_shared *k = qn_engine_alloc(sizeof *k);

    k->row = *row;
    *last_kept_shared = k;
    last_kept_shared = &k->next;
    return &k->row;
}

void hosted_print_kept(void)
{
    for (struct kept_finding *k = kept; k; k = k->next) {
        k->row.of = k->of ? *k->of : k->row.of;
        sim_find(&k->row);
    }
    for (const struct kept_shared *k = kept_shared; k; k = k->next)
        sim_print("0x%lx 0x%lx thread %lu: %lu reads 0x%lx, %lu writes 0x%lx, true %lu, false %lu, cold %lu, upgrades %lu", k->row.line, k->row.pc,
                  k->row.thread, k->row.reads, k->row.read, k->row.writes, k->row.written, k->row.misses_true, k->row.misses_false,
                  k->row.cold, k->row.upgrades);
}

unsigned sim_event(const char *slot, const char *name, const char *text)
{
    char full[sizeof event_names[0]];
    bool fits = qn_format(full, sizeof full, "%s.%s", slot, name) <= SIM_EVENT_NAME_MAX;
    unsigned i = 0;

    while (i < event_count && __builtin_strcmp(full, event_names[i]))
        i++;
    if (i < event_count && qn_sim_events_of_shadow) {
        qn_sim_events_shadowed |= 1ull << i;
        return SIM_EVENTS_MAX + i;
    }
    sim_check_event(i < event_count, fits && qn_sim_good_name(name), i == SIM_EVENTS_MAX);
    __builtin_strcpy(event_names[i], full);
    event_texts[i] = text;
    event_count++;
    return i;
}

void qn_sim_L2_declare(void)
{
    static const char *const names[] = QN_L2_EVENT_NAMES;

    if (qn_sim_events_of_shadow)
        qn_sim_events_shadowed |= (1u << QN_L2_EVENTS) - 1;
    for (; event_count < QN_L2_EVENTS; event_count++) {
        __builtin_strcpy(event_names[event_count], names[event_count]);
        event_texts[event_count] = "";
    }
}

unsigned qn_sim_events(void) { return event_count; }
const char *qn_sim_event_name(unsigned event) { return event_names[event]; }

/* A trace knows no instructions: totals only. */
void qn_sim_charge(uint32_t site)
{
    (void)site;
    for (unsigned event = 0; event < event_count; event++) {
        event_totals[event] += sim_event_new[event];
        sim_event_new[event] = 0;
    }
    sim_events_new = 0;
}

void sim_count_for(uint32_t site, unsigned event, uint64_t n)
{
    (void)site;
    event_totals[event] += n;
}

size_t hosted_list_events(struct qn_cost_total *to)
{
    for (unsigned i = 0; i < event_count; i++)
        to[i] = (struct qn_cost_total){ event_names[i], event_texts[i], (int64_t)event_totals[i] };
    return event_count;
}

void hosted_complain(const char *format, ...)
{
    va_list args;
    char *made;

    va_start(args, format);
    fprintf(stderr, "quern: replay: %s\n", qn_text_visible(&made, format, args));
    va_end(args);
    free(made);
}

_Noreturn void qn_engine_die(const char *what, uint64_t a, uint64_t b)
{
    hosted_complain("%s (%llx, %llx)", what, (unsigned long long)a, (unsigned long long)b);
    exit(HOSTED_EXIT_MODULE);
}

_Noreturn void qn_engine_module_failed(const char *line)
{
    fflush(stdout);
    hosted_complain("%s", line);
    exit(HOSTED_EXIT_MODULE);
}

_Noreturn void qn_engine_check_failed(const char *what)
{
    fflush(stdout);
    hosted_complain("--check found a difference: %s", what);
    exit(HOSTED_EXIT_MODULE);
}

/* ---- a message for a module that crashes, fails or hangs, with slot, module, function and reference ----
 *
 * A hang is detected by processor time, which does not depend on the load of the machine or a debugger.  With sanitizers, crashes are left
 * to them, because they report more.  `quern replay`, which can read debug information, gives a file (hosted.h): then the message is
 * written there, with the places on the stack, and it prints the message with the line of the source.
 */

#define STACK_NEAR 65536 /* a fault so close to the stack pointer is the stack's end */
#define TICKS 4          /* in a second of processor time */
#define STACK_WORDS 512  /* that are searched for return addresses */

extern const char __executable_start[], etext[];

static uint64_t stuck_seconds, ticks;
static uint64_t call; /* sim_current[2] at the last tick */
static uintptr_t loaded_at;
static int places_fd = -1;

static void find_places(struct hosted_places *p, uintptr_t pc, uintptr_t sp)
{
    uintptr_t words[STACK_WORDS];
    struct iovec to = {words, sizeof words}, from = {(void *)sp, sizeof words};
    ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0); /* up to the stack's end, without a fault */

    p->place[p->n++] = pc - loaded_at;
    for (ssize_t i = 0; i < got / (ssize_t)sizeof *words && p->n < HOSTED_PLACES; i++)
        if (words[i] - (uintptr_t)__executable_start < (uintptr_t)etext - (uintptr_t)__executable_start)
            p->place[p->n++] = words[i] - loaded_at;
}

static void say(const char *line, uintptr_t pc, uintptr_t sp)
{
    struct hosted_places p = {.n = 0};

    find_places(&p, pc, sp);
    snprintf(p.line, sizeof p.line, "%s", line);
    if (places_fd >= 0 && pwrite(places_fd, &p, sizeof p, 0) == sizeof p)
        return;
    dprintf(STDERR_FILENO, "quern: replay: %s\n", p.line);
}

_Noreturn void sim_fail(const char *slot, const char *module, const char *function, uint64_t reference, const char *what)
{
    struct qn_sim_culprit c;
    char line[LINE_MAX_BYTES];

    if (*slot == '?' && qn_sim_current_module(&c)) {
        slot = c.slot;
        module = c.module;
        reference = c.reference;
    }
    fflush(stdout);
    snprintf(line, sizeof line, "module %s in slot %s, %s, reference %llu: %s", module, slot, function, (unsigned long long)reference, what);
    say(line, (uintptr_t)__builtin_return_address(0), (uintptr_t)__builtin_frame_address(0));
    exit(HOSTED_EXIT_MODULE);
}

static void say_of_module_at(const char *what, uintptr_t pc, uintptr_t sp)
{
    struct qn_sim_culprit c;
    char line[HOSTED_LINE];

    if (!qn_sim_current_module(&c))
        snprintf(line, sizeof line, "a bug, please report it: record %llu: %s", (unsigned long long)hosted_references, what);
    else
        snprintf(line, sizeof line, "module %s in slot %s, %s, reference %llu: %s (record %llu of the trace)", c.module, c.slot, c.function,
                 (unsigned long long)c.reference, what, (unsigned long long)hosted_references);
    say(line, pc, sp);
}

static void say_of_module(const char *what, const ucontext_t *context)
{
    say_of_module_at(what, (uintptr_t)context->uc_mcontext.gregs[REG_RIP], (uintptr_t)context->uc_mcontext.gregs[REG_RSP]);
}

#ifdef QN_SIM_SANITIZED /* `quern replay --sanitize`: one line, in place of the sanitizers' reports */
extern void *__asan_get_report_pc(void), *__asan_get_report_sp(void);
extern const char *__asan_get_report_description(void);
extern void __ubsan_get_current_report_data(const char **kind, const char **text, const char **file, unsigned *line, unsigned *column, char **address);
extern void __sanitizer_set_report_fd(void *fd);
const char *__asan_default_options(void);
void __asan_on_error(void), __ubsan_on_report(void);

const char *__asan_default_options(void) { return "detect_leaks=0:handle_segv=0:handle_sigbus=0:handle_sigill=0:handle_sigfpe=0"; }

static _Noreturn void say_report(const char *text, void *pc, void *sp)
{
    char what[160];

    fflush(stdout);
    snprintf(what, sizeof what, SIM_CRASHED "%s", text);
    say_of_module_at(what, (uintptr_t)pc, (uintptr_t)sp);
    _exit(HOSTED_EXIT_MODULE);
}

/* The pc is where a call of the sanitizer would have returned to. */
void __asan_on_error(void) { say_report(__asan_get_report_description(), (char *)__asan_get_report_pc() - 1, __asan_get_report_sp()); }

void __ubsan_on_report(void)
{
    const char *kind, *text, *file;
    unsigned line, column;
    char *address;

    __ubsan_get_current_report_data(&kind, &text, &file, &line, &column, &address);
    say_report(text, __builtin_return_address(0), __builtin_frame_address(0));
}

static void be_silent(void) { __sanitizer_set_report_fd((void *)(intptr_t)open("/dev/null", O_WRONLY | O_CLOEXEC)); }
#else
static void be_silent(void) {}
#endif

static _Noreturn void blame(const char *what, const ucontext_t *context)
{
    say_of_module(what, context);
    _exit(HOSTED_EXIT_MODULE);
}

static void crashed(int sig, siginfo_t *info, void *context)
{
    uintptr_t sp = (uintptr_t)((ucontext_t *)context)->uc_mcontext.gregs[REG_RSP], addr = (uintptr_t)info->si_addr;

    if (sig == SIGSEGV && addr - (sp - STACK_NEAR) < 2 * STACK_NEAR)
        blame("its stack is full: a recursion without end?", context);
    blame(sig == SIGFPE    ? SIM_CRASHED "a division by zero"
          : sig == SIGILL ? SIM_CRASHED SIM_TRAPPED
                          : SIM_CRASHED "an access out of bounds",
          context);
}

/* Does the call last in which a module was at the last tick?  In it the outermost module may call others again and again. */
static bool stays(void) { return sim_current[0] && ticks && sim_current[2] == call; }

static void name_outermost(void)
{
    if (sim_current[0] != call)
        sim_leave((struct sim_before){call, SIM_IN_DOREF});
}

static void tick(int sig, siginfo_t *info, void *context)
{
    (void)sig, (void)info;
    ticks = stays() ? ticks + 1 : 1;
    call = sim_current[0] ? sim_current[2] : 0;
    if (ticks <= stuck_seconds * TICKS)
        return;
    name_outermost();
    blame("does not come back (an endless loop?)", context);
}

/* Ctrl-C, kill: where the module stands, if it stands. */
static void ended(int sig, siginfo_t *info, void *context)
{
    (void)info;
    if (stays()) {
        name_outermost();
        say_of_module("had not come back when the run was ended", context);
    }
    signal(sig, SIG_DFL);
    raise(sig); /* takes effect when this returns */
}

static int take_load_address(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    loaded_at = info->dlpi_addr; /* the program comes first */
    return 1;
}

void hosted_guard(void)
{
    static char stack[65536];
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    const struct itimerval often = {{0, 1000000 / TICKS}, {0, 1000000 / TICKS}};
    struct sigaction crash = {.sa_sigaction = crashed, .sa_flags = SA_SIGINFO | SA_ONSTACK}, before;
    struct sigaction ticking = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    struct sigaction ending = {.sa_sigaction = ended, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    const char *fd = getenv(HOSTED_PLACES_VARIABLE);

    places_fd = fd ? atoi(fd) : -1;
    dl_iterate_phdr(take_load_address, NULL);
    stuck_seconds = sim_stuck_seconds(getenv(SIM_STUCK_VARIABLE));
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    be_silent();
#if !defined(__SANITIZE_ADDRESS__) || defined(QN_SIM_SANITIZED)
    sigaction(SIGSEGV, &crash, NULL);
    sigaction(SIGBUS, &crash, NULL);
#endif
    sigaction(SIGFPE, &crash, NULL);
    sigaction(SIGILL, &crash, NULL);
    sigaction(SIGPROF, &ticking, NULL);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!sigaction(ends[i], NULL, &before) && before.sa_handler == SIG_DFL)
            sigaction(ends[i], &ending, NULL);
    setitimer(ITIMER_PROF, &often, NULL);
}
