/* Do regular expressions match what Python's re and Perl match? The expectations were checked with both; where the two
 * differ (\Z before a last newline) the case is left out, and what only one of them has is marked. */
#include "tap.h"

#include <string.h>

#include "text/subst.h"

/* The pattern is replaced by itself between bytes that no text here has, so that what it matched is seen: between <>, then group 1 between ()
 * if the pattern has one; "-": it matches nothing. */
static const char *found(const char *pattern, int ignore_case, const char *text)
{
    static const char *const news[] = {"\\x01<$&>($1)\\x02", "\\x01<$&>\\x02"};
    static struct qn_text_buffer out;
    char expression[256];
    static struct qn_text_error err;
    struct qn_text_subst *s = NULL;

    for (size_t i = 0; i < 2 && !s; i++) {
        err = (struct qn_text_error){0};
        snprintf(expression, sizeof expression, "s`%s`%s`%s", pattern, news[i], ignore_case ? "i" : "");
        s = qn_text_parse_subst(expression, &err);
    }
    if (!s)
        return err.text[0] ? "error" : "no message";
    int failed = qn_text_apply_subst(s, text, strlen(text), &out, &err);
    qn_text_free_subst(s);
    if (failed)
        return strstr(err.text, "needs more than") ? "costly" : err.text;
    char *begin = strchr(out.text, 1), *end = begin ? strchr(begin, 2) : NULL;
    if (!end)
        return "-";
    *end = 0;
    return begin + 1;
}

static const struct {
    const char *pattern, *text, *wanted;
} cases[] = {
    {"abc", "xabcx", "<abc>"},
    {"a.c", "abc a\nc", "<abc>"},
    {"", "abc", "<>"},
    {"^b", "abc", "-"},
    {"^a|c$", "bc", "<c>"},
    {"a|ab", "ab", "<a>"}, /* the first alternative, not the longest */
    {"(a|ab)(c|bcd)", "abcd", "<abcd>(a)"},
    {"(?:a|ab)c", "abc", "<abc>"},
    {"a*", "baaa", "<>"},
    {"a+", "baaa", "<aaa>"},
    {"a+?", "baaa", "<a>"},
    {"a?b", "aab", "<ab>"},
    {"<(.+)>", "<a><b>", "<<a><b>>(a><b)"},
    {"<(.+?)>", "<a><b>", "<<a>>(a)"},
    {"a{2}", "aaaa", "<aa>"},
    {"a{2,}", "aaaa", "<aaaa>"},
    {"a{1,3}", "aaaa", "<aaa>"},
    {"a{1,3}?", "aaaa", "<a>"},
    {"a{,2}b", "aaab", "<aab>"},
    {"a{x}", "a{x}", "<a{x}>"}, /* a brace that is no repeat is itself */
    {"a{0}b", "ab", "<b>"},
    {"(ab){2}", "ababab", "<abab>(ab)"},
    {"(a|b)*c", "abbac", "<abbac>(a)"},
    {"(a*)*", "aaab", "<aaa>()"}, /* Perl; Python gives the same */
    {"(a*)+", "b", "<>()"},
    {"(?:a?)*?y", "z", "-"},
    {"[abc]+", "xxbcax", "<bca>"},
    {"[a-c0-2]+", "xb0zz", "<b0>"},
    {"[^a-c]+", "abxyc", "<xy>"},
    {"[]a]+", "x]a", "<]a>"},
    {"[^]a]+", "]xa", "<x>"},
    {"[a-]+", "x-a", "<-a>"},
    {"[\\d_]+", "ab1_2", "<1_2>"},
    {"[^\\s]+", "  ab c", "<ab>"},
    {"[[:alpha:]]+", "12ab3", "<ab>"},
    {"[\\]]", "a]", "<]>"},
    {"\\d+", "ab123c", "<123>"},
    {"\\D+", "12ab3", "<ab>"},
    {"\\w+", "  a_1-", "<a_1>"},
    {"\\W", "ab-c", "<->"},
    {"\\s\\S", "ab c", "< c>"},
    {"\\bfoo\\b", "afoo foo", "<foo>"},
    {"\\Boo", "foo", "<oo>"},
    {"\\.c\\Z", "a.c", "<.c>"},
    {"\\Aa", "ba", "-"},
    {"(a)(b)?", "ac", "<a>(a)"},
    {"(\\w)\\1", "abccd", "<cc>(c)"},
    {"(a*)b\\1", "aabaa", "<aabaa>(aa)"},
    {"(a)?b\\1", "b", "-"}, /* a group that did not match cannot be referred to */
    {"foo(?=bar)", "foofoobar", "<foo>"},
    {"foo(?!foo)", "foofoobar", "<foo>"},
    {"(?=(a+))a", "baa", "<a>(aa)"},
    {"(?!(a))b", "b", "<b>()"}, /* a group that took no part is empty */
    {"(?P<name>x+)y", "axxy", "<xxy>(xx)"},
    {"\\x41\\t", "A\t", "<A\t>"},
    {"\\/\\-", "/-", "</->"},
    {"a\\|b", "a|b", "<a|b>"},
    {".", "\xc3\xa9", "<\xc3\xa9>"}, /* a character, not a byte */
    {"[^a]b", "\xe2\x82\xac" "b", "<\xe2\x82\xac" "b>"},
    {"caf\xc3\xa9", "caf\xc3\xa9", "<caf\xc3\xa9>"},
    {"(a|b|c|d)+?d", "abcd", "<abcd>(c)"},
    {"((((((((a))))))))", "a", "<a>(a)"},
    {"x*y*z*$", "xyzxz", "<xz>"},
    {"a.c", "a\nc", "-"}, /* a dot takes no newline */
    {"a$", "a\n", "<a>"}, /* but $ stands before the last one */
    {"a$", "a\nb", "-"},
    {"(?<=a)b", "bab", "<b>"},
    {"(?<!a)b", "abb", "<b>"},
    {"(?i)A", "a", "<a>"},
    {"a++a", "aaa", "-"}, /* possessive: Perl, and Python since 3.11 */
    {"\\Qa.b\\E", "aab a.b", "<a.b>"}, /* Perl */
    {"\\pL+", "1\xc3\xa9" "2", "<\xc3\xa9>"}, /* Perl, where it knows the text's encoding */
    {"\\w+", "-caf\xc3\xa9-", "<caf\xc3\xa9>"}, /* Python: letters are Unicode's */
    {"[\xc3\xa9]+", "x\xc3\xa9\xc3\xa9x", "<\xc3\xa9\xc3\xa9>"},
    {"(a)(a)(a)(a)(a)(a)(a)(a)(a)(b)\\10", "aaaaaaaaabb", "<aaaaaaaaabb>(a)"},
    {"a{1001}", "a", "-"},
    {"[{,2}]+", "a,{2}0", "<,{2}>"}, /* {,n} is a repeat outside of sets only */
    {"[[:digit:]{,2}]+", "a,{2}", "<,{2}>"},
    {"[]{,2}]+", "a,]{2}", "<,]{2}>"},
    {"[^]{,2}]+", "{a0{2}", "<a0>"},
    {"a\\{,2}", "aa a{,2}", "<a{,2}>"},
    {"[\\]{,2}]+", "a0,]", "<,]>"},
    {"a.b", "a\xff" "b", "<a\xff" "b>"}, /* not UTF-8: byte by byte */
    {"\xff+", "a\xff\xff", "<\xff\xff>"},
    {"\xff.", "\xff\xc3\xa9", "<\xff\xc3>"},
};

