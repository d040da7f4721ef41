/* From source lines and functions to addresses: all of this program's code is asked both ways. */
#define _GNU_SOURCE
#include "debug/debug.h"

#include <link.h>

#include "tap.h"

static struct qn_debug *self;
static uint64_t text_start, text_end, bias;

static __attribute__((noinline)) int first(int x) { return x * 3 + 1; } enum { FIRST = __LINE__ };

static __attribute__((noinline)) int second(int x)
{
    int sum = 0;
    for (int i = 0; i < x; i++) /* several ranges */
        sum += first(i);
    return sum;
}
enum { SUM = __LINE__ - 3, LOOP = __LINE__ - 4 };

/* Two names of one entry, of which profiles show one. */
static int (*choose(void))(int)
{
    return second;
}
int chosen_at_start(int x) __attribute__((ifunc("choose")));

static int find_text(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size, (void)data;
    bias = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            text_start = info->dlpi_phdr[i].p_vaddr;
            text_end = text_start + info->dlpi_phdr[i].p_memsz;
        }
    return 1;
}

static uint8_t *marked; /* by address */
static unsigned ranges, disorder;
static uint64_t last_end;

static void mark(void *data, uint64_t start, uint64_t end)
{
    (void)data;
    ranges++;
    disorder += start < last_end || end <= start;
    last_end = end;
    for (uint64_t a = start; a < end; a++)
        marked[a - text_start] = 1;
}

static void begin(void)
{
    memset(marked, 0, text_end - text_start);
    ranges = disorder = 0;
    last_end = 0;
}

/* Addresses for which the two directions disagree. */
static int64_t disagreements(const char *file, uint32_t from, uint32_t to)
{
    struct qn_debug_lines_asked asked = { .file = file, .first = from, .last = to };
    int64_t wrong = 0;

    begin();
    qn_debug_find_lines(self, &asked, mark, NULL);
    for (uint64_t a = text_start; a < text_end; a++) {
        struct qn_debug_place p;
        size_t n = strlen(file);

        qn_debug_find(self, a, &p);
        wrong += marked[a - text_start] != (p.file && strlen(p.file) > n && p.file[strlen(p.file) - n - 1] == '/'
                                            && !strcmp(p.file + strlen(p.file) - n, file) && p.line >= from && p.line <= to);
    }
    return wrong;
}

static void test_lines(void)
{
    struct qn_debug_lines_asked asked = { .file = "unit/debug/find.c", .first = LOOP, .last = LOOP };

    is_int(disagreements("find.c", FIRST, FIRST), 0, "a line: exactly its addresses");
    ok(ranges > 0 && !disorder, "in order, none empty");
    is_int(disagreements("find.c", LOOP, LOOP), 0, "a line in several places");
    ok(ranges > 1, "each is found");
    is_int(disagreements("find.c", 1, 10000), 0, "two files of one name");
    is_int(disagreements("debug/find.c", SUM, SUM), 0, "a file by the end of its path");
    is_int(disagreements("tap.h", 1, 10000), 0, "code of a header");
    begin();
    qn_debug_find_lines(self, &asked, mark, NULL);
    ok(asked.path && strstr(asked.path, "/unit/debug/find.c"), "the path is told");
    is_int(asked.below, LOOP - 1, "the nearest line below");
    is_int(asked.above, SUM, "and above");
    asked = (struct qn_debug_lines_asked){ .file = "ind.c", .first = 1, .last = 10000 };
    begin();
    qn_debug_find_lines(self, &asked, mark, NULL);
    ok(!asked.path && ranges == 0, "half a name is no name");
    asked = (struct qn_debug_lines_asked){ .file = "unit/debug/find.c", .first = 3, .last = 3 };
    qn_debug_find_lines(self, &asked, mark, NULL);
    ok(asked.path && ranges == 0 && asked.below == 0 && asked.above >= 10, "a line without code has neighbours that have some");
}

static uint64_t found_start;
static bool found_chooser;

static void take(void *data, uint64_t start, bool chooses)
{
    (void)data;
    ranges++;
    found_start = start;
    found_chooser = chooses;
}

static void test_functions(void)
{
    struct qn_debug_place p;
    uint64_t offset, back;

    begin();
    qn_debug_find_functions(self, "second", take, NULL);
    is_int(ranges, 1, "a function");
    is_int((int64_t)(found_start + bias), (int64_t)(uintptr_t)second, "begins where it begins");
    ok(!found_chooser, "and is what its name says");
    for (int i = 0; i < 2; i++) {
        begin();
        found_chooser = false;
        qn_debug_find_functions(self, i ? "choose" : "chosen_at_start", take, NULL);
        is_int(ranges, 1, i ? "another name of it" : "a function that is chosen at run time");
        is_int((int64_t)(found_start + bias), (int64_t)(uintptr_t)choose, "begins where the code is that chooses");
        is_int(found_chooser, !i, "and is told apart");
    }
    begin();
    qn_debug_find_functions(self, "secon", take, NULL);
    is_int(ranges, 0, "half a name is no name");
    begin();
    qn_debug_find_functions(self, "(below main)", take, NULL);
    is_int(ranges, 1, "names are those of profiles");
    qn_debug_find(self, found_start, &p);
    is_str(p.function, "(below main)", "both ways");
    ok(qn_debug_offset(self, found_start, &offset) && qn_debug_address(self, offset, &back) && back == found_start,
       "an address to the byte of the file and back");
    ok(!qn_debug_offset(self, 1, &offset), "an address outside has none");
}

int main(void)
{
    char why[100];

    dl_iterate_phdr(find_text, NULL);
    self = qn_debug_open("/proc/self/exe", why, sizeof why);
    marked = malloc(text_end - text_start);
    if (!self || !marked)
        bail("%s", why);
    ok(second(5) == 35, "this program works");
    test_lines();
    test_functions();
    qn_debug_close(self);
    return done_testing();
}
