/* lib/plot/words.c - see words.h. */
#define _GNU_SOURCE
#include "plot/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

#define INLINED_MARK " (inlined in " /* prof/table/functions.h */
#define INLINED_SHORT " (in "
#define INLINED_LEAST 8 /* characters of each name */

/* ---- numbers ---- */

char *qn_plot_say_bytes(struct qn_text_memory *m, double bytes)
{
    static const char *const units[] = { "B", "KiB", "MiB", "GiB" };
    size_t i = 0;

    while (i + 1 < QN_ARRAY_LEN(units) && bytes >= 1024 && fmod(bytes, 1024) == 0) {
        bytes /= 1024;
        i++;
    }
    return qn_text_format(m, "%.10g %s", bytes, units[i]);
}

char *qn_plot_say_cache(struct qn_text_memory *m, double size, double ways, double line)
{
    char *text = qn_text_copy(m, "");

    if (size)
        text = qn_plot_say_bytes(m, size);
    if (ways)
        text = qn_text_format(m, "%s%s%.10g way%s", text, *text ? ", " : "", ways, ways == 1 ? "" : "s");
    if (line)
        text = qn_text_format(m, "%s%slines of %.10g B", text, *text ? ", " : "", line);
    return text;
}

char *qn_plot_say_count(struct qn_text_memory *m, double count, bool sign)
{
    static const char *const units[] = { "", " k", " M", " G", " T", " P" };
    double v = fabs(count);
    size_t i = 0;

    while (i + 1 < QN_ARRAY_LEN(units) && v >= 999.5) {
        v /= 1000;
        i++;
    }
    return qn_text_format(m, "%s%.*f%s", count < 0 ? "-" : sign && count > 0 ? "+" : "",
                         i == 0 && v == floor(v) ? 0 : v < 10 ? 2 : v < 100 ? 1 : 0, v, units[i]);
}

/* ---- columns ---- */

/* %s: the part before the ending. */
static const char *const endings[][2] = {
    { "_mpki", "%s misses per 1000 instructions" }, { "_size", "size of the %s (bytes)" },
    { "_ways", "ways of the %s" },                  { "_line", "line of the %s (bytes)" },
};

static const char *const whole[][2] = {
    { "I1_miss_percent", "I1 misses per 100 instructions" },
    { "D1_miss_percent", "D1 misses per 100 references" },
    { "LL_miss_percent", "LL misses per 100 references" },
    { "Bc_miss_percent", "mispredicts per 100 cond. branches" },
    { "Bi_miss_percent", "mispredicts per 100 ind. branches" },
    { "Bc_mpki", "conditional mispredicts per 1000 instructions" },
    { "Bi_mpki", "indirect mispredicts per 1000 instructions" },
    { "BC_bits", "storage of the predictor (bits)" },
    { "BI_bits", "storage of the predictor (bits)" },
    { "I1mr%", "I1 misses per 100 instructions" },
    { "D1mr%", "D1 read misses per 100 reads" },
    { "D1mw%", "D1 write misses per 100 writes" },
    { "D1m%", "D1 misses per 100 references" },
    { "LLmr%", "LL misses per 100 references" },
    { "LLlocal%", "LL misses per 100 misses of the first level" },
    { "L2mr%", "L2 misses per 100 references" },
    { "L2local%", "L2 misses per 100 misses of the first level" },
    { "LL/L2%", "LL misses per 100 misses of the L2" },
    { "L2MPKI", "L2 misses per 1000 instructions" },
    { "Bcm%", "mispredicts per 100 cond. branches" },
    { "Bim%", "mispredicts per 100 ind. branches" },
    { "Bm%", "mispredicts per 100 branches" },
    { "MPKI", "LL misses per 1000 instructions" },
    { "L1MPKI", "L1 misses per 1000 instructions" },
    { "BMPKI", "mispredicts per 1000 instructions" },
    { "Ir/line", "instructions per line from or to memory" },
    { "Ir", "instructions" },
    { "I1mr", "I1 misses" },
    { "I2mr", "L2 misses of instructions" },
    { "D2mr", "L2 read misses of data" },
    { "D2mw", "L2 write misses of data" },
    { "D2mr+D2mw", "L2 misses of data" },
    { "ILmr", "LL misses of instructions" },
    { "Dr", "data reads" },
    { "D1mr", "D1 read misses" },
    { "DLmr", "LL read misses of data" },
    { "Dw", "data writes" },
    { "D1mw", "D1 write misses" },
    { "DLmw", "LL write misses of data" },
    { "D1mr+D1mw", "D1 misses" },
    { "DLmr+DLmw", "LL misses of data" },
    { "Dr+Dw", "data references" },
    { "Bc", "conditional branches" },
    { "Bcm", "conditional mispredicts" },
    { "Bi", "indirect branches" },
    { "Bim", "indirect mispredicts" },
    { "Bcm+Bim", "mispredicts" },
    { "end", "instructions" },
    { "cycles", "estimated cycles" },
    { "CPI", "estimated cycles per instruction" },
    { "AMAT", "estimated cycles per data reference" },
};

