/* lib/engines/choose.c - how users name simulators: the same in all commands.
 *
 *   srrip  mine.c          the module in the slot where one looks for it: policies, prefetchers and levels in D1, predictors in BC or BI, an
 *                          analysis in AN; a level that only fits another slot there
 *   D1=mine.c,BC=gshare    a module per slot, and one at most; a plus separates them, too
 *   ./mysim  mysim         an engine built before: a path, or a name beside quern or in its libexec, which comes before modules
 *   default                what this quern was built with
 *   D1=srrip:50b3...       the module of this hash that the engine has, as profiles name it
 *
 * Files are looked for and hashed here; nothing is compiled.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/engines.h"
#include "text/error.h"

#define SOURCE_MAX (1u << 20) /* bytes of a file that are read */
#define HASH_DIGITS 16

/* ---- sources ---- */

char *qn_engines_read_source(const char *file)
{
    FILE *f = fopen(file, "r");
    char *text = f ? calloc(1, SOURCE_MAX) : NULL;
    size_t n = text ? fread(text, 1, SOURCE_MAX - 1, f) : 0;

    if (text)
        text[n] = 0;
    if (f)
        fclose(f);
    return text;
}

static const char *skip_blanks(const char *p) { return p + strspn(p, " \t"); }

bool qn_engines_source_defines(const char *source, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = source; (p = strchr(p, '#')); p++) {
        const char *word = skip_blanks(p + 1);

        if (strncmp(word, "define", 6) || !isblank((unsigned char)word[6]))
            continue;
        word = skip_blanks(word + 6);
        if (!strncmp(word, name, n) && !isalnum((unsigned char)word[n]) && word[n] != '_')
            return true;
    }
    return false;
}

/* The slot of a level: D1, unless its source names one other slot; -1: it names two others. */
static int slot_of_level(const char *source)
{
    const char *at = strstr(source, "#define LEVEL_SLOTS");
    char *line = at ? strndup(at, strcspn(at, "\n")) : NULL;
    bool D1 = !line || strstr(line, "LEVEL_IN_D1"), I1 = line && strstr(line, "LEVEL_IN_I1");

    free(line);
    return D1 ? QN_ENGINES_D1 : I1 ? QN_ENGINES_I1 : QN_ENGINES_LL;
}

/* The usual slot of a module of this kind; -1: the kind has none. */
static int usual_slot(const char *source)
{
    static const char *const functions[] = { "cachesim_I1_", "cachesim_D1_", "cachesim_LL_", "branchsim_BC_", "branchsim_BI_" };

    if (qn_engines_source_defines(source, "POLICY"))
        return QN_ENGINES_D1;
    if (qn_engines_source_defines(source, "ANALYSIS"))
        return QN_ENGINES_AN;
    for (int i = 0; i < QN_ENGINES_AN; i++) /* predictors, and levels for one slot, as the default files */
        if (strstr(source, functions[i]))
            return i;
    return qn_engines_source_defines(source, "LEVEL") || qn_engines_source_defines(source, "PREFETCHER") ? slot_of_level(source) : -1;
}

/* ---- modules ---- */

static bool refuse(const struct qn_engines_choice *c, const char *got, const char *what)
{
    qn_text_complain("quern: %s: %s=%s: %s", c->tool, c->option, got, what);
    return false;
}

/* "srrip:50b34235a5a88360" */
static bool has_hash(const char *text)
{
    const char *colon = strrchr(text, ':');

    return colon && strlen(colon + 1) == HASH_DIGITS && strspn(colon + 1, "0123456789abcdef") == HASH_DIGITS && !strchr(text, '/');
}

static bool find_usual_slot(const struct qn_engines_choice *c, const char *file, const char *given, int *slot)
{
    char *source = qn_engines_read_source(file);

    *slot = source ? usual_slot(source) : -1;
    if (!source)
        return refuse(c, given, strerror(errno));
    if (*slot < 0 && !source[strspn(source, " \t\r\n")])
        refuse(c, given, "the file is empty: it defines none of POLICY, PREFETCHER, LEVEL, PREDICTOR, ANALYSIS");
    else if (*slot < 0)
        refuse(c, given, "in which slot? It is no policy, level, predictor or analysis by itself; say D1=FILE");
    free(source);
    return *slot >= 0;
}

static void free_module(struct qn_engines_module *m)
{
    free(m->given);
    free(m->file);
    free(m->name);
}

void qn_engines_free_choice(struct qn_engines_choice *c)
{
    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        free_module(&c->slot[i]);
    for (int i = 0; i < c->nmore; i++)
        free_module(&c->more[i]);
    free(c->engine);
}

