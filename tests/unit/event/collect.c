/* What a basic block fetches, references and branches: the list of its events, for each kind of instruction and rule, worked out by hand.
 *
 *   collect [show]          show: print the lists instead
 *
 * Each case lies at 0x401000, or so many bytes behind.  In each the counters of the cost centre are those that the descriptors tell. */
#include <stdlib.h>

#include "event/event.h"

#include <sys/mman.h>

#include "cost/arena.h"
#include "guest/exec_map.h"
#include "tap.h"

void *qn_engine_alloc(uint64_t bytes) { return calloc(1, bytes); }

#define PLACE 0x401000ull

enum { CACHES = 1, BRANCHES = 2, CACHEGRIND = 4, RETURNS = 8, CHECK = 16, EVERY = 32, CUT = 64 }; /* rules; lines of 64 bytes, 64 sets */

static const struct {
    const char *what;
    unsigned rules, offset; /* of the first byte from PLACE */
    const char *bytes, *events;
} cases[] = {
    {"one fetch for instructions of one line", CACHES, 0, "90 90 90 c3",
     "  401000: I cc+1 401000,1\n  401003: D cc+3 r 8 0(rsp)\n"},
    {"a fetch that straddles two lines", CACHES, 62, "48 89 c3 90 c3",
     "  40103e: I cc+1 40103e,3\n  401042: D cc+3 r 8 0(rsp)\n"},
    {"the second line of a block is a fetch of its own", CACHES, 63, "90 90 c3",
     "  40103f: I cc+1 40103f,1\n  401040: I cc+3 401040,1\n  401041: D cc+5 r 8 0(rsp)\n"},
    {"each fetch, for a policy that counts hits", CACHES | EVERY, 0, "90 90 c3",
     "  401000: I cc+1 401000,1\n  401001: I cc+3 401001,1\n  401002: I cc+5 401002,1\n  401002: D cc+7 r 8 0(rsp)\n"},
    {"--check sees the fetches that are left out", CACHES | CHECK, 0, "90 90 c3",
     "  401000: I cc+1 401000,1\n  401001: I cc+3 401001,1\n  401002: I cc+3 401002,1\n  401002: D cc+3 r 8 0(rsp)\n"},
    {"a load", CACHES, 0, "8b 44 9f 10 c3",
     "  401000: I cc+1 401000,4\n  401000: D cc+3 r 4 16(rdi,rbx,4)\n  401004: D cc+5 r 8 0(rsp)\n"},
    {"a store", CACHES, 0, "66 89 47 02 c3",
     "  401000: I cc+1 401000,4\n  401000: D cc+3 w 2 2(rdi)\n  401004: D cc+5 r 8 0(rsp)\n"},
    {"a read-modify-write is one read", CACHES, 0, "ff 07 c3",
     "  401000: I cc+1 401000,2\n  401000: D cc+3 r 4 0(rdi)\n  401002: D cc+5 r 8 0(rsp)\n"},
    {"push from memory reads, then writes", CACHES, 0, "ff 37 c3",
     "  401000: I cc+1 401000,2\n  401000: D cc+3 r 8 0(rdi)\n  401000: D cc+5 w 8 -8(rsp)\n  401002: D cc+7 r 8 0(rsp)\n"},
    {"movs reads and writes", CACHES, 0, "a5 c3",
     "  401000: I cc+1 401000,1\n  401000: D cc+3 r 4 0(rsi)\n  401000: D cc+5 w 4 0(rdi)\n  401001: D cc+7 r 8 0(rsp)\n"},
    {"an address relative to the instruction", CACHES, 0, "8b 05 34 12 00 00 c3",
     "  401000: I cc+1 401000,6\n  401000: D cc+3 r 4 4660(rip)\n  401006: D cc+5 r 8 0(rsp)\n"},
    {"the thread's own memory", CACHES, 0, "64 8b 04 25 10 00 00 00 c3",
     "  401000: I cc+1 401000,8\n  401000: D cc+3 r 4 fs:16()\n  401008: D cc+5 r 8 0(rsp)\n"},
    {"lea and a hint reference nothing", CACHES, 0, "48 8d 07 0f 18 0f c3",
     "  401000: I cc+1 401000,3\n  401006: D cc+3 r 8 0(rsp)\n"},
    {"a repeated string instruction", CACHES, 0, "f3 a4 c3",
     "  401000: I cc+1 401000,2\n  401000: string cc+3\n  401002: D cc+10 r 8 0(rsp)\n"},
    {"... without caches", 0, 0, "f3 a4 c3", "  401000: string cc+1\n"},
    {"xsave, which ends a block", CACHES, 0, "0f ae 27 c3", "  401000: I cc+1 401000,3\n  401000: complex cc+3\n"},
    {"a conditional branch", CACHES | BRANCHES, 0, "74 10",
     "  401000: I cc+1 401000,2\n  401000: Bc cc+3\n"},
    {"... without caches", BRANCHES, 0, "74 10", "  401000: Bc cc+1\n"},
    {"... without branches", CACHES, 0, "74 10", "  401000: I cc+1 401000,2\n"},
    {"loop and jrcxz are conditional", BRANCHES, 0, "e2 10", "  401000: Bc cc+1\n"},
    {"an indirect jump through memory", CACHES | BRANCHES, 0, "ff 24 c7",
     "  401000: I cc+1 401000,3\n  401000: D cc+3 r 8 0(rdi,rax,8)\n  401000: Bi cc+5\n"},
    {"a call writes its return address", CACHES | BRANCHES, 0, "e8 00 01 00 00",
     "  401000: I cc+1 401000,5\n  401000: D cc+3 w 8 -8(rsp)\n"},
    {"... and tells a return stack", CACHES | BRANCHES | RETURNS, 0, "e8 00 01 00 00",
     "  401000: I cc+1 401000,5\n  401000: D cc+3 w 8 -8(rsp)\n  401000: call cc+5\n"},
    {"a return", BRANCHES | RETURNS, 0, "c3", "  401000: ret cc+1\n"},
    {"an indirect call with a return stack", BRANCHES | RETURNS, 0, "ff d0", "  401000: call cc+2\n  401000: Bi cc+1\n"},
    {"a locked instruction", CACHES | BRANCHES, 0, "f0 ff 07 c3",
     "  401000: I cc+1 401000,3\n  401000: D cc+3 r 4 0(rdi)\n  401003: D cc+5 r 8 0(rsp)\n"},
    {"... as Cachegrind counts: two reads and a branch", CACHES | BRANCHES | CACHEGRIND, 0, "f0 ff 07 c3",
     "  401000: I cc+1 401000,3\n  401000: D cc+3 r 4 0(rdi)\n  401000: D cc+5 r 4 0(rdi)\n  401000: Bc cc+7\n  401003: D cc+8 r 8 0(rsp)\n"},
    {"bt of a register, as Cachegrind counts", CACHES | CACHEGRIND, 0, "0f a3 d8 c3",
     "  401000: I cc+1 401000,3\n  401000: D cc+5 w 4 -288(rsp)\n  401000: D cc+3 r 1 -288(rsp)\n  401003: D cc+7 r 8 0(rsp)\n"},
    {"a vector", CACHES, 0, "62 f1 7c 48 10 07 c3",
     "  401000: I cc+1 401000,6\n  401000: D cc+3 r 64 0(rdi)\n  401006: D cc+5 r 8 0(rsp)\n"},
    {"... cut to the smallest line, as Cachegrind does", CACHES | CACHEGRIND | CUT, 0, "62 f1 7c 48 10 07 c3",
     "  401000: I cc+1 401000,6\n  401000: D cc+3 r 32 0(rdi)\n  401006: D cc+5 r 8 0(rsp)\n"},
    {"ud2 references nothing", CACHES | BRANCHES, 0, "0f 0b", "  401000: I cc+1 401000,2\n"},
};

