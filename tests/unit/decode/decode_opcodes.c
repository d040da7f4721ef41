/* tests/unit/decode/decode_opcodes.c - the decoder and its text against binutils' libopcodes, which objdump prints
 * with.
 *
 *   decode_opcodes [-v] [-m 64|32] [-x att|intel] [-c intel|amd] [-n STRINGS] [-t SYSTEMATIC] [-s SEED] [ELF...]
 *
 * Question for each mode, syntax and vendor: is every instruction in the code of the ELF files, and at the start of
 * every string that the decoder accepts, as long for libopcodes, and is its text the same?  A difference must be one
 * of those in objdump-differences.inc, each of which has a reason; all others fail the test, and so does a row of
 * that table that its own example does not show.  Without options all eight combinations are tried.
 * -v prints every unexplained difference.  -t: so many systematic strings, evenly spread (0 = all there are).
 * Built only where binutils-dev is there; libopcodes is a test oracle and never part of quern. */
#define _GNU_SOURCE /* FNM_EXTMATCH */
#include <fnmatch.h>

#include "input.h"
#include "libopcodes.h"

#define BASE(s) ((s).machine & QN_MACHINE_32 ? 0x8049000 : 0x7f1234567000) /* random strings lie there */

struct totals {
    unsigned long same, explained, different, rejected;
};

static bool verbose;

/* reserved: of an encoding that raises #UD the text does not matter */
static enum qn_decode_status our_result(struct setting s, uint64_t at, struct result *r, bool *reserved)
{
    struct qn_insn insn;
    const uint8_t *bytes = region.bytes + at;
    enum qn_decode_status status = qn_decode_insn_for(s.machine, bytes, region.size - at, &insn);

    r->len = insn.len;
    qn_decode_print_as(s.syntax, bytes, &insn, region.base + at, r->text, sizeof r->text);
    *reserved = status == QN_DEC_OK && (insn.attr & QN_ATTR_UD);
    return status;
}

enum { IN_64 = 1, IN_32 = 2, IN_ATT = 4, IN_INTEL = 8, ON_INTEL = 16, ON_AMD = 32 };

struct difference {
    unsigned where;       /* modes, syntaxes, vendors; none of a group = all */
    const char *bytes;    /* hexadecimal, as a pattern of fnmatch(3), extended */
    const char *theirs, *ours;
    const char *example;  /* bytes of an encoding that shows it */
    const char *reason;
};
static const struct difference differences[] = {
#define D(where, bytes, theirs, ours, example, reason) {where, bytes, theirs, ours, example, reason},
#include "objdump-differences.inc"
#undef D
};
#define DIFFERENCES (sizeof differences / sizeof *differences)
static unsigned long seen[DIFFERENCES];

static unsigned setting_bits(struct setting s)
{
    return (s.machine & QN_MACHINE_32 ? IN_32 : IN_64) | (s.syntax == QN_SYNTAX_INTEL ? IN_INTEL : IN_ATT) |
           (s.machine & QN_MACHINE_AMD ? ON_AMD : ON_INTEL);
}

static bool applies(unsigned where, unsigned bits)
{
    static const unsigned groups[] = {IN_64 | IN_32, IN_ATT | IN_INTEL, ON_INTEL | ON_AMD};

    for (size_t i = 0; i < 3; i++)
        if ((where & groups[i]) && !(where & bits & groups[i]))
            return false;
    return true;
}

static bool explained(struct setting s, const uint8_t *bytes, const struct result *their, const struct result *our)
{
    char hex[2 * QN_INSN_MAX_LEN + 1];
    unsigned n = our->len > their->len ? our->len : their->len;

    for (unsigned i = 0; i < n && i < QN_INSN_MAX_LEN; i++)
        sprintf(hex + 2 * i, "%02x", bytes[i]);
    for (size_t i = 0; i < DIFFERENCES; i++) {
        const struct difference *d = &differences[i];
        if (applies(d->where, setting_bits(s)) && fnmatch(d->bytes, hex, FNM_EXTMATCH) == 0 &&
            fnmatch(d->theirs, their->text, FNM_EXTMATCH) == 0 && fnmatch(d->ours, our->text, FNM_EXTMATCH) == 0) {
            seen[i]++;
            return true;
        }
    }
    return false;
}

