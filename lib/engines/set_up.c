/* lib/engines/set_up.c - finds or compiles an engine that has the chosen modules, and tells it what goes into which slot.
 *
 *   D1=srrip                  quern-engine, "I1=default D1=srrip:50b34235a5a88360 LL=default ...": it has the module, by hash
 *   D1=cachesim_D1.c          the file that emitted code was written for is the default
 *   D1=mine.c                 compiled, or kept from before: an engine that has it, too
 *   ./mysim                   that engine as it is; with a second simulator, or an analysis, what it was built of
 *
 * An engine has every module that ships in every slot where it fits, so a compiler is only needed for files of one's own, and for those
 * that were changed since quern was made.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/output.h"
#include "engines/engines.h"
#include "text/error.h"

#define EXIT_NO_ENGINE 70

static const char plain[] = "default";

static bool is_plain(const struct qn_engines_module *m) { return !m->name || !strcmp(m->name, plain); }

static const char *hash_of(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon ? colon + 1 : "";
}

/* ---- what an engine has ---- */

/* Is there a line "D1=...:HASH" in a list of units? */
static bool has_unit(const char *units, const char *slot, const char *hash)
{
    for (const char *at = units, *end; at && *at; at = end + (*end != 0)) {
        end = strchrnul(at, '\n');
        if (!strncmp(at, slot, 2) && at[2] == '=' && (size_t)(end - at) > strlen(hash) && !strncmp(end - strlen(hash), hash, strlen(hash)))
            return true;
    }
    return false;
}

/* Does the engine contain the module, or is the module the default? */
static bool has_module(const struct qn_engines_texts *t, enum qn_engines_slot slot, struct qn_engines_module *m)
{
    const char *hash = is_plain(m) ? NULL : hash_of(m->name);
    char *own, *usual;
    bool has;

    if (!hash)
        return true;
    own = qn_engines_text_of_slot(t->description, slot);
    usual = qn_engines_text_of_slot(t->defaults, slot);
    if (usual && !strcmp(usual, hash))
        strcpy(m->name, plain);
    has = is_plain(m) || (own && !strcmp(hash_of(own), hash)) || has_unit(t->units, qn_engines_slot_names[slot], hash);
    free(own);
    free(usual);
    return has;
}

static bool has_modules(const struct qn_engines_texts *t, struct qn_engines_choice *c)
{
    for (int i = 0; c && i < QN_ENGINES_SLOTS; i++)
        if (!has_module(t, (enum qn_engines_slot)i, &c->slot[i]))
            return false;
    return true;
}

/* ---- what an engine was built of ---- */

/* A slot that was not named keeps what the engine has there. */
static void take_own(struct qn_engines_choice *c, const struct qn_engines_texts *t)
{
    for (int i = 0; i < QN_ENGINES_SLOTS; i++) {
        char *own = c->slot[i].name ? NULL : qn_engines_text_of_slot(t->description, (enum qn_engines_slot)i);

        if (own && strchr(own, ':'))
            c->slot[i].name = own;
        else
            free(own);
    }
}

/* Finds the file of a module that is given by its hash.  The file must still have this hash. */
static bool find_source(struct qn_engines_choice *c, enum qn_engines_slot slot, const struct qn_engines_texts *t, const char *engine)
{
    struct qn_engines_module *m = &c->slot[slot];
    const char *library = qn_engines_library(c->tool);
    char *path = qn_engines_text_of_slot(t->sources, slot), *now;
    bool same;

    if (!library)
        return false;
    if (!path) {
        qn_text_complain("quern: %s: %s=%s is in no engine that is there", c->tool, qn_engines_slot_names[slot], m->name);
        return false;
    }
    if (path[0] == '/')
        m->file = path;
    else if (asprintf(&m->file, "%s/../%s", library, path) < 0) /* in a build tree the path is relative to the folder that holds lib/ */
        return false;
    m->given = m->file;
    now = qn_engines_name_module(m->file);
    same = !access(m->file, R_OK) && now && !strcmp(hash_of(now), hash_of(m->name));
    free(now);
    if (!same)
        qn_text_complain("quern: %s: %s: slot %s was built from %s, which has changed since; build it again", c->tool, engine,
                         qn_engines_slot_names[slot], m->file);
    return same;
}

/* ---- compiling ---- */

