/* The short form of names of inlined functions. */
#include "prof/table/functions.h"

#include "tap.h"

static const struct {
    const char *name, *wanted;
} cases[] = {
    {"main", "main"},
    {"f(int, char)", "f(int, char)"},
    {"leaf (inlined in main)", "leaf (inlined in main)"},
    {"leaf (inlined in main at /src/a.c:20)", "leaf (inlined in main)"},
    {"leaf (inlined in middle at /src/a.c:9, in main at /src/a.c:20)", "leaf (inlined in main)"},
    {"leaf (inlined in middle, in main at /src/a.c:20)", "leaf (inlined in main)"},
    {"leaf (inlined in middle at /src/a.c:9, in main)", "leaf (inlined in main)"},
    {"a<b, c>::f(x, y) (inlined in g(int, int) at /at home/x, y.c:7, in h(char, int) at /at home/z.c:1)",
     "a<b, c>::f(x, y) (inlined in h(char, int))"},
    {"odd (inlined in ", "odd (inlined in "},
    {"odd (inlined in)", "odd (inlined in)"},
    {"", ""},
};

int main(void)
{
    struct qn_text_buffer out = {0};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        qn_prof_shorten_inlined(cases[i].name, strlen(cases[i].name), &out);
        is_str(out.text, cases[i].wanted, "%s", cases[i].name);
    }
    free(out.text);
    return done_testing();
}
