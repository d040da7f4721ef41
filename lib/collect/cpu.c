/* lib/collect/cpu.c - quern run --cpu: the processor that the guest sees; QUERN_ENGINE_CPU: the features that the engine uses.
 *
 *   --cpu=x86-64-v2                 one of the levels of the x86-64 psABI, and nothing else: the same on every machine
 *   --cpu=x86-64-v3,-bmi2,+sha      a level with a feature less and one more
 *   --cpu=-avx512f                  this machine's processor, without AVX-512 and all features that depend on it
 *
 * In:  the option's value, this processor's CPUID
 * Out: struct qn_cpu: masks of CPUID by leaf (lib/run/core/cpu.c applies them); or one message and QN_EXIT_USAGE.
 *      A feature that this processor lacks is refused.
 *
 * The variable takes the same words.  It is for tests of the engine's decisions that depend on the processor (lib/run/core/cpu.c).  Counts
 * do not depend on it.
 *
 * Names are those of /proc/cpuinfo, as `quern dis` has them (decode/features.inc).
 */
#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/decode.h"
#include "collect/collect.h"

#define FEATURES_MAX 192
#define TEXT_MAX 1024

/* Features that no instruction needs, but by which libraries choose code. */
static const struct qn_feature others[] = {
    { "erms", 7, 0, QN_RBX, 9 },   { "fsrm", 7, 0, QN_RDX, 4 },  { "fzrm", 7, 1, QN_RAX, 10 },
    { "fsrs", 7, 1, QN_RAX, 11 },  { "fsrc", 7, 1, QN_RAX, 12 }, { "mmxext", 0x80000001, 0, QN_RDX, 22 },
};

/* x86-64 psABI, 3.1.1, table 3.1.  Each level includes those before it.  (The table does not have tsc and clfsh, but all such processors do.) */
static const struct {
    const char *name, *features;
} levels[] = {
    { "x86-64", "cmov cx8 fpu fxsr mmx syscall sse sse2 tsc clfsh" },
    { "x86-64-v2", "cx16 lahf_lm popcnt sse3 sse4_1 sse4_2 ssse3" },
    { "x86-64-v3", "avx avx2 bmi1 bmi2 f16c fma lzcnt movbe xsave" },
    { "x86-64-v4", "avx512f avx512bw avx512cd avx512dq avx512vl" },
};
#define LEVELS (sizeof levels / sizeof levels[0])

/* Each feature needs the one behind it; * stands for one or more characters. */
static const char *const needs[][2] = {
    { "ssse3", "sse3" }, { "sse4_1", "ssse3" }, { "sse4_2", "sse4_1" }, { "avx", "sse4_2" }, { "avx", "xsave" },
    { "xsave*", "xsave" }, { "pku", "xsave" }, { "amx_*", "xsave" }, { "amx_*", "amx_tile" }, { "avx2", "avx" },
    { "avx_*", "avx2" }, { "fma", "avx" }, { "fma4", "avx" }, { "xop", "avx" }, { "f16c", "avx" }, { "vaes", "avx" },
    { "vpclmulqdq", "avx" }, { "avx512f", "avx2" }, { "avx512f", "fma" }, { "avx512f", "f16c" }, { "avx512*", "avx512f" },
};

/* Features, and the components of XCR0 that hold their registers. */
static const struct {
    const char *feature;
    uint64_t components;
} states[] = {
    { "avx", 1 << 2 }, { "mpx", 3 << 3 }, { "avx512f", 7 << 5 }, { "pku", 1 << 9 }, { "amx_tile", 3 << 17 },
};
#define STATE_ALWAYS 3u /* x87, SSE */

struct choice {
    const struct qn_feature *feature[FEATURES_MAX];
    bool shown[FEATURES_MAX], host[FEATURES_MAX];
    size_t count;
};

static bool host_has(const struct qn_feature *f)
{
    unsigned r[4] = { 0 }; /* by number of the register */

    if (!__get_cpuid_count(f->leaf, f->subleaf, &r[QN_RAX], &r[QN_RBX], &r[QN_RCX], &r[QN_RDX]))
        return false;
    return r[f->reg] >> f->bit & 1;
}

static void add_feature(struct choice *c, const struct qn_feature *f)
{
    if (f->reg > QN_RBX || c->count == FEATURES_MAX)
        return;
    c->feature[c->count] = f;
    c->shown[c->count] = c->host[c->count] = host_has(f);
    c->count++;
}

static int find(const struct choice *c, const char *name)
{
    for (size_t i = 0; i < c->count; i++)
        if (!strcmp(c->feature[i]->name, name))
            return (int)i;
    return -1;
}

static const char *whose; /* value this is: the option, or the variable */

static bool fail(const char *name, const char *what)
{
    qn_collect_complain("%s: %s: %s", whose, name, what);
    return false;
}

static bool lacks(const char *name, const char *feature)
{
    char what[64];

    snprintf(what, sizeof what, "this processor has no %s", feature);
    return fail(name, what);
}

static bool show_level(struct choice *c, const char *level)
{
    char text[TEXT_MAX], *rest = text, *name;
    size_t last = 0;

    while (last < LEVELS && strcmp(levels[last].name, level))
        last++;
    if (last == LEVELS)
        return fail(level, "no such processor; there are native, x86-64, x86-64-v2, x86-64-v3, x86-64-v4, +FEATURE and -FEATURE");
    memset(c->shown, 0, sizeof c->shown);
    for (size_t i = 0; i <= last; i++) {
        snprintf(text, sizeof text, "%s", levels[i].features);
        for (rest = text; (name = strsep(&rest, " "));) {
            int at = find(c, name);

            if (at < 0 || !c->host[at])
                return lacks(level, name);
            c->shown[at] = true;
        }
    }
    return true;
}

