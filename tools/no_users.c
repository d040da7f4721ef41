/* tools/no_users.c - for a quern that is linked statically: nobody's home directory is known.
 *
 * libconfuse can expand "~user" in the names of files that it opens.  quern opens its files itself (lib/exp/config_file.c), so that
 * this never happens; but the C library's search for users would be linked, and that needs shared libraries at run time.
 */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#ifdef QN_STATIC
#include <pwd.h>
#include <stddef.h>

struct passwd *getpwnam(const char *name)
{
    (void)name;
    return NULL;
}

struct passwd *getpwuid(uid_t user)
{
    (void)user;
    return NULL;
}
#else
typedef int qn_no_users_needed; /* ISO C wants something in a file */
#endif
