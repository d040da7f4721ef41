/* lib/cost/data/allocators.c - see allocators.h. */
#include "cost/data/allocators.h"

#include <ctype.h>
#include <string.h>

#include "debug/debug.h"

/* ---- functions of C++'s and Rust's libraries that allocate for their caller, by their linkage names. ----
 *
 *   _ZNSt6vectorI5pointSaIS0_EE17_M_realloc_insertIJS0_EEEvN...   C++: of namespace std or __gnu_cxx, and one of `members`
 *   _RNvMs_NtCslNYArtu3iFV_5alloc7raw_vecINtB4_6RawVec...8grow_one   Rust: the first crate named is alloc or hashbrown, and a word of `words`
 *   _ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17h...E           the same as Rust mangled names before
 *
 * The lists leave out functions that are called for each element and never allocate.
 */

static bool begins(const char *text, const char *with) { return !strncmp(text, with, strlen(with)); }

static bool has_any(const char *text, const char *const *list)
{
    for (; *list; list++)
        if (strstr(text, *list))
            return true;
    return false;
}

/* ---- C++ ---- */

static const char *const members[] = {
    /* what containers are made of */
    "8allocate", "11_M_allocate", "15_M_allocate_map", "16_M_allocate_node", "19_M_allocate_buckets", "11_M_get_node", "14_M_create_node",
    "15_M_create_nodes", "10_Auto_nodeC", "11_Alloc_nodecl", "20_Reuse_or_alloc_nodecl", "12_Scoped_nodeC", "17_M_create_storage", "9_M_create", "17_M_initialize_map", "17_M_reallocate_map", "20_M_allocate_and_copy",
    /* vectors, deques, strings */
    "17_M_realloc_insert", "17_M_realloc_append", "17_M_default_append", "21_M_default_initialize", "14_M_fill_insert", "14_M_fill_assign",
    "18_M_fill_initialize", "15_M_range_insert", "19_M_range_initialize", "13_M_assign_aux", "13_M_insert_aux", "14_M_insert_rval",
    "14_M_emplace_aux", "16_M_push_back_aux", "17_M_push_front_aux", "9_M_mutate", "10_M_replace", "14_M_replace_aux", "9_M_append",
    "9_M_assign", "12_M_construct", "7reserve", "6resize", "9push_back", "12emplace_back", "10push_front", "13emplace_front", "6assign",
    "6append", "6insert", "7emplace",
    /* trees and tables */
    "10_M_insert_", "16_M_insert_unique", "15_M_insert_equal", "17_M_emplace_unique", "22_M_emplace_hint_unique", "16_M_emplace_equal",
    "21_M_insert_unique_node", "9_M_insert", "10_M_emplace", "9_M_rehash", "13_M_rehash_aux", "7_M_copy", "EixE", "11try_emplace",
    /* smart pointers, buffers */
    "11make_unique", "11make_shared", "15allocate_shared", "9_MakeUniq", "20get_temporary_buffer", NULL
};

static bool is_constructor_of_container(const char *name)
{
    static const char *const containers[] = {"_ZNSt6vectorI", "_ZNSt12_Vector_baseI", "_ZNSt5dequeI", "_ZNSt11_Deque_baseI",
                                             "_ZNSt7__cxx1112basic_stringI", NULL};

    for (const char *const *c = containers; *c; c++)
        if (begins(name, *c))
            return strstr(name, "EC1E") || strstr(name, "EC2E");
    return false;
}

static bool is_of_cpp(const char *name)
{
    if (begins(name, "_ZNSt") || begins(name, "_ZNKSt") || begins(name, "_ZN9__gnu_cxx") || begins(name, "_ZSt"))
        return has_any(name, members) || is_constructor_of_container(name);
    return false;
}

/* ---- Rust ---- */

static const char *const words[] = {"alloc", "grow", "reserve", "push", "insert", "extend", "resize", "append", "new", "from_iter", "from_elem",
                                    "with_capacity", "to_vec", "clone", "collect", "split_off", "from", NULL};

/* The first crate in a Rust name (version 0): the text after "Cs", a hash and "_". */
static const char *first_crate(const char *name)
{
    for (const char *at = name; (at = strstr(at, "Cs")) != NULL; at += 2) {
        const char *end = at + 2;

        while (isalnum((unsigned char)*end))
            end++;
        if (*end == '_' && isdigit((unsigned char)end[1]))
            return end + 1;
    }
    return NULL;
}

static bool is_of_rust(const char *name)
{
    const char *crate = begins(name, "_R") ? first_crate(name) : NULL;

    if (begins(name, "__rust_alloc") || begins(name, "__rust_realloc") || begins(name, "__rdl_alloc") || begins(name, "__rdl_realloc"))
        return true;
    if (crate)
        return (begins(crate, "5alloc") || begins(crate, "9hashbrown")) && has_any(crate + 6, words);
    if (!begins(name, "_ZN"))
        return false;
    name += 3;
    while (isdigit((unsigned char)*name))
        name++;
    return (begins(name, "alloc") || begins(name, "hashbrown") || begins(name, "_$LT$alloc..") || begins(name, "_$LT$hashbrown.."))
           && strstr(name, "17h") && has_any(name + 5, words);
}

