/* The report of two simulators: from a table written by hand, and from an arena full of noise. */
#include "cost/notes/versus.h"

#include "tap.h"

static struct qn_cost_store store;
static struct qn_cost_event_set events;
static char said[20000];

static void put(void *data, const char *text)
{
    (void)data;
    if (strlen(said) + strlen(text) + 2 < sizeof said)
        strcat(strcat(said, text), "\n");
}

static const char *report(struct qn_prof_table *t)
{
    struct qn_cost_library *library = qn_cost_new_library();
    struct qn_cost_modules *modules = qn_cost_new_modules(&store, library, NULL, NULL, NULL);

    said[0] = 0;
    qn_cost_print_versus(&(struct qn_cost_versus){ &store, &events, modules, t }, put, NULL);
    qn_cost_free_modules(modules);
    qn_cost_free_library(library);
    return said;
}

/* D1mr of A and B, the rest as it comes. */
static void add(struct qn_prof_table *t, const char *function, uint32_t line, int64_t a, int64_t b, int64_t llb)
{
    int64_t counts[QN_COST_COLUMNS] = { [0] = 100, [4] = a, [9] = b, [10] = llb };

    qn_prof_table_add(t, "/src/a.c", function, line, counts, NULL);
}

static void test_report(void)
{
    struct qn_sim_output *o = &qn_cost_header(&store)->sim_output;
    struct qn_versus *v = &qn_cost_header(&store)->versus;
    struct qn_prof_table *t;

    o->events = 2;
    strcpy(o->names[0], "B.D1mr");
    strcpy(o->names[1], "B.DLmr");
    qn_cost_choose_events(&events, true, false);
    qn_cost_add_module_events(&events, o, false);
    t = qn_prof_new_table(events.count);
    *v = (struct qn_versus){ .modules = "D1=x", .references = 1000 };
    add(t, "f", 3, 5, 5, 0);
    is_str(report(t), "B: D1=x\nNo difference in 1000 references.\n", "no difference");
    *v = (struct qn_versus){ .modules = "D1=x", .references = 1000, .different = 12, .worse = 2, .better = 10, .first = 7,
                             .addr = 0x1234, .size = 4, .kind = QN_VERSUS_WRITE, .a = 0, .b = 3 };
    add(t, "f", 4, 9, 1, 2);
    add(t, "g", 5, 1, 3, 0);
    is_str(report(t), "B: D1=x\n"
           "First difference: reference 7 of the run, a write of 4 bytes at 0x1234, by the instruction at 0x0,\n"
           "    ???: A hits; B misses, the LL misses, too\n"
           "Different: 12 of 1000 references; B missed more in 2, less in 10\n"
           "Misses of B less those of A, by source line:\n"
           "          I1          D1          LL\n"
           "           0          -8           2  a.c:4 (f)\n"
           "           0           2           0  a.c:5 (g)\n"
           "           0          -6           2  all\n", "lines by the size of their differences, those without left out");
    for (uint32_t line = 10; line < 40; line++)
        add(t, "h", line, 0, 1, 0);
    ok(strstr(report(t), "the 20 with the largest differences of 32") != NULL, "no more than twenty");
    ok(strstr(said, "          24           2  all\n") != NULL, "but the sum of all");
    qn_prof_free_table(t);
}

static void test_noise(uint64_t seed)
{
    uint64_t state = seed * 2 + 1;
    struct qn_prof_table *t = qn_prof_new_table(events.count);

    add(t, "f", 1, 1, 2, 3);
    for (uint8_t *p = (uint8_t *)&qn_cost_header(&store)->versus, *end = p + sizeof(struct qn_versus); p < end; p++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        *p = (uint8_t)(state >> 56);
    }
    ok(strlen(report(t)) > 100 && strchr(said, 0x7f) == NULL && strchr(said, 0x1b) == NULL, "noise %d is told as it stands", (int)seed);
    qn_prof_free_table(t);
}

int main(void)
{
    if (qn_cost_create(&store))
        bail("no arena");
    test_report();
    for (uint64_t seed = 0; seed < 5; seed++)
        test_noise(seed);
    qn_cost_close(&store);
    return done_testing();
}
