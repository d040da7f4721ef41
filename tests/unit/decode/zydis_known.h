/* zydis_known.h - the differences from Zydis that are adjudicated (zydis-differences.inc), and what both say of each. */
#ifndef QN_TEST_ZYDIS_KNOWN_H
#define QN_TEST_ZYDIS_KNOWN_H

#include <fnmatch.h>
#include <stdlib.h>

#include "zydis_facts.h"
#include "zydis_verdicts.h"

enum { IN_64 = 1, IN_32 = 2, ON_INTEL = 4, ON_AMD = 8 };

struct known {
    unsigned where;     /* modes and vendors; none of a group = all */
    const char *name;   /* Zydis's mnemonic, or where it rejects the bytes quern's text; as a pattern of fnmatch(3) */
    const char *bytes;  /* in hexadecimal, as a pattern */
    const char *what;   /* as difference() says */
    const char *example;
    const char *verdict;
};
static const struct known known[] = {
#define Z(where, name, bytes, what, example, verdict) {where, name, bytes, what, example, verdict},
#include "zydis-differences.inc"
#undef Z
};
#define KNOWN (sizeof known / sizeof *known)
static unsigned long seen[KNOWN];

static bool applies(unsigned where)
{
    unsigned bits = (machine & QN_MACHINE_32 ? IN_32 : IN_64) | (machine & QN_MACHINE_AMD ? ON_AMD : ON_INTEL);

    return (!(where & 3) || (where & bits & 3)) && (!(where & 12) || (where & bits & 12));
}

/* The row, or NULL. */
static const struct known *adjudicated(const char *name, const char *hex, const char *what)
{
    for (size_t i = 0; i < KNOWN; i++)
        if (applies(known[i].where) && !strcmp(known[i].what, what) &&
            fnmatch(known[i].name, name, FNM_EXTMATCH) == 0 && fnmatch(known[i].bytes, hex, FNM_EXTMATCH) == 0) {
            seen[i]++;
            return &known[i];
        }
    return NULL;
}

static FILE *verdicts;             /* what both say is written there, */
static const struct known *listed; /* of this row only */

static void list_verdict(const char *hex, const char *zydis, const char *text, const struct facts *q, const struct facts *z)
{
    struct words ours, theirs;

    say_fact(&ours, q, listed->what, text);
    say_fact(&theirs, z, listed->what, zydis);
    fprintf(verdicts, "%s in %s-bit mode, %s: %s\n    %s: quern %s; Zydis %s\n    %s\n", hex,
            machine & QN_MACHINE_32 ? "32" : "64", machine & QN_MACHINE_AMD ? "AMD" : "Intel", *text ? text : zydis,
            listed->what, ours.text, theirs.text, listed->verdict);
}

/* Is zydis-verdicts.txt what has been listed now? */
static bool is_kept(const char *now, size_t size)
{
    const char *top = getenv("top_srcdir");
    char path[4096], *kept = malloc(size + 1);
    FILE *in;
    bool good;

    snprintf(path, sizeof path, "%s/tests/unit/decode/zydis-verdicts.txt", top ? top : ".");
    in = fopen(path, "r");
    good = in && fread(kept, 1, size + 1, in) == size && !memcmp(kept, now, size);
    if (in)
        fclose(in);
    free(kept);
    if (!good)
        printf("# read what `decode_zydis -e` prints, and keep it as %s\n", path);
    return good;
}

#endif
