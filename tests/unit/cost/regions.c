/* Regions: their paths, in order, and what was counted for each; from an arena written by hand, then damaged. */
#include "cost/fold.h"

#include <string.h>

#include "tap.h"

static struct qn_cost_store store;
static struct qn_cost_event_set events;

static void *part(uint64_t offset) { return store.base + offset; }

/* A block of so many instructions, executed so often, for a region. */
static void add_block(uint16_t n, uint64_t executions, uint32_t region)
{
    struct qn_arena_header *h = qn_cost_header(&store);

    for (uint16_t i = 0; i < n; i++)
        ((qn_insn_desc *)part(QN_ARENA_INSNS_OFF))[h->n_insns + i] = 1;
    ((uint64_t *)part(QN_ARENA_COUNTERS_OFF))[h->n_counters] = executions;
    ((struct qn_block_rec *)part(QN_ARENA_BLOCKS_OFF))[h->n_blocks++] =
        (struct qn_block_rec){ 0x1000, 0, (uint32_t)h->n_insns, (uint32_t)h->n_counters, 0, n, (uint16_t)region };
    h->n_insns += n;
    h->n_counters++;
}

static void set_region(uint32_t i, uint32_t parent, const char *name)
{
    qn_cost_header(&store)->region[i] = (struct qn_region_rec){ parent, qn_cost_put_string(&store, name) };
    qn_cost_header(&store)->n_regions = i + 1;
}

/* "path Ir; path Ir" */
static const char *fold(void)
{
    static char text[8000];
    static struct qn_cost_regions regions;
    struct qn_cost_library *l = qn_cost_new_library();
    struct qn_cost_modules *m = qn_cost_new_modules(&store, l, NULL, NULL, NULL);
    struct qn_text_error err = { .status = QN_TEXT_OK };
    size_t n = 0;

    text[0] = 0;
    if (qn_cost_fold_regions(&store, &events, m, QN_PROF_DETAIL_LINES, &regions, &err) != QN_TEXT_OK)
        bail("%s", err.text);
    for (int i = 0; i < regions.count; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %" PRId64, i ? "; " : "", regions.list[i].path,
                              qn_prof_table_totals(regions.list[i].table)[0]);
    qn_cost_free_regions(&regions);
    qn_cost_free_modules(m);
    qn_cost_free_library(l);
    return text;
}

static void test_sound(void)
{
    is_str(fold(), "", "no regions");
    add_block(2, 10, 0);
    is_str(fold(), "", "what belongs to none is in none");
    set_region(1, 0, "solve");
    set_region(2, 1, "step");
    set_region(3, 0, "never");
    set_region(4, 2, "inner");
    add_block(3, 5, 2);
    add_block(1, 7, 1);
    add_block(1, 100, 2);
    add_block(1, 1000, 4);
    is_str(fold(), "solve 7; solve/step 115; solve/step/inner 1000", "paths in order; without those for which nothing was counted");
    set_region(5, 0, "a/b\n\033[31m");
    set_region(6, 0, "");
    add_block(1, 1, 5);
    add_block(1, 2, 6);
    is_str(fold(), "? 2; a_b??[31m 1; solve 7; solve/step 115; solve/step/inner 1000", "names that would be mistaken");
}

static void test_damage(void)
{
    struct qn_arena_header *h = qn_cost_header(&store);
    const char *deep;

    set_region(6, 0, "six");
    h->region[2].parent = 2;
    is_str(fold(), "a_b??[31m 1; six 2; solve 7; step 115; step/inner 1000", "its own parent");
    h->region[2].parent = 4;
    is_str(fold(), "a_b??[31m 1; six 2; solve 7; step 115; step/inner 1000", "a circle");
    h->region[2].parent = 0xffffffff;
    is_str(fold(), "a_b??[31m 1; six 2; solve 7; step 115; step/inner 1000", "a parent that does not exist");
    h->region[2].name = 0xffffffff;
    is_str(fold(), "? 115; ?/inner 1000; a_b??[31m 1; six 2; solve 7", "a name that does not exist");
    h->n_regions = 0xffffffff;
    is_str(fold(), "? 115; ?/inner 1000; a_b??[31m 1; six 2; solve 7", "more regions than there is room for");
    for (uint32_t i = 2; i < QN_ARENA_REGIONS_MAX; i++)
        set_region(i, i - 1, "a-name-of-twenty-char");
    h->n_regions = QN_ARENA_REGIONS_MAX;
    add_block(1, 3, QN_ARENA_REGIONS_MAX - 1);
    deep = strstr(fold(), " 3");
    ok(deep && strlen(fold()) < 8000, "paths that are too long are cut");
    h->n_regions = 0;
    is_str(fold(), "", "blocks of regions that do not exist");
}

int main(void)
{
    if (qn_cost_create(&store))
        bail("no arena");
    qn_cost_choose_events(&events, false, false);
    test_sound();
    test_damage();
    qn_cost_close(&store);
    return done_testing();
}
