/* lib/trace/read.c - reads recorded references: bytes of files, which format they have, and texts.  See trace.h. */
#define _GNU_SOURCE
#include "trace/format.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>


/* ---- bytes of a file, which may be compressed ---- */

#define ZSTD_MAGIC "\x28\xb5\x2f\xfd"
#define XZ_MAGIC "\xfd" "7zXZ"
#define GZIP_MAGIC "\x1f\x8b"
#define MAGIC_IS(b, magic) ((b)->have >= sizeof(magic) - 1 && !memcmp((b)->out, magic, sizeof(magic) - 1))

static bool is_damaged(struct bytes *b, const char *what)
{
    snprintf(b->error, sizeof b->error, "%s: damaged before byte %" PRIu64 ": %s", b->path, b->read - (b->in_have - b->in_at), what);
    return false;
}

/* More compressed bytes, if there are none. */
static bool read_packed(struct bytes *b, const char *packer)
{
    if (b->in_at < b->in_have)
        return true;
    b->in_at = 0;
    b->in_have = fread(b->in, 1, sizeof b->in, b->file);
    b->read += b->in_have;
    if (!b->in_have && b->in_frame)
        snprintf(b->error, sizeof b->error, "%s: cut off: got %" PRIu64 " bytes, wanted the rest of what %s compressed", b->path, b->read, packer);
    return b->in_have > 0;
}

static bool refill_zstd(struct bytes *b)
{
    while (!b->have) {
        ZSTD_outBuffer out = {b->out, sizeof b->out, 0};
        ZSTD_inBuffer in;
        size_t r;

        if (!read_packed(b, "zstd"))
            return false;
        in = (ZSTD_inBuffer){b->in, b->in_have, b->in_at};
        r = ZSTD_decompressStream(b->zstd, &out, &in);
        b->in_at = in.pos;
        if (ZSTD_isError(r))
            return is_damaged(b, ZSTD_getErrorName(r));
        b->in_frame = r != 0;
        b->have = out.pos;
    }
    return true;
}

static void *open_xz(void)
{
    lzma_stream *xz = malloc(sizeof *xz);

    if (!xz)
        return NULL;
    *xz = (lzma_stream)LZMA_STREAM_INIT;
    if (lzma_stream_decoder(xz, UINT64_MAX, LZMA_CONCATENATED) == LZMA_OK)
        return xz;
    free(xz);
    return NULL;
}

static bool refill_xz(struct bytes *b)
{
    lzma_stream *xz = b->xz;

    while (!b->have && b->in_frame) {
        bool more = read_packed(b, "xz");
        lzma_ret r;

        xz->next_in = b->in + b->in_at;
        xz->avail_in = b->in_have - b->in_at;
        xz->next_out = b->out;
        xz->avail_out = sizeof b->out;
        r = lzma_code(xz, more ? LZMA_RUN : LZMA_FINISH);
        b->in_at = b->in_have - xz->avail_in;
        b->have = sizeof b->out - xz->avail_out;
        b->in_frame = r != LZMA_STREAM_END;
        if (!b->in_frame)
            *b->error = 0; /* only the decoder knows that this was the end */
        else if (r != LZMA_OK)
            return more ? is_damaged(b, "not what xz writes, or its checksum is another") : false;
    }
    return b->have > 0;
}

bool bytes_refill(struct bytes *b)
{
    b->at = b->have = 0;
    if (b->zstd)
        return refill_zstd(b);
    if (b->xz)
        return refill_xz(b);
    b->have = fread(b->out, 1, sizeof b->out, b->file);
    return b->have > 0;
}

/* What was read to see what it is comes to the unpacker. */
static const char *unpack(struct bytes *b, void *unpacker)
{
    if (!unpacker)
        return "is compressed, and there is no memory to unpack it, or this build has no library (libzstd, liblzma) that can";
    memcpy(b->in, b->out, b->have);
    b->in_have = b->read = b->have;
    b->in_frame = true;
    bytes_refill(b);
    return b->error[0] ? b->error : NULL;
}

const char *bytes_begin(struct bytes *b)
{
    b->have = fread(b->out, 1, sizeof b->out, b->file);
    if (MAGIC_IS(b, ZSTD_MAGIC)) {
        b->zstd = ZSTD_createDStream();
        return unpack(b, b->zstd);
    }
    if (MAGIC_IS(b, XZ_MAGIC)) {
        b->xz = open_xz();
        return unpack(b, b->xz);
    }
    return MAGIC_IS(b, GZIP_MAGIC) ? "is compressed by gzip: unpack it first, as in gzip -dc FILE | quern replay -" : NULL;
}

