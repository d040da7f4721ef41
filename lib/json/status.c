/* lib/json/status.c - what `quern ctl PID status` prints, as JSON.
 *
 *   pid: 4711               {"schema":"quern-status","version":1,"pid":4711,"command":"./prog","seconds":1.5,"instructions_per_second":1000,
 *   command: ./prog          "totals":{"Ir":1500}}
 *   seconds: 1.5
 *   instructions per second: 1000
 *   Ir: 1500
 */
#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "json/write.h"


/* false: no memory. */
static bool take_line(json_t *all, const char *name, const char *value)
{
    json_t *totals = json_object_get(all, "totals");

    if (!strcmp(name, "command"))
        return !json_object_set_new(all, name, qn_json_text(value));
    if (!strcmp(name, "pid"))
        return !json_object_set_new(all, name, json_integer(strtoll(value, NULL, 10)));
    if (!strcmp(name, "seconds"))
        return !json_object_set_new(all, name, json_real(strtod(value, NULL)));
    if (!strcmp(name, "instructions per second"))
        return !json_object_set_new(all, "instructions_per_second", json_integer(strtoll(value, NULL, 10)));
    return !json_object_set_new(totals, name, json_integer(strtoll(value, NULL, 10)));
}

bool qn_json_write_status(FILE *out, char *text)
{
    json_t *all = json_pack("{s:s, s:i, s:{}}", "schema", "quern-status", "version", QN_JSON_VERSION, "totals");
    bool good = all;

    for (char *line = text, *end; good && (end = strchr(line, '\n')); line = end + 1) {
        char *colon;

        *end = 0;
        colon = strstr(line, ": ");
        if (!colon)
            continue; /* nothing is counted yet */
        *colon = 0;
        good = take_line(all, line, colon + 2);
    }
    if (!good)
        return json_decref(all), false;
    return !qn_json_put(out, all) && putc('\n', out) != EOF;
}