static bool fits_elsewhere(const struct qn_engines_choice *c, enum qn_engines_slot slot, const struct qn_engines_texts *t)
{
    char others[3 * QN_ENGINES_SLOTS + 1] = "";

    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        if (has_unit(t->units, qn_engines_slot_names[i], hash_of(c->slot[slot].name)))
            sprintf(others + strlen(others), " %s", qn_engines_slot_names[i]);
    if (*others)
        qn_text_complain("quern: %s: %s=%s: is not for this slot, only for%s", c->tool, qn_engines_slot_names[slot], c->slot[slot].given, others);
    return *others;
}

/* Lists the files of `c` that the default engine does not contain.  `own` is the engine that `c` named, or NULL.  false: a line was printed. */
static bool list_files(struct qn_engines_choice *c, const struct qn_engines_texts *engine, const struct qn_engines_texts *own,
                       const char *file[QN_ENGINES_SLOTS])
{
    for (int i = 0; i < QN_ENGINES_SLOTS; i++) {
        struct qn_engines_module *m = &c->slot[i];
        enum qn_engines_slot slot = (enum qn_engines_slot)i;

        if (has_module(engine, slot, m))
            continue;
        if ((!m->file && !find_source(c, slot, own, c->engine)) || fits_elsewhere(c, slot, engine))
            return false;
        file[i] = m->given;
    }
    return true;
}

/* Puts both simulators into one engine.  Where only the second has a file of its own, the first does not use that file. */
static int compile(struct qn_engines_choice *a, struct qn_engines_choice *b, const char *engine, const struct qn_engines_texts own[2],
                   struct qn_engines_setup *s)
{
    struct qn_engines_build build = { .tool = a->tool, .kept = true };
    struct qn_engines_texts read = { .description = NULL };
    const struct qn_engines_texts *t = a->engine ? &read : &own[0];
    bool good = (!a->engine || qn_engines_read_texts(engine, &read)) && list_files(a, t, &own[0], build.module)
                && (!b || list_files(b, t, &own[1], build.second));

    for (int i = 0; i < QN_ENGINES_SLOTS && b; i++) {
        if (!build.module[i] || (build.second[i] && !strcmp(hash_of(a->slot[i].name), hash_of(b->slot[i].name)))) {
            build.module[i] = build.second[i] ? build.second[i] : build.module[i];
            build.second[i] = NULL;
        }
    }
    qn_engines_free_texts(&read);
    s->engine = good ? qn_engines_keep(&build, &s->scratch) : NULL;
    s->compiled = true;
    s->from = build;
    return s->engine ? 0 : QN_EXIT_USAGE;
}

/* ---- all ---- */

/* "I1=default D1=srrip:50b3... ...", with slot AN only if there is an analysis. */
static char *list_slots(const struct qn_engines_choice *c, const char *between)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);

    for (int i = 0; f && i < QN_ENGINES_SLOTS; i++)
        if (i != QN_ENGINES_AN || c->slot[i].name)
            fprintf(f, "%s%s=%s", i ? between : "", i == QN_ENGINES_LL && c->at_L2 ? "L2" : qn_engines_slot_names[i], c->slot[i].name ? c->slot[i].name : plain);
    for (int i = 0; f && i < c->nmore; i++)
        fprintf(f, "%sAN=%s", between, c->more[i].name);
    if (f)
        fclose(f);
    return text;
}

static bool names_nothing(const struct qn_engines_choice *c)
{
    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        if (c->slot[i].name)
            return false;
    return true;
}

/* The engine must contain all analyses but one.  That one comes first, and is compiled if need be. */
static bool sort_analyses(struct qn_engines_choice *c, const struct qn_engines_texts *t)
{
    for (int i = 0; i < c->nmore; i++) {
        struct qn_engines_module other = c->slot[QN_ENGINES_AN];

        if (has_module(t, QN_ENGINES_AN, &c->more[i]))
            continue;
        if (!has_module(t, QN_ENGINES_AN, &other)) {
            qn_text_complain("quern: %s: --analysis=%s: one file of your own at most; %s is one, too", c->tool, c->more[i].given, other.given);
            return false;
        }
        c->slot[QN_ENGINES_AN] = c->more[i];
        c->more[i] = other;
    }
    return true;
}

