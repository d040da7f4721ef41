/* Does the measure of copies see what was written, and not how it looks? */
#include "lab/similar.h"

#include <string.h>

#include "tap.h"

static struct qn_lab_prints prints_of(const char *text, const struct qn_lab_prints *base)
{
    struct qn_lab_prints p = { .n = 0 };

    qn_lab_add_prints(&p, text, strlen(text));
    qn_lab_finish_prints(&p, base);
    return p;
}

static size_t shared(const char *one, const char *other)
{
    struct qn_lab_prints a = prints_of(one, NULL), b = prints_of(other, NULL);
    size_t n = qn_lab_count_shared(&a, &b);

    qn_lab_free_prints(&a);
    qn_lab_free_prints(&b);
    return n;
}

int main(void)
{
    static const char sum[] = "int sum(int n)\n{\n    int s = 0;\n    for (int i = 0; i < n; i++) s += i;\n    return s;\n}\n";
    static const char renamed[] = "/* mine */ int total (int count) { int t=0; // new\nfor(int k=00;k<count;k++)t+=k;return t;}";
    static const char other[] = "int sum(int n)\n{\n    return n * (n - 1) / 2;\n}\n";
    struct qn_lab_prints base = prints_of(sum, NULL), p;

    is_int((long long)base.n, 25, "36 words are 25 rows of twelve");
    is_int((long long)shared(sum, sum), 25, "a text is itself");
    is_int((long long)shared(sum, renamed), 25, "other names, numbers, comments and blanks are the same");
    is_int((long long)shared(sum, other), 0, "another way is not");
    is_int((long long)shared("int a;", "int a;"), 0, "less than a row is nothing");
    p = prints_of(sum, &base);
    is_int((long long)p.n, 0, "what was given to all does not count");
    qn_lab_free_prints(&p);
    p = prints_of("for (;;) { for (;;) { for (;;) { for (;;) { } } } }", NULL);
    ok(p.n < 20, "a row that comes again counts once");
    qn_lab_free_prints(&p);
    p = prints_of("a \"never ended\n b /* nor this", NULL);
    is_int((long long)p.n, 0, "a text and a comment without an end");
    qn_lab_free_prints(&p);
    {
        static const char mine[] = "int more(void) { return 1; }\nint total(int count) { int t = 0; for (int k = 00; k < count; k++) t += k; return t; }";
        unsigned char shared[sizeof mine] = { 0 };
        size_t n = 0;

        qn_lab_mark_shared(mine, sizeof mine - 1, &base, shared);
        while (n < sizeof mine && !shared[n])
            n++;
        is_str(mine + n, strchr(mine, '\n') + 1, "what another text has, too, is marked from its first token");
        ok(shared[sizeof mine - 2] && !shared[sizeof mine - 1], "... to its last");
    }
    qn_lab_free_prints(&base);
    return done_testing();
}
