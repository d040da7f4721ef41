/* lib/lab/variant.c - see variant.h. */
#define _GNU_SOURCE
#include "lab/variant.h"

#include <crypt.h>
#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "lab/lab.h"
#include "text/error.h"

#define CHOICES_MAX 8
#define WORD_MAX 128    /* bytes of a key and of a student's name; crypt takes 511 in all */
#define SALT "$5$rounds=1000$quernlab$"

struct parameter {
    unsigned lab, standard;
    unsigned choices[CHOICES_MAX]; /* of variants; 0 at the end */
    const char *text;              /* with %u for the value */
    const char *texts[4];          /* or one for each choice */
};

static const struct parameter table[QN_LAB_PARAMETERS] = {
    [QN_LAB_CSIM_SHIFT] = { 1, 0, { 1, 2, 3 }, "**sets** A line stands in set (n xor (n >> %u)) mod 2^s, n being its number.", { NULL } },
    [QN_LAB_CSIM_STORE] = { 1, 0, { 1, 2 }, NULL,
                            { "**stores** A store that misses brings nothing in.",
                              "**stores** A store that misses brings nothing in, and one that hits leaves the order of use as it is." } },
    [QN_LAB_CSIM_STAY] = { 1, 0, { 1, 2 }, NULL,
                           { "**eviction** The line of a full set that was used longest ago stays; of the others the one used longest ago leaves (if "
                             "there are no others, that line).",
                             "**eviction** The two lines of a full set that were used longest ago stay; of the others the one used longest ago leaves "
                             "(if there are no others, the one used longest ago of all)." } },
    [QN_LAB_CSIM_CROSS] = { 1, 0, { 1, 2 }, NULL,
                            { "**two lines** A reference over two lines counts as two, each a hit or a miss.",
                              "**two lines** A reference over two lines is a miss only if neither line is there when it is looked up." } },
    [QN_LAB_LOOPS_TURN] = { 2, 0, { 1, 2, 3 }, NULL,
                            { "**transpose** a[i][j] goes to b[r][n - 1 - i], r being m - 1 - j,",
                              "**transpose** a[i][j] goes to b[r][n - 1 - i], r being j,",
                              "**transpose** a[i][j] goes to b[r][i], r being m - 1 - j," } },
    [QN_LAB_LOOPS_SHIFT] = { 2, 0, { 8, 16, 24 }, "and then moved on by %u rows around the end: (r + that) % m.", { NULL } },
    [QN_LAB_LOOPS_PRODUCT] = { 2, 0, { 1, 2 }, NULL,
                               { "**multiply** c[i][j] gets the sum of a[k][i] * b[k][j]: a is taken as its transpose.",
                                 "**multiply** c[i][j] gets the sum of a[k][i] * b[j][k]: both are taken as their transposes. (No order of the "
                                 "loops has half the misses: blocks do.)" } },
    [QN_LAB_FIFO_CHANCES] = { 3, 0, { 1, 2, 3 }, "**fifo** Each hit on a line is noted, up to %u. A line that would have to leave and has a note "
                              "loses one and goes to the end of the queue instead; then the next one is asked.", { NULL } },
    [QN_LAB_LRU_PLACE] = { 3, 0, { 1, 2 }, "**lru** A line that comes in is younger than the %u oldest of its set, not than all (as young as can "
                           "be, if there are not so many). A hit makes it the youngest.", { NULL } },
    [QN_LAB_PLRU_ORDER] = { 3, 0, { 1, 2 }, NULL,
                            { "**plru** The leaves stand in the order of their reversed bits: of 8 ways 0 4 2 6 1 5 3 7.",
                              "**plru** Way 0 is the last leaf, not the first: of 8 ways 1 2 3 4 5 6 7 0." } },
    [QN_LAB_PLRU_FILL] = { 3, 0, { 1, 2 }, NULL,
                           { "**plru** A hit turns all nodes of the path; a fill turns only the one directly above the line.",
                             "**plru** A hit turns all nodes of the path; a fill turns all but the root." } },
    [QN_LAB_NRU_WAY] = { 3, 0, { 1, 2 }, NULL,
                         { "**nru** The victim is the *last* way whose bit is clear.",
                           "**nru** The victim is the first way behind the last victim of its set, going around, whose bit is clear (at first from "
                           "way 0 on)." } },
    [QN_LAB_NRU_CLEAR] = { 3, 0, { 1, 2 }, NULL,
                           { "**nru** If all bits are set, *all* are cleared, the one just set, too.",
                             "**nru** Bits are cleared only when a victim is wanted and none is clear: then *all* are." } },
    [QN_LAB_SRRIP_BITS] = { 3, 2, { 3, 4, 5 }, "**srrip** Numbers have %u bits. A fill sets the largest less one; the largest is the victim's.", { NULL } },
    [QN_LAB_SRRIP_DOWN] = { 3, 0, { 1 }, "**srrip** A hit takes one off (not below 0). The victim is the *last* way that has the largest number.", { NULL } },
    [QN_LAB_RANDOM_KIND] = { 3, 0, { 1, 2, 3 }, NULL,
                             { "**random** Never the way that was hit or filled last in its set; the others are as likely as each other.",
                               "**random** Never one of the two different ways that were hit or filled last in their set; the others are as likely as "
                               "each other (with two ways: the one used longer ago).",
                               "**random** The way that was hit or filled last in its set is twice as likely as each of the others." } },
    [QN_LAB_OPT_HORIZON] = { 3, 0, { 8, 12, 16, 20, 24 }, "**opt** It sees %u references ahead: the number of the next use less that of the "
                             "reference that is being made now. Of lines whose next use is further away, or never, the *lowest* way leaves.", { NULL } },
    [QN_LAB_MRC_AGE] = { 4, 0, { 2, 3, 4 }, "**curve** A cache of n lines gives up, besides, each line that was not loaded in the last %u n references "
                         "(a line loaded by the reference before has an age of 1; older than %u n is too old).", { NULL } },
    [QN_LAB_MRC_STORE] = { 4, 0, { 1 }, NULL,
                           { "**curve** A store is a hit or a miss like a load; but it brings nothing in, and leaves the order and the ages as they "
                             "are." } },
    [QN_LAB_MRC_SHIFT] = { 4, 0, { 1, 2, 3 }, "**classes** (where loads and stores are alike and nothing ages) A line stands in set "
                           "(n xor (n >> %u)) mod 2^s, n being its number.", { NULL } },
    [QN_LAB_MRC_FULL] = { 4, 1, { 2, 3 }, "**classes** The fully associative cache that is compared has %u times as many lines.", { NULL } },
    [QN_LAB_INDEX_SHIFT] = { 5, 0, { 1, 2, 3 }, "The index of all tables begins with the address shifted right by %u,", { NULL } },
    [QN_LAB_INDEX_FOLD] = { 5, 0, { 5, 6, 7, 8 }, "and is the exclusive or of that and the address shifted right by %u.", { NULL } },
    [QN_LAB_ONEBIT_BEFORE] = { 5, 0, { 1 }, "**onebit** It predicts the last outcome *but one* of its entry (not taken at first).", { NULL } },
    [QN_LAB_COUNTER_MAX] = { 5, 3, { 5, 7 }, "**twobit** and **gshare** Counters go from 0 to %u, and predict taken in the upper half.", { NULL } },
    [QN_LAB_COUNTER_DOWN] = { 5, 1, { 2 }, "**twobit** and **gshare** \"Not taken\" takes %u off (not below 0); \"taken\" adds one.", { NULL } },
    [QN_LAB_HISTORY_BIT] = { 5, 0, { 2, 3, 4 }, "**gshare** What is shifted into the history is the outcome, exclusive-ored with bit %u of the "
                             "address (the lowest is bit 0).", { NULL } },
    [QN_LAB_FOLLOWS_NEAR] = { 5, 1, { 5, 6, 7 }, "**mine** Branches that depend on others: the exclusive or of the outcomes of the branch %u before", { NULL } },
    [QN_LAB_FOLLOWS_FAR] = { 5, 2, { 11, 13, 14 }, "and the branch %u before.", { NULL } },
    [QN_LAB_BUDGET] = { 5, 4096, { 2560, 2816, 3072 }, "**mine** At most %u bytes of variables.", { NULL } },
    [QN_LAB_GUESS_STEP] = { 7, 1, { 2, 3, 4 }, "**nextline** and **tagged** The first guess is %u lines ahead of the reference, the second twice as "
                            "far, and so on.", { NULL } },
    [QN_LAB_GUESS_BLOCK] = { 7, 0, { 8, 16, 32 }, "**nextline** and **tagged** No guess leaves the aligned block of %u lines that the reference is in.",
                             { NULL } },
    [QN_LAB_EXCLUSIVE_LOSES] = { 7, 0, { 3, 4, 5 }, "**exclusive** Lines that the first level gives up are counted, from 1: each whose number is a "
                                 "multiple of %u is lost (nothing happens to the LL).", { NULL } },
    [QN_LAB_EXCLUSIVE_BOTH] = { 7, 0, { 1 }, NULL,
                                { "**exclusive** A line that comes from memory is put into the LL, too, as the newest. A line that is given up and is "
                                  "there already becomes the newest." } },
    [QN_LAB_VALUES_DROP] = { 8, 0, { 2, 3, 4 }, "**values** The lowest %u bits of a value do not count: they are cleared when it is read. The first line "
                             "of the output is tau,T,N with N the number of values read.", { NULL } },
    [QN_LAB_LOADS_BLOCK] = { 8, 1, { 16, 32, 64 }, "**mix** All instructions of an aligned block of %u bytes are one, with the address of the first "
                             "byte.", { NULL } },
    [QN_LAB_LOADS_L] = { 8, 40, { 30, 50, 60 }, "**mix** The last level serves a load in %u cycles,", { NULL } },
    [QN_LAB_LOADS_M] = { 8, 200, { 150, 250, 300 }, "and memory in %u.", { NULL } },
    [QN_LAB_CONFLICT_PAGE] = { 8, 4096, { 1024, 2048, 8192 }, "**conflicts** A page has %u bytes (the word in the output stays 4k).", { NULL } },
    [QN_LAB_CONFLICT_OLDEST] = { 8, 0, { 1 }, NULL,
                                 { "**conflicts** In both cases it is the *oldest* such store of the window, not the newest." } },
    [QN_LAB_COUNT_UNIT] = { 9, 1, { 2, 3, 5 }, "**counters** An amount is divided by %u, rounded down, before it is added,", { NULL } },
    [QN_LAB_COUNT_SHIFT] = { 9, 0, { 1, 3, 6 }, "and what is added to counter n is added to counter (n + %u) mod 16.", { NULL } },
    [QN_LAB_QUEUE_CAPACITY] = { 9, 64, { 48, 80, 96 }, "**queue** It is full with %u values.", { NULL } },
    [QN_LAB_QUEUE_LOW] = { 9, 63, { 28, 32, 36 }, "**queue** When it has refused a value because it is full, it refuses all others until at most %u values "
                           "are left.", { NULL } },
    [QN_LAB_LOCK_TIMES] = { 9, 1, { 2, 3, 5 }, "**lock** `lock_enter` returns %u times the number of times that it has returned before.", { NULL } },
    [QN_LAB_LOCK_DEPTH] = { 9, 1, { 2, 3 }, "**lock** A thread that is in may enter again, up to %u times in all without leaving; others come in when it "
                            "has left as often as it has entered.", { NULL } },
    [QN_LAB_MSI_READ] = { 9, 0, { 1, 2 }, NULL,
                          { "**msi** When another core reads a line that is Modified here, the line is supplied, written back, and then *Invalid* here.",
                            "**msi** When another core reads a line that is Modified here, the line is written back and then Shared here; the next level "
                            "supplies it." } },
    [QN_LAB_MSI_OWN] = { 9, 0, { 1, 2 }, NULL,
                         { "**msi** When another core misses a line with a write that is Modified here, the line is written back; the next level supplies "
                           "it.",
                           "**msi** When another core misses a line with a write that is Modified here, the line is supplied and written back." } },
    [QN_LAB_MSI_CLEAN] = { 9, 0, { 1, 2 }, NULL,
                           { "**msi** Each core that has a line Shared supplies it to one that misses it with a read.",
                             "**msi** Each core that has a line Shared supplies it to one that asks for it with SIM_BUS_READ_OWN." } },
    [QN_LAB_MSI_UPGRADE] = { 9, 0, { 1 }, NULL, { "**msi** A write to a line that is Shared asks with SIM_BUS_READ_OWN, as if it had missed." } },
    [QN_LAB_TLB_SHIFT] = { 10, 0, { 3, 4, 5 }, "**all** A page of 4 KiB stands in set (n xor (n >> %u)) mod sets, n being its number, in the first buffer "
                           "and in the second.", { NULL } },
    [QN_LAB_TLB_LEVELS] = { 10, 4, { 3, 5 }, "**all** Page tables have %u levels.", { NULL } },
    [QN_LAB_TLB_SECOND] = { 10, 0, { 1 }, NULL,
                            { "**levels** The second buffer has what the first gives up: a walk fills the first only; a page that the first evicts "
                              "becomes the newest of its set in the second; a page that is found in the second is taken out of it, before it fills the "
                              "first." } },
    [QN_LAB_TLB_CACHED] = { 10, 1, { 2 }, "**levels** The walk cache has entries of level %u: behind a hit the levels below it are read.", { NULL } },
    [QN_LAB_TLB_HUGE] = { 10, 1, { 2 }, "**huge** Huge pages have 1 GiB: the entry of level %u translates them.", { NULL } },
    [QN_LAB_TIMING_PARALLEL] = { 11, 0, { 1 }, NULL,
                                 { "**amat** All levels are asked at once: a reference takes the cycles of the level that has it, and no others." } },
    [QN_LAB_TIMING_STORES] = { 11, 0, { 1 }, NULL,
                               { "**amat** and **stack** A store never waits for a level behind the first: it takes the cycles of the first, and its misses "
                                 "none." } },
    [QN_LAB_TIMING_OVERLAP] = { 11, 1, { 2, 3, 4 }, "**stack** Up to %u misses of the last level are under way at a time: the cycles of memory are divided "
                                "by that, in each row, rounded down.", { NULL } },
    [QN_LAB_TIMING_TURNS] = { 11, 0, { 1 }, NULL, { "**predict** Every second round runs backwards, from the last element to the first." } },
    [QN_LAB_TIMING_TWICE] = { 11, 1, { 2, 3 }, "**predict** Each element is read %u times in a row.", { NULL } },
    [QN_LAB_TIMING_CORES] = { 11, 1, { 2, 4, 8 }, "**roofline** %u cores compute, each with the peak of `-p`; they share the bandwidth.", { NULL } },
    [QN_LAB_TIMING_WRITES] = { 11, 1, { 2 }, "**roofline** A byte that is written moves %u bytes: its line is read before.", { NULL } },
    [QN_LAB_LAYOUT_X] = { 12, 0, { 2, 3, 5 }, "**scan** x is word %u of a particle (the first is word 0),", { NULL } },
    [QN_LAB_LAYOUT_V] = { 12, 8, { 9, 11, 14 }, "and v is word %u.", { NULL } },
    [QN_LAB_LAYOUT_FIELDS] = { 12, 12, { 10, 11, 13 }, "**lookup** A record has %u fields,", { NULL } },
    [QN_LAB_LAYOUT_BACK] = { 12, 0, { 1 }, NULL, { "and they are hashed from the last to the first." } },
    [QN_LAB_LAYOUT_TIES] = { 12, 0, { 1 }, NULL, { "**events** Of events of the same time the one with the *highest* number is the next." } },
    [QN_LAB_LAYOUT_SPREAD] = { 12, 1000, { 500, 700, 1500 }, "**events** An event comes again at its time + 1 + h mod %u.", { NULL } },
    [QN_LAB_STRIDE_REGION] = { 13, 64, { 16, 32, 128 }, "**stride** A region has %u lines.", { NULL } },
    [QN_LAB_STRIDE_SURE] = { 13, 2, { 1, 3 }, "**stride** A line is prefetched when the confidence is at least %u.", { NULL } },
    [QN_LAB_DUEL_PERIOD] = { 13, 32, { 8, 12, 16 }, "**drrip** Of the fills by brrip every %u-th gets a 2.", { NULL } },
    [QN_LAB_DUEL_SETS] = { 13, 32, { 8, 16 }, "**drrip** Of every %u sets the first two are leaders.", { NULL } },
    [QN_LAB_CONTEST_BITS] = { 13, 4608, { 3072, 3584, 4096 }, "**mine** It may have %u bits.", { NULL } },
    [QN_LAB_CONTEST_LOOP] = { 13, 140, { 130, 135, 145 }, "**mine** Its loops have %u% of the lines of the cache.", { NULL } },
    [QN_LAB_CONTEST_AGAIN] = { 13, 1, { 2, 3 }, "**mine** Whatever is referenced is referenced %u times in a row: a hit may tell nothing.", { NULL } },
};