static bool observes(const struct qn_engines_texts *t, const char *name)
{
    const char *hash = name ? hash_of(name) : "", *at = *hash && t->observers ? strstr(t->observers, hash) : NULL;

    return at && at[strlen(hash)] == '\n';
}

/* Chooses an engine that contains everything: the one named by the first simulator, else by the second, else one that is compiled. */
static int find_engine(struct qn_engines_choice *a, struct qn_engines_choice *b, const char *usual, const struct qn_engines_texts own[2],
                       struct qn_engines_setup *s)
{
    const char *const engines[] = { a->engine ? a->engine : usual, b && b->engine ? b->engine : NULL };

    for (int i = 0; i < 2 && engines[i]; i++)
        if (has_modules(&own[i], a) && has_modules(&own[i], b)) {
            s->engine = strdup(engines[i]);
            return 0;
        }
    return compile(a, b, usual, own, s);
}

static int no_engine(const struct qn_engines_choice *c)
{
    qn_engines_tell_no_engine(c->tool);
    return EXIT_NO_ENGINE;
}

int qn_engines_set_up(struct qn_engines_choice *a, struct qn_engines_choice *b, struct qn_engines_setup *s)
{
    bool as_it_is = names_nothing(a) && !b;
    char *usual = as_it_is && a->engine ? NULL : qn_engines_default_engine();
    const char *first = a->engine ? a->engine : usual;
    struct qn_engines_texts own[2] = { { .description = NULL }, { .description = NULL } };
    int status = 0;

    *s = (struct qn_engines_setup){ .engine = NULL };
    if (!first || !qn_engines_read_texts(first, &own[0]) || (b && !qn_engines_read_texts(b->engine ? b->engine : usual, &own[1])))
        return no_engine(a);
    if (!sort_analyses(a, &own[0])) {
        qn_engines_free_texts(&own[0]);
        qn_engines_free_texts(&own[1]);
        free(usual);
        return QN_EXIT_USAGE;
    }
    take_own(a, &own[0]);
    if (b && b->engine)
        take_own(b, &own[1]);
    if (b)
        b->slot[QN_ENGINES_AN] = (struct qn_engines_module){ .name = NULL };
    if (as_it_is)
        s->engine = strdup(first);
    else
        status = find_engine(a, b, usual, own, s);
    s->slots = as_it_is ? strdup("") : list_slots(a, " ");
    s->other = b ? list_slots(b, " ") : strdup("");
    s->analyses = !is_plain(&a->slot[QN_ENGINES_AN]);
    if (s->analyses && s->engine) {
        qn_engines_free_texts(&own[0]);
        qn_engines_read_texts(s->engine, &own[0]);
        s->observes = observes(&own[0], a->slot[QN_ENGINES_AN].name);
        for (int i = 0; i < a->nmore; i++)
            s->mixed |= observes(&own[0], a->more[i].name) != s->observes;
    }
    qn_engines_free_texts(&own[0]);
    qn_engines_free_texts(&own[1]);
    free(usual);
    return status;
}

void qn_engines_remove_scratch(struct qn_engines_setup *s)
{
    if (s->scratch)
        qn_text_remove_scratch(s->scratch);
    free(s->scratch);
    s->scratch = NULL;
}

bool qn_engines_add_lines(const struct qn_engines_setup *s, struct qn_engines_setup *with_lines)
{
    struct qn_engines_build b = s->from;
    char *output = NULL;

    *with_lines = (struct qn_engines_setup){ .engine = s->compiled ? NULL : strdup(s->engine) };
    if (!s->compiled && with_lines->engine)
        return true;
    if (!(with_lines->scratch = qn_engines_scratch(b.tool)) || asprintf(&output, "%s/engine", with_lines->scratch) < 0)
        return false;
    b.kept = false;
    b.cflags = "-w"; /* its warnings were shown when it was compiled first */
    b.output = with_lines->engine = output;
    return !qn_engines_build(&b);
}

char *qn_engines_by_name(struct qn_engines_choice *c)
{
    char *engine = qn_engines_default_engine(), *text = NULL;
    struct qn_engines_texts t;

    if (engine && qn_engines_read_texts(engine, &t)) {
        if (has_modules(&t, c))
            text = list_slots(c, "+");
        qn_engines_free_texts(&t);
    }
    free(engine);
    return text;
}
