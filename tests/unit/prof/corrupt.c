/* Do 10,000 random corruptions of a real profile each give an error with file and line, or a profile whose counts still
 * add up to its summary? Never a crash, a hang, or a part of the file presented as the whole. */
#include "tap.h"

#include <ctype.h>
#include <unistd.h>

#include "prof/read.h"

enum { CORRUPTIONS = 10000, ROOM = 1 << 18 };

static char original[ROOM], text[2 * ROOM];
static size_t original_size, size;
static char path[512];
static uint64_t seed = 1;

static size_t random_below(size_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return n ? (size_t)(seed >> 33) % n : 0;
}

static void load_original(void)
{
    const char *top = getenv("top_srcdir");
    char name[512];

    snprintf(name, sizeof name, "%s/tests/golden/annotate/modern/a.cgout", top ? top : ".");
    FILE *f = fopen(name, "r");
    if (!f)
        bail("cannot open %s", name);
    original_size = fread(original, 1, sizeof original, f);
    fclose(f);
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
    static const char likely[] = "0123456789 .-=:\n\r\t#fnlsuc\0\xff";
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

static void save(void)
{
    FILE *f = fopen(path, "w");
    if (!f || fwrite(text, 1, size, f) != size || fclose(f) != 0)
        bail("cannot write %s", path);
}

/* Begins with PATH:NUMBER: */
static int names_line(const char *message)
{
    size_t n = strlen(path);
    if (strncmp(message, path, n) != 0 || message[n] != ':' || !isdigit((unsigned char)message[n + 1]))
        return 0;
    return strchr(message + n + 1, ':') != NULL;
}

/* Reads all of it: 1 whole and consistent, 0 refused with file and line, -1 anything else. */
static int outcome(void)
{
    struct qn_prof_error err = {0};
    struct qn_prof_item item;
    struct qn_prof_reader *r = qn_prof_open_reader(path, &err);
    int64_t sums[QN_PROF_EVENTS_MAX] = {0};
    int got = 0, whole = 0;

    if (!r)
        return names_line(err.text) ? 0 : -1;
    int events = qn_prof_reader_header(r)->event_count;
    while ((got = qn_prof_read_next(r, &item, &err)) > 0) {
        whole = item.kind == QN_PROF_SUMMARY;
        for (int i = 0; i < events && item.kind >= QN_PROF_COUNTS; i++) {
            int64_t c = item.counts[i] == QN_PROF_NONE ? 0 : item.counts[i];
            sums[i] += item.kind == QN_PROF_COUNTS ? c : 0;
            whole &= item.kind == QN_PROF_COUNTS || sums[i] == c;
        }
    }
    qn_prof_close_reader(r);
    if (got == 0)
        return whole ? 1 : -1;
    return names_line(err.text) ? 0 : -1;
}

int main(void)
{
    const char *scratch = getenv("SCRATCH");
    int whole = 0, refused = 0;

    snprintf(path, sizeof path, "%s/corrupt.XXXXXX", scratch ? scratch : "/tmp");
    int fd = mkstemp(path);
    if (fd < 0)
        bail("cannot make a file below %s", path);
    close(fd);
    load_original();
    for (int i = 0; i < CORRUPTIONS; i++) {
        /* Mostly a short part at the file's start, so that the header is hit as often as the body. */
        size = i % 20 ? 2000 + random_below(3000) : original_size;
        memcpy(text, original, size);
        for (size_t n = 1 + random_below(3); n > 0; n--)
            corrupt();
        save();
        int result = outcome();
        whole += result == 1;
        refused += result == 0;
        if (result < 0)
            diag("corruption %d is neither refused nor whole: %s", i, path);
    }
    unlink(path);
    is_int(whole + refused, CORRUPTIONS, "each of %d corruptions is refused with file and line, or whole", CORRUPTIONS);
    ok(refused > CORRUPTIONS / 2, "most are refused (%d)", refused);
    ok(whole > 0, "some hurt nothing that counts (%d)", whole);
    return done_testing();
}
