/* host.c - a program around one module: it answers what the check asks (host.h) and can do nothing else.
 *
 * There is no library and no start-up code: nothing of the module runs before it is asked.  The check keeps the cache and the
 * outcomes; the module gets questions and gives answers.  With HOST_WINDOW the first process runs no code of the module's: it makes a
 * child for each window, which has the module's variables, of a size that is known, and else nothing that it had before.
 */
#undef QN_SIM_HOSTED /* there is no library */
#ifndef NO_MEMORY
#define NO_MEMORY 0
#endif
#include "lab/host.h"
#include "sim/module.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define ARENA_BYTES (NO_MEMORY ? 16 : 16ul << 20) /* for sim_alloc and the state of policies; with NO_MEMORY none */
#define EXIT_REFUSED 3
#define EXIT_WINDOW 4            /* its end was asked for */
#define AT_ONCE 4096             /* bytes read or written */

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* ---- system calls ---- */

static long call4(long number, long a, long b, long c, long d)
{
    register long fourth __asm__("r10") = d, fifth __asm__("r8") = 0;
    long result;

    __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth) : "rcx", "r11", "memory");
    return result;
}

static long call(long number, long a, long b, long c) { return call4(number, a, b, c, 0); }

static _Noreturn void leave(int status)
{
    for (;;)
        call(SYS_exit, status, 0, 0); /* exit_group is not allowed in strict mode */
}

/* What was read and not used yet, and answers not written yet.  On the stack, so that it is none of the variables. */
struct stream {
    unsigned at, end, said;
    char heard[AT_ONCE], answers[AT_ONCE];
};

static void flush(struct stream *s)
{
    for (unsigned from = 0; from < s->said;) {
        long n = call(SYS_write, 1, (long)(s->answers + from), s->said - from);

        if (n <= 0)
            leave(EXIT_REFUSED);
        from += (unsigned)n;
    }
    s->said = 0;
}

static void say(struct stream *s, const void *bytes, unsigned long size)
{
    for (unsigned long i = 0; i < size; i++) {
        if (s->said == AT_ONCE)
            flush(s);
        s->answers[s->said++] = ((const char *)bytes)[i];
    }
}

/* Before it waits it says what it has to say. */
static void hear(struct stream *s, void *bytes, unsigned long size)
{
    for (unsigned long i = 0; i < size; i++) {
        if (s->at == s->end) {
            long n;

            flush(s);
            n = call(SYS_read, 0, (long)s->heard, AT_ONCE);
            if (n <= 0)
                leave(n < 0 ? EXIT_REFUSED : 0);
            s->at = 0;
            s->end = (unsigned)n;
        }
        ((char *)bytes)[i] = s->heard[s->at++];
    }
}

/* ---- what compilers call, and the services of modules ---- */

void *memset(void *to, int value, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((volatile char *)to)[i] = (char)value;
    return to;
}

void *memcpy(void *to, const void *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ((volatile char *)to)[i] = ((const char *)from)[i];
    return to;
}

static char arena[ARENA_BYTES] __attribute__((aligned(16)));
static uint64_t arena_used, next_use;
static uint32_t bits;

void *sim_alloc(uint64_t bytes)
{
    char *at = arena + arena_used;

    if (bytes > ARENA_BYTES - arena_used)
        leave(EXIT_REFUSED);
    arena_used += (bytes + 15) & ~15ul;
    return at;
}

