/* tests/fuzz/regex.c - any text as s/old/new/, used on any other: "old/new/flags" NUL "text". */
#include "fuzz.h"

#include "text/subst.h"

enum { EXPRESSION_MAX = 200, TEXT_MAX = 60 };

static void apply(const struct qn_text_subst *s, const char *text, size_t n)
{
    struct qn_text_buffer out = {0};
    struct qn_text_error err = {0};
    int result = qn_text_apply_subst(s, text, n, &out, &err);
    must((result != 0) == (err.status != QN_TEXT_OK), "status and error agree");
    must(result == 0 || err.text[0], "a failure has a message");
    must(result != 0 || out.text, "a success has a text");
    free(out.text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char expression[EXPRESSION_MAX + 2] = "s";
    struct qn_text_error err = {0};
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    size_t n = zero ? (size_t)(zero - data) : size, left = zero ? size - n - 1 : 0;
    if (n > EXPRESSION_MAX)
        return 0;
    if (n)
        memcpy(expression + 1, data, n);
    expression[n + 1] = '\0';
    struct qn_text_subst *s = qn_text_parse_subst(expression, &err);
    must(s || err.text[0], "a failure has a message");
    if (s)
        apply(s, zero ? (const char *)zero + 1 : "dir/words.c", zero ? (left < TEXT_MAX ? left : TEXT_MAX) : 11);
    qn_text_free_subst(s);
    return 0;
}
