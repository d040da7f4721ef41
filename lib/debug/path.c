/* lib/debug/path.c - makes names of source files absolute, as Cachegrind writes them.
 *
 * In:  file "../csu/libc-start.c" of a unit compiled in "./csu"     Out: "./csu/../csu/libc-start.c"
 *
 * libdw joins a file with its directory, but a relative directory not with that of the compilation.
 * Nothing is normalised: the text is the compiler's.  A relative directory of the compilation stands
 * itself among the directories: before DWARF 5 nothing is put before it, from DWARF 5 on it comes
 * twice, "./csu/./csu/init-first.c".  That is of no use, but it is what Cachegrind writes.
 */
#define _GNU_SOURCE
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/internal.h"

static bool begins_with(const char *file, const char *directory)
{
    size_t n = strlen(directory);

    return !strncmp(file, directory, n) && file[n] == '/';
}

static char *join(struct qn_unit *u, const char *file)
{
    Dwarf_Attribute at;
    const char *directory = dwarf_formstring(dwarf_attr(&u->die, DW_AT_comp_dir, &at));
    char *path;

    if (!directory || !directory[0])
        directory = strchr(file, '/') ? NULL : ".";
    if (!directory || (u->version < 5 && begins_with(file, directory)))
        return strdup(file);
    return asprintf(&path, "%s/%s", directory, file) < 0 ? NULL : path;
}

const char *qn_debug_complete_path(struct qn_unit *u, const char *file)
{
    char *path;

    if (file[0] == '/')
        return file;
    for (size_t i = u->npaths; i-- > 0;)
        if (u->paths[i].from == file)
            return u->paths[i].to;
    if (!qn_debug_grow((void **)&u->paths, u->npaths, &u->path_room, sizeof *u->paths) || !(path = join(u, file)))
        return file;
    u->paths[u->npaths++] = (struct qn_path){ file, path };
    return path;
}