static bool is_called(const char *pattern, const char *name)
{
    size_t n = strcspn(pattern, "*");

    return pattern[n] ? !strncmp(pattern, name, n) && name[n] : !strcmp(pattern, name);
}

/* Hides the feature `name` and all features that need it. */
static void hide(struct choice *c, const char *name)
{
    int at = find(c, name);

    if (at < 0 || !c->shown[at])
        return;
    c->shown[at] = false;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        for (size_t k = 0; k < c->count && !strcmp(needs[i][1], name); k++)
            if (is_called(needs[i][0], c->feature[k]->name))
                hide(c, c->feature[k]->name);
}

static void show(struct choice *c, const char *name)
{
    int at = find(c, name);

    if (at < 0 || c->shown[at] || !c->host[at])
        return;
    c->shown[at] = true;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (is_called(needs[i][0], name) && strcmp(needs[i][1], name))
            show(c, needs[i][1]);
}

static bool is_base(const char *name)
{
    const char *at = strstr(levels[0].features, name);
    size_t n = strlen(name);

    while (at && ((at > levels[0].features && at[-1] != ' ') || (at[n] && at[n] != ' ')))
        at = strstr(at + 1, name);
    return at != NULL;
}

/* +FEATURE, -FEATURE */
static bool change(struct choice *c, const char *word)
{
    int at = find(c, word + 1);

    if (at < 0)
        return fail(word, "no such feature; names are those of /proc/cpuinfo");
    if (word[0] == '-' && is_base(word + 1))
        return fail(word, "every x86-64 processor has it");
    if (word[0] == '+' && !c->host[at])
        return lacks(word, word + 1);
    (word[0] == '+' ? show : hide)(c, word + 1);
    return true;
}

static bool take_word(struct choice *c, const char *word, size_t nth, struct qn_cpu *cpu)
{
    if (*word == '+' || *word == '-')
        return change(c, word);
    if (nth)
        return fail(word, "wanted +FEATURE or -FEATURE behind the name of the processor");
    cpu->fixed = strcmp(word, "native") != 0;
    return !cpu->fixed || show_level(c, word);
}

static uint32_t *keep_of(struct qn_cpu *cpu, const struct qn_feature *f)
{
    uint32_t i = 0;

    while (i < cpu->leaves && (cpu->leaf[i].leaf != f->leaf || cpu->leaf[i].subleaf != f->subleaf))
        i++;
    if (i == QN_CPU_LEAVES)
        abort(); /* features.inc has more leaves than the arena has room for */
    if (i == cpu->leaves) {
        cpu->leaves++;
        cpu->leaf[i].leaf = f->leaf;
        cpu->leaf[i].subleaf = f->subleaf;
        memset(cpu->leaf[i].keep, cpu->fixed ? 0 : 0xff, sizeof cpu->leaf[i].keep);
    }
    return &cpu->leaf[i].keep[f->reg];
}

static void fill(struct qn_cpu *cpu, const struct choice *c)
{
    uint64_t with = STATE_ALWAYS, without = 0;

    for (size_t i = 0; i < c->count; i++) {
        uint32_t *keep = keep_of(cpu, c->feature[i]), bit = 1u << c->feature[i]->bit;

        *keep = c->shown[i] ? *keep | bit : *keep & ~bit;
    }
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        *(c->shown[find(c, states[i].feature)] ? &with : &without) |= states[i].components;
    cpu->masked = 1;
    /* Without xsave in CPUID, programs do not ask for its size; if they store anyway, the whole state is stored. */
    cpu->state = !c->shown[find(c, "xsave")] ? ~0ull : cpu->fixed ? with : ~without;
}

static struct choice chosen;

static bool choose(const char *of, const char *value, struct qn_cpu *cpu)
{
    struct choice *c = &chosen;
    const struct qn_feature *all;
    size_t n = qn_decode_all_features(&all), nth = 0;
    char *text = strdup(value), *rest = text, *word;
    bool right = text != NULL;

    whose = of;
    memset(cpu, 0, sizeof *cpu);
    c->count = 0;
    for (size_t i = 0; i < n; i++)
        add_feature(c, &all[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        add_feature(c, &others[i]);
    while (right && (word = strsep(&rest, ",")))
        right = take_word(c, word, nth++, cpu);
    free(text);
    if (right && strcmp(value, "native"))
        fill(cpu, c);
    return right;
}

bool qn_collect_choose_cpu(const char *value, struct qn_cpu *cpu) { return choose("--cpu", value, cpu); }

/* Features that values of --vectors need (lib/run/core/cpu.c). */
static const char *const vector_features[][3] = {
    [QN_VECTORS_AVX2] = { "avx2", "bmi1" }, [QN_VECTORS_AVX512] = { "avx512f", "avx512bw", "avx512vl" },
};

static bool leaves_vectors(const char *value, const char *vectors, const char *const features[3])
{
    for (int i = 0; i < 3 && features[i]; i++)
        if (!chosen.shown[find(&chosen, features[i])]) {
            qn_collect_complain("--vectors=%s: " QN_ENGINE_CPU_VARIABLE "=%s leaves no %s", vectors, value, features[i]);
            return false;
        }
    return true;
}

bool qn_collect_choose_engine_cpu(uint64_t vectors, struct qn_cpu *cpu)
{
    const char *value = getenv(QN_ENGINE_CPU_VARIABLE);

    if (!value || !*value)
        return true;
    if (!choose(QN_ENGINE_CPU_VARIABLE, value, cpu))
        return false;
    return (vectors != QN_VECTORS_AVX2 && vectors != QN_VECTORS_AVX512) ||
           leaves_vectors(value, vectors == QN_VECTORS_AVX2 ? "avx2" : "avx512", vector_features[vectors]);
}
