/* Does s/old/new/ change names as cg_annotate and cg_diff do? Checked with Python's re.sub and Perl's s///. */
#include "tap.h"

#include "text/subst.h"

static const char *applied(const char *expression, const char *name)
{
    static struct qn_text_buffer out;
    struct qn_text_error err = {0};
    struct qn_text_subst *s = qn_text_parse_subst(expression, &err);

    if (!s)
        return "error";
    int failed = qn_text_apply_subst(s, name, strlen(name), &out, &err);
    qn_text_free_subst(s);
    return failed ? "failed" : out.text;
}

static const struct {
    const char *expression, *name, *wanted;
} cases[] = {
    {"s/a/b/", "aaa", "baa"},
    {"s/a/b/g", "aaa", "bbb"},
    {"s/A/b/gi", "aAa", "bbb"},
    {"s/A/b/ig", "aAa", "bbb"},
    {"s/x/y/", "aaa", "aaa"},
    {"s/a//g", "banana", "bnn"},
    {"s/words[0-9]*/words/", "words12.c", "words.c"},
    {"s/(\\w+)\\.(\\w+)/$2.\\1/", "dir/a.c", "dir/c.a"},
    {"s/b/[$&]/", "abc", "a[b]c"},
    {"s/b/[\\0]/", "abc", "a[b]c"}, /* the whole match; ours alone */
    {"s/(b)/${1}1/", "abc", "ab1c"},
    {"s/(b)/\\g<1>1/", "abc", "ab1c"},
    {"s/\\/usr\\/lib/\\/opt/", "/usr/lib/x", "/opt/x"},
    {"s|/usr/|/opt/|", "/usr/x", "/opt/x"},
    {"s#a#b#", "a", "b"},
    {"s{a{2}}{b}", "aaa", "ba"},
    {"s(a)(b)g", "aba", "bbb"},
    {"s<a><[$&]>", "a", "[a]"},
    {"s/$/!/", "abc", "abc!"},
    {"s/^/!/", "abc", "!abc"},
    {"s/x*/-/g", "abc", "-a-b-c-"},
    {"s/b*/-/g", "abc", "-a--c-"},
    {"s/a|ab/x/", "abc", "xbc"},
    {"s/(a)|b/<$1>/g", "ab", "<a><>"},
    {"s/a/\\t\\\\/", "a", "\t\\"},
    {"s/a/$/", "a", "$"},
    {"s/a/$x/", "a", "$x"},
    {"s/./x/", "", ""},
    {"s/^$/empty/", "", "empty"},
    {"s/|a/-/g", "a", "---"}, /* behind an empty match comes one that is not */
    {"s/x*/-/g", "\xc3\xa9", "-\xc3\xa9-"},
    {"s/x*/-/g", "\xff", "-\xff-"},
    {"s/(.)(.)(.)(.)(.)(.)(.)(.)(.)(.)/$10$1/", "abcdefghij", "ja"},
    {"s/(a)/${1}0/", "a", "a0"},
    {"s/a\\Kb/x/g", "abab", "axax"},
    {"s/\\Ba|^/-/g", "aaa", "-a--"},
};

static const char *const errors[] = {
    "", "s", "s/", "s/a", "s/a/", "s/a/b", "nonsense", "y/a/b/", "s/a/b/x", "s/a/b/gg!", "saabbc", "s/(/x/", "s/a/\\1/",
    "s/(a)/$2/", "s/(a)/$10/", "s/a/$99999999999999999999/", "s/a/\\q/", "s{a}b", "s{a}", "s\\a\\b\\", "s/a\\",
};

/* Long names: what costs little for each byte is done, what costs much often is given up. */
static void test_costs(void)
{
    enum { ROOM = 1000001 };
    char *name = malloc(ROOM);
    if (!name)
        bail("no memory");
    memset(name, 'a', ROOM - 1);
    name[ROOM - 1] = '\0';
    is_str(applied("s/a/b/g", name) + ROOM - 4, "bbb", "a name of a million bytes, all of them replaced");
    is_str(applied("s/$/z/", name) + ROOM - 3, "aaz", "and searched to its end");
    is_str(applied("s/(a|b)*$/z/", name), "failed", "but not with all memory");
    for (size_t i = 0; i < 200; i++)
        strcpy(name + 16 * i, "xxxxxxxxxxxxxxx-");
    is_str(applied("s/(x+x+)+y|./z/g", name), "failed", "two hundred costly matches in one name");
    name[16] = '\0';
    is_str(applied("s/(x+x+)+y|./z/g", name), "zzzzzzzzzzzzzzzz", "one of them is not too much");
    free(name);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_str(applied(cases[i].expression, cases[i].name), cases[i].wanted, "%s on \"%s\"", cases[i].expression,
               cases[i].name);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        is_str(applied(errors[i], "a"), "error", "refused: %s", errors[i]);
    is_str(applied("s/(x+x+)+[yz]/z/", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"), "failed",
           "a match that is too costly is an error, not a hang");
    test_costs();
    return done_testing();
}
