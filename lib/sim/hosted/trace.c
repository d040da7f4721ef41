/* sim/hosted/trace.c - reading recorded references.  See trace.h. */
#define _GNU_SOURCE
#include "sim/hosted/trace.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef QN_HAVE_ZSTD
#include <zstd.h>
#endif

#include "sim/record.h"

#define BUFFER 65536
#define DIN_BYTES 4 /* size of every reference in a .din file */
#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"
#define SIZE_MAX_REF 65535

enum format { UNKNOWN, LACKEY, DIN, XDIN, BINARY };

struct trace {
    FILE *file;
    char *path;
    enum format format;
    uint64_t line;              /* text: line number; binary: record number */
    uint64_t read;              /* bytes of the file */
    uint64_t last[RECORD_KINDS];
    unsigned char in[BUFFER], out[BUFFER];
    size_t at, have;            /* in out */
#ifdef QN_HAVE_ZSTD
    ZSTD_DStream *zstd;
    ZSTD_inBuffer zin;
    bool in_frame;              /* the compressed text has not come to its end */
#endif
    struct record_sum sum;      /* of the binary records so far */
    char error[512];
};

/* ---- bytes ---- */

static bool refill(struct trace *t)
{
    t->at = t->have = 0;
#ifdef QN_HAVE_ZSTD
    while (t->zstd && !t->have) {
        ZSTD_outBuffer out = {t->out, sizeof t->out, 0};
        size_t r;

        if (t->zin.pos == t->zin.size) {
            t->zin = (ZSTD_inBuffer){t->in, fread(t->in, 1, sizeof t->in, t->file), 0};
            t->read += t->zin.size;
            if (!t->zin.size && t->in_frame)
                snprintf(t->error, sizeof t->error, "%s: cut off: got %" PRIu64 " bytes, wanted the rest of what zstd compressed", t->path,
                         t->read);
            if (!t->zin.size)
                return false;
        }
        r = ZSTD_decompressStream(t->zstd, &out, &t->zin);
        if (ZSTD_isError(r)) {
            snprintf(t->error, sizeof t->error, "%s: damaged before byte %" PRIu64 ": %s", t->path, t->read - (t->zin.size - t->zin.pos),
                     ZSTD_getErrorName(r));
            return false;
        }
        t->in_frame = r != 0;
        t->have = out.pos;
    }
    if (t->zstd)
        return true;
#endif
    t->have = fread(t->out, 1, sizeof t->out, t->file);
    return t->have > 0;
}

static int get(struct trace *t) { return t->at < t->have || refill(t) ? t->out[t->at++] : EOF; }

/* ---- opening ---- */

static struct trace *refuse(struct trace *t, const char *path, const char *what, char *why, unsigned size)
{
    snprintf(why, size, "%s%s%s", strncmp(what, path, strlen(path)) ? path : "", strncmp(what, path, strlen(path)) ? ": " : "", what);
    trace_close(t);
    return NULL;
}

static const char *begin(struct trace *t)
{
    t->have = fread(t->out, 1, sizeof t->out, t->file);
    if (t->have >= 4 && !memcmp(t->out, ZSTD_MAGIC, 4)) {
#ifdef QN_HAVE_ZSTD
        memcpy(t->in, t->out, t->have);
        t->zin = (ZSTD_inBuffer){t->in, t->have, 0};
        t->read = t->have;
        t->zstd = ZSTD_createDStream();
        refill(t);
#else
        return "is compressed by zstd, and this build has no libzstd";
#endif
    }
    if (t->error[0])
        return t->error;
    if (t->have >= RECORD_MAGIC_BYTES && !memcmp(t->out + t->at, RECORD_MAGIC, RECORD_MAGIC_BYTES)) {
        t->format = BINARY;
        t->at += RECORD_MAGIC_BYTES;
    } else if (t->have && !memcmp(t->out + t->at, RECORD_MAGIC, t->have < RECORD_MAGIC_SAME ? t->have : RECORD_MAGIC_SAME)) {
        return "cut off in its first 8 bytes, or of another version of quern: got no \"" RECORD_MAGIC "\"; record it again";
    }
    return NULL;
}

