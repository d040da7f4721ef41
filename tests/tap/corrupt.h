/* tests/tap/corrupt.h - random damage to a text: for tests of readers.
 *
 *   corrupt_load("modern/a.cgout");          the original, below tests/golden/annotate
 *   corrupt_shorten(3000, 1);                cut to whole functions, its summary made right; with instructions
 *   corrupt_some();                          text and size: the original with one to three changes
 *   corrupt_save(path);
 *
 * The same in every run. */
#ifndef CORRUPT_H
#define CORRUPT_H

#include "tap.h"

enum { CORRUPT_ROOM = 1 << 18, CORRUPT_EVENTS = 13 };

static char original[CORRUPT_ROOM], text[3 * CORRUPT_ROOM];
static size_t original_size, size;
static uint64_t seed = 1;

static size_t random_below(size_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(seed >> 33) % n : 0;
}

static TAP_UNUSED void corrupt_load(const char *golden)
{
    const char *top = getenv("top_srcdir");
    char name[512];

    snprintf(name, sizeof name, "%s/tests/golden/annotate/%s", top ? top : ".", golden);
    FILE *f = fopen(name, "r");
    if (!f)
        bail("cannot open %s", name);
    original_size = fread(original, 1, sizeof original - 1, f);
    original[original_size] = '\0';
    fclose(f);
}

static void append(const char *more, size_t n)
{
    memcpy(text + size, more, n);
    size += n;
}

/* A count line is added to the sums, and to the text once more as its only instruction. */
static void take_counts(const char *line, size_t n, int64_t *sums, int with_insns)
{
    char insn[600], *at = NULL;
    const char *counts = memchr(line, ' ', n);

    for (int i = 0; i < CORRUPT_EVENTS; i++)
        sums[i] += strtoll(i ? at : counts, &at, 10);
    if (with_insns)
        append(insn, (size_t)snprintf(insn, sizeof insn, "#0x%zx 488b45f8%.*s", size, (int)(line + n - counts), counts));
}

/* Keeps the beginning, up to about `limit` bytes, as a whole profile. */
static TAP_UNUSED void corrupt_shorten(size_t limit, int with_insns)
{
    int64_t sums[CORRUPT_EVENTS] = {0};
    char number[32];

    size = 0;
    for (const char *p = original, *end; size < limit && *p && strncmp(p, "summary:", 8) != 0; p = end) {
        end = strchr(p, '\n') + 1;
        append(p, (size_t)(end - p));
        if (with_insns && strncmp(p, "events:", 7) == 0)
            append("#positions: object line instruction\n#ob=/bin/words\n", 51);
        if (*p >= '0' && *p <= '9')
            take_counts(p, (size_t)(end - p), sums, with_insns);
    }
    append("summary:", 8);
    for (int i = 0; i < CORRUPT_EVENTS; i++)
        append(number, (size_t)snprintf(number, sizeof number, " %lld", (long long)sums[i]));
    append("\n", 1);
    memcpy(original, text, size);
    original_size = size;
    original[size] = '\0';
}

static size_t line_start(size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(size_t at)
{
    while (at < size && text[at] != '\n')
        at++;
    return at < size ? at + 1 : at;
}

static void cut(size_t from, size_t to)
{
    memmove(text + from, text + to, size - to);
    size -= to - from;
}

/* One change: a byte, a digit, a line lost, a line twice, the end lost, a stretch of noise, bytes inserted. */
static void corrupt(void)
{
    static const char likely[] = "0123456789 .-=:,\"\n\r\t#fnlsuxc\0\xff";
    size_t at = random_below(size), start = line_start(at), end = line_end(at);

    switch (random_below(7)) {
    case 0:
        text[at] = (char)random_below(256);
        break;
    case 1:
        text[at] = likely[random_below(sizeof likely - 1)];
        break;
    case 2:
        cut(start, end);
        break;
    case 3:
        memmove(text + end, text + start, size - start);
        size += end - start;
        break;
    case 4:
        size = at;
        break;
    case 5:
        for (size_t i = random_below(40); i > 0 && at < size; i--)
            text[at++] = (char)random_below(256);
        break;
    default:
        memmove(text + at + 1, text + at, size - at);
        text[at] = likely[random_below(sizeof likely - 1)];
        size++;
    }
}

static TAP_UNUSED void corrupt_some(void)
{
    size = original_size;
    memcpy(text, original, size);
    for (size_t n = 1 + random_below(3); n > 0; n--)
        corrupt();
}

static TAP_UNUSED void corrupt_save(const char *path)
{
    FILE *f = fopen(path, "w");
    if (!f || fwrite(text, 1, size, f) != size || fclose(f) != 0)
        bail("cannot write %s", path);
}

/* Damages the original so many times.  outcome: 1: what is at `path` reads well; 0: it is refused with file and line; -1: anything else. */
static TAP_UNUSED void corrupt_each(const char *path, int (*outcome)(void), int times, const char *what)
{
    int whole = 0, refused = 0;

    for (int i = 0; i < times; i++) {
        corrupt_some();
        corrupt_save(path);
        int result = outcome();
        whole += result == 1;
        refused += result == 0;
        if (result < 0)
            diag("%s, corruption %d is neither refused nor whole", what, i);
    }
    is_int(whole + refused, times, "%s: each of %d corruptions is refused with file and line, or whole", what, times);
    ok(refused > times / 2, "%s: most are refused (%d)", what, refused);
    ok(whole > 0, "%s: some hurt nothing that counts (%d)", what, whole);
}

/* "PATH:LINE: ..." */
static TAP_UNUSED int names_line(const char *message, const char *path)
{
    size_t n = strlen(path);
    size_t digits = strncmp(message, path, n) == 0 && message[n] == ':' ? strspn(message + n + 1, "0123456789") : 0;
    return digits > 0 && message[n + 1 + digits] == ':';
}

#endif
