/* tools/sim/list.c - `quern sim list` and `show`: what ships, as the head and the source of each module's file say.
 *
 *   D1                                      modules of slot D1 only, by year; other groups: "I1 D1 LL", "BC" ...
 *     writeback     1993        -  filter   a write-back cache: ...
 *     |             |           |  |        the head's first sentence, or as much of it as a line of 100 columns has room for
 *     name          |           |  how references reach it in a run, see `reach`
 *                   |           bits of storage with default options: what the head says of Storage; of policies in a set of W ways; -: it has no figure
 *                   year: the first under Source
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools.h"
#include "base/base.h"
#include "base/grow.h"
#include "engines/engines.h"
#include "json/json.h"
#include "sim_tool.h"

#define LINE_MAX_COLUMNS 100
#define BITS_COLUMNS 9

struct module {
    const char *folder;
    char *path, *head, *source; /* head: the comment at the top, as one line */
    char name[64], slots[16];
    uint64_t hash;
    int year;                   /* 0: none */
};

struct modules {
    struct module *at;
    size_t n;
};

/* ---- what a file says ---- */

/* The comment that the text begins with, without its marks, its lines joined by blanks. */
static char *read_head(const char *source)
{
    const char *end = strstr(source, "*/"), *at = source + strspn(source, "/* ");
    char *head = QN_NEEDED(calloc(strlen(source) + 1, 1)), *to = head;

    for (; *at && (!end || at < end); at++) {
        if (*at != '\n') {
            *to++ = *at;
            continue;
        }
        *to++ = ' ';
        at += strspn(at, "\n *") - 1;
    }
    return head;
}

/* What stands in the head behind "Storage: ", up to the next such word or the end; "" if it is not there. */
static const char *find_in_head(const struct module *m, const char *word)
{
    const char *at = strstr(m->head, word);

    return at ? at + strlen(word) : "";
}

static int read_year(const struct module *m)
{
    for (const char *at = find_in_head(m, "Source: "); *at; at++)
        if (isdigit((unsigned char)*at)) {
            char *end;
            long number = strtol(at, &end, 10);

            if (end - at == 4 && number >= 1900 && number < 2100)
                return (int)number;
            at = end - 1;
        }
    return 0;
}

/* "LEVEL_IN_I1 | LEVEL_IN_D1" -> "I1 D1" */
static void read_slots(struct module *m)
{
    const char *level = strstr(m->source, "#define LEVEL_SLOTS"), *at = level ? level : strstr(m->source, "#define BESIDE_SLOTS");
    const char *end = at ? at + strcspn(at, "\n") : NULL;

    if (!strcmp(m->folder, "bpred")) {
        strcpy(m->slots, strstr(m->source, "branchsim_BI_target(") ? "BI" : "BC");
    } else if (!strcmp(m->folder, "analysis")) {
        strcpy(m->slots, "AN");
    } else if (!strcmp(m->folder, "coherence")) {
        strcpy(m->slots, "D1");
    } else if (!at) {
        strcpy(m->slots, "I1 D1 LL");
    } else {
        while ((at = strstr(at, "LEVEL_IN_")) && at < end && strlen(m->slots) < 8) {
            at += strlen("LEVEL_IN_");
            sprintf(m->slots + strlen(m->slots), "%s%.2s", *m->slots ? " " : "", at);
        }
    }
}

static bool defines(const struct module *m, const char *name) { return qn_engines_source_defines(m->source, name); }

/* How references reach the module in a run: behind the hit filter, or each by a call; analyses in records, or as instructions. */
static const char *reach(const struct module *m)
{
    if (!strcmp(m->folder, "analysis"))
        return defines(m, "ANALYSIS_RECORDS") ? "records" : defines(m, "ANALYSIS_OBSERVES") ? "insns" : "call";
    if (!strcmp(m->folder, "prefetch"))
        return defines(m, "PREFETCHER_SEES_HITS") ? "call" : "filter";
    if (!strcmp(m->folder, "level") || !strcmp(m->folder, "array"))
        return defines(m, "LEVEL_SETTLED") || defines(m, "BESIDE") ? "filter" : "call";
    if (!strcmp(m->folder, "bpred"))
        return "call";
    return *find_in_head(m, "No line is settled") ? "call" : strcmp(m->name, "opt") ? "filter" : "replay";
}

