/* When does annotate colour, and how long are the bars? A terminal of our own is asked, so that it does not matter where the
 * test runs. */
#define _GNU_SOURCE
#include "out/table.h"

#include <fcntl.h>
#include <unistd.h>

#include "tap.h"

static int open_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);

    if (master < 0 || grantpt(master) || unlockpt(master))
        return -1;
    return open(ptsname(master), O_RDWR | O_NOCTTY);
}

static void set(const char *name, const char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void test_when(int terminal)
{
    static const struct {
        enum qn_out_color color;
        int on_terminal;
        const char *no_color, *term;
        int wanted;
    } cases[] = {
        {QN_OUT_COLOR_AUTO, 1, NULL, "xterm", 1},
        {QN_OUT_COLOR_AUTO, 1, "", "xterm", 1}, /* no-color.org: when present and not an empty string */
        {QN_OUT_COLOR_AUTO, 1, "1", "xterm", 0},
        {QN_OUT_COLOR_AUTO, 1, NULL, "dumb", 0},
        {QN_OUT_COLOR_AUTO, 1, NULL, NULL, 0},
        {QN_OUT_COLOR_AUTO, 0, NULL, "xterm", 0},
        {QN_OUT_COLOR_ALWAYS, 0, "1", NULL, 1},
        {QN_OUT_COLOR_NEVER, 1, NULL, "xterm", 0},
    };
    static const char *const names[] = {"auto", "always", "never"};
    int null = open("/dev/null", O_WRONLY);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set("NO_COLOR", cases[i].no_color);
        set("TERM", cases[i].term);
        if (cases[i].on_terminal && terminal < 0)
            skip(1, "there are no pseudo terminals");
        else
            is_int(qn_out_use_heat(cases[i].color, cases[i].on_terminal ? terminal : null), cases[i].wanted,
                   "%s, %s, NO_COLOR=%s, TERM=%s", names[cases[i].color], cases[i].on_terminal ? "terminal" : "file",
                   cases[i].no_color ? cases[i].no_color : "(unset)", cases[i].term ? cases[i].term : "(unset)");
    }
    close(null);
}

/* What a row of this count begins and ends with, of a total of 1024. */
static const char *bar(int64_t count)
{
    static char text[64];
    static struct qn_out_sink sink;
    struct qn_out_column sort = {.event = 0};
    int pipes[2];
    int64_t total = 1024;
    struct qn_out_columns columns = {.sort = &sort, .sort_count = 1};
    struct qn_out_table t = {.columns = &columns, .total = &total, .heat = 1};

    if (pipe(pipes))
        bail("no pipe");
    qn_out_open_sink(&sink, pipes[1]);
    qn_out_heat_begin(&sink, &t, &count);
    qn_out_heat_end(&sink, &t, &count);
    qn_out_flush(&sink);
    close(pipes[1]);
    text[read(pipes[0], text, sizeof text - 1)] = '\0';
    close(pipes[0]);
    return text;
}

static void test_bars(void)
{
    is_str(bar(1024), "\033[1;31m######## \033[0m", "everything: a full bar");
    is_str(bar(512), "\033[1;31m######## \033[0m", "so is a half");
    is_str(bar(511), "\033[1;31m#######  \033[0m", "less: one cell less");
    is_str(bar(256), "\033[1;31m#######  \033[0m", "a quarter is still red");
    is_str(bar(255), "\033[33m######   \033[0m", "less than a quarter is yellow");
    is_str(bar(64), "\033[33m#####    \033[0m", "down to a sixteenth");
    is_str(bar(63), "\033[32m####     \033[0m", "then green");
    is_str(bar(1), "\033[32m#        \033[0m", "a little is one cell");
    is_str(bar(0), "         ", "nothing has none, and no colour");
    is_str(bar(-300), "\033[1;31m#######  \033[0m", "a difference counts by its size");
}

int main(void)
{
    test_when(open_terminal());
    test_bars();
    return done_testing();
}