/* Of slot AN there may be several. */
static bool place(struct qn_engines_choice *c, int slot, const struct qn_engines_module *m)
{
    bool first = !c->slot[slot].name;

    if (!first && slot != QN_ENGINES_AN) {
        qn_text_complain("quern: %s: %s=%s: slot %s has %s already; a slot has one module", c->tool, c->option, m->given,
                         qn_engines_slot_names[slot], c->slot[slot].given);
        return false;
    }
    if (!first && !strcmp(c->slot[slot].name, m->name))
        return refuse(c, m->given, "the same analysis twice");
    for (int i = 0; !first && i < c->nmore; i++)
        if (!strcmp(c->more[i].name, m->name))
            return refuse(c, m->given, "the same analysis twice");
    if (!first && c->nmore == QN_ENGINES_MORE_MAX)
        return refuse(c, m->given, "more analyses than there is room for");
    if (first)
        c->slot[slot] = *m;
    else
        c->more[c->nmore++] = *m;
    return true;
}

static bool find_module(const struct qn_engines_choice *c, const char *library, int *slot, struct qn_engines_module *m)
{
    if (*slot >= 0 && (!strcmp(m->given, "default") || has_hash(m->given)))
        return (m->name = strdup(m->given));
    m->file = qn_engines_find_module(c->tool, library, *slot < 0 ? QN_ENGINES_D1 : (enum qn_engines_slot)*slot, m->given);
    return m->file && (*slot >= 0 || find_usual_slot(c, m->file, m->given, slot)) && (m->name = qn_engines_name_module(m->file));
}

bool qn_engines_choose_module(struct qn_engines_choice *c, int slot, const char *module)
{
    const char *library = qn_engines_library(c->tool);
    struct qn_engines_module m = { .given = library ? strdup(module) : NULL };

    if (m.given && find_module(c, library, &slot, &m) && place(c, slot, &m))
        return true;
    free_module(&m);
    return false;
}

/* ---- lists ---- */

static bool is_slot(const char *text) { return strcspn(text, "=,+") == 2 && text[2] == '=' && isupper((unsigned char)*text); }

/* Paths may hold commas and pluses.  So these end a word only if a slot or a complete name follows. */
static size_t word_length(const char *text)
{
    const char *value = is_slot(text) ? text + 3 : text;
    size_t n = 0, next;

    if (access(value, F_OK) == 0)
        return strlen(text);
    for (;; n++) {
        n += strcspn(text + n, ",+");
        if (!text[n])
            return n;
        next = strcspn(text + n + 1, ",+");
        if (is_slot(text + n + 1) || (next && !memchr(text + n + 1, '/', next)))
            return n;
    }
}

static bool choose_word(struct qn_engines_choice *c, const char *text, char *word)
{
    int slot = is_slot(word) ? qn_engines_find_slot(word, 2) : -1;

    if (is_slot(word) && slot < 0) {
        qn_text_complain("quern: %s: %s=%s: got '%s', wanted a simulator, or SLOT=MODULE with slot I1, D1, LL, BC, BI or AN", c->tool,
                         c->option, text, word);
        return false;
    }
    return (slot < 0 && !strcmp(word, "default")) || qn_engines_choose_module(c, slot, slot < 0 ? word : word + 3);
}

static bool choose_words(struct qn_engines_choice *c, const char *text)
{
    for (const char *at = text; *at;) {
        size_t n = word_length(at);
        char *word = strndup(at, n);
        bool good = word && choose_word(c, text, word);

        free(word);
        if (!good)
            return false;
        at += n + (at[n] != 0);
    }
    return true;
}

bool qn_engines_choose_analyses(struct qn_engines_choice *c, const char *list)
{
    for (const char *at = list;; at++) {
        size_t n = access(at, F_OK) ? strcspn(at, ",") : strlen(at);
        char *word = strndup(at, n);
        bool good = word && qn_engines_choose_module(c, QN_ENGINES_AN, word);

        free(word);
        at += n;
        if (!good || !*at)
            return good;
    }
}

/* ---- all ---- */

static bool is_module_name(const char *library, const char *name)
{
    char *probe;
    bool is = false;
    static const char *const folders[] = { "policy", "prefetch", "level", "bpred", "analysis" };

    for (size_t i = 0; i < sizeof folders / sizeof *folders && !is; i++)
        if (asprintf(&probe, "%s/sim/%s/%s.c", library, folders[i], name) >= 0) {
            is = access(probe, F_OK) == 0;
            free(probe);
        }
    return is;
}

bool qn_engines_choose(struct qn_engines_choice *c, const char *text)
{
    const char *library;
    size_t n = strlen(text);
    bool source = n > 2 && !strcmp(text + n - 2, ".c");

    if (!strcmp(text, "default"))
        return true;
    if (!*text)
        return refuse(c, text, "wanted a simulator, or SLOT=MODULE");
    if (source || is_slot(text))
        return choose_words(c, text);
    if (!strchr(text, '/')) {
        if ((c->engine = qn_engines_search_engine(c->tool, NULL, text)))
            return true;
        library = qn_engines_library(c->tool);
        if (!library)
            return false;
        if (strpbrk(text, ",+") || is_module_name(library, text))
            return choose_words(c, text);
    } else if (strchr(text, '=') && access(text, F_OK)) {
        return choose_words(c, text);
    }
    if (strchr(text, ',') && access(text, F_OK))
        return refuse(c, text, "wanted one simulator that was built before, or SLOT=MODULE,...");
    c->engine = qn_engines_search_engine(c->tool, c->option, text);
    return c->engine;
}
