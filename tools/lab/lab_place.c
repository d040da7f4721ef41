/* tools/lab/lab_place.c - where the labs are: ../share/quern beside an installed quern, the source tree of one that was
 * built. */
#define _GNU_SOURCE
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lab_tool.h"
#include "../tools.h"
#include "engines/engines.h"

#ifndef QN_TOP_SRCDIR
#define QN_TOP_SRCDIR "."
#endif
#ifndef QN_PKGDATADIR
#define QN_PKGDATADIR "."
#endif

/* The first of these folders that holds `probe`; in `found`. */
static const char *first_with(const char *const *folders, const char *probe, char found[PATH_MAX])
{
    char path[PATH_MAX];

    for (; *folders; folders++) {
        snprintf(path, sizeof path, "%s/%s", *folders, probe);
        if (access(path, R_OK) == 0 && realpath(*folders, found))
            return found;
    }
    return NULL;
}

bool qn_lab_find_place(struct qn_lab_place *place)
{
    static char labs[PATH_MAX], header[PATH_MAX];
    char shared[PATH_MAX + 32], beside[PATH_MAX + 32], include[PATH_MAX + 32];
    const char *const lab_folders[] = { shared, beside, QN_TOP_SRCDIR "/labs", QN_PKGDATADIR "/labs", NULL };
    const char *const header_folders[] = { include, QN_TOP_SRCDIR "/include", NULL };
    const char *own = qn_engines_own_path("lab"), *folder = qn_engines_own_folder();

    if (!own)
        return false;
    snprintf(shared, sizeof shared, "%s/../share/quern/labs", folder);
    snprintf(beside, sizeof beside, "%s/../labs", folder);
    snprintf(include, sizeof include, "%s/../include", folder);
    place->quern = own;
    place->library = qn_engines_library("lab");
    place->labs = first_with(lab_folders, "README.md", labs);
    place->header = first_with(header_folders, "quern.h", header);
    if (!place->library)
        return false;
    if (!place->labs || !place->header)
        qn_text_complain("quern: lab: the labs are not in %s", shared);
    return place->labs && place->header;
}