static int same_word(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

uint64_t sim_option(const char *slot, const char *key, uint64_t otherwise)
{
    (void)slot;
    return bits && (same_word(key, "bits") || same_word(key, "degree") || same_word(key, "entries")) ? bits : otherwise;
}

uint64_t sim_option_within(const char *slot, const char *module, const char *key, uint64_t otherwise, uint64_t least, uint64_t most)
{
    (void)module, (void)least, (void)most;
    return sim_option(slot, key, otherwise);
}

uint64_t *sim_event_counts, sim_event_new[2 * SIM_EVENTS_MAX], sim_events_new;
bool sim_branch_backward;
#undef sim_pc
uint64_t sim_pc;

#if NO_MEMORY
unsigned sim_event(const char *slot, const char *name, const char *text) { return (void)slot, (void)name, (void)text, 0; }
#else
static uint64_t event_name[SIM_EVENTS_MAX]; /* by event: host_name; 0: none */

unsigned sim_event(const char *slot, const char *name, const char *text)
{
    unsigned event = 0;

    (void)slot, (void)text;
    while (event + 1 < SIM_EVENTS_MAX && event_name[event])
        event++;
    event_name[event] = host_name(name);
    return event;
}
#endif
void sim_print(const char *format, ...) { (void)format; }
uint64_t sim_next_use_in(const char *slot) { return (void)slot, next_use; }
void sim_unsettled(unsigned set, unsigned way) { (void)set, (void)way; }

/* What a module prints in quern replay, where it has a library. */
void *stdout, *stderr;

int printf(const char *format, ...) { return (void)format, 0; }
int fprintf(void *file, const char *format, ...) { return (void)file, (void)format, 0; }
int puts(const char *line) { return (void)line, 0; }

_Noreturn void sim_fail(const char *slot, const char *module, const char *function, uint64_t reference, const char *what)
{
    unsigned long n = 0;

    (void)slot, (void)module, (void)function, (void)reference;
    while (what[n])
        n++;
    call(SYS_write, 2, (long)what, (long)n);
    leave(EXIT_REFUSED);
}

/* ---- the variables: what can be written of this program ---- */

struct program_header {
    uint32_t type, flags;
    uint64_t offset, address, physical, in_file, in_memory, alignment;
};

#define TYPE_LOAD 1
#define FLAG_WRITE 2

static char *variables(uint64_t *size)
{
    const struct program_header *p = (const void *)(__ehdr_start + *(const uint64_t *)(__ehdr_start + 32));
    unsigned n = *(const uint16_t *)(__ehdr_start + 56);

    for (; n > 0; n--, p++)
        if (p->type == TYPE_LOAD && p->flags & FLAG_WRITE) {
            *size = p->in_memory;
            return (char *)p->address;
        }
    *size = 0;
    return 0;
}

/* ---- signals: what the module was doing when it crashed, or when its time was up ---- */

#if !NO_MEMORY
#define WAYS_TOLD 16
#define REGISTER_RIP 16          /* of gregs */
#define SIGNAL_STACK (64u << 10) /* bytes; a frame with AMX registers has 11 KiB */

static struct host_message now; /* what the module was asked last */

static void add_text(char **to, const char *text)
{
    while (*text)
        *(*to)++ = *text++;
}

static void add_number(char **to, unsigned n)
{
    if (n >= 10)
        add_number(to, n / 10);
    *(*to)++ = (char)('0' + n % 10);
}

static void add_hex(char **to, uint64_t n)
{
    if (n >= 16)
        add_hex(to, n / 16);
    *(*to)++ = "0123456789abcdef"[n % 16];
}

static const char *function_of(unsigned op)
{
    switch (op) {
    case HOST_BRANCH: return "branchsim_BC_predict or branchsim_BC_update";
    case HOST_HIT: return "policy_hit";
    case HOST_FILL: return "policy_fill";
    case HOST_VICTIM: return "policy_victim";
    case HOST_SETTLED: return "policy_settled";
    case HOST_REF: return "cachesim_X_doref";
    case HOST_INIT: return "its initialization";
    default: return "none of its functions";
    }
}

static void add_state(char **to, const void *at, unsigned bytes)
{
    uint64_t n = 0;

    *(*to)++ = ' ';
    for (unsigned i = bytes < 8 ? bytes : 8; i-- > 0;)
        n = n << 8 | ((const uint8_t *)at)[i];
    add_hex(to, n);
}

/* The set that the policy was asked about, and its state there. */
static void add_set(char **to)
{
    unsigned ways = host_module.config->ways;
    const char *state;

    if (now.op < HOST_HIT || now.op > HOST_SETTLED)
        return;
    add_text(to, "Set ");
    add_number(to, now.a);
    if (host_module.way_bytes) {
        add_text(to, ", its way_state (hexadecimal):");
        state = (char *)*host_module.way_memory + (uint64_t)now.a * ways * host_module.way_bytes;
        for (unsigned way = 0; way < ways && way < WAYS_TOLD; way++)
            add_state(to, state + way * host_module.way_bytes, host_module.way_bytes);
    }
    if (host_module.set_bytes) {
        add_text(to, ", its set_state:");
        add_state(to, (char *)*host_module.set_memory + (uint64_t)now.a * host_module.set_bytes, host_module.set_bytes);
    }
    *(*to)++ = '\n';
}

/* The last line is for the check, which makes file and line of the address. */
static _Noreturn void tell(int number, void *info, const ucontext_t *context)
{
    char line[512], *end = line;

    (void)info;

    add_text(&end, "It was in ");
    add_text(&end, function_of(now.op));
    if (now.op != HOST_INIT && now.c) {
        add_text(&end, ", at reference ");
        add_number(&end, now.c);
    }
    *end++ = '\n';
    add_set(&end);
    add_text(&end, "at 0x");
    add_hex(&end, (uint64_t)context->uc_mcontext.gregs[REGISTER_RIP]);
    *end++ = '\n';
    call(SYS_write, 2, (long)line, end - line);
    leave(128 + number);
}

static void catch_signals(void)
{
    static char stack[SIGNAL_STACK];
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGXCPU };
    const stack_t own = { .ss_sp = stack, .ss_size = sizeof stack };
    const struct { void *handler; unsigned long flags; void *restorer; unsigned long mask; } action = {
        (void *)tell, 0x04000000ul | SA_ONSTACK | SA_SIGINFO, (void *)tell, 0 }; /* SA_RESTORER: it does not come to that */

    call(SYS_sigaltstack, (long)&own, 0, 0);
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        call4(SYS_rt_sigaction, signals[i], (long)&action, 0, sizeof action.mask);
}
#endif