/* "..., = 69,782." -> "69,782"; "2 W bits, ..." -> "2 W"; "none." -> "0"; else "-" */
static void write_bits(const struct module *m, char bits[BITS_COLUMNS + 1])
{
    const char *text = find_in_head(m, "Storage: "), *stop = strstr(text, "Source: "), *equal = strstr(text, "= ");
    size_t n = strcspn(text, ".,;");

    strcpy(bits, "-");
    if (!strncmp(text, "none.", 5))
        strcpy(bits, "0");
    else if (equal && (!stop || equal < stop) && isdigit((unsigned char)equal[2]))
        snprintf(bits, BITS_COLUMNS + 1, "%.*s", (int)(strspn(equal + 2, "0123456789,")), equal + 2);
    else if (n > 5 && n - 5 <= BITS_COLUMNS && !strncmp(text + n - 5, " bits", 5))
        snprintf(bits, BITS_COLUMNS + 1, "%.*s", (int)n - 5, text);
    if (strlen(bits) > 1 && bits[strlen(bits) - 1] == ',')
        bits[strlen(bits) - 1] = 0;
}

/* The first sentence of the head: behind " - ", up to a full stop or question mark. */
static char *sentence(const struct module *m)
{
    const char *text = strstr(m->head, " - ");
    size_t n = 0;

    text = text ? text + 3 : m->head;
    while (text[n] && !(strchr(".?", text[n]) && (!text[n + 1] || text[n + 1] == ' ')))
        n++;
    return QN_NEEDED(strndup(text, n + (text[n] != 0)));
}

/* ---- all modules ---- */

static void add_module(struct modules *all, const char *folder, const char *path)
{
    const char *base = strrchr(path, '/') + 1;
    struct module m = { .folder = folder, .path = QN_NEEDED(strdup(path)), .source = qn_engines_read_source(path) };

    if (!m.source) {
        free(m.path);
        return;
    }
    m.head = read_head(m.source);
    snprintf(m.name, sizeof m.name, "%.*s", (int)strlen(base) - 2, base);
    m.hash = qn_engines_hash_file(path);
    m.year = read_year(&m);
    read_slots(&m);
    all->at = QN_NEEDED(realloc(all->at, (all->n + 1) * sizeof *all->at));
    all->at[all->n++] = m;
}

/* false: a line was printed. */
static bool read_modules(struct modules *all, const char *tool)
{
    const char *library = qn_engines_library(tool);

    *all = (struct modules){ .n = 0 };
    for (size_t i = 0; library && qn_engines_folders[i]; i++) {
        char *pattern;
        glob_t g;

        if (asprintf(&pattern, "%s/sim/%s/*.c", library, qn_engines_folders[i]) < 0)
            continue;
        if (glob(pattern, 0, NULL, &g) == 0)
            for (size_t k = 0; k < g.gl_pathc; k++)
                add_module(all, qn_engines_folders[i], g.gl_pathv[k]);
        globfree(&g);
        free(pattern);
    }
    return library;
}

static void free_modules(struct modules *all)
{
    for (size_t i = 0; i < all->n; i++) {
        free(all->at[i].path);
        free(all->at[i].head);
        free(all->at[i].source);
    }
    free(all->at);
}

/* ---- list ---- */

static const char *const groups[] = { "I1 D1 LL", "I1 D1", "D1", "LL", "BC", "BI", "AN" };

static int compare_years(const void *a, const void *b)
{
    const struct module *m = a, *other = b;

    return m->year != other->year ? (m->year < other->year ? -1 : 1) : strcmp(m->name, other->name);
}

/* Prints the text in this many columns: where it has to be cut, behind its last part that fits. */
static void print_cut(const char *text, size_t room)
{
    size_t n = strlen(text), end = 0;

    for (size_t i = 0; n > room && i < room - 3; i++)
        if (text[i] == ' ')
            end = i;
    if (n <= room)
        puts(text);
    else
        printf("%.*s...\n", (int)(end - (end > 0 && strchr(",:;", text[end - 1]))), text);
}

