/* lib/json/write.c - see write.h and json.h. */
#include "json/write.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "text/utf8.h"

#ifdef HAVE_JANSSON
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
#endif

bool qn_json_is_there(void)
{
#ifdef HAVE_JANSSON
    return true;
#else
    return false;
#endif
}

bool qn_json_is_sweep(const char *path)
{
    static const char head[] = "quern,";
    char first[sizeof head] = "";
    FILE *f = strcmp(path, "-") ? fopen(path, "r") : NULL;
    bool is = f && fgets(first, sizeof first, f) && !strcmp(first, head);

    if (f)
        fclose(f);
    return is;
}