struct trace *trace_open(const char *path, char *why, unsigned why_size)
{
    struct trace *t = calloc(1, sizeof *t);
    const char *wrong;

    if (!t)
        return NULL;
    t->path = strdup(path);
    t->file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!t->file)
        return refuse(t, path, strerror(errno), why, why_size);
    wrong = begin(t);
    return wrong ? refuse(t, path, wrong, why, why_size) : t;
}

void trace_close(struct trace *t)
{
    if (!t)
        return;
    if (t->file && t->file != stdin)
        fclose(t->file);
#ifdef QN_HAVE_ZSTD
    ZSTD_freeDStream(t->zstd);
#endif
    free(t->path);
    free(t);
}

const char *trace_error(const struct trace *t) { return t->error; }

static int fail(struct trace *t, const char *what, const char *got, const char *wanted)
{
    if (!t->error[0])
        snprintf(t->error, sizeof t->error, "%s:%" PRIu64 ": %s: got '%.60s', wanted %s", t->path, t->line, what, got, wanted);
    return -1;
}

/* ---- binary ---- */

/* A byte of a record. */
static int get_byte(struct trace *t)
{
    int c = get(t);

    if (c != EOF)
        record_add(&t->sum, (uint8_t)c);
    return c;
}

static bool get_varint(struct trace *t, uint64_t *value)
{
    int c;

    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if ((c = get_byte(t)) == EOF)
            return false;
        *value |= (uint64_t)(c & 127) << shift;
        if (c < 128)
            return true;
    }
    return false;
}

static bool get_address(struct trace *t, unsigned kind, uint64_t *addr)
{
    uint64_t z;

    if (!get_varint(t, &z))
        return false;
    *addr = t->last[kind] += record_unzigzag(z);
    return true;
}

/* Behind kind 0: the sum of what was read, and nothing else. */
static int end_binary(struct trace *t)
{
    uint8_t bytes[RECORD_TRAILER_BYTES - 1];
    struct record_sum wanted;
    char got[80];

    for (size_t i = 0; i < sizeof bytes; i++) {
        int c = get(t);

        if (c == EOF)
            return fail(t, "cut off", "the end of the file", "the sum behind the last record");
        bytes[i] = (uint8_t)c;
    }
    memcpy(&wanted, bytes, sizeof wanted);
    if (memcmp(&wanted, &t->sum, sizeof wanted)) {
        snprintf(got, sizeof got, "%" PRIu64 " bytes, sum %" PRIx64, t->sum.bytes, t->sum.sums);
        return fail(t, "damaged: records", got, "those that were written");
    }
    return get(t) == EOF ? 0 : fail(t, "damaged", "more", "the end of the file");
}

static int next_binary(struct trace *t, struct sim_ref *ref)
{
    static const uint8_t kinds[RECORD_KINDS] = {0, SIM_REF_FETCH, SIM_READ, SIM_WRITE, SIM_MODIFY, SIM_REF_COND,
                                                SIM_REF_INDIRECT, SIM_REF_CALL};
    int c = get(t);
    unsigned kind = (unsigned)c & 7, code = (unsigned)c >> 3;
    uint64_t value = code;
    bool good;

    t->line++;
    if (c == EOF)
        return fail(t, "cut off", "the end of the file", "more records, or the mark behind the last");
    if (c == RECORD_END)
        return t->error[0] || end_binary(t) || t->error[0] ? -1 : 0;
    if (kind == RECORD_END)
        return fail(t, "damaged", "a kind that there is not", "a record, or the mark behind the last");
    record_add(&t->sum, (uint8_t)c);
    *ref = (struct sim_ref){.kind = kinds[kind]};
    if (kind < RECORD_COND && !code && !get_varint(t, &value))
        return fail(t, "record", "the end of the file", "its size");
    good = get_address(t, kind, &ref->addr);
    if (kind == RECORD_COND) {
        ref->outcome = code & 1 ? SIM_TAKEN : 0;
        ref->backward = code >> 1 & 1;
    } else if (kind == RECORD_INDIRECT || kind == RECORD_STACK) {
        ref->kind = (uint8_t)(kind == RECORD_INDIRECT ? SIM_REF_INDIRECT : code ? SIM_REF_RETURN : SIM_REF_CALL);
        good = good && get_varint(t, &value);
        ref->target = ref->addr + record_unzigzag(value);
    } else {
        ref->size = (uint32_t)value;
        if (!value || value > SIZE_MAX_REF)
            return fail(t, "size", "out of range", "1 to 65535");
    }
    return good ? 1 : fail(t, "record", "the end of the file", "an address");
}

