/* lib/serve/wanted.c - reads and checks the JSON that asks for a run.
 *
 *   {"name":"mm.c","text":"int main(void)...","optimisation":"-O1","caches":{"D1":"32768,8,64"},"modules":{"D1":"srrip"},
 *    "branches":true,"arguments":["100"],"input":"1 2 3\n"}
 *
 * All but name and text may be left out.  What becomes part of quern's options and the compiler's is checked: caches are digits and
 * commas, modules are names of small letters and digits (never a path), optimisation is one of five words.
 */
#include <jansson.h>
#include <limits.h>
#include <string.h>

#include "serve/serve.h"

#define MODULE_MAX 32
#define CACHE_MAX 40 /* bytes of a geometry */

static const char *const slots[3] = { "I1", "D1", "LL" };
static const char *const levels[] = { "-O0", "-O1", "-O2", "-O3", "-Os" };

/* A string of at most `most` bytes, else NULL.  It holds no zero byte: jansson refuses those. */
static const char *text_of(const json_t *object, const char *key, size_t most)
{
    const json_t *value = json_object_get(object, key);

    return json_is_string(value) && json_string_length(value) <= most ? json_string_value(value) : NULL;
}

static const char *take_source(struct qn_serve_wanted *w, const json_t *all)
{
    w->name = text_of(all, "name", NAME_MAX);
    if (!w->name || !qn_serve_is_name(w->name))
        return "name: wanted the name of a C file, such as prog.c";
    w->text = text_of(all, "text", QN_SERVE_TEXT_MAX);
    if (!w->text)
        return "text: wanted a source of at most 256 KiB";
    w->size = strlen(w->text);
    return NULL;
}

static const char *take_level(struct qn_serve_wanted *w, const json_t *all)
{
    const char *given = json_object_get(all, "optimisation") ? text_of(all, "optimisation", 8) : levels[1];

    for (unsigned i = 0; given && i < QN_ARRAY_LEN(levels); i++)
        if (!strcmp(given, levels[i]))
            w->optimisation = levels[i];
    return w->optimisation ? NULL : "optimisation: wanted -O0, -O1, -O2, -O3 or -Os";
}

/* Reads the strings of the three slots under `key`; NULL for a slot without one.  Returns `wrong`, or NULL. */
static const char *take_words(const json_t *all, const char *key, size_t most, const char *letters, const char *words[3], const char *wrong)
{
    const json_t *object = json_object_get(all, key);

    if (object && !json_is_object(object))
        return wrong;
    for (unsigned i = 0; i < 3; i++) {
        if (!json_object_get(object, slots[i]))
            continue;
        words[i] = text_of(object, slots[i], most);
        if (!words[i] || !*words[i] || words[i][strspn(words[i], letters)])
            return wrong;
    }
    return NULL;
}

static const char *take_arguments(struct qn_serve_wanted *w, const json_t *all)
{
    const json_t *array = json_object_get(all, "arguments"), *one;
    size_t i;

    if (array && (!json_is_array(array) || json_array_size(array) > QN_SERVE_ARGUMENTS_MAX))
        return "arguments: wanted a list of at most 64";
    json_array_foreach(array, i, one) {
        if (!json_is_string(one))
            return "arguments: wanted strings";
        w->arguments[w->n_arguments++] = json_string_value(one);
    }
    return NULL;
}

static const char *take_rest(struct qn_serve_wanted *w, const json_t *all)
{
    const json_t *branches = json_object_get(all, "branches");

    if (branches && !json_is_boolean(branches))
        return "branches: wanted true or false";
    w->branches = json_is_true(branches);
    w->input = json_object_get(all, "input") ? text_of(all, "input", QN_SERVE_INPUT_MAX) : "";
    if (!w->input)
        return "input: wanted a string of at most 1 MiB";
    w->input_size = strlen(w->input);
    return NULL;
}

const char *qn_serve_want(struct qn_serve_wanted *w, const char *body, size_t size)
{
    json_t *all = json_loadb(body, size, JSON_REJECT_DUPLICATES, NULL);
    const char *wrong;

    *w = (struct qn_serve_wanted){ .json = all };
    if (!json_is_object(all))
        return "the request is not JSON of an object";
    if ((wrong = take_source(w, all)) || (wrong = take_level(w, all)) ||
        (wrong = take_words(all, "caches", CACHE_MAX, "0123456789,", w->caches, "caches: wanted SIZE,WAYS,LINE for I1, D1 or LL")) ||
        (wrong = take_words(all, "modules", MODULE_MAX, "abcdefghijklmnopqrstuvwxyz0123456789", w->modules,
                            "modules: wanted names of modules for I1, D1 or LL")) ||
        (wrong = take_arguments(w, all)) || (wrong = take_rest(w, all)))
        return wrong;
    return NULL;
}

void qn_serve_forget_wanted(struct qn_serve_wanted *w) { json_decref(w->json); }
