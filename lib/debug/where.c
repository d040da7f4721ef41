/* lib/debug/where.c - the line of a source file at which a program stands.
 *
 * In:  the program, its pc and the words of its stack that may be return addresses, the source files in question
 * Out: "mine.c:31"
 *
 * The first of these addresses whose line is in one of the files is taken: the pc itself, or the call of a function elsewhere (memset),
 * which may be inlined.
 */
#include <stdio.h>
#include <string.h>

#include "debug/debug.h"
#include "debug/inlines.h"

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static const char *is_one_of(const char *file, const char *const *files)
{
    for (; file && *files; files++)
        if (!strcmp(base_of(file), base_of(*files)))
            return *files;
    return NULL;
}

static const char *find_line(struct qn_debug *d, uint64_t address, const char *const *files, uint32_t *line)
{
    uint64_t end = UINT64_MAX;
    struct qn_debug_place place;
    const char *file;

    qn_debug_find(d, address, &place);
    *line = place.line;
    file = is_one_of(place.file, files);
    for (const struct qn_inline *call = qn_debug_find_inline(d, address, &end); call && !file; call = call->into) {
        *line = call->line;
        file = is_one_of(call->file, files);
    }
    return file;
}

bool qn_debug_say_where(const char *program, const uint64_t *address, unsigned n, const char *const *files, char *text, size_t size)
{
    char why[200];
    struct qn_debug *d = n ? qn_debug_open(program, why, sizeof why) : NULL;
    const char *file = NULL;
    uint32_t line = 0;

    for (unsigned i = 0; d && i < n && !file; i++)
        file = find_line(d, address[i] - (i > 0), files, &line); /* a return address is behind the call */
    if (file)
        snprintf(text, size, "%s:%u", file, line);
    if (d)
        qn_debug_close(d);
    return file;
}