void bytes_end(struct bytes *b)
{
    ZSTD_freeDStream(b->zstd);
    if (b->xz)
        lzma_end(b->xz);
    free(b->xz);
    if (b->file && b->file != stdin)
        fclose(b->file);
}

#define DIN_BYTES 4 /* size of every reference in a .din file */
#define SIZE_MAX_REF 65535

enum format { UNKNOWN, LACKEY, DIN, XDIN, TEXT, CHAMPSIM, PARTS };

struct qn_trace_reader {
    char *path;
    enum format format;
    uint64_t line;              /* of a text; number of the record */
    struct bytes bytes;
    struct champsim *champsim;
    struct parts *parts;
    char error[600];
};

static int get(struct qn_trace_reader *t) { return bytes_get(&t->bytes); }

/* ---- opening ---- */

static struct qn_trace_reader *refuse(struct qn_trace_reader *t, const char *path, const char *what, char *why, unsigned size)
{
    snprintf(why, size, "%s%s%s", strncmp(what, path, strlen(path)) ? path : "", strncmp(what, path, strlen(path)) ? ": " : "", what);
    qn_trace_close(t);
    return NULL;
}

/* Text has no byte of 0; what is none of ours may be ChampSim's. */
static const char *find_champsim(struct qn_trace_reader *t)
{
    unsigned bytes = memchr(t->bytes.out + t->bytes.at, 0, t->bytes.have - t->bytes.at) ?
                     champsim_record_bytes(t->bytes.out + t->bytes.at, t->bytes.have - t->bytes.at) : 0;

    if (!bytes)
        return NULL;
    t->format = CHAMPSIM;
    t->champsim = champsim_open(bytes);
    return t->champsim ? NULL : "no memory";
}

static const char *begin(struct qn_trace_reader *t)
{
    const char *wrong = bytes_begin(&t->bytes);
    const unsigned char *first = t->bytes.out + t->bytes.at;
    size_t have = t->bytes.have - t->bytes.at;

    if (wrong)
        return wrong;
    if (have >= PARTS_MAGIC_BYTES && !memcmp(first, PARTS_MAGIC, PARTS_MAGIC_BYTES)) {
        t->bytes.at += PARTS_MAGIC_BYTES;
        t->parts = parts_open(&t->bytes);
        t->format = PARTS;
        return t->parts ? NULL : "no memory";
    }
    if (have && !memcmp(first, PARTS_MAGIC, have < PARTS_MAGIC_SAME ? have : PARTS_MAGIC_SAME))
        return "cut off in its first 8 bytes, or of another version of quern: got no \"" PARTS_MAGIC "\"; record it again";
    return find_champsim(t);
}

struct qn_trace_reader *qn_trace_open(const char *path, char *why, unsigned why_size)
{
    struct qn_trace_reader *t = calloc(1, sizeof *t);
    const char *wrong;

    if (!t)
        return NULL;
    t->path = strdup(path);
    t->bytes.path = t->path;
    t->bytes.file = strcmp(path, "-") ? fopen(path, "rb") : stdin;
    if (!t->bytes.file)
        return refuse(t, path, strerror(errno), why, why_size);
    wrong = begin(t);
    return wrong ? refuse(t, path, wrong, why, why_size) : t;
}

void qn_trace_close(struct qn_trace_reader *t)
{
    if (!t)
        return;
    bytes_end(&t->bytes);
    free(t->champsim);
    parts_close(t->parts);
    free(t->path);
    free(t);
}

const char *qn_trace_error(const struct qn_trace_reader *t) { return t->bytes.error[0] ? t->bytes.error : t->parts ? parts_error(t->parts) : t->error; }

static int fail(struct qn_trace_reader *t, const char *what, const char *got, const char *wanted)
{
    if (!qn_trace_error(t)[0])
        snprintf(t->error, sizeof t->error, "%s:%" PRIu64 ": %s: got '%.60s', wanted %s", t->path, t->line, what, got, wanted);
    return -1;
}

/* ---- text ---- */

static bool get_line(struct qn_trace_reader *t, char *line, unsigned size)
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