const char *qn_plot_say_column(struct qn_text_memory *m, const char *column)
{
    size_t n = strlen(column);

    for (size_t i = 0; i < QN_ARRAY_LEN(whole); i++)
        if (!strcmp(column, whole[i][0]))
            return whole[i][1];
    for (size_t i = 0; i < QN_ARRAY_LEN(endings); i++) {
        size_t k = strlen(endings[i][0]);
        const char *format = endings[i][1], *gap = strstr(format, "%s");

        if (n == k + 2 && !strcmp(column + n - k, endings[i][0]))
            return qn_text_format(m, "%.*s%.2s%s", (int)(gap - format), format, column, gap + 2);
    }
    return qn_text_copy(m, column);
}

const char *qn_plot_say_value(struct qn_text_memory *m, const char *column, const char *value)
{
    static const char *const plain[] = { "sim", "program", "command", "input", "options", "build_id" };
    size_t n = strlen(column);
    const char *level = n == 7 && strncmp(column, "D1", 2) ? qn_text_format(m, "%.2s: ", column) : "";
    char *end;
    double v = strtod(value, &end);

    for (size_t i = 0; i < QN_ARRAY_LEN(plain); i++)
        if (!strcmp(column, plain[i]))
            return *value ? value : "none";
    if (!*value || *end)
        return *value ? value : qn_text_format(m, "%s none", column);
    if (n == 7 && !strcmp(column + 2, "_size"))
        return qn_text_format(m, "%s%s", level, qn_plot_say_bytes(m, v));
    if (n == 7 && !strcmp(column + 2, "_ways"))
        return qn_text_format(m, "%s%s way%s", level, value, v == 1 ? "" : "s");
    if (n == 7 && !strcmp(column + 2, "_line"))
        return qn_text_format(m, "%slines of %s B", level, value);
    return qn_text_format(m, "%s %s", column, value);
}

/* Does not cut inside a character of UTF-8. */
char *qn_plot_shorten(struct qn_text_memory *m, const char *text, size_t room)
{
    size_t n = strlen(text), head = room / 2 - 1, tail = room - head - 3;
    const char *rest;

    if (n <= room)
        return qn_text_copy(m, text);
    while (head && ((unsigned char)text[head] & 0xc0) == 0x80)
        head--;
    rest = text + n - tail;
    while (((unsigned char)*rest & 0xc0) == 0x80)
        rest++;
    return qn_text_format(m, "%.*s...%s", (int)head, text, rest);
}

/* ---- names of functions ---- */

