/* lib/page/advice.c - the advice of out/advice.h as JSON.  See profile.h. */
#include <string.h>

#include "out/advice.h"
#include "page/json.h"
#include "page/profile.h"

/* One item: its lines as an array. */
static void put_item(const char *text, FILE *out)
{
    for (size_t n; *text; text += n + 1) {
        n = strcspn(text, "\n");
        qn_page_put_string(out, text, n);
        fputs(text[n + 1] ? "," : "", out);
    }
}

void qn_page_put_advice(struct qn_page_profile *p, FILE *out)
{
    struct qn_out_advice a;

    qn_out_find_advice(&a, &p->data);
    fputs("\"advice\":[", out);
    for (size_t i = 0; i < a.count; i++) {
        fputs(i ? "],\n[" : "[", out);
        put_item(a.items[i].text, out);
    }
    fputs(a.count ? "]],\n" : "],\n", out);
    qn_out_free_advice(&a);
}