static char *page;
static char text[8192];

static void keep_line(const char *line)
{
    strcat(text, line);
    strcat(text, "\n");
}

static void put_bytes(uint8_t *to, const char *hex)
{
    int length;

    memset(page, 0x90, QN_PAGE);
    for (unsigned byte; sscanf(hex, "%x%n", &byte, &length) == 1; hex += length)
        *to++ = (uint8_t)byte;
}

/* Each reference whose number is known beforehand is one in the descriptor of its instruction. */
static bool references_are_told(const struct qn_event_list *list, unsigned insn)
{
    unsigned n[2] = {0, 0};

    for (unsigned i = 0; i < list->n; i++)
        if (list->ev[i].kind == QN_EV_DATA && list->ev[i].insn == insn)
            n[list->ev[i].write]++;
    return (list->desc[insn] & QN_INSN_VARIABLE) || (n[0] == QN_INSN_NREAD(list->desc[insn]) && n[1] == QN_INSN_NWRITE(list->desc[insn]));
}

static bool descriptors_are_right(const struct qn_event_list *list, unsigned n)
{
    uint32_t sum = 1;

    for (unsigned i = 0; i < n; i++) {
        sum += qn_insn_counters(list->desc[i]);
        if (!references_are_told(list, i))
            return false;
    }
    return sum == list->ncounters;
}

static void try_case(size_t k, bool show)
{
    unsigned on = cases[k].rules;
    const struct qn_event_rules rules = {.caches = on & CACHES, .branches = on & BRANCHES, .cachegrind = on & CACHEGRIND,
                                         .returns = on & RETURNS, .check = on & CHECK, .i1_every = on & EVERY, .clamp = on & CUT ? 32 : 0,
                                         .i1_line = 64, .i1_sets = 64};
    static struct qn_event_list list;
    static struct qn_block b;
    char *from;

    put_bytes((uint8_t *)page + cases[k].offset, cases[k].bytes);
    qn_block_build(&b, PLACE + cases[k].offset, &(struct qn_block_rules){.max = QN_BLOCK_MAX});
    qn_event_collect(&list, &b, &rules);
    text[0] = 0;
    qn_event_dump(&list, &b, keep_line);
    from = strchr(text, '\n') + 1;
    if (show) {
        printf("%s\n%s", cases[k].what, from);
        return;
    }
    is_str(from, cases[k].events, "%s", cases[k].what);
    ok(descriptors_are_right(&list, b.n), "... and its counters");
}

int main(int argc, char **argv)
{
    page = mmap((void *)PLACE, QN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (page != (char *)PLACE)
        bail("the place of the code is taken");
    qn_exec_add(PLACE, PLACE + QN_PAGE, false);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        try_case(i, argc > 1 && !strcmp(argv[1], "show"));
    return done_testing();
}