/* The end of the brackets that open at `text`; the end of the text if they do not close. */
static const char *skip_brackets(const char *text)
{
    int depth = 0;

    for (; *text; text++) {
        if (strchr("(<[{", *text))
            depth++;
        else if (strchr(")]}", *text) || (*text == '>' && text[-1] != '-'))
            depth--;
        if (depth == 0)
            return text + 1;
    }
    return text;
}

/* The number of punctuation characters that belong to a name such as operator<< or operator(). */
static size_t count_operator(const char *start, const char *at)
{
    static const char word[] = "operator";
    size_t n = sizeof word - 1;

    if ((size_t)(at - start) < n || memcmp(at - n, word, n))
        return 0;
    return !strncmp(at, "()", 2) || !strncmp(at, "[]", 2) ? 2 : strspn(at, "<>=-");
}

/* std::map<int, std::string>::at(int const&) -> std::map<>::at(); <T as Trait> at the beginning of a Rust name stays. */
static char *empty_brackets(struct qn_text_memory *m, const char *name)
{
    char *out = qn_text_alloc(m, strlen(name) + 1);
    size_t used = 0;

    for (const char *at = name; *at;) {
        size_t n = count_operator(name, at);

        if (n || at == name || !strchr("(<", *at)) {
            n = n ? n : 1;
            memcpy(out + used, at, n);
            used += n;
            at += n;
            continue;
        }
        out[used++] = *at;
        out[used++] = *at == '(' ? ')' : '>';
        at = skip_brackets(at);
    }
    out[used] = 0;
    return out;
}

/* Skips a type and a blank before the name; "(anonymous namespace)" has no blank any more. */
static const char *skip_type(const char *name)
{
    const char *end = strstr(name, "operator"), *found = name;

    end = end ? end : strchr(name, '(');
    if (*name == '<' || !end)
        return name;
    for (const char *at = name; at < end; at++)
        if (*at == ' ')
            found = at + 1;
    return found;
}

/* Skips the outermost namespace; NULL: there is none. */
static const char *skip_namespace(const char *name)
{
    int depth = 0;

    for (const char *at = name; *at; at++) {
        depth += *at == '<' || *at == '(' ? 1 : (*at == '>' && at > name && at[-1] != '-') || *at == ')' ? -1 : 0;
        if (depth == 0 && at[0] == ':' && at[1] == ':' && at[2])
            return at + 2;
    }
    return NULL;
}

/* "f (inlined in g)": the first name gets half of the room, the second the rest. */
static char *shorten_inlined(struct qn_text_memory *m, const char *name, const char *mark, size_t room)
{
    const char *outer = mark + sizeof INLINED_MARK - 1;
    size_t half = room > 2 * INLINED_LEAST ? (room - (sizeof INLINED_SHORT - 1)) / 2 : INLINED_LEAST;
    char *inner = qn_plot_shorten_name(m, qn_text_copy_part(m, name, (size_t)(mark - name)), half);

    if (room > 2 * INLINED_LEAST)
        half = room - (sizeof INLINED_SHORT - 1) - strlen(inner) - 1;
    return qn_text_format(m, "%s" INLINED_SHORT "%s)", inner, qn_plot_shorten_name(m, qn_text_copy_part(m, outer, strlen(outer) - 1), half));
}

char *qn_plot_shorten_name(struct qn_text_memory *m, const char *name, size_t room)
{
    const char *rest, *mark = strstr(name, INLINED_MARK);

    if (mark && strlen(name) > room && name[strlen(name) - 1] == ')')
        return shorten_inlined(m, name, mark, room);
    if (strlen(name) <= room || !strpbrk(name, "(<:"))
        return qn_plot_shorten(m, name, room);
    name = empty_brackets(m, name);
    if (strlen(name) > room && (rest = strstr(name, " [clone ")) && rest > name)
        name = qn_text_copy_part(m, name, (size_t)(rest - name));
    if (strlen(name) > room)
        name = skip_type(name);
    while (strlen(name) > room && (rest = skip_namespace(name)))
        name = rest;
    return qn_plot_shorten(m, name, room);
}
