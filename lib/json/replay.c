/* lib/json/replay.c - what `quern replay` prints, as JSON.
 *
 *   D   refs:      3  (2 rd   + 1 wr)         {"schema":"quern-replay","version":1,"totals":{"Dr":2,"Dw":1,...},
 *   D   miss rate: ...                         "counts":[{"name":"AN.compulsory","count":2,"text":"D1 misses: first reference to the line"}]}
 *   AN.compulsory          2  D1 misses: ...
 *
 * Rates follow from the totals, and are left out.
 */
#include <ctype.h>
#include <string.h>

#include "json/json.h"
#include "json/write.h"


/* Lines of the summary, and the events of the numbers in parentheses; without them that of the first number. */
static const struct {
    const char *line, *first, *second;
} known[] = {
    { "I   refs:", "Ir", NULL },         { "I1  misses:", "I1mr", NULL },      { "LLi misses:", "ILmr", NULL },
    { "D   refs:", "Dr", "Dw" },         { "D1  misses:", "D1mr", "D1mw" },    { "LLd misses:", "DLmr", "DLmw" },
    { "Branches:", "Bc", "Bi" },         { "Mispredicts:", "Bcm", "Bim" },
};

/* The number at `text`, without the commas in it; *end is behind it. */
static long long read_number(const char *text, const char **end)
{
    long long n = 0;

    text += strcspn(text, "0123456789");
    for (; isdigit((unsigned char)*text) || (*text == ',' && isdigit((unsigned char)text[1])); text++)
        if (*text != ',')
            n = 10 * n + (*text - '0');
    *end = text;
    return n;
}

static bool take_total(json_t *totals, const char *line, bool *taken)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const char *at = line + strlen(known[i].line), *end;

        if (strncmp(line, known[i].line, strlen(known[i].line)))
            continue;
        *taken = true;
        if (known[i].second)
            at += strcspn(at, "(");
        if (json_object_set_new(totals, known[i].first, json_integer(read_number(at, &end))))
            return false;
        return !known[i].second || !json_object_set_new(totals, known[i].second, json_integer(read_number(end, &end)));
    }
    return true;
}

/* "AN.capacity    12  its text", of a slot or of a module. */
static bool take_count(json_t *counts, char *line)
{
    size_t name = strcspn(line, " ");
    char *at = line + name + strspn(line + name, " ");
    const char *end;
    long long n;

    if (!name || !line[name] || line[name - 1] == ':' || !isdigit((unsigned char)*at))
        return true;
    n = read_number(at, &end);
    if (*end && *end != ' ')
        return true;
    line[name] = 0;
    return !json_array_append_new(counts, json_pack("{s:o, s:I, s:o}", "name", qn_json_text(line), "count", (json_int_t)n, "text",
                                                    qn_json_text(end + strspn(end, " "))));
}

bool qn_json_write_replay(FILE *out, char *text)
{
    json_t *all = json_pack("{s:s, s:i, s:{}, s:[]}", "schema", "quern-replay", "version", QN_JSON_VERSION, "totals", "counts");
    bool good = all;

    for (char *line = text, *end; good && (end = strchr(line, '\n')); line = end + 1) {
        bool taken = false;

        *end = 0;
        good = take_total(json_object_get(all, "totals"), line, &taken) && (taken || take_count(json_object_get(all, "counts"), line));
    }
    if (!good)
        return json_decref(all), false;
    return !qn_json_put(out, all) && putc('\n', out) != EOF;
}

