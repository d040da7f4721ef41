/* tests/unit/report/html.c - text as HTML: nothing in a name may mean something, and only whole characters come out. */
#include "report/html.h"

#include <stdlib.h>

#include "tap.h"

static void text(const char *in, const char *wanted, const char *what)
{
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);

    qn_report_text(out, in);
    fclose(out);
    is_str(got, wanted, "%s", what);
    free(got);
}

static void cell(double count, double whole, const char *wanted, const char *what)
{
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);

    qn_report_count_cell(out, count, whole);
    fclose(out);
    is_str(got, wanted, "%s", what);
    free(got);
}

int main(void)
{
    text("plain", "plain", "letters");
    text("<script>a && b</script>", "&lt;script&gt;a &amp;&amp; b&lt;/script&gt;", "signs of HTML");
    text("\" onload='x'", "&quot; onload=&#39;x&#39;", "quotes, which end attributes");
    text("a\nb\x1b[0m\x7f", "a\\nb\\x1b[0m\\x7f", "control bytes are shown");
    text("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "UTF-8 stays");
    /* What is none, by Unicode 15, table 3-7. */
    text("a\xe4" "b", "a&#xFFFD;b", "Latin-1");
    text("\xc0\xbc", "&#xFFFD;&#xFFFD;", "< in two bytes");
    text("\xe0\x80\xbc", "&#xFFFD;&#xFFFD;&#xFFFD;", "< in three");
    text("\xed\xa0\x80", "&#xFFFD;&#xFFFD;&#xFFFD;", "half of a pair");
    text("\xf4\x90\x80\x80", "&#xFFFD;&#xFFFD;&#xFFFD;&#xFFFD;", "beyond the last character");
    text("\xe2\x82", "&#xFFFD;&#xFFFD;", "a character that is cut off");
    text("\xe2<", "&#xFFFD;&lt;", "a sign of HTML behind half a character");

    cell(1234567, 0, "<td>1,234,567</td>", "a count");
    cell(1, 3, "<td>1 <small>33.3%</small></td>", "with its share");
    return done_testing();
}
