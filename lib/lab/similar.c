/* lib/lab/similar.c - see similar.h. */
#include "lab/similar.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

#define PRIME 0x100000001b3ull /* FNV-1a (Fowler, Noll, Vo) */
#define BEGIN 0xcbf29ce484222325ull

enum { NAME = 256, NUMBER, TEXT }; /* words beside signs; keywords are their hashes */

static uint64_t hash_of(const char *word, size_t n)
{
    uint64_t hash = BEGIN;

    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)word[i]) * PRIME;
    return hash;
}

static bool is_keyword(const char *word, size_t n)
{
    static const char *const words[] = { "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern",
                                         "float", "for", "goto", "if", "int", "long", "return", "short", "signed", "sizeof", "static",
                                         "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while" };

    for (size_t i = 0; i < QN_ARRAY_LEN(words); i++)
        if (strlen(words[i]) == n && !memcmp(words[i], word, n))
            return true;
    return false;
}

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Behind blanks and comments. */
static const char *skip_blank(const char *at, const char *end)
{
    while (at < end) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            while (at < end && *at != '\n')
                at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '*') {
            for (at += 2; end - at >= 2 && (at[0] != '*' || at[1] != '/'); at++)
                ;
            at = end - at >= 2 ? at + 2 : end;
        } else {
            break;
        }
    }
    return at;
}

static const char *skip_text(const char *at, const char *end)
{
    char quote = *at++;

    for (; at < end && *at != quote && *at != '\n'; at++)
        at += *at == '\\' && at + 1 < end;
    return at < end ? at + 1 : end;
}

/* Signs of two characters that stand for one (ISO C, 6.4.6), and semicolons with nothing between them, are one. */
static const char *next_sign(const char *at, const char *end, uint64_t *word)
{
    static const char *const digraphs[] = { "<:[", ":>]", "<%{", "%>}", "%:#" };
    const char *next;

    for (size_t i = 0; i < QN_ARRAY_LEN(digraphs); i++)
        if (end - at >= 2 && !memcmp(at, digraphs[i], 2))
            return *word = (unsigned char)digraphs[i][2], at + 2;
    *word = (unsigned char)*at++;
    while (*word == ';' && (next = skip_blank(at, end)) < end && *next == ';')
        at = next + 1;
    return at;
}

/* The next word; false: there is none. */
static bool next_word(const char **text, const char *end, uint64_t *word)
{
    const char *at = skip_blank(*text, end), *from = at;

    if (at == end)
        return false;
    if (in_word(*at)) {
        while (at < end && in_word(*at))
            at++;
        *word = isdigit((unsigned char)*from) ? NUMBER : is_keyword(from, (size_t)(at - from)) ? hash_of(from, (size_t)(at - from)) : NAME;
    } else if (*at == '"' || *at == '\'') {
        at = skip_text(at, end);
        *word = TEXT;
    } else {
        at = next_sign(at, end, word);
    }
    *text = at;
    return true;
}

/* A text, and the last words read in it. */
struct reading {
    const char *at, *end;
    const char *from[QN_LAB_PRINT_TOKENS]; /* where words begin */
    uint64_t words[QN_LAB_PRINT_TOKENS];
    size_t n;
};

/* The hash of the next row of words, which is that before without its first one and with one more; false: there is none. */
static bool next_row(struct reading *r, uint64_t *hash)
{
    do {
        const char **from = &r->from[r->n % QN_LAB_PRINT_TOKENS];

        *from = r->at = skip_blank(r->at, r->end);
        if (!next_word(&r->at, r->end, &r->words[r->n % QN_LAB_PRINT_TOKENS]))
            return false;
    } while (++r->n < QN_LAB_PRINT_TOKENS);
    *hash = BEGIN;
    for (size_t i = 0; i < QN_LAB_PRINT_TOKENS; i++)
        *hash = (*hash ^ r->words[(r->n + i) % QN_LAB_PRINT_TOKENS]) * PRIME;
    return true;
}

void qn_lab_add_prints(struct qn_lab_prints *p, const char *text, size_t size)
{
    struct reading r = { .at = text, .end = text + size };
    uint64_t hash;

    while (next_row(&r, &hash)) {
        if (!QN_GROW(p->at, p->n, p->room, 1024))
            abort();
        p->at[p->n++] = hash;
    }
}

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

void qn_lab_finish_prints(struct qn_lab_prints *p, const struct qn_lab_prints *base)
{
    size_t kept = 0;

    if (p->n)
        qsort(p->at, p->n, sizeof *p->at, compare);
    for (size_t i = 0; i < p->n; i++)
        if ((!kept || p->at[kept - 1] != p->at[i])
            && !(base && base->n && bsearch(&p->at[i], base->at, base->n, sizeof *base->at, compare)))
            p->at[kept++] = p->at[i];
    p->n = kept;
}

size_t qn_lab_count_shared(const struct qn_lab_prints *a, const struct qn_lab_prints *b)
{
    size_t i = 0, k = 0, shared = 0;

    while (i < a->n && k < b->n) {
        bool same = a->at[i] == b->at[k], first = a->at[i] < b->at[k];

        shared += same;
        i += same || first;
        k += same || !first;
    }
    return shared;
}

void qn_lab_mark_shared(const char *text, size_t size, const struct qn_lab_prints *other, unsigned char *shared)
{
    struct reading r = { .at = text, .end = text + size };
    uint64_t hash;

    while (next_row(&r, &hash)) {
        const char *from = r.from[r.n % QN_LAB_PRINT_TOKENS];

        if (other->n && bsearch(&hash, other->at, other->n, sizeof *other->at, compare))
            memset(shared + (from - text), 1, (size_t)(r.at - from));
    }
}

void qn_lab_free_prints(struct qn_lab_prints *p)
{
    free(p->at);
    *p = (struct qn_lab_prints){ .n = 0 };
}
