/* lib/json/modules.c - the modules that ship as JSON. */
#include <inttypes.h>
#include <string.h>

#include "json/json.h"
#include "json/write.h"


static json_t *slots_now, *modules;

void qn_json_begin_modules(const char *in_slots)
{
    slots_now = qn_json_text(in_slots);
    modules = json_array();
}

static json_t *split(const char *words)
{
    json_t *list = json_array();

    while (*words) {
        size_t n = strcspn(words, " ");

        if (n)
            json_array_append_new(list, json_stringn(words, n));
        words += n + (words[n] == ' ');
    }
    return list;
}

void qn_json_add_module(const char *kind, const char *name, const char *slots, uint64_t hash, const char *text)
{
    char hex[17];

    snprintf(hex, sizeof hex, "%016" PRIx64, hash);
    json_array_append_new(modules, json_pack("{s:o, s:s, s:o, s:s, s:o}", "name", qn_json_text(name), "kind", kind, "slots", split(slots),
                                             "hash", hex, "text", qn_json_text(text)));
}

bool qn_json_end_modules(FILE *out)
{
    json_t *all = json_pack("{s:s, s:i, s:o, s:o}", "schema", "quern-modules", "version", QN_JSON_VERSION, "slots", slots_now, "modules",
                            modules);
    bool good = all && !json_dumpf(all, out, JSON_INDENT(1)) && putc('\n', out) != EOF;

    json_decref(all);
    return good;
}