static void report(const uint8_t *bytes, const struct result *their, const struct result *our)
{
    printf("# ");
    for (unsigned i = 0; i < our->len || i < their->len; i++)
        printf("%02x ", bytes[i]);
    printf("\n#   theirs %2u %s\n#   ours   %2u %s\n", their->len, their->text, our->len, our->text);
}

static bool same(const struct result *a, const struct result *b)
{
    return a->len == b->len && strcmp(a->text, b->text) == 0;
}

/* Compare at one place; returns the bytes to go on by. */
static unsigned compare(struct setting s, uint64_t at, bool random, struct totals *t)
{
    const uint8_t *bytes = region.bytes + at;
    struct result their, our;
    bool reserved;
    enum qn_decode_status status = our_result(s, at, &our, &reserved);
    bool accepted = status == QN_DEC_OK;

    if (random && (!accepted || reserved)) {
        t->rejected++;
        return our.len;
    }
    their_result(at, &their);
    if (is_cut_off(status, &their))
        return their.len;
    if (joins_fwait(&their, &our))
        return our.len;
    if (same(&their, &our)) {
        t->same++;
    } else if (explained(s, bytes, &their, &our)) {
        t->explained++;
    } else {
        t->different++;
        if (verbose || t->different <= 3)
            report(bytes, &their, &our);
    }
    return accepted ? our.len : their.len ? their.len : 1;
}

struct job {
    struct setting setting;
    struct totals *totals;
};

static void compare_code(const uint8_t *bytes, size_t size, uint64_t address, void *data)
{
    const struct job *job = data;

    region = (struct region){bytes, size, address};
    for (uint64_t at = 0; at < size;)
        at += compare(job->setting, at, false, job->totals);
}

static bool compare_file(struct setting s, const char *name, struct totals *t)
{
    struct job job = {s, t};

    return each_code(name, s.machine & QN_MACHINE_32 ? ELFCLASS32 : ELFCLASS64, compare_code, &job);
}

static void compare_random(struct setting s, unsigned long count, struct totals *t)
{
    uint8_t bytes[QN_INSN_MAX_LEN];

    for (unsigned long i = 0; i < count; i++) {
        random_string(s.machine, bytes);
        region = (struct region){bytes, sizeof bytes, BASE(s)};
        compare(s, 0, true, t);
    }
}

/* An odd step, so that all opcodes and ModRM bytes take part. */
static void compare_systematic(struct setting s, unsigned long count, struct totals *t)
{
    uint8_t bytes[QN_INSN_MAX_LEN];
    unsigned long step = count && count < SYSTEMATIC ? SYSTEMATIC / count | 1 : 1;

    for (unsigned long n = 0; n < SYSTEMATIC; n += step) {
        systematic_string(n, s.machine, bytes);
        region = (struct region){bytes, sizeof bytes, BASE(s)};
        compare(s, 0, true, t);
    }
}

static unsigned points;

static bool conclude(struct setting s, const char *what, const struct totals *t)
{
    const char *mode = s.machine & QN_MACHINE_32 ? "32" : "64";
    const char *cpu = s.machine & QN_MACHINE_AMD ? "AMD" : "Intel";
    const char *syntax = s.syntax == QN_SYNTAX_INTEL ? "Intel" : "AT&T";

    printf("# %s: %lu the same, %lu explained, %lu different, %lu not decoded\n", what, t->same, t->explained,
           t->different, t->rejected);
    printf("%s %u - %s-bit mode, %s CPU, %s syntax, as libopcodes: %s\n", t->different ? "not ok" : "ok", ++points,
           mode, cpu, syntax, what);
    return t->different == 0;
}