static void list_module(const struct module *m)
{
    char bits[BITS_COLUMNS + 1], year[8] = "-", *text = sentence(m);
    int used;

    write_bits(m, bits);
    if (m->year)
        snprintf(year, sizeof year, "%d", m->year);
    used = printf("  %-11s %4s %*s  %-7s  ", m->name, year, BITS_COLUMNS, bits, reach(m));
    print_cut(text, LINE_MAX_COLUMNS - (size_t)used);
    free(text);
}

/* What is in the slots if `quern run` is not told otherwise. */
static void list_slots(void)
{
    char *engine = qn_engines_default_engine();
    struct qn_engines_texts t;

    if (engine && qn_engines_read_texts(engine, &t)) {
        printf("slots without --sim\n  %s\n", t.description);
        qn_engines_free_texts(&t);
    }
    free(engine);
}

int qn_sim_list(const char *slot)
{
    struct modules all;
    bool begun = false;

    if (!read_modules(&all, "sim list"))
        return 1;
    qsort(all.at, all.n, sizeof *all.at, compare_years);
    if (!slot)
        list_slots();
    for (size_t g = 0; g < QN_ARRAY_LEN(groups); g++) {
        if (slot && !strstr(groups[g], slot))
            continue;
        printf("%-*s%s\n", begun ? 0 : 16, groups[g], begun ? "" : "year      bits  reached  (bits of a set of W ways; see quern-sim(1))");
        for (size_t i = 0; i < all.n; i++)
            if (!strcmp(all.at[i].slots, groups[g]))
                list_module(&all.at[i]);
        begun = true;
    }
    free_modules(&all);
    return 0;
}

int qn_sim_list_json(void)
{
    char *engine = qn_engines_default_engine();
    struct qn_engines_texts t = { .description = NULL };
    struct modules all;
    bool good;

    if (!read_modules(&all, "sim list"))
        return 1;
    qn_json_begin_modules(engine && qn_engines_read_texts(engine, &t) ? t.description : "");
    for (size_t i = 0; i < all.n; i++) {
        char *text = sentence(&all.at[i]);

        qn_json_add_module(all.at[i].folder, all.at[i].name, all.at[i].slots, all.at[i].hash, text);
        free(text);
    }
    good = qn_json_end_modules(stdout);
    if (t.description)
        qn_engines_free_texts(&t);
    free(engine);
    free_modules(&all);
    return !good;
}

static int describe(const char *path)
{
    char *replay = qn_engines_read_replay(path);
    struct qn_engines_texts t = { .description = NULL };
    bool found;

    if (replay)
        printf("%s: %s, a replay\n", path, replay);
    else if (qn_engines_read_texts(path, &t))
        printf("%s: %s\n", path, t.description);
    else
        qn_text_complain("quern: sim list: %s: %s", path, errno ? strerror(errno) : "not a simulator");
    found = replay || t.description;
    free(replay);
    qn_engines_free_texts(&t);
    return !found;
}

int qn_sim_describe(char **simulators)
{
    int status = 0;

    for (; *simulators; simulators++)
        status |= describe(*simulators);
    return status;
}

/* ---- show ---- */

/* The comment at the head of the file; where the file is, and the module's name and hash, as profiles have it; the rest of the file. */
static void print_page(const struct module *m)
{
    const char *end = strstr(m->source, "*/"), *line = m->source;

    while (end && line < end) {
        const char *next = line + strcspn(line, "\n") + 1, *text = next - line > 3 ? line + 3 : next - 1; /* behind the comment's mark */
        int n = (int)((next - 1 > end ? end : next - 1) - text);

        while (next > end && n > 0 && text[n - 1] == ' ')
            n--;
        printf("%.*s\n", n, text);
        line = next;
    }
    printf("\n%s  %s:%016" PRIx64 "\n%s", m->path, m->name, m->hash, end ? end + 2 : "");
}

int qn_sim_show(char **names)
{
    struct modules all;
    int status = 0;

    if (!read_modules(&all, "sim show"))
        return 1;
    for (; *names; names++) {
        bool found = false;

        for (size_t i = 0; i < all.n; i++)
            if (!strcmp(all.at[i].name, *names)) {
                print_page(&all.at[i]);
                found = true;
            }
        if (!found) {
            qn_text_complain("quern: sim show: %s: no module that ships; `quern sim list` lists them", *names);
            status = 1;
        }
    }
    free_modules(&all);
    return status;
}
