/* lib/lab/variant.c - see variant.h. */
#define _GNU_SOURCE
#include "lab/variant.h"

#include <crypt.h>
#include <errno.h>
#include <string.h>

#define CHOICES_MAX 8
#define WORD_MAX 128    /* bytes of a key and of a student's name; crypt takes 511 in all */
#define SALT "$5$rounds=1000$quernlab$"

struct parameter {
    unsigned lab, standard;
    unsigned choices[CHOICES_MAX]; /* of variants; 0 at the end */
    const char *text;              /* with %u for the value; "" with another one's */
};

static const struct parameter table[QN_LAB_PARAMETERS] = {
    [QN_LAB_FIFO_CHANCES] = { 3, 0, { 1, 2, 3 }, "**fifo** Each hit on a line is noted, up to %u. A line that would have to leave and has a note "
                              "loses one and goes to the end of the queue instead; then the next one is asked." },
    [QN_LAB_LRU_PLACE] = { 3, 0, { 1, 2 }, "**lru** A line that comes in is younger than the %u oldest of its set, not than all (as young as can "
                           "be, if there are not so many). A hit makes it the youngest." },
    [QN_LAB_PLRU_ORDER] = { 3, 0, { 1 }, "**plru** The leaves stand in the order of their reversed bits: of 8 ways 0 4 2 6 1 5 3 7. A hit turns all "
                            "nodes of the path; a fill turns only the one directly above the line." },
    [QN_LAB_NRU_LAST] = { 3, 0, { 1 }, "**nru** The victim is the *last* way whose bit is clear. If all bits are set, *all* are cleared, the one "
                          "just set, too." },
    [QN_LAB_SRRIP_BITS] = { 3, 2, { 3, 4, 5 }, "**srrip** Numbers have %u bits. A fill sets the largest less one; the largest is the victim's." },
    [QN_LAB_SRRIP_DOWN] = { 3, 0, { 1 }, "**srrip** A hit takes one off (not below 0). The victim is the *last* way that has the largest number." },
    [QN_LAB_RANDOM_SPARES] = { 3, 0, { 1 }, "**random** Never the way that was hit or filled last in its set; the others are as likely as each "
                               "other." },
    [QN_LAB_OPT_HORIZON] = { 3, 0, { 8, 12, 16, 20, 24 }, "**opt** It sees %u references ahead: the number of the next use less that of the "
                             "reference that is being made now. Of lines whose next use is further away, or never, the *lowest* way leaves." },
    [QN_LAB_INDEX_SHIFT] = { 5, 0, { 1, 2, 3 }, "The index of all tables begins with the address shifted right by %u," },
    [QN_LAB_INDEX_FOLD] = { 5, 0, { 5, 6, 7, 8 }, "and is the exclusive or of that and the address shifted right by %u." },
    [QN_LAB_ONEBIT_BEFORE] = { 5, 0, { 1 }, "**onebit** It predicts the last outcome *but one* of its entry (not taken at first)." },
    [QN_LAB_COUNTER_MAX] = { 5, 3, { 5, 7 }, "**twobit** and **gshare** Counters go from 0 to %u, and predict taken in the upper half." },
    [QN_LAB_COUNTER_DOWN] = { 5, 1, { 2 }, "**twobit** and **gshare** \"Not taken\" takes %u off (not below 0); \"taken\" adds one." },
    [QN_LAB_HISTORY_BIT] = { 5, 0, { 2, 3, 4 }, "**gshare** What is shifted into the history is the outcome, exclusive-ored with bit %u of the "
                             "address (the lowest is bit 0)." },
    [QN_LAB_FOLLOWS_NEAR] = { 5, 1, { 5, 6, 7 }, "**mine** Branches that depend on others: the exclusive or of the outcomes of the branch %u before" },
    [QN_LAB_FOLLOWS_FAR] = { 5, 2, { 11, 13, 14 }, "and the branch %u before." },
    [QN_LAB_BUDGET] = { 5, 4096, { 2560, 2816, 3072 }, "**mine** At most %u bytes of variables." },
};

const struct qn_lab_variant qn_lab_standard = { {
    [QN_LAB_SRRIP_BITS] = 2, [QN_LAB_COUNTER_MAX] = 3, [QN_LAB_COUNTER_DOWN] = 1, [QN_LAB_FOLLOWS_NEAR] = 1, [QN_LAB_FOLLOWS_FAR] = 2,
    [QN_LAB_BUDGET] = 4096,
} };

static uint64_t mix(uint64_t z) /* splitmix64 (Steele, Lea, Flood 2014) */
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

struct qn_lab_variant qn_lab_draw_variant(uint64_t seed)
{
    struct qn_lab_variant v;

    for (unsigned i = 0; i < QN_LAB_PARAMETERS; i++) {
        unsigned n = 0;

        while (n < CHOICES_MAX && table[i].choices[n])
            n++;
        v.value[i] = table[i].choices[mix(seed + (i + 1) * 0x9e3779b97f4a7c15ull) % n];
    }
    return v;
}

bool qn_lab_varies(unsigned lab)
{
    for (unsigned i = 0; i < QN_LAB_PARAMETERS; i++)
        if (table[i].lab == lab)
            return true;
    return false;
}

void qn_lab_print_variant(FILE *f, unsigned lab, const struct qn_lab_variant *v)
{
    for (unsigned i = 0; i < QN_LAB_PARAMETERS; i++) {
        const char *value = strstr(table[i].text, "%u");

        if (table[i].lab != lab)
            continue;
        fputs(*table[i].text == 'a' ? "  " : "* ", f); /* "and ...": it goes on */
        if (value)
            fprintf(f, "%.*s%u%s\n", (int)(value - table[i].text), table[i].text, v->value[i], value + 2);
        else
            fprintf(f, "%s\n", table[i].text);
    }
}

/* ---- from a key and a name ---- */

static bool complain(const char *what, const char *why)
{
    fprintf(stderr, "quern: lab: %s: %s\n", what, why);
    return false;
}

static bool read_key(const char *path, char key[WORD_MAX + 2])
{
    FILE *f = fopen(path, "re");
    bool good = f && fgets(key, WORD_MAX + 2, f);

    if (!f)
        return complain(path, strerror(errno));
    fclose(f);
    if (good)
        key[strcspn(key, "\r\n")] = 0;
    return (good && strlen(key) >= 8 && strlen(key) <= WORD_MAX) || complain(path, "wanted a first line of 8 to 128 bytes, the key");
}

bool qn_lab_variant_seed(const char *key_file, const char *student, unsigned lab, uint64_t *seed)
{
    struct crypt_data data = { .initialized = 0 };
    char key[WORD_MAX + 2], words[3 * WORD_MAX];
    const char *hash;

    if (!read_key(key_file, key))
        return false;
    if (!*student || strlen(student) > WORD_MAX || strpbrk(student, "\r\n"))
        return complain("--student", "wanted a name of 1 to 128 bytes in one line");
    snprintf(words, sizeof words, "%s\n%u\n%s", key, lab, student);
    hash = crypt_r(words, SALT, &data);
    if (!hash || *hash == '*')
        return complain("crypt", "this C library has no SHA-256");
    *seed = 0xcbf29ce484222325ull;
    for (hash += strlen(SALT); *hash; hash++)
        *seed = mix((*seed ^ (unsigned char)*hash) + 0x9e3779b97f4a7c15ull);
    return true;
}