/* ---- text ---- */

static bool get_line(struct trace *t, char *line, unsigned size)
{
    unsigned n = 0;
    int c;

    while ((c = get(t)) != EOF && c != '\n')
        if (n + 1 < size)
            line[n++] = (char)c;
    line[n] = 0;
    t->line++;
    return c != EOF || n > 0;
}

static int scan(struct sim_ref *ref, int kind, const char *s, int base_of_size, char separator)
{
    char *end;

    if (kind < 0)
        return 0;
    errno = 0;
    while (*s == ' ' || *s == '\t')
        s++;
    if (!isxdigit((unsigned char)*s))
        return 0;
    *ref = (struct sim_ref){.kind = (uint8_t)kind, .addr = strtoull(s, &end, 16), .size = DIN_BYTES};
    if (base_of_size) {
        unsigned long size;

        if (*end != separator)
            return 0;
        s = end + 1;
        size = strtoul(s, &end, base_of_size);
        if (end == s || size < 1 || size > SIZE_MAX_REF)
            return 0;
        ref->size = (uint32_t)size;
    }
    while (isspace((unsigned char)*end))
        end++;
    return !*end && !errno;
}

static int lackey_kind(const char *line)
{
    return !strncmp(line, "I  ", 3) ? (int)SIM_REF_FETCH
           : line[0] == ' ' && line[1] && line[2] == ' '
               ? line[1] == 'L' ? SIM_READ : line[1] == 'S' ? SIM_WRITE : line[1] == 'M' ? SIM_MODIFY : -1
               : -1;
}

static int dinero_kind(char c, const char *letters)
{
    const char *p = c ? strchr(letters, c) : NULL;

    return !p ? -1 : p == letters ? SIM_READ : p == letters + 1 ? SIM_WRITE : (int)SIM_REF_FETCH;
}

static int scan_as(enum format format, const char *line, struct sim_ref *ref)
{
    switch (format) {
    case LACKEY: return scan(ref, lackey_kind(line), line + 2, 10, ',');
    case DIN: return line[0] && line[1] == ' ' && scan(ref, dinero_kind(line[0], "012"), line + 1, 0, 0);
    case XDIN: return line[0] && line[1] == ' ' && scan(ref, dinero_kind(line[0], "rwi"), line + 1, 16, ' ');
    default: return 0;
    }
}

static const char *const wanted[] = {
    "\" L addr,size\", \"0 addr\" or \"r addr size\"", "\"I  addr,size\", \" L addr,size\", \" S ...\" or \" M ...\"",
    "\"0 addr\" (read), \"1 addr\" (write) or \"2 addr\" (fetch)", "\"r addr size\", \"w addr size\" or \"i addr size\""};

static int next_text(struct trace *t, struct sim_ref *ref)
{
    char line[256];

    while (get_line(t, line, sizeof line)) {
        const char *s = line + strspn(line, " \t\r");

        if (!*s || *s == '#' || !strncmp(line, "==", 2) || !strncmp(line, "--", 2))
            continue; /* blank, comment, Valgrind's own remarks */
        for (enum format f = LACKEY; t->format == UNKNOWN && f <= XDIN; f++)
            if (scan_as(f, line, ref))
                t->format = f;
        return scan_as(t->format, line, ref) ? 1 : fail(t, "reference", line, wanted[t->format]);
    }
    if (t->format == UNKNOWN) /* a trace has something; what became empty has not */
        fail(t, "no reference", "the end of the file", wanted[UNKNOWN]);
    return t->error[0] ? -1 : 0;
}

int trace_next(struct trace *t, struct sim_ref *ref)
{
    return t->format == BINARY ? next_binary(t, ref) : next_text(t, ref);
}
