/* lib/cost/regions.c - paths and tables of regions.  See regions.h. */
#include "cost/regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* A slash separates names, so in a name it is replaced, as are bytes that a terminal would obey. */
static void append_name(const struct qn_cost_store *store, uint32_t name, char path[QN_COST_REGION_PATH])
{
    size_t n = strlen(path);

    if (n + 2 >= QN_COST_REGION_PATH)
        return;
    if (n)
        path[n++] = '/';
    qn_cost_get_string(store, name, path + n, QN_COST_REGION_PATH - n);
    for (char *p = path + n; *p; p++)
        if (*p == '/')
            *p = '_';
        else if ((unsigned char)*p < ' ' || *p == 127)
            *p = '?';
    if (!path[n])
        strcpy(path + n, "?");
}

/* A region is made after the one around it, so numbers only fall. */
static void append_path(const struct qn_cost_store *store, uint32_t region, char path[QN_COST_REGION_PATH])
{
    struct qn_region_rec r = qn_cost_header(store)->region[region];

    if (r.parent && r.parent < region)
        append_path(store, r.parent, path);
    append_name(store, r.name, path);
}

/* Which regions have blocks of their own. */
static void find_counted(const struct qn_cost_store *store, bool counted[QN_ARENA_REGIONS_MAX])
{
    struct qn_cost_extent e;
    const volatile struct qn_block_rec *b = (const struct qn_block_rec *)(store->base + QN_ARENA_BLOCKS_OFF);

    memset(counted, 0, QN_ARENA_REGIONS_MAX * sizeof *counted);
    e = qn_cost_get_extent(store);
    for (uint64_t i = 0; i < e.blocks; i++) {
        uint32_t region = b[i].region;

        if (region < QN_ARENA_REGIONS_MAX)
            counted[region] = true;
    }
}

static int compare(const void *left, const void *right)
{
    const struct qn_cost_region *a = left, *b = right;

    return strcmp(a->path, b->path);
}

static enum qn_text_status fold_one(const struct qn_cost_store *store, const struct qn_cost_event_set *events,
                                    struct qn_cost_modules *modules, enum qn_prof_detail detail, uint32_t number,
                                    struct qn_cost_region *to, struct qn_text_error *err)
{
    char path[QN_COST_REGION_PATH] = "";
    struct qn_cost_result result = { .program = NULL };

    append_path(store, number, path);
    to->path = QN_NEEDED(strdup(path));
    to->table = qn_prof_new_table(events->count);
    qn_prof_table_want(to->table, detail);
    return qn_cost_fold(store, events, modules, number, to->table, &result, err);
}

enum qn_text_status qn_cost_fold_regions(const struct qn_cost_store *store, const struct qn_cost_event_set *events,
                                         struct qn_cost_modules *modules, enum qn_prof_detail detail,
                                         struct qn_cost_regions *regions, struct qn_text_error *err)
{
    uint32_t n = qn_cost_header(store)->n_regions;
    bool counted[QN_ARENA_REGIONS_MAX];
    enum qn_text_status status = QN_TEXT_OK;

    find_counted(store, counted);
    regions->count = 0;
    for (uint32_t i = 1; i < n && i < QN_ARENA_REGIONS_MAX && status == QN_TEXT_OK; i++)
        if (counted[i]) {
            regions->list[regions->count] = (struct qn_cost_region){ NULL, NULL };
            status = fold_one(store, events, modules, detail, i, &regions->list[regions->count++], err);
        }
    if (status == QN_TEXT_OK && regions->count)
        qsort(regions->list, (size_t)regions->count, sizeof regions->list[0], compare);
    return status;
}

void qn_cost_free_regions(struct qn_cost_regions *regions)
{
    for (int i = 0; i < regions->count; i++) {
        free((char *)(uintptr_t)regions->list[i].path);
        qn_prof_free_table(regions->list[i].table);
    }
    regions->count = 0;
}