bool qn_cost_is_grower(const char *name) { return name[0] == '_' && (is_of_cpp(name) || is_of_rust(name)); }

static const struct standard {
    const char *name; /* as the linker has it */
    enum qn_alloc kind;
    const char *shown;
} standard[] = {
    { "malloc", QN_ALLOC_MALLOC, "malloc" }, { "valloc", QN_ALLOC_MALLOC, "valloc" }, { "pvalloc", QN_ALLOC_MALLOC, "pvalloc" },
    { "calloc", QN_ALLOC_CALLOC, "calloc" }, { "realloc", QN_ALLOC_REALLOC, "realloc" },
    { "aligned_alloc", QN_ALLOC_ALIGNED, "aligned_alloc" }, { "memalign", QN_ALLOC_ALIGNED, "memalign" },
    { "posix_memalign", QN_ALLOC_POSIX, "posix_memalign" },
    { "mmap", QN_ALLOC_MMAP, "mmap" }, { "mmap64", QN_ALLOC_MMAP, "mmap" }, { "mremap", QN_ALLOC_MREMAP, "mremap" },
    { "_Znwm", QN_ALLOC_MALLOC, "new" }, { "_Znam", QN_ALLOC_MALLOC, "new[]" },
    { "_ZnwmRKSt9nothrow_t", QN_ALLOC_MALLOC, "new" }, { "_ZnamRKSt9nothrow_t", QN_ALLOC_MALLOC, "new[]" },
    { "_ZnwmSt11align_val_t", QN_ALLOC_MALLOC, "new" }, { "_ZnamSt11align_val_t", QN_ALLOC_MALLOC, "new[]" },
    { "_ZnwmSt11align_val_tRKSt9nothrow_t", QN_ALLOC_MALLOC, "new" },
    { "_ZnamSt11align_val_tRKSt9nothrow_t", QN_ALLOC_MALLOC, "new[]" },
    /* Functions that free are shown nowhere, so they have no name to show: */
    { "free", QN_ALLOC_FREE, "" }, { "cfree", QN_ALLOC_FREE, "" },
    { "_ZdlPv", QN_ALLOC_FREE, "" }, { "_ZdaPv", QN_ALLOC_FREE, "" }, { "_ZdlPvm", QN_ALLOC_FREE, "" }, { "_ZdaPvm", QN_ALLOC_FREE, "" },
    { "_ZdlPvRKSt9nothrow_t", QN_ALLOC_FREE, "" }, { "_ZdaPvRKSt9nothrow_t", QN_ALLOC_FREE, "" },
    { "_ZdlPvSt11align_val_t", QN_ALLOC_FREE, "" }, { "_ZdaPvSt11align_val_t", QN_ALLOC_FREE, "" },
    { "_ZdlPvmSt11align_val_t", QN_ALLOC_FREE, "" }, { "_ZdaPvmSt11align_val_t", QN_ALLOC_FREE, "" },
    { "_ZdlPvSt11align_val_tRKSt9nothrow_t", QN_ALLOC_FREE, "" }, { "_ZdaPvSt11align_val_tRKSt9nothrow_t", QN_ALLOC_FREE, "" },
};
#define STANDARD (sizeof standard / sizeof standard[0])

struct search {
    const struct qn_cost_store *store;
    struct qn_debug *debug;
    struct qn_map_rec map;
    uint32_t number; /* of the map */
    uint64_t points, objects, bias; /* bias: from the file's addresses to the guest's, modulo 2^64 */
    uint16_t which;  /* of what is looked for */
};

static bool digit(const char **at, uint8_t *number)
{
    if (**at < '1' || **at > '0' + (int)QN_ALLOC_ARGS)
        return false;
    *number = (uint8_t)(*(*at)++ - '0');
    return true;
}

bool qn_cost_parse_allocator(char *text, struct qn_cost_allocator *a)
{
    char *colon = strrchr(text, ':');
    const char *at = colon ? colon + 1 : NULL;
    uint8_t bytes = 0, times = 0;

    *a = (struct qn_cost_allocator){ .name = text };
    if (!colon || (colon > text && colon[-1] == ':')) /* a::b */
        return text[0] != 0;
    if (colon == text || !digit(&at, &bytes) || (*at == '*' && (at++, !digit(&at, &times))) || *at)
        return false;
    *colon = 0;
    a->bytes = bytes;
    a->times = times;
    return true;
}

const char *qn_cost_allocator_kind(uint32_t which)
{
    if (QN_ALLOC_KIND(which) == QN_ALLOC_CUSTOM || QN_ALLOC_NAME(which) >= STANDARD)
        return NULL;
    return standard[QN_ALLOC_NAME(which)].shown;
}