struct qn_lab_variant qn_lab_draw_variant(uint64_t seed)
{
    struct qn_lab_variant v;

    for (unsigned i = 0; i < QN_LAB_PARAMETERS; i++) {
        unsigned n = 0;

        while (n < CHOICES_MAX && table[i].choices[n])
            n++;
        v.value[i] = table[i].choices[qn_hash_mix(seed + (i + 1) * 0x9e3779b97f4a7c15ull) % n];
    }
    return v;
}

struct qn_lab_variant qn_lab_standard(void)
{
    struct qn_lab_variant v;

    for (unsigned i = 0; i < QN_LAB_PARAMETERS; i++)
        v.value[i] = table[i].standard;
    return v;
}

/* What is said of the value that a parameter has. */
static const char *text_of(const struct parameter *p, unsigned value)
{
    unsigned choice = 0;

    while (p->choices[choice] && p->choices[choice] != value)
        choice++;
    return p->text ? p->text : p->texts[choice];
}

void qn_lab_print_variant(FILE *f, unsigned lab, const struct qn_lab_variant *v)
{
    for (unsigned i = 0; i < QN_LAB_PARAMETERS; i++) {
        const char *text = text_of(&table[i], v->value[i]), *number;

        if (table[i].lab != lab)
            continue;
        fputs(*text == 'a' ? "  " : "* ", f); /* "and ...": it goes on */
        for (; (number = strstr(text, "%u")); text = number + 2)
            fprintf(f, "%.*s%u", (int)(number - text), text, v->value[i]);
        fprintf(f, "%s\n", text);
    }
}