/* ---- answers ---- */

static void init(struct stream *s, const struct host_message *m)
{
    struct sim_config *g = host_module.config;
    uint8_t refused;

    *g = (struct sim_config){ .slot = host_module.predict ? "BC" : m->pc & HOST_LAST_LEVEL ? "LL" : "D1", .ways = m->b, .line = 1,
                              .sets = m->a, .seed = m->next };
    for (; host_module.ref && g->line < (uint32_t)m->pc; g->line *= 2)
        g->line_bits++;
    g->size = m->a * m->b * g->line;
    bits = m->c;
    *host_module.random = sim_random_seed(m->next);
    if (host_module.way_bytes)
        *host_module.way_memory = sim_alloc((uint64_t)host_module.way_bytes * m->a * m->b);
    if (host_module.set_bytes)
        *host_module.set_memory = sim_alloc((uint64_t)host_module.set_bytes * m->a);
    refused = host_module.init(g) != 0;
    say(s, &refused, 1);
}

static void dump(struct stream *s, unsigned set)
{
    uint8_t sizes[2] = { host_module.way_bytes, host_module.set_bytes };
    unsigned ways = host_module.config->ways;

    say(s, sizes, 2);
    if (sizes[0])
        say(s, (char *)*host_module.way_memory + (uint64_t)set * ways * sizes[0], (uint64_t)ways * sizes[0]);
    if (sizes[1])
        say(s, (char *)*host_module.set_memory + (uint64_t)set * sizes[1], sizes[1]);
}

/* ---- levels ---- */

#if !NO_MEMORY
_Static_assert(HOST_READ == (int)SIM_READ && HOST_PREFETCH == (int)SIM_PREFETCH && HOST_EVICT == (int)SIM_EVICT, "kinds have one number");

static struct stream *conversation; /* while a level makes a reference: it asks the next level in it */

bool sim_next(uint64_t addr, uint32_t size, enum sim_kind kind)
{
    struct host_word word = { 0, kind, addr };
    uint8_t missed;

    (void)size;
    if (!conversation)
        return true;
    say(conversation, &word, sizeof word);
    hear(conversation, &missed, 1);
    return missed;
}

bool sim_wants_evictions(void) { return false; }
void sim_back_invalidate(uint64_t line, uint32_t bytes) { (void)line, (void)bytes; }
void sim_dropped(uint64_t line) { (void)line; }
void sim_prefetch(uint64_t addr) { (void)addr; }

static void make_reference(struct stream *s, const struct host_message *m)
{
    struct sim_result result = { false, false, false };
    struct host_word word = { 1, 0, 0 };

    conversation = s;
    host_module.ref(m->pc, m->a, m->b, &result);
    conversation = 0;
    word.kind = (result.miss ? HOST_MISS : 0) | (result.next_done ? HOST_NEXT_DONE : 0) | (result.next_miss ? HOST_NEXT_MISS : 0);
    say(s, &word, sizeof word);
}

static void tell_events(struct stream *s, unsigned n)
{
    for (unsigned event = 0; event < n && event < SIM_EVENTS_MAX; event++) {
        uint64_t words[2] = { event_name[event], sim_event_new[event] };

        say(s, words, sizeof words);
    }
}
#endif

#if !NO_MEMORY
static void tell_tables(struct stream *s)
{
    struct host_tables tables;

    memset(&tables, 0, sizeof tables);
    if (host_module.tables)
        host_module.tables(&tables);
    say(s, &tables, sizeof tables);
}
#endif

