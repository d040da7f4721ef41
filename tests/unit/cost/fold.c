/* Folding by source line: this program's own code, in an arena written by hand. */
#define _GNU_SOURCE
#include "cost/fold.h"

#include <link.h>

#include "tap.h"

static struct qn_cost_store store;
static struct qn_cost_event_set events;

static int first(int x) { return x + 1; }  enum { FIRST_LINE = __LINE__ };
static int second(int x) { return x - 1; } enum { SECOND_LINE = __LINE__ };
static int (*volatile functions[])(int) = { first, second };

static int find_self(struct dl_phdr_info *info, size_t size, void *data)
{
    struct qn_map_rec *m = data;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum && !m->end; i++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[i];
        uint64_t start = info->dlpi_addr + p->p_vaddr;

        if (p->p_type == PT_LOAD && (uintptr_t)first >= start && (uintptr_t)first < start + p->p_memsz)
            *m = (struct qn_map_rec){ .start = start, .end = start + p->p_memsz, .offset = p->p_offset };
    }
    return 0;
}

static void *part(uint64_t offset)
{
    return store.base + offset;
}

static void add_block(uint64_t pc, uint32_t map, const qn_insn_desc *insns, uint16_t n, const uint64_t *counters,
                      uint32_t ncounters)
{
    struct qn_arena_header *h = qn_cost_header(&store);
    uint64_t *at = (uint64_t *)part(QN_ARENA_COUNTERS_OFF) + h->n_counters;
    uint32_t apart = h->n_blocks % 2 ? 4 : 1; /* every other block keeps its executions apart from its misses */
    uint32_t misses = apart == 1 ? 0 : (uint32_t)h->n_counters + apart;

    memcpy((qn_insn_desc *)part(QN_ARENA_INSNS_OFF) + h->n_insns, insns, n * sizeof *insns);
    at[0] = counters[0];
    memcpy(at + apart, counters + 1, (ncounters - 1) * sizeof *counters);
    ((struct qn_block_rec *)part(QN_ARENA_BLOCKS_OFF))[h->n_blocks++] =
        (struct qn_block_rec){ pc, map, (uint32_t)h->n_insns, (uint32_t)h->n_counters, misses, n, 0 };
    h->n_insns += n;
    h->n_counters += apart + ncounters - 1;
}

static void add_maps(void)
{
    struct qn_arena_header *h = qn_cost_header(&store);
    struct qn_map_rec *m = part(QN_ARENA_MAPS_OFF);
    char *self = realpath("/proc/self/exe", NULL);

    dl_iterate_phdr(find_self, &m[0]);
    m[0].path = qn_cost_put_string(&store, self);
    free(self);
    m[1] = (struct qn_map_rec){ .start = 0x1000, .end = 0x2000 };
    m[2] = (struct qn_map_rec){ .start = 0x3000, .end = 0x4000, .path = qn_cost_put_string(&store, "/nosuch/file") };
    h->n_maps = 3;
}

/* "file-name-without-directory:function:line Ir" of every row, joined. */
static const char *rows(struct qn_prof_table *t)
{
    static char text[2000];
    size_t n = 0;

    qn_prof_table_sort(t);
    for (size_t i = 0; i < qn_prof_table_rows(t); i++) {
        struct qn_prof_row row = qn_prof_table_at(t, i);
        const char *slash = strrchr(row.file, '/');

        n += (size_t)sprintf(text + n, "%s%s:%s:%u %" PRId64, i ? "; " : "", slash ? slash + 1 : row.file, row.function,
                             row.line, row.counts[0]);
    }
    return text;
}

static unsigned notes;

static void take_note(void *data, const char *text)
{
    (void)data;
    notes++;
    diag("%s", text);
}

