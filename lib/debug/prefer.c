/* lib/debug/prefer.c - decides which of two names of one address to show.
 *
 * In:  "__GI_strlen", "strlen"      Out: the second
 *
 * The order is Cachegrind's (Valgrind 3.19), so that profiles of both can be compared line by line:
 * an entry point PMPI_x before its alias MPI_x; the shorter name, not counting a version behind
 * '@'; of equal lengths the versioned one; else the first in bytewise order.
 */
#include <string.h>

#include "debug/internal.h"

static bool is_mpi_alias(const char *a, const char *b)
{
    return !strncmp(a, "MPI_", 4) && b[0] == 'P' && !strcmp(a, b + 1);
}

static bool is_blank(const char *name, size_t length)
{
    return strspn(name, " \t\n\v\f\r") >= length;
}

/* true: show a rather than b. */
bool qn_debug_prefer_name(const char *a, const char *b)
{
    const char *version_a = strchr(a, '@'), *version_b = strchr(b, '@');
    size_t length_a = version_a ? (size_t)(version_a - a) : strlen(a);
    size_t length_b = version_b ? (size_t)(version_b - b) : strlen(b);

    if (is_mpi_alias(a, b) || is_mpi_alias(b, a))
        return is_mpi_alias(b, a);
    if (is_blank(a, length_a) != is_blank(b, length_b))
        return is_blank(b, length_b);
    if (length_a != length_b)
        return length_a < length_b;
    if (!version_a != !version_b)
        return version_a != NULL;
    return strcmp(a, b) <= 0;
}
