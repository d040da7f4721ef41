/*
 * Reads and sorts the table beside a profile, and formats its rows. See findings.h.
 */
#include "out/findings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "decode/decode.h"
#include "text/csv.h"

enum column { OBJECT, WHAT, ADDRESS, VALUE, OTHER, COUNT, OF, COLUMNS }; /* from ADDRESS on they are numbers */

static const char *const names[COLUMNS] = {"object", "what", "address", "value", "other", "count", "of"};

enum { SHOWN = 3, PIECE_MAX = 96 };

/* Decimal, or hexadecimal behind 0x; an empty cell is 0 where one may be. */
static int parse(const char *cell, int may_be_empty, uint64_t *number)
{
    int base = strncmp(cell, "0x", 2) == 0 ? 16 : 10;
    char *end;
    *number = 0;
    if (!*cell)
        return may_be_empty ? 0 : -1;
    if (!strchr("0123456789", *cell))
        return -1;
    errno = 0;
    *number = strtoull(cell, &end, base);
    return *end || errno ? -1 : 0;
}

static enum qn_text_status take_rows(struct qn_out_findings *f, const struct qn_text_table *t, const char *path, struct qn_text_error *err)
{
    int at[COLUMNS];
    for (int c = 0; c < COLUMNS; c++) {
        at[c] = qn_text_find_column(t, names[c]);
        if (at[c] < 0)
            return qn_text_fail(err, QN_TEXT_BAD, "%s:1: a column is missing, got no `%s`, wanted a table that quern run wrote beside a profile",
                                path, names[c]);
    }
    for (int row = 0; row < t->row_count; row++) {
        struct qn_out_finding new = {.number = f->count};
        uint64_t *const numbers[COLUMNS] = {NULL, NULL, &new.address, &new.value, &new.other, &new.count, &new.of};
        for (int c = ADDRESS; c < COLUMNS; c++)
            if (parse(qn_text_cell(t, row, at[c]), c == OTHER, numbers[c]) != 0)
                return qn_text_fail(err, QN_TEXT_BAD, "%s:%d: malformed number, got '%.60s', wanted a number", path, row + 2,
                                    qn_text_cell(t, row, at[c]));
        new.object = qn_text_copy(&f->memory, qn_text_cell(t, row, at[OBJECT]));
        new.what = qn_text_copy(&f->memory, qn_text_cell(t, row, at[WHAT]));
        QN_MORE(f->rows, f->count, f->room, 256);
        f->rows[f->count++] = new;
    }
    return QN_TEXT_OK;
}

static int compare_place(const struct qn_out_finding *a, const char *object, uint64_t address)
{
    int d = strcmp(a->object, object);
    return d ? d : a->address < address ? -1 : a->address > address;
}

/* Rows of one place stay as they were: the module has put them in order. */
static int compare_rows(const void *left, const void *right)
{
    const struct qn_out_finding *a = left, *b = right;
    int d = compare_place(a, b->object, b->address);
    return d ? d : a->number < b->number ? -1 : 1;
}

enum qn_text_status qn_out_read_findings(struct qn_out_findings *f, const char *path, struct qn_text_error *err)
{
    struct qn_text_table t = {.row_count = 0};
    if (qn_text_read_table(&t, path, err) == QN_TEXT_OK && take_rows(f, &t, path, err) == QN_TEXT_OK && f->count)
        qsort(f->rows, f->count, sizeof *f->rows, compare_rows);
    qn_text_free_table(&t);
    return err->status;
}

void qn_out_free_findings(struct qn_out_findings *f)
{
    free(f->rows);
    qn_text_free_memory(&f->memory);
}

/* ---- text ---- */

static int is_level(const struct qn_out_finding *r) { return r->what[0] && strchr("DLM", r->what[0]) && !r->what[1]; }

/* count / of, in `parts` parts, rounded; at most 1e19, since a table may have been edited. */
static uint64_t parts_of(const struct qn_out_finding *r, int parts)
{
    double n = r->of ? parts * (double)r->count / (double)r->of + 0.5 : 0;
    return n < 1e19 ? (uint64_t)n : (uint64_t)1e19;
}

/* Without the decimal point of a locale. */
static void format_piece(const struct qn_out_finding *r, char to[PIECE_MAX])
{
    uint64_t share = parts_of(r, 10000);
    int n = snprintf(to, PIECE_MAX, "(%" PRIu64 ".%02d%% ", share / 100, (int)(share % 100));
    if (r->count == 0 && !is_level(r))
        snprintf(to, PIECE_MAX, "(no value is frequent)");
    else if (is_level(r))
        snprintf(to + n, PIECE_MAX - (size_t)n, "%s)", r->what);
    else if (r->other)
        snprintf(to + n, PIECE_MAX - (size_t)n, "%" PRIx64 " at 0x%" PRIx64 ")", r->other, r->value);
    else
        snprintf(to + n, PIECE_MAX - (size_t)n, "0x%" PRIx64 ")", r->value);
}

static void append(char *to, size_t room, const char *text)
{
    size_t used = strlen(to);
    snprintf(to + used, room - used, "%s", text);
}

void qn_out_format_findings(const struct qn_out_findings *f, const char *object, uint64_t address, char *to, size_t room)
{
    const char *what = "";
    int shown = 0;
    size_t first = QN_COUNT_WHILE(i, f->count, compare_place(&f->rows[i], object, address) < 0);
    *to = '\0';
    for (size_t i = first; i < f->count && compare_place(&f->rows[i], object, address) == 0; i++) {
        const struct qn_out_finding *r = &f->rows[i];
        char piece[PIECE_MAX];
        int same = strcmp(what, r->what) == 0;
        shown = same ? shown + 1 : 0;
        what = r->what;
        if (shown > SHOWN)
            continue;
        append(to, room, *to ? " " : "");
        if (strcmp(what, "cycles") == 0)
            snprintf(piece, sizeof piece, "%" PRIu64 ".%d cycles", parts_of(r, 10) / 10, (int)(parts_of(r, 10) % 10));
        else
            format_piece(r, piece);
        if (!same && !is_level(r) && strcmp(what, "cycles") != 0) {
            append(to, room, what);
            append(to, room, ":");
        }
        append(to, room, shown == SHOWN ? "..." : piece);
    }
}

/* ---- Instructions as text ----
 *
 * In:  bytes of a profile, which may be damaged
 * Out: what lib/decode prints
 */

/* Some encodings have different lengths on Intel's and AMD's processors; the length in the profile tells which it was. */
static bool decode(const struct qn_prof_insn *insn, struct qn_insn *decoded)
{
    return (qn_decode_insn_for(QN_MACHINE_INTEL, insn->bytes, insn->length, decoded) == QN_DEC_OK &&
            decoded->len == insn->length) ||
           (qn_decode_insn_for(QN_MACHINE_AMD, insn->bytes, insn->length, decoded) == QN_DEC_OK &&
            decoded->len == insn->length);
}

void qn_out_disassemble(char *to, size_t room, const struct qn_prof_insn *insn)
{
    struct qn_insn decoded;
    if (insn->length == 0)
        snprintf(to, room, "(bytes not known)");
    else if (!decode(insn, &decoded))
        snprintf(to, room, "(bad)");
    else
        qn_decode_print(insn->bytes, &decoded, insn->address, to, room);
}