static const char *fold(struct qn_cost_result *result, struct qn_cost_guard *guard)
{
    struct qn_cost_library *l = qn_cost_new_library();
    struct qn_cost_modules *m = qn_cost_new_modules(&store, l, guard, take_note, NULL);
    struct qn_prof_table *t = qn_prof_new_table(events.count);
    struct qn_text_error err = { .status = QN_TEXT_OK };
    const char *text;

    notes = 0;
    if (qn_cost_fold(&store, &events, m, QN_COST_ALL_REGIONS, t, result, &err) != QN_TEXT_OK)
        diag("%s", err.text);
    text = rows(t);
    qn_prof_free_table(t);
    qn_cost_free_modules(m);
    qn_cost_free_library(l);
    return text;
}

static void test_sound(void)
{
    static const qn_insn_desc plain[] = { 1, 1 };
    char wanted[400];
    struct qn_cost_result result = { .program = NULL };

    add_block((uintptr_t)functions[0], 0, plain, 2, (uint64_t[]){ 10 }, 1);
    add_block((uintptr_t)functions[1], 0, plain, 1, (uint64_t[]){ 4 }, 1);
    add_block((uintptr_t)functions[0], 0, plain, 1, (uint64_t[]){ 3 }, 1);
    add_block(0x1800, 1, plain, 2, (uint64_t[]){ 5 }, 1);
    add_block(0x3800, 2, plain, 1, (uint64_t[]){ 6 }, 1);
    add_block(0x9000, 1, plain, 1, (uint64_t[]){ 7 }, 1);
    add_block(0x1800, 77, plain, 1, (uint64_t[]){ 8 }, 1);
    add_block(0x1800, 1, plain, 1, (uint64_t[]){ 0 }, 1);
    sprintf(wanted, "fold.c:first:%d 23; fold.c:second:%d 4; ???:???:0 31", FIRST_LINE, SECOND_LINE);
    is_str(fold(&result, NULL), wanted, "blocks of one line are summed, what has no name is ???");
    is_int(result.totals[QN_COST_IR], 58, "the total is the sum");
    is_int(result.executions, 43, "executions of blocks are counted");
    is_int(result.damaged, 0, "nothing is damaged");
    is_int(notes, 1, "one note for the file that is not there");
}

static void test_guard(void)
{
    struct qn_cost_guard *guard = calloc(1, sizeof *guard);
    struct qn_cost_result result = { .program = NULL };

    guard->avoid[0] = 1;
    is_str(fold(&result, guard), "???:???:0 58", "a module that is to be avoided has no names");
    is_int(notes, 2, "which is noted");
    is_int(guard->current, 0, "at the end no module is being read");
    free(guard);
}

static void test_damage(void)
{
    static const qn_insn_desc reads[] = { QN_INSN_VARIABLE | 1 };
    struct qn_arena_header *h = qn_cost_header(&store);
    struct qn_block_rec *b = part(QN_ARENA_BLOCKS_OFF);
    struct qn_cost_result result = { .program = NULL };
    uint64_t n = h->n_blocks;

    b[n] = (struct qn_block_rec){ 0x1800, 1, 0, 0xffffffff, 0, 1, 0 };
    b[n + 1] = (struct qn_block_rec){ 0x1800, 1, 0xffffffff, 0, 0, 1, 0 };
    b[n + 2] = (struct qn_block_rec){ 0x1800, 1, (uint32_t)h->n_insns - 1, 0, 0, 2000, 0 };
    h->n_blocks = n + 3;
    fold(&result, NULL);
    is_int(result.damaged, 3, "indices out of range");
    is_int(result.totals[QN_COST_IR], 58, "cost only the blocks they are in");
    add_block(0x1800, 1, reads, 1, (uint64_t[]){ 1 }, 1);
    fold(&result, NULL);
    is_int(result.damaged, 4, "counters that would lie behind the end");
    add_block(0x1800, 1, reads, 1, (uint64_t[]){ ~0ull, 1, 1, 1 }, 4);
    fold(&result, NULL);
    is_int(result.damaged, 5, "an execution count that cannot be");
}

int main(void)
{
    if (qn_cost_create(&store))
        bail("no arena");
    qn_cost_choose_events(&events, false, false);
    add_maps();
    test_sound();
    test_guard();
    test_damage();
    qn_cost_close(&store);
    return done_testing();
}