static void print_rules_of_loops(FILE *f, const struct qn_lab_variant *v)
{
    static const char *const rows[] = { "j", "m - 1 - j", "j", "m - 1 - j" }, *const columns[] = { "i", "n - 1 - i", "n - 1 - i", "i" },
                      *const factors[] = { "(a)[i][k] * (b)[k][j]", "(a)[k][i] * (b)[k][j]", "(a)[k][i] * (b)[j][k]" };
    unsigned turn = v->value[QN_LAB_LOOPS_TURN];

    fprintf(f, "/* rules.h - what transpose and multiply mean, for driver.c.\n *\n"
               " * a[i][j], of n rows and m columns, goes to b[ROW][COLUMN];  c[i][j] gets the sum of FACTORS over k. */\n"
               "#define ROW(i, j, n, m) ((%s + %u) %% (m))\n#define COLUMN(i, j, n, m) (%s)\n#define FACTORS(a, b, i, j, k) (%s)\n",
            rows[turn], v->value[QN_LAB_LOOPS_SHIFT], columns[turn], factors[v->value[QN_LAB_LOOPS_PRODUCT]]);
}

void qn_lab_print_rules(FILE *f, unsigned lab, const struct qn_lab_variant *v)
{
    if (lab == 2)
        print_rules_of_loops(f, v);
    else if (lab == 9)
        fprintf(f, "/* rules.h - what counters, queue and lock mean, for driver.c. */\n"
                   "#define UNIT %u\n#define SHIFT %u\n#define CAPACITY %u\n#define LOW %u\n#define TIMES %u\n#define DEPTH %u\n",
                v->value[QN_LAB_COUNT_UNIT], v->value[QN_LAB_COUNT_SHIFT], v->value[QN_LAB_QUEUE_CAPACITY], v->value[QN_LAB_QUEUE_LOW],
                v->value[QN_LAB_LOCK_TIMES], v->value[QN_LAB_LOCK_DEPTH]);
    else
        fprintf(f, "/* rules.h - what scan, lookup and events mean, for driver.c. */\n"
                   "#define X %u\n#define V %u\n#define FIELDS %u\n#define BACKWARDS %u\n#define LAST_OF_EQUALS %u\n#define SPREAD %u\n",
                v->value[QN_LAB_LAYOUT_X], v->value[QN_LAB_LAYOUT_V], v->value[QN_LAB_LAYOUT_FIELDS], v->value[QN_LAB_LAYOUT_BACK],
                v->value[QN_LAB_LAYOUT_TIES], v->value[QN_LAB_LAYOUT_SPREAD]);
}

/* ---- from a key and a name ---- */

static bool complain(const char *what, const char *why)
{
    qn_text_complain("quern: lab: %s: %s", what, why);
    return false;
}

static bool read_key(const char *path, char key[WORD_MAX + 2])
{
    FILE *f = fopen(path, "re");
    bool good = f && fgets(key, WORD_MAX + 2, f);

    if (!f)
        return qn_lab_complain(path);
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
        *seed = qn_hash_mix((*seed ^ (unsigned char)*hash) + 0x9e3779b97f4a7c15ull);
    return true;
}
