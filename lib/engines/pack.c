/* lib/engines/pack.c - see pack.h. */
#define _GNU_SOURCE
#include "engines/pack.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engines/engines.h"
#include "text/error.h"
#include "text/complain.h"
#include "text/output.h"

#define MAGIC "quern-pack 1\n"
#define FNV_BASIS 0xcbf29ce484222325ull
#define FNV_PRIME 0x100000001b3ull
#define TRACE_COUNT "--count=40000" /* instructions of the trace, if none is given */

static const char geometry[] = "--I1=4096,2,64 --D1=4096,4,64 --LL=65536,8,64";

static uint64_t sum_of(const struct qn_engines_pack *p)
{
    uint64_t sum = FNV_BASIS;

    for (int i = 0; i < QN_PACK_SECTIONS; i++)
        for (size_t k = 0; k < p->bytes[i]; k++)
            sum = (sum ^ (uint8_t)p->section[i][k]) * FNV_PRIME;
    return sum;
}

static uint64_t hash_of(const char *bytes, size_t n)
{
    uint64_t hash = FNV_BASIS;

    while (n--)
        hash = (hash ^ (uint8_t)*bytes++) * FNV_PRIME;
    return hash;
}

void qn_engines_free_pack(struct qn_engines_pack *p)
{
    for (int i = 0; i < QN_PACK_SECTIONS; i++)
        free(p->section[i]);
}

/* ---- reading ---- */

static int refuse(const char *path, int line, const char *got, const char *wanted)
{
    qn_text_complain("quern: sim test: %s:%d: got '%.60s', wanted %s", path, line, got, wanted);
    return 1;
}

struct field {
    const char *name;
    char *to;
    size_t room;
};

/* The next line of the head, "name value", into `to`; its end. */
static char *read_field(const char *path, int line, char *at, const struct field *f)
{
    size_t length = strlen(f->name);
    char *end = strchr(at, '\n');

    if (end)
        *end = 0;
    if (!end || strncmp(at, f->name, length) || at[length] != ' ' || strlen(at + length + 1) >= f->room) {
        char wanted[80];

        snprintf(wanted, sizeof wanted, "a line \"%s ...\" of less than %zu bytes", f->name, f->room + length);
        refuse(path, line, at, wanted);
        return NULL;
    }
    strcpy(f->to, at + length + 1);
    return end + 1;
}

static bool take_sections(struct qn_engines_pack *p, const char *sizes, const char *at, size_t left)
{
    if (sscanf(sizes, "%zu %zu %zu", &p->bytes[0], &p->bytes[1], &p->bytes[2]) != QN_PACK_SECTIONS)
        return false;
    for (int i = 0; i < QN_PACK_SECTIONS; i++) {
        if (p->bytes[i] > left || !(p->section[i] = malloc(p->bytes[i] + 1)))
            return false;
        memcpy(p->section[i], at, p->bytes[i]);
        p->section[i][p->bytes[i]] = 0;
        at += p->bytes[i];
        left -= p->bytes[i];
    }
    return left == 0;
}

static int read_all(const char *path, char *text, size_t bytes, struct qn_engines_pack *p)
{
    char sizes[128], sum[17], hash[17];
    const struct field fields[] = { { "name", p->name, sizeof p->name }, { "slot", p->slot, sizeof p->slot }, { "hash", p->hash, sizeof p->hash },
                                    { "origin", p->origin, sizeof p->origin }, { "reference", p->reference, sizeof p->reference },
                                    { "options", p->options, sizeof p->options }, { "class", p->class, sizeof p->class },
                                    { "sections", sizes, sizeof sizes }, { "sum", sum, sizeof sum } };
    char *at = text + strlen(MAGIC);
    int line = 2;

    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++, line++)
        if (!(at = read_field(path, line, at, &fields[i])))
            return 1;
    if (*at != '\n')
        return refuse(path, line, at, "an empty line");
    if (!take_sections(p, sizes, at + 1, bytes - (size_t)(at + 1 - text)))
        return refuse(path, line - 2, sizes, "the bytes of source, trace and summary, which end with the file");
    snprintf(hash, sizeof hash, "%016" PRIx64, sum_of(p));
    if (strcmp(sum, hash))
        return refuse(path, line - 1, sum, "the sum of what follows: it is damaged");
    snprintf(hash, sizeof hash, "%016" PRIx64, hash_of(p->section[QN_PACK_SOURCE], p->bytes[QN_PACK_SOURCE]));
    if (strcmp(p->hash, hash))
        return refuse(path, 4, p->hash, "the hash of the source in it");
    if (qn_engines_find_slot(p->slot, (unsigned)strlen(p->slot)) < 0 || strspn(p->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != strlen(p->name))
        return refuse(path, 3, p->slot, "a slot, and a name of letters, digits, - and _");
    return 0;
}

int qn_engines_read_pack(const char *path, struct qn_engines_pack *p)
{
    size_t bytes;
    char *text = qn_engines_pack_read(path, &bytes);
    int status;

    memset(p, 0, sizeof *p);
    if (!text)
        return qn_text_complain("quern: sim test: %s: %s", path, strerror(errno)), 1;
    status = bytes < strlen(MAGIC) || memcmp(text, MAGIC, strlen(MAGIC)) ? refuse(path, 1, text, "\"quern-pack 1\"") : read_all(path, text, bytes, p);
    free(text);
    return status;
}

/* ---- writing ---- */

