/* lib/json/write.h - pieces that the writers of JSON share. */
#ifndef QN_JSON_WRITE_H
#define QN_JSON_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <jansson.h>

/* A string; bytes that are no UTF-8 become U+FFFD. */
json_t *qn_json_text(const char *text);
/* Writes a value in one line and frees it.  -1: it is NULL (no memory), or cannot be written. */
int qn_json_put(FILE *out, json_t *value);

/* Does it end in .json? */
static inline bool qn_json_is_named(const char *path)
{
    size_t n = strlen(path);

    return n > 5 && !strcmp(path + n - 5, ".json");
}

#define QN_JSON_VERSION 1 /* of both schemas: 2 once a name is removed or changes its meaning */

#endif
