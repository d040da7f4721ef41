/*
 * Folders in which one command keeps what the next one may use.
 *
 * In:  "/home/me/.cache/quern/sims"; which files of it are quern's, and how many may stay
 * Out: the folder, open; or -1.  Later: the same folder without what was used longest ago
 *
 * Invariants: the folder is no link, the user owns it, and nobody else may enter it (mode 0700); it is made so.  Only files are removed
 * that the user owns and whose name and contents both say that quern wrote them.  No link is followed.
 */
#ifndef QN_TEXT_CACHE_H
#define QN_TEXT_CACHE_H

#include <stdbool.h>
#include <sys/types.h>

struct qn_text_cache_limits {
    size_t files;
    off_t bytes; /* of all files together */
    long days;   /* unused for longer: removed; 0: no limit */
    const char *left; /* a folder LEFT.XXXXXX was left behind by a killed command; NULL: there are none such */
    bool (*is_ours)(const char *name, int fd); /* fd: the file, open for reading */
};

/* Opens the folder.  Makes it, and missing parents, inside of folders that the user owns and only the user may write.  -1: there is none. */
int qn_text_open_cache(const char *path);

/* Removes what is beyond the limits. */
void qn_text_trim_cache(const char *path, const struct qn_text_cache_limits *limits);

/* Is it `digits` hexadecimal digits of lower case (0: any even number) and `suffix`, and nothing else?  X in the suffix: any letter or digit. */
bool qn_text_is_cache_name(const char *name, size_t digits, const char *suffix);

#endif