static void one_line(char *to, size_t room, const char *text)
{
    snprintf(to, room, "%s", text);
    for (; *to; to++)
        if ((unsigned char)*to < ' ')
            *to = ' ';
}

/* What stands behind "Source:" in the module's comment. */
static void find_reference(const char *source, char *to, size_t room)
{
    const char *at = strstr(source, "Source:");
    char line[256];

    at = at ? at + strlen("Source:") : "not said";
    while (*at == ' ')
        at++;
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    one_line(to, room, line);
}

static int write_file(const struct qn_engines_pack *p, const char *output)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_output o;
    FILE *f = qn_text_open_output(&o, output, QN_TEXT_SHARED, &err) == QN_TEXT_OK ? qn_text_stream_output(&o) : NULL;

    if (f) {
        fprintf(f, MAGIC "name %s\nslot %s\nhash %s\norigin %s\nreference %s\noptions %s\nclass %s\nsections %zu %zu %zu\nsum %016" PRIx64 "\n\n", p->name, p->slot,
                p->hash, p->origin, p->reference, p->options, p->class, p->bytes[0], p->bytes[1], p->bytes[2], sum_of(p));
        for (int i = 0; i < QN_PACK_SECTIONS; i++)
            fwrite(p->section[i], 1, p->bytes[i], f);
        qn_text_close_output(&o, &err);
    }
    if (err.status != QN_TEXT_OK)
        qn_text_complain("quern: sim pack: %s", err.text);
    return !f || err.status != QN_TEXT_OK;
}

static int said(const char *what, const char *out, int status)
{
    char *text = qn_engines_pack_read(out, NULL);

    qn_text_complain("quern: sim pack: %s failed (status %d): %.*s", what, status, text ? (int)strcspn(text, "\n") : 0, text ? text : "");
    free(text);
    return 1;
}

static int fill(struct qn_engines_pack *p, const struct qn_engines_pack_request *q, const struct qn_engines_trial *t)
{
    char trace[4096], out[4096];
    int status;

    snprintf(trace, sizeof trace, "%s/trace", t->folder);
    snprintf(out, sizeof out, "%s/out", t->folder);
    if (!q->trace && (status = qn_engines_try_trace(t, trace, TRACE_COUNT)))
        return said("recording", out, status);
    if ((status = qn_engines_try_run(t, out)))
        return said("the run", out, status);
    qn_engines_trial_class(t, out, p->class);
    if ((status = qn_engines_try_replay(t, q->trace ? q->trace : trace, NULL, out)))
        return said("the replay", out, status);
    p->section[QN_PACK_SOURCE] = qn_engines_pack_read(t->file, &p->bytes[QN_PACK_SOURCE]);
    p->section[QN_PACK_TRACE] = qn_engines_pack_read(q->trace ? q->trace : trace, &p->bytes[QN_PACK_TRACE]);
    p->section[QN_PACK_SUMMARY] = qn_engines_pack_read(out, &p->bytes[QN_PACK_SUMMARY]);
    if (!p->section[QN_PACK_SOURCE] || !p->section[QN_PACK_TRACE] || !p->section[QN_PACK_SUMMARY])
        return qn_text_complain("quern: sim pack: %s: cannot read", q->module), 1;
    snprintf(p->hash, sizeof p->hash, "%016" PRIx64, hash_of(p->section[QN_PACK_SOURCE], p->bytes[QN_PACK_SOURCE]));
    find_reference(p->section[QN_PACK_SOURCE], p->reference, sizeof p->reference);
    if (q->reference)
        one_line(p->reference, sizeof p->reference, q->reference);
    return 0;
}

int qn_engines_write_pack(const struct qn_engines_pack_request *q, const char *quern)
{
    struct qn_engines_choice c = { .tool = "sim pack", .option = "MODULE" };
    int slot = q->slot ? qn_engines_find_slot(q->slot, (unsigned)strlen(q->slot)) : -1, status;
    struct qn_engines_pack p = { .name = "" };
    struct qn_engines_trial t = { .quern = quern, .options = q->options ? q->options : geometry };
    char *folder;
    const char *base;

    if (q->slot && slot < 0)
        return qn_text_complain("quern: sim pack: --slot: got '%s', wanted I1, D1, LL, BC, BI or AN", q->slot), 2;
    if (!qn_engines_choose_module(&c, slot, q->module) || !(folder = qn_engines_scratch("sim pack")))
        return 1;
    for (slot = 0; slot < QN_ENGINES_SLOTS - 1 && !c.slot[slot].file; slot++)
        ;
    t.folder = folder;
    t.slot = qn_engines_slot_names[slot];
    t.file = c.slot[slot].file;
    base = t.file && strrchr(t.file, '/') ? strrchr(t.file, '/') + 1 : "";
    snprintf(p.name, sizeof p.name, "%.*s", (int)strcspn(base, "."), base);
    snprintf(p.slot, sizeof p.slot, "%s", t.slot);
    one_line(p.origin, sizeof p.origin, q->origin ? q->origin : "not said");
    one_line(p.options, sizeof p.options, t.options);
    status = t.file ? fill(&p, q, &t) : (qn_text_complain("quern: sim pack: %s: not a file or the name of a module", q->module), 1);
    if (!status)
        status = write_file(&p, q->output);
    qn_engines_free_pack(&p);
    qn_text_remove_scratch(folder);
    free(folder);
    return status;
}
