/* lib/json/write.c - see write.h and json.h. */
#include "json/write.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "text/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

json_t *qn_json_text(const char *text)
{
    size_t left = strlen(text), n = 0;
    char *good = malloc(3 * left + 1);
    json_t *value;

    if (!good)
        return NULL;
    while (left) {
        size_t length = qn_text_utf8_length(text, left);

        memcpy(good + n, length ? text : REPLACEMENT, length ? length : 3);
        n += length ? length : 3;
        text += length ? length : 1;
        left -= length ? length : 1;
    }
    value = json_stringn(good, n);
    free(good);
    return value;
}

int qn_json_put(FILE *out, json_t *value)
{
    int status = value ? json_dumpf(value, out, JSON_COMPACT | JSON_ENCODE_ANY) : -1;

    json_decref(value);
    return status;
}

bool qn_json_write_trace(FILE *out, const char *path, const struct qn_json_trace *t)
{
    json_t *all = json_pack("{s:s, s:i, s:o, s:I, s:I, s:I, s:I, s:s, s:b}", "schema", "quern-trace", "version", QN_JSON_VERSION, "file", qn_json_text(path),
                            "parts", (json_int_t)t->parts, "instructions", (json_int_t)t->instructions, "references", (json_int_t)t->references, "bytes",
                            (json_int_t)t->bytes, "packing", t->packing, "whole", t->whole);

    return !qn_json_put(out, all) && putc('\n', out) != EOF;
}