/* Every row's own example must show the difference that it explains. */
static bool check_examples(void)
{
    bool good = true;

    for (size_t i = 0; i < DIFFERENCES; i++) {
        const struct difference *d = &differences[i];
        struct setting s = {(d->where & IN_32 ? QN_MACHINE_32 : 0) | (d->where & ON_AMD ? QN_MACHINE_AMD : 0),
                            d->where & IN_INTEL ? QN_SYNTAX_INTEL : QN_SYNTAX_ATT};
        uint8_t bytes[QN_INSN_MAX_LEN] = {0};
        const char *hex = d->example;
        struct result their, our;
        unsigned value;
        bool reserved;

        for (unsigned n = 0; n < sizeof bytes && sscanf(hex, "%2x", &value) == 1; hex += 2)
            bytes[n++] = value;
        region = (struct region){bytes, sizeof bytes, BASE(s)};
        prepare(s);
        our_result(s, 0, &our, &reserved);
        their_result(0, &their);
        seen[i] = 0;
        if (same(&their, &our) || !explained(s, bytes, &their, &our) || !seen[i]) {
            good = false;
            printf("# row %zu (%s) is not shown by its example:\n", i + 1, d->reason);
            report(bytes, &their, &our);
        }
    }
    printf("%s %u - each explained difference is there\n", good ? "ok" : "not ok", ++points);
    return good;
}

struct options {
    unsigned long strings, systematic;
    uint64_t seed;
    unsigned where; /* settings to try */
    int first_file, argc;
    char **argv;
};

static bool run(const struct options *o, struct setting s)
{
    struct totals random = {0}, systematic = {0};
    bool good = true;

    prepare(s);
    for (int i = o->first_file; i < o->argc; i++) {
        struct totals f = {0};
        if (compare_file(s, o->argv[i], &f))
            good = conclude(s, o->argv[i], &f) && good;
    }
    random_state = o->seed;
    compare_random(s, o->strings, &random);
    good = conclude(s, "random strings", &random) && good;
    compare_systematic(s, o->systematic, &systematic);
    return conclude(s, "systematic strings", &systematic) && good;
}

static struct options parse(int argc, char **argv)
{
    struct options o = {
        .strings = 100000, .systematic = 300000, .seed = 1, .first_file = 1, .argc = argc, .argv = argv};

    for (; o.first_file < argc && argv[o.first_file][0] == '-'; o.first_file++) {
        const char *value = o.first_file + 1 < argc ? argv[o.first_file + 1] : "";
        char option = argv[o.first_file][1];
        if (option == 'v') {
            verbose = true;
            continue;
        }
        o.first_file++;
        if (option == 'n')
            o.strings = strtoul(value, NULL, 0);
        else if (option == 't')
            o.systematic = strtoul(value, NULL, 0);
        else if (option == 's')
            o.seed = strtoul(value, NULL, 0);
        else if (option == 'm')
            o.where |= *value == '3' ? IN_32 : IN_64;
        else if (option == 'x')
            o.where |= *value == 'i' ? IN_INTEL : IN_ATT;
        else if (option == 'c')
            o.where |= *value == 'a' ? ON_AMD : ON_INTEL;
    }
    return o;
}

int main(int argc, char **argv)
{
    struct options o = parse(argc, argv);
    bool good = check_examples();

    for (unsigned i = 0; i < 8; i++) {
        struct setting s = {(i & 1 ? QN_MACHINE_32 : 0) | (i & 2 ? QN_MACHINE_AMD : 0),
                            i & 4 ? QN_SYNTAX_INTEL : QN_SYNTAX_ATT};
        if (applies(o.where, setting_bits(s)))
            good = run(&o, s) && good;
    }
    printf("1..%u\n", points);
    return good ? 0 : 1;
}
