/*
 * Prefixes of names of sources. See source_map.h.
 *
 * In:  a name
 * Out: the name with another prefix, or itself
 */
#define _GNU_SOURCE
#include "text/source_map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

static struct map {
    char *from, *to; /* without a slash at the end */
    size_t from_length, to_length;
} *maps;
static size_t map_count, map_room;

static size_t trim(char *folder)
{
    size_t n = strlen(folder);
    while (n > 0 && folder[n - 1] == '/')
        folder[--n] = '\0';
    return n;
}

const char *qn_text_add_source_map(const char *text)
{
    const char *equals = strchr(text, '=');
    struct map m;
    if (!equals || !equals[1])
        return "FROM=TO";
    m.from = QN_NEEDED(strndup(text, (size_t)(equals - text)));
    m.to = QN_NEEDED(strdup(equals + 1));
    /* All of a file system is "/": what follows keeps its slash. */
    m.from_length = trim(m.from);
    m.to_length = trim(m.to);
    if (equals != text && !m.from_length)
        m.from[0] = '/';
    QN_MORE(maps, map_count, map_room, 4);
    maps[map_count++] = m;
    return NULL;
}

static bool begins(const char *name, size_t length, const char *folder, size_t n)
{
    return length >= n && memcmp(name, folder, n) == 0 && (length == n || name[n] == '/');
}

static bool fits(const struct map *m, const char *name, size_t length)
{
    if (!length || begins(name, length, m->to, m->to_length))
        return false;
    if (!m->from_length)
        return m->from[0] == '/' ? name[0] == '/' : name[0] != '/' && name[0] != '?' && name[0] != '<' && name[0] != '(';
    return length > m->from_length && begins(name, length, m->from, m->from_length);
}

const char *qn_text_map_source(const char *name, size_t *length)
{
    static char *mapped;
    static size_t room;
    const struct map *best = NULL;
    size_t rest, slash;
    for (size_t i = 0; i < map_count; i++)
        if (fits(&maps[i], name, *length) && (!best || maps[i].from_length > best->from_length))
            best = &maps[i];
    if (!best)
        return name;
    rest = *length - best->from_length;
    slash = name[best->from_length] != '/';
    if (room < best->to_length + slash + rest + 1) {
        room = 2 * (best->to_length + slash + rest + 1);
        mapped = QN_NEEDED(realloc(mapped, room));
    }
    memcpy(mapped, best->to, best->to_length);
    mapped[best->to_length] = '/';
    memcpy(mapped + best->to_length + slash, name + best->from_length, rest);
    *length = best->to_length + slash + rest;
    mapped[*length] = '\0';
    return mapped;
}
