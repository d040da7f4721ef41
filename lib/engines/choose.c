/* lib/engines/choose.c - how users name simulators: the same in all commands.
 *
 *   srrip  mine.c          the module in the slot where one looks for it: policies, prefetchers and levels in D1, predictors in BC or BI, an
 *                          analysis in AN; a level that only fits another slot there
 *   D1=mine.c,BC=gshare    a module per slot, and one at most; a plus separates them, too
 *   D1=srrip+stride        both in one slot (compose.c): a prefetcher, or a module that stands beside a cache, joins the one before the plus
 *   L2=stride              slot LL's module stands at the L2, above the default LL
 *   ./mysim  mysim         an engine built before: a path, or a name beside quern or in its libexec, which comes before modules
 *   default                what this quern was built with
 *   D1=srrip:50b3...       the module of this hash that the engine has, as profiles name it
 *
 * Files are looked for and hashed here; nothing is compiled.
 */
#define _GNU_SOURCE

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/ready.h"
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

bool qn_engines_file_defines(const char *file, const char *name)
{
    static const char begin[] = "#include \"";
    char *source = qn_engines_read_source(file), *part = NULL;
    bool composed = source && !strncmp(source, QN_ENGINES_COMPOSED_MARK, strlen(QN_ENGINES_COMPOSED_MARK)), does = source && qn_engines_source_defines(source, name);

    for (char *at = source; composed && !does && (at = strstr(at, begin)); at = part + strlen(part) + 1) {
        part = at + strlen(begin);
        part[strcspn(part, "\"")] = 0;
        does = qn_engines_file_defines(part, name);
    }
    free(source);
    return does;
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

bool qn_engines_source_joins(const char *source)
{
    return qn_engines_source_defines(source, "PREFETCHER") || qn_engines_source_defines(source, "BESIDE");
}

/* The usual slot of a module of this kind; -1: the kind has none. */
static int usual_slot(const char *source)
{
    static const char *const functions[] = { "cachesim_I1_", "cachesim_D1_", "cachesim_LL_", "branchsim_BC_", "branchsim_BI_" };

    if (qn_engines_source_defines(source, "POLICY") || qn_engines_source_defines(source, "COHERENCE"))
        return QN_ENGINES_D1;
    if (qn_engines_source_defines(source, "ANALYSIS"))
        return QN_ENGINES_AN;
    for (int i = 0; i < QN_ENGINES_AN; i++) /* predictors, and levels for one slot, as the default files */
        if (strstr(source, functions[i]))
            return i;
    return qn_engines_source_defines(source, "LEVEL") || qn_engines_source_joins(source) ? slot_of_level(source) : -1;
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
        refuse(c, given, "the file is empty: it defines none of POLICY, PREFETCHER, LEVEL, COHERENCE, PREDICTOR, ANALYSIS");
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

    if (!first && slot == QN_ENGINES_LL && c->at_L2)
        return refuse(c, m->given, "slots L2 and LL take one module together");
    if (!first && slot != QN_ENGINES_AN) {
        qn_text_complain("quern: %s: %s=%s: slot %s has %s already; %s", c->tool, c->option, m->given, qn_engines_slot_names[slot],
                         c->slot[slot].given, slot < QN_ENGINES_BC ? "`+` joins a policy, a prefetcher and tlb" : "a slot has one predictor");
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
    bool L2 = c->takes_L2 && !strncmp(word, "L2=", 3);
    int slot = L2 ? (int)QN_ENGINES_LL : is_slot(word) ? qn_engines_find_slot(word, 2) : -1;

    c->at_L2 |= L2;
    if (is_slot(word) && slot < 0) {
        qn_text_complain("quern: %s: %s=%s: got '%s', wanted a simulator, or SLOT=MODULE with slot I1, D1, %sLL, BC, BI or AN", c->tool,
                         c->option, text, word, c->takes_L2 ? "L2, " : "");
        return false;
    }
    return (slot < 0 && !strcmp(word, "default")) || qn_engines_choose_module(c, slot, slot < 0 ? word : word + 3);
}

/* Of a module's file; free() it.  NULL: there is none. */
static char *source_of(const char *library, const char *name)
{
    char *path = library ? qn_engines_probe_module(library, name) : NULL, *source = path ? qn_engines_read_source(path) : NULL;

    free(path);
    return source;
}

/* Does the module share the slot of the one before it?  One of the two is no cache. */
static bool is_joining(const struct qn_engines_choice *c, int slot, const char *word)
{
    char *first = c->slot[slot].file ? qn_engines_read_source(c->slot[slot].file) : NULL;
    const char *library = is_slot(word) || has_hash(word) ? NULL : qn_engines_library(c->tool);
    char *source = source_of(library, word);
    bool joins = source && (qn_engines_source_joins(source) || (first && qn_engines_source_joins(first) && usual_slot(source) == slot));

    free(first);
    free(source);
    return joins;
}

bool qn_engines_join(struct qn_engines_choice *c, enum qn_engines_slot slot, const char *module)
{
    char *both = NULL;
    bool joined;

    if (asprintf(&both, "%s+%s", c->slot[slot].given, module) < 0)
        return false;
    free_module(&c->slot[slot]);
    c->slot[slot] = (struct qn_engines_module){ .given = NULL };
    joined = qn_engines_choose_module(c, (int)slot, both);
    free(both);
    return joined;
}

bool qn_engines_stands_beside(const char *library, const char *module, const char *cache)
{
    const char *const kinds[] = { "POLICY", "LEVEL", "PREFETCHER", "COHERENCE" };
    char *source = source_of(library, module), *other = source_of(library, cache);
    bool does = false;

    for (size_t i = 0; source && other && i < sizeof kinds / sizeof *kinds; i++)
        does |= qn_engines_source_defines(source, "BESIDE") && qn_engines_source_defines(other, kinds[i]);
    free(source);
    free(other);
    return does;
}

/* The slot that the last word has filled, if a module can join there; -1: none. */
static int filled(const struct qn_engines_choice *before, const struct qn_engines_choice *after)
{
    for (int i = QN_ENGINES_I1; i <= QN_ENGINES_LL; i++)
        if (after->slot[i].given && after->slot[i].given != before->slot[i].given)
            return i;
    return -1;
}

static bool choose_words(struct qn_engines_choice *c, const char *text)
{
    int slot = -1;

    for (const char *at = text; *at;) {
        struct qn_engines_choice before = *c;
        size_t n = word_length(at);
        char *word = strndup(at, n);
        bool joins = word && slot >= 0 && at[-1] == '+' && is_joining(c, slot, word);
        bool good = word && (joins ? qn_engines_join(c, (enum qn_engines_slot)slot, word) : choose_word(c, text, word));

        slot = joins ? slot : filled(&before, c);

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

    for (size_t i = 0; qn_engines_folders[i] && !is; i++)
        if (asprintf(&probe, "%s/sim/%s/%s.c", library, qn_engines_folders[i], name) >= 0) {
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

/* ---- finds the engine to use ----
 *
 *   --sim=./mysim, /tmp/mysim     that file
 *   --sim=mysim                   mysim or quern-engine-mysim, beside quern, then in libexec/quern; never in the current
 *                                 directory, so that what a name means does not depend on where one is
 *   no --sim                      quern-engine, in the same places
 *
 * In:  the option's value
 * Out: the file's real path; or one line `quern: run: --sim=VALUE: what`.  A file that does not carry a
 *      simulator's description (engines.h) is refused before anything is started.
 */

#define ENGINE_NAME "quern-engine"

/* Why it cannot be executed (X_OK) or read (R_OK); NULL: it can. */
static const char *fault_of(const char *path, int mode)
{
    struct stat st;

    if (stat(path, &st))
        return strerror(errno);
    if (S_ISDIR(st.st_mode))
        return "is a directory";
    if (!S_ISREG(st.st_mode))
        return "not a regular file";
    return access(path, mode) ? strerror(errno) : NULL;
}

static char *closed; /* an engine that is there, but not for this user */

static char *try_engine(const char *directory, const char *below, const char *prefix, const char *name, int mode)
{
    char *path, *real = NULL;

    if (asprintf(&path, "%s%s/%s%s", directory, below, prefix, name) < 0)
        return NULL;
    errno = 0;
    if (!fault_of(path, mode))
        real = realpath(path, NULL);
    else if (errno == EACCES && !closed)
        closed = strdup(path);
    free(path);
    return real;
}

/* First the libexec folder beside this quern, wherever it was moved to, then the one that configure was told. */
static char *search(const char *name, int mode)
{
    const char *const places[][2] = {
        { qn_engines_own_folder(), "" }, { qn_engines_own_folder(), "/../libexec/quern" },
#ifdef QN_PKGLIBEXECDIR
        { QN_PKGLIBEXECDIR, "" },
#endif
    };
    char *found = NULL;

    for (size_t i = 0; i < sizeof places / sizeof places[0] && !found; i++) {
        found = try_engine(places[i][0], places[i][1], "", name, mode);
        if (!found)
            found = try_engine(places[i][0], places[i][1], ENGINE_NAME "-", name, mode);
    }
    return found;
}

static char *refuse_engine(const char *tool, const char *option, const char *name, const char *what, const char *more)
{
    qn_text_complain("quern: %s: %s=%s: %s%s%s", tool, option, name, what, more, *more ? name : "");
    return NULL;
}

char *qn_engines_search_engine(const char *tool, const char *option, const char *name)
{
    const char *fault;
    char *path;
    struct qn_engines_texts texts;

    if (strchr(name, '/')) {
        fault = fault_of(name, X_OK);
        if (fault)
            return refuse_engine(tool, option, name, fault, "");
        path = realpath(name, NULL);
    } else {
        path = search(name, X_OK);
        if (!path && !option)
            return NULL;
        if (!path)
            return refuse_engine(tool, option, name, "no such simulator beside quern or in its libexec, and no module",
                          access(name, F_OK) ? "" : "; a file of this directory is reached as ./");
    }
    if (path && qn_engines_read_texts(path, &texts)) {
        qn_engines_free_texts(&texts);
        return path;
    }
    free(path);
    return option ? refuse_engine(tool, option, name, "not a simulator; `quern sim build` makes them", "") : NULL;
}

void qn_engines_tell_no_engine(const char *tool)
{
    char *path = qn_engines_default_engine();

    if (path)
        qn_text_complain("quern: %s: no engine: %s: %s", tool, path, access(path, R_OK) ? strerror(errno) : "not an engine of this quern");
    else if (closed)
        qn_text_complain("quern: %s: no engine: %s: %s", tool, closed, strerror(EACCES));
    else
        qn_text_complain("quern: %s: no engine: quern-engine is neither beside quern nor in its libexec", tool);
    free(path);
}

char *qn_engines_find_program(const char *name) { return search(name, X_OK); }
char *qn_engines_find_archive(const char *name) { return search(name, R_OK); }
char *qn_engines_default_engine(void) { return search(ENGINE_NAME, X_OK); }

/* ---- what is in a simulator ----
 *
 *   "quern-sim-build: I1=lru D1=srrip:50b34235a5a88360 LL=lru BC=cachegrind BI=cachegrind"
 *   "quern-sim-sources: \nD1=/home/me/srrip.c"           "quern-sim-units: D1=srrip:50b34235a5a88360\nD1=fifo:..."
 *   "quern-sim-defaults: D1=0f3a... LL=..."              "quern-sim-observes: values:8d0e..."
 *
 * An engine carries such texts about itself (lib/sim/slots.c), and a replay one, with another mark.  Only an ELF file that has the
 * first is a simulator.
 */

#define MARK "quern-sim-"
#define FIRST_SLOT "I1=" /* every description begins so; quern itself contains the marks, but nothing that begins so */
#define OBSERVES "observes: "
#define TEXT_MAX 65536 /* bytes of the longest text: six paths, or all units */
#define ENGINE_BYTES_MAX (64u << 20)

/* The file, or its first ENGINE_BYTES_MAX bytes; to be unmapped.  NULL: there is none, by errno, or nothing in it, errno 0. */
static const char *map_file(const char *path, size_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
    void *at = MAP_FAILED;
    struct stat st = { 0 };

    if (fd < 0)
        return NULL;
    errno = 0;
    if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
    } else if (st.st_size > 0) {
        *bytes = st.st_size < ENGINE_BYTES_MAX ? (size_t)st.st_size : ENGINE_BYTES_MAX;
        at = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    error = errno;
    close(fd);
    errno = error;
    if (at == MAP_FAILED)
        *bytes = 0;
    return at == MAP_FAILED ? NULL : at;
}

/* The bytes of an ELF file, from its beginning, that are loaded when it runs; its debug information is not among them.  *code: where they end
 * that it executes.  0: it is no ELF file. */
static size_t loaded_bytes(const char *file, size_t n, size_t *code)
{
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)file;
    size_t end = 0;

    *code = 0;
    if (n < sizeof *h || memcmp(file, ELFMAG, SELFMAG) || h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff % 8 || h->e_phoff > n ||
        (n - h->e_phoff) / sizeof(Elf64_Phdr) < h->e_phnum)
        return 0;
    for (const Elf64_Phdr *p = (const Elf64_Phdr *)(file + h->e_phoff), *last = p + h->e_phnum; p < last; p++)
        if (p->p_type == PT_LOAD && p->p_offset <= n && p->p_filesz <= n - p->p_offset && p->p_offset + p->p_filesz > end) {
            end = p->p_offset + p->p_filesz;
            *code = p->p_flags & PF_X ? end : *code;
        }
    return end;
}

/* The text that follows `mark` on its line; with `lines`, the lines that follow it up to an empty one or to the end of the string. */
static char *copy_text(const char *at, const char *end, bool lines)
{
    size_t n = (size_t)(end - at) < TEXT_MAX ? (size_t)(end - at) : TEXT_MAX, length = strnlen(at, n);
    const char *line = lines ? NULL : memchr(at, '\n', length);

    return strndup(at, line ? (size_t)(line - at) : length);
}

/* The modules that observe instructions, a line for each: "values:50b34235a5a88360\n". */
static void add_observer(struct qn_engines_texts *t, char *name)
{
    char *longer;

    if (name && asprintf(&longer, "%s%s\n", t->observers ? t->observers : "", name) >= 0) {
        free(t->observers);
        t->observers = longer;
    }
    free(name);
}

static bool begins(const char *at, const char *end, const char *text)
{
    return (size_t)(end - at) >= strlen(text) && !memcmp(at, text, strlen(text));
}

/* Takes one text, given without its "quern-sim-".  Of each kind the first text counts. */
static void take_text(struct qn_engines_texts *t, const char *at, const char *end)
{
    static const struct {
        const char *kind;
        size_t field;
        bool lines;
    } kinds[] = {
        { "build: " FIRST_SLOT, offsetof(struct qn_engines_texts, description), false },
        { "replay: " FIRST_SLOT, offsetof(struct qn_engines_texts, replay), false },
        { "sources: ", offsetof(struct qn_engines_texts, sources), true },
        { "units: ", offsetof(struct qn_engines_texts, units), true },
        { "defaults: ", offsetof(struct qn_engines_texts, defaults), false },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char **field = (char **)((char *)t + kinds[i].field);

        if (!*field && begins(at, end, kinds[i].kind))
            *field = copy_text(at + strcspn(at, " ") + 1, end, kinds[i].lines);
    }
    if (begins(at, end, OBSERVES))
        add_observer(t, copy_text(at + strlen(OBSERVES), end, false));
}

static void find_texts(struct qn_engines_texts *t, const char *at, const char *end)
{
    while ((at = memmem(at, (size_t)(end - at), MARK, strlen(MARK)))) {
        at += strlen(MARK);
        take_text(t, at, end);
    }
}

/* Finds each text that begins with MARK in the loaded part of the file: behind the code, where linkers put constants, else in all of it. */
static void read_texts(const char *path, struct qn_engines_texts *t)
{
    size_t mapped = 0, code = 0;
    const char *bytes = map_file(path, &mapped), *end = bytes + (bytes ? loaded_bytes(bytes, mapped, &code) : 0);

    *t = (struct qn_engines_texts){ .description = NULL };
    if (!bytes)
        return;
    find_texts(t, bytes + code, end);
    if (!t->description && !t->replay)
        find_texts(t, bytes, end);
    munmap((void *)(uintptr_t)bytes, mapped);
}

bool qn_engines_read_texts(const char *path, struct qn_engines_texts *t)
{
    read_texts(path, t);
    if (t->description)
        return true;
    qn_engines_free_texts(t);
    return false;
}

void qn_engines_free_texts(struct qn_engines_texts *t)
{
    free(t->description);
    free(t->replay);
    free(t->sources);
    free(t->units);
    free(t->defaults);
    free(t->observers);
    *t = (struct qn_engines_texts){ .description = NULL };
}

char *qn_engines_text_of_slot(const char *description, enum qn_engines_slot slot)
{
    for (const char *at = description; at && *at; at += strspn(at, " \n")) {
        size_t n = strcspn(at, " \n");

        if (n > 3 && at[2] == '=' && !strncmp(at, qn_engines_slot_names[slot], 2))
            return strndup(at + 3, n - 3);
        at += n;
    }
    return NULL;
}

char *qn_engines_read_replay(const char *path)
{
    struct qn_engines_texts t;
    char *text;

    read_texts(path, &t);
    text = t.replay;
    t.replay = NULL;
    qn_engines_free_texts(&t);
    return text;
}

uint64_t qn_engines_hash_engine(const char *path)
{
    uint64_t hash;
    size_t mapped = 0, code, loaded;
    const char *bytes = map_file(path, &mapped);

    loaded = bytes ? loaded_bytes(bytes, mapped, &code) : 0;
    if (loaded)
        qn_ready_to_read(bytes, loaded);
    hash = qn_hash_words(QN_HASH_NONE, bytes, loaded);
    if (bytes)
        munmap((void *)(uintptr_t)bytes, mapped);
    return hash;
}