static unsigned answer_of_predictor(const struct host_message *m)
{
    unsigned taken = 0;

    if (m->op != HOST_UPDATE)
        taken = host_module.predict(m->pc) != 0;
    if (m->op != HOST_PREDICT)
        host_module.update(m->pc, m->a);
    return taken;
}

/* false: there is no answer. */
static int answer_of_policy(const struct host_message *m, unsigned *answer)
{
    if (host_module.line)
        *host_module.line = m->pc;
    next_use = m->next;
    switch (m->op) {
    case HOST_HIT:
        if (host_module.hit)
            host_module.hit(m->a, m->b);
        return 0;
    case HOST_FILL: host_module.fill(m->a, m->b); return 0;
    case HOST_VICTIM: *answer = host_module.victim(m->a); return 1;
    default: *answer = host_module.settled(m->a, m->b) != 0; return 1;
    }
}

static int answer(const struct host_message *m, unsigned *answer)
{
    if (m->op < HOST_HIT) {
        *answer = answer_of_predictor(m);
        return m->op != HOST_UPDATE;
    }
    return answer_of_policy(m, answer);
}

static _Noreturn void end_window(struct stream *s)
{
    uint64_t size;
    const char *at = variables(&size);

    say(s, at, size);
    flush(s);
    leave(EXIT_WINDOW);
}

#define LOAD(field) { BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, field) }
#define UNLESS(value, skip) { BPF_JMP | BPF_JEQ | BPF_K, 0, skip, value }
#define IF(value, skip) { BPF_JMP | BPF_JEQ | BPF_K, skip, 0, value }
#define ANSWER(what) { BPF_RET | BPF_K, 0, 0, what }

/* From here on all calls but read, write and exit are the end.  (Not strict mode: that cannot follow the filter of the sandbox.) */
static void go_strict(void)
{
    static const struct sock_filter code[] = {
        LOAD(arch), UNLESS(AUDIT_ARCH_X86_64, 4), LOAD(nr), IF(SYS_read, 3), IF(SYS_write, 2), IF(SYS_exit, 1),
        ANSWER(SECCOMP_RET_KILL_PROCESS), ANSWER(SECCOMP_RET_ALLOW)
    };
    const struct sock_fprog program = { sizeof code / sizeof *code, (struct sock_filter *)code };
    long result = call(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, (long)&program);

    if (result && result != -EINVAL) /* a kernel without seccomp: the check says so at its head */
        leave(EXIT_REFUSED);
}

/* The child goes on; the first process waits for its end, and hands on how it ended. */
static void begin_window(struct stream *s)
{
    uint64_t size;
    char *at = variables(&size);
    long child = call(SYS_fork, 0, 0, 0);
    int status = 0;

    if (child == 0) {
        hear(s, at, size);
        go_strict();
        return;
    }
    if (child < 0 || call(SYS_wait4, child, (long)&status, 0) != child)
        leave(EXIT_REFUSED);
    if (status != EXIT_WINDOW << 8)
        leave(status & 127 ? 128 + (status & 127) : status >> 8);
    s->at = s->end = 0; /* the child's */
}

static void obey(struct stream *s, const struct host_message *m)
{
    unsigned word;
    uint8_t byte;

#if !NO_MEMORY
    now = *m;
#endif
    switch (m->op) {
    case HOST_STRICT: go_strict(); break;
    case HOST_WINDOW: begin_window(s); break;
    case HOST_END: end_window(s); break;
    case HOST_INIT: init(s, m); break;
    case HOST_DUMP: dump(s, m->a); break;
#if !NO_MEMORY
    case HOST_REF: make_reference(s, m); break;
    case HOST_EVENTS: tell_events(s, m->a); break;
    case HOST_TABLES: tell_tables(s); break;
#endif
    default:
        if (answer(m, &word)) {
            byte = word > 255 ? 255 : (uint8_t)word;
            say(s, &byte, 1);
        }
    }
}

__attribute__((used)) static _Noreturn void host_main(void)
{
    struct stream stream;
    struct host_message m;
    uint64_t size;

    stream.at = stream.end = stream.said = 0;
#if !NO_MEMORY
    catch_signals();
#endif
    variables(&size);
    say(&stream, &size, sizeof size);
    for (;;) {
        hear(&stream, &m, sizeof m);
        obey(&stream, &m);
    }
}

__asm__(".globl host_start\nhost_start:\n\txor %ebp, %ebp\n\tcall host_main\n");
