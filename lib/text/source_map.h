/*
 * Sources that lie elsewhere than a profile says: --source-map=FROM=TO.
 *
 * In:  "/build=/home/me/prog", then "/build/src/a.c"
 * Out: "/home/me/prog/src/a.c"
 *
 * FROM and TO are folders; FROM stands for whole names between slashes ("/build" is no part of "/builds/a.c").  An empty FROM is that of names
 * without a slash in front.  Of several, the longest that fits is taken.  A name that begins with TO stays as it is, so that mapping twice is
 * the same as mapping once.  For all readers of profiles and sources from then on.
 */
#ifndef QN_TEXT_SOURCE_MAP_H
#define QN_TEXT_SOURCE_MAP_H

#include <stddef.h>

/* "FROM=TO". NULL, or what was wanted instead. */
const char *qn_text_add_source_map(const char *text);

/* The name, or the one that it is mapped to, which is valid until the next call; *length is its length. */
const char *qn_text_map_source(const char *name, size_t *length);

#endif
