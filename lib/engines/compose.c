/* lib/engines/compose.c - several modules in one slot are one file, which includes them.
 *
 * In:  "srrip+stride": a policy or a whole level, a prefetcher, a module that stands beside a cache; one of each at most
 * Out: ~/.cache/quern/sims/srrip+stride.50b34235a5a88360.c:
 *
 *          #include "/usr/share/quern/lib/sim/policy/srrip.c"      with the hash of its bytes behind it
 *          #include "/usr/share/quern/lib/sim/prefetch/stride.c"
 *
 * so that all that is done with a module of one file is done with it, too.  lib/sim/unit.c puts them together. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "engines/engines.h"
#include "text/error.h"
#include "text/output.h"

#define PARTS_MAX 3

struct parts {
    const char *tool, *slot, *given;
    char *file[PARTS_MAX];
    const char *cache, *prefetcher, *beside; /* which of the files is that; NULL: none */
    bool whole;                              /* the cache is a level */
    int n;
};

static bool refuse(const struct parts *p, const char *file, const char *what)
{
    const char *base = file ? strrchr(file, '/') + 1 : "";

    qn_text_complain("quern: %s: %s=%s: %s%s%s", p->tool, p->slot, p->given, base, *base ? " " : "", what);
    return false;
}

static bool take(const struct parts *p, const char **role, const char *file)
{
    if (*role)
        return refuse(p, file, "is one too many: a slot has one cache, and one prefetcher and one module beside it at most");
    *role = file;
    return true;
}

static bool sort(struct parts *p, const char *file)
{
    char *source = qn_engines_read_source(file);
    bool whole = source && (qn_engines_source_defines(source, "LEVEL") || qn_engines_source_defines(source, "COHERENCE")), good;

    if (whole || (source && qn_engines_source_defines(source, "POLICY")))
        good = take(p, &p->cache, file);
    else if (source && qn_engines_source_defines(source, "PREFETCHER"))
        good = take(p, &p->prefetcher, file);
    else if (source && qn_engines_source_defines(source, "BESIDE"))
        good = take(p, &p->beside, file);
    else
        good = refuse(p, file, "does not share a slot: only policies, levels, prefetchers and modules beside a cache do");
    p->whole |= whole;
    free(source);
    return good;
}

static bool find_parts(struct parts *p, const char *library, enum qn_engines_slot slot)
{
    for (const char *at = p->given;; at++) {
        size_t n = strcspn(at, "+");
        char *name = strndup(at, n);

        if (p->n == PARTS_MAX)
            return free(name), refuse(p, NULL, "more modules than share a slot");
        p->file[p->n] = name ? qn_engines_find_module(p->tool, library, slot, name) : NULL;
        free(name);
        if (!p->file[p->n] || !sort(p, p->file[p->n++]))
            return false;
        at += n;
        if (!*at)
            break;
    }
    return !(p->whole && p->prefetcher) || refuse(p, p->cache, "is a whole level, which brings in its lines itself: a prefetcher needs a policy, or nothing, before it");
}

/* What the file says; its name without folder and hash. */
static char *write_text(const struct parts *p, char **name)
{
    char *text = NULL;
    size_t size, name_size;
    FILE *f = open_memstream(&text, &size), *names = open_memstream(name, &name_size);

    if (!f || !names)
        abort();
    fputs(QN_ENGINES_COMPOSED_MARK, f);
    for (int i = 0; i < p->n; i++) {
        const char *base = strrchr(p->file[i], '/') + 1;

        fprintf(f, "#include \"%s\" /* %016" PRIx64 " */\n", p->file[i], qn_engines_hash_file(p->file[i]));
        fprintf(names, "%s%.*s", i ? "+" : "", (int)strcspn(base, "."), base);
    }
    fclose(f);
    fclose(names);
    return text;
}

/* The same text has the same path, and is not written again: what is made of it stays good. */
static bool keep(const struct parts *p, const char *path, const char *text)
{
    char *there = qn_engines_read_source(path);
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output out;
    bool good = there && !strcmp(there, text);

    if (good)
        utimensat(AT_FDCWD, path, (const struct timespec[]){ { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } }, 0);
    else if (qn_text_open_output(&out, path, 0600, &err) == QN_TEXT_OK) {
        fputs(text, qn_text_stream_output(&out));
        good = qn_text_close_output(&out, &err) == QN_TEXT_OK;
    }
    free(there);
    return good || refuse(p, NULL, err.text);
}

static char *compose(const struct parts *p)
{
    char *folder = qn_engines_cache_folder(), *name = NULL, *path = NULL, *text = write_text(p, &name);

    if (!folder)
        refuse(p, NULL, "needs a folder that quern may keep files in: $XDG_CACHE_HOME/quern or ~/.cache/quern");
    else if (asprintf(&path, "%s/%s.%016" PRIx64 ".c", folder, name, qn_hash_bytes(QN_HASH_NONE, text, strlen(text))) >= 0 && !keep(p, path, text)) {
        free(path);
        path = NULL;
    }
    free(text);
    free(name);
    free(folder);
    return path;
}

char *qn_engines_compose(const char *tool, const char *library, enum qn_engines_slot slot, const char *name)
{
    struct parts p = { .tool = tool, .slot = qn_engines_slot_names[slot], .given = name };
    char *path = find_parts(&p, library, slot) ? compose(&p) : NULL;

    for (int i = 0; i < p.n; i++)
        free(p.file[i]);
    return path;
}
