/* lib/cost/data/growers.c - functions of C++'s and Rust's libraries that allocate for their caller, by their linkage names.  See growers.h.
 *
 *   _ZNSt6vectorI5pointSaIS0_EE17_M_realloc_insertIJS0_EEEvN...   C++: of namespace std or __gnu_cxx, and one of `members`
 *   _RNvMs_NtCslNYArtu3iFV_5alloc7raw_vecINtB4_6RawVec...8grow_one   Rust: the first crate named is alloc or hashbrown, and a word of `words`
 *   _ZN5alloc7raw_vec19RawVec$LT$T$C$A$GT$8grow_one17h...E           the same as Rust mangled names before
 *
 * The lists leave out functions that are called for each element and never allocate.
 */
#include "cost/data/growers.h"

#include <ctype.h>
#include <string.h>

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