static const struct {
    const char *pattern, *what;
} errors[] = {
    {"(", "( without )"},       {")", ") without ("},       {"*a", "a repeat of nothing"},
    {"a**", "a repeat twice"},  {"[a", "[ without ]"},      {"[z-a]", "a range backwards"},
    {"a{3,2}", "a count backwards"}, {"a{70000}", "a count too large"}, {"\\", "a lone backslash"},
    {"\\1", "a reference to nothing"}, {"(?P<n", "a name without >"}, {"(((a{100}){100}){100})", "a program too large"},
    {"\\C", "half a character"}, {"(?=a\\K)", "a start behind the end"},
};

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        is_str(found(cases[i].pattern, 0, cases[i].text), cases[i].wanted, "/%s/ on \"%s\"", cases[i].pattern,
               cases[i].text);
    is_str(found("AbC[x-z]", 1, "aBcY"), "<aBcY>", "letters in either case");
    is_str(found("(a)\\1", 1, "aA"), "<aA>(a)", "a back reference in either case");
    is_str(found("[^a]", 1, "Ab"), "<b>", "a negated set in either case");
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        is_str(found(errors[i].pattern, 0, ""), "error", "refused: %s", errors[i].what);
    is_str(found("\xc3\x89", 1, "\xc3\xa9"), "<\xc3\xa9>", "letters beyond ASCII in either case");
    is_str(found("(x+x+)+[yz]", 0, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"), "costly",
           "a match that would take for ever is given up");
    return done_testing();
}