static void add_range(struct search *s, uint64_t start, uint64_t end)
{
    struct qn_probe *all = (struct qn_probe *)(s->store->base + QN_ARENA_PROBES_OFF);
    uint64_t guest = start + s->bias;

    if (s->points >= QN_ARENA_PROBES_SIZE / sizeof *all)
        return;
    for (uint64_t i = qn_cost_header(s->store)->n_probes; i < s->points; i++)
        if (all[i].start == guest)
            return;
    all[s->points++] = (struct qn_probe){ guest, guest + (end - start), s->number, QN_PROBE_ALLOC, s->which };
}

static void add_point(void *data, uint64_t start, bool chooses)
{
    if (!chooses)
        add_range(data, start, start + 1);
}

static void take_function(void *data, const char *name, uint64_t start, uint64_t end)
{
    struct search *s = data;

    for (size_t i = 0; i < STANDARD; i++)
        if (!strcmp(name, standard[i].name)) {
            s->which = QN_ALLOC_OF(standard[i].kind, 0, 0, i);
            add_range(s, start, start + 1);
            return;
        }
    if (qn_cost_is_grower(name)) {
        s->which = QN_ALLOC_OF(QN_ALLOC_GROWER, 0, 0, 0);
        add_range(s, start, end);
    }
}

static void add_object(struct search *s, enum qn_object_kind kind, uint64_t start, uint64_t end)
{
    struct qn_object *to = (struct qn_object *)(s->store->base + QN_ARENA_OBJECTS_OFF) + s->objects;

    if (s->objects >= QN_ARENA_OBJECTS_SIZE / sizeof *to)
        return;
    *to = (struct qn_object){ .start = start + s->bias, .size = end - start, .map = s->number, .kind = (uint8_t)kind };
    s->objects++;
}

/* Appends symbols by falling address, as run/observe/data/data_places.c wants them. */
static void find_objects(struct search *s)
{
    struct qn_map_rec *map = (struct qn_map_rec *)(s->store->base + QN_ARENA_MAPS_OFF) + s->number;
    size_t count;
    const struct qn_debug_symbol *list = qn_debug_list_objects(s->debug, &count);
    uint64_t start, end;

    while (count-- > 0)
        add_object(s, QN_OBJECT_SYMBOL, list[count].start, list[count].end);
    for (size_t i = 0; qn_debug_segment(s->debug, i, &start, &end); i++)
        add_object(s, QN_OBJECT_SEGMENT, start, end);
    map->flags = qn_debug_has_types(s->debug) ? QN_MAP_TYPES : 0;
}

const struct qn_debug_type *qn_cost_find_type(struct qn_debug *d, const struct qn_object *o, uint64_t bias)
{
    const struct qn_debug_type *type = NULL;

    for (unsigned i = 0; i < QN_OBJECT_INNER && o->inner[i] && !type; i++)
        type = qn_debug_allocated(d, o->inner[i] + bias);
    return type ? type : qn_debug_allocated(d, o->start + bias);
}

void qn_cost_find_element(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t object)
{
    struct qn_object *o = (struct qn_object *)(store->base + QN_ARENA_OBJECTS_OFF) + object;
    const struct qn_debug_type *type;
    struct qn_debug_variable v;
    struct search s = { .store = store };
    struct qn_cost_extent e = qn_cost_get_extent(store);

    if (object >= e.objects)
        return;
    s.debug = qn_cost_open_number(library, store, o->map, &s.map);
    if (!s.debug || !qn_cost_find_bias(s.debug, &s.map, &s.bias))
        return;
    if (o->kind == QN_OBJECT_HEAP)
        type = qn_cost_find_type(s.debug, o, -s.bias);
    else
        type = qn_debug_find_variable(s.debug, o->start - s.bias, &v) && v.start == o->start - s.bias ? v.type : NULL;
    o->element = type ? qn_debug_type_element(type) : 0;
}

void qn_cost_find_data(const struct qn_cost_store *store, struct qn_cost_library *library, uint32_t map,
                       const struct qn_cost_allocator *named, unsigned count)
{
    struct search s = { .store = store, .number = map };
    struct qn_cost_extent e = qn_cost_get_extent(store);

    s.debug = qn_cost_open_number(library, store, map, &s.map);
    s.points = e.probes;
    s.objects = e.objects;
    if (!s.debug || !qn_cost_find_bias(s.debug, &s.map, &s.bias))
        return;
    for (unsigned i = 0; i < count; i++) {
        s.which = QN_ALLOC_OF(QN_ALLOC_CUSTOM, named[i].bytes, named[i].times, i);
        qn_debug_find_functions(s.debug, named[i].name, add_point, &s);
    }
    qn_debug_list_functions(s.debug, take_function, &s);
    find_objects(&s);
    qn_cost_header(store)->n_probes = s.points;
    qn_cost_header(store)->n_objects = s.objects;
}
