/* tests/unit/page/json.c - text and counts as JSON inside of a page: nothing can end the script, nothing is lost. */
#include "page/json.h"

#include <stdlib.h>
#include <string.h>

#include "prof/write.h"
#include "tap.h"
#include "text/escape.h"

static void string(const char *in, size_t length, const char *wanted, const char *what)
{
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);

    qn_page_put_string(out, in, length);
    fclose(out);
    is_str(got, wanted, "%s", what);
    free(got);
}

static void counts(const int64_t *in, int events, const char *wanted, const char *what)
{
    char *got = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&got, &size);

    qn_page_put_counts(out, in, events);
    fclose(out);
    is_str(got, wanted, "%s", what);
    free(got);
}

static void check_strings(void)
{
    string("main", 4, "\"main\"", "a name");
    string("a\"b\\c\td", 7, "\"a\\\"b\\\\c\\td\"", "quotes, backslashes, tabs");
    string("</script><!--&", 14, "\"\\u003c/script\\u003e\\u003c!--\\u0026\"", "what could end a script or begin a comment");
    string("a\0b\x1b\x7f", 5, "\"a\\u0000b\\u001b\\u007f\"", "NUL and other controls");
    string("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"", "UTF-8 stays");
    string("\xe2\x80\xa8\xe2\x80\xa9", 6, "\"\\u2028\\u2029\"", "separators of lines and paragraphs");
    string("\xc3", 1, "\"\\ufffd\"", "half a character");
    string("\xe2\x82" "a", 3, "\"\\ufffd\\ufffda\"", "two thirds of one, and a letter");
    string("\xc0\xbc", 2, "\"\\ufffd\\ufffd\"", "an overlong <");
    string("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"", "a surrogate");
}

static void check_counts(void)
{
    counts((int64_t[]){3, 0, 1, 0, 0}, 5, ",3,0,1", "zeros at the end are left out");
    counts((int64_t[]){0, 0}, 2, "", "nothing but zeros");
    counts((int64_t[]){QN_PROF_NONE, 2}, 2, ",0,2", "no count");
    counts((int64_t[]){9007199254740992, 9007199254740993}, 2, ",9007199254740992,\"9007199254740993\"", "beyond 2^53: digits");
    counts((int64_t[]){-9007199254740993}, 1, ",\"-9007199254740993\"", "below -2^53");
}

int main(void)
{
    check_strings();
    check_counts();
    is_int((int)qn_text_utf8_length("\xf4\x90\x80\x80", 4), 0, "nothing above U+10FFFF");
    is_int((int)qn_text_utf8_length("", 0), 0, "no text, no character");
    return done_testing();
}