/* A line of `quern replay --format=text`, without what it says of outcomes. */
static int scan_text(const char *line, struct sim_ref *ref)
{
    static const char letters[] = "rwmi", branches[] = "jct";
    static const uint8_t kinds[] = {SIM_READ, SIM_WRITE, SIM_MODIFY, SIM_REF_FETCH}, ways[] = {SIM_REF_INDIRECT, SIM_REF_CALL, SIM_REF_RETURN};
    const char *kind = strchr(letters, *line), *branch = strchr(branches, *line);
    char where[16], taken[16];
    uint64_t size;
    int rest = 0;

    *ref = (struct sim_ref){.size = 0};
    if (*line == 'b') {
        ref->kind = SIM_REF_COND;
        if (sscanf(line + 1, " 0x%" SCNx64 " %15s %15s", &ref->addr, where, taken) != 3 || (strcmp(taken, "taken") && strcmp(taken, "not")))
            return 0;
        ref->backward = !strcmp(where, "backward");
        ref->outcome = !strcmp(taken, "taken") ? SIM_TAKEN : 0;
        return ref->backward || !strcmp(where, "forward");
    }
    if (branch) {
        ref->kind = ways[branch - branches];
        return sscanf(line + 1, " 0x%" SCNx64 " 0x%" SCNx64 " taken%n", &ref->addr, &ref->target, &rest) == 2 && rest;
    }
    if (!kind || sscanf(line + 1, " 0x%*x 0x%" SCNx64 " %" SCNu64 "%n", &ref->addr, &size, &rest) != 2 || !rest || !size || size > SIZE_MAX_REF)
        return 0;
    ref->kind = kinds[kind - letters];
    ref->size = (uint32_t)size;
    return 1;
}

static int scan_as(enum format format, const char *line, struct sim_ref *ref)
{
    switch (format) {
    case LACKEY: return scan(ref, lackey_kind(line), line + 2, 10, ',');
    case DIN: return line[0] && line[1] == ' ' && scan(ref, dinero_kind(line[0], "012"), line + 1, 0, 0);
    case TEXT: return line[0] && line[1] == ' ' && scan_text(line, ref);
    case XDIN: return line[0] && line[1] == ' ' && scan(ref, dinero_kind(line[0], "rwi"), line + 1, 16, ' ');
    default: return 0;
    }
}

static const char *const wanted[] = {
    "\" L addr,size\", \"0 addr\" or \"r addr size\"", "\"I  addr,size\", \" L addr,size\", \" S ...\" or \" M ...\"",
    "\"0 addr\" (read), \"1 addr\" (write) or \"2 addr\" (fetch)", "\"r addr size\", \"w addr size\" or \"i addr size\"",
    "\"i pc addr size\", r, w, m; \"b pc backward taken\", forward, not; \"j pc target taken\", c or t"};

static int next_text(struct qn_trace_reader *t, struct sim_ref *ref)
{
    char line[256];

    while (get_line(t, line, sizeof line)) {
        const char *s = line + strspn(line, " \t\r");

        if (!*s || *s == '#' || !strncmp(line, "==", 2) || !strncmp(line, "--", 2))
            continue; /* blank, comment, Valgrind's own remarks */
        for (enum format f = LACKEY; t->format == UNKNOWN && f <= TEXT; f++)
            if (scan_as(f, line, ref))
                t->format = f;
        return scan_as(t->format, line, ref) ? 1 : fail(t, "reference", line, wanted[t->format]);
    }
    if (t->format == UNKNOWN) /* a trace has something; what became empty has not */
        fail(t, "no reference", "the end of the file", wanted[UNKNOWN]);
    return qn_trace_error(t)[0] ? -1 : 0;
}

static int next_champsim(struct qn_trace_reader *t, struct sim_ref *ref)
{
    int more = champsim_next(t->champsim, &t->bytes, ref);

    t->line += more == 1 && ref->kind == SIM_REF_FETCH;
    if (more >= 0)
        return more;
    t->line = champsim_records(t->champsim) + 1;
    return fail(t, "cut off", "a part of a record", "a whole one");
}

const uint8_t *qn_trace_code(const struct qn_trace_reader *t, uint64_t pc, bool search, size_t *n)
{
    *n = 0;
    return t->parts ? parts_code(t->parts, pc, search, n) : NULL;
}

uint64_t qn_trace_seek(struct qn_trace_reader *t, uint64_t n) { return t->parts ? parts_seek(t->parts, n) : 0; }

uint32_t qn_trace_core(const struct qn_trace_reader *t, uint32_t *thread)
{
    *thread = 0;
    return t->parts ? parts_core(t->parts, thread) : 0;
}

uint64_t qn_trace_take_more(struct qn_trace_reader *t)
{
    return t->parts ? parts_take_more(t->parts) : t->champsim ? champsim_take_more(t->champsim) : 0;
}

int qn_trace_next(struct qn_trace_reader *t, struct sim_ref *ref)
{
    if (t->parts)
        return parts_next(t->parts, ref);
    return t->format == CHAMPSIM ? next_champsim(t, ref) : next_text(t, ref);
}
