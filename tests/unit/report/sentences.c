/* Does doc/advice.md have every sentence of advice, beside the numbers from which it follows, and no other? */
#include "report/sentences.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* The sentence without blanks around it, "N" for each number in it. */
static void simplify(const char *text, char *to)
{
    for (text += strspn(text, " "); *text; text++) {
        if (*text == '%' && text[1] != '%') {
            *to++ = 'N';
            text += strcspn(text, "sf");
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
}

int main(void)
{
    const char *top = getenv("top_srcdir");
    char path[4096], *line = NULL, text[2000], wanted[4000];
    size_t room = 0, rows = 0, count = 0;
    FILE *doc;

    snprintf(path, sizeof path, "%s/doc/advice.md", top ? top : ".");
    doc = fopen(path, "r");
    if (!doc)
        bail("cannot read %s", path);
    while (qn_report_sentences[count].text)
        count++;
    while (getline(&line, &room, doc) > 0 && strncmp(line, "## Objects", 10)) {
        if (strncmp(line, "| ", 2) || !strncmp(line, "| sentence", 10))
            continue;
        line[strcspn(line, "\n")] = '\0';
        if (rows < count) {
            simplify(qn_report_sentences[rows].text, text);
            snprintf(wanted, sizeof wanted, "| %s | %s |", text, qn_report_sentences[rows].follows);
            is_str(line, wanted, "row %zu", rows + 1);
        }
        rows++;
    }
    is_int((int)rows, (int)count, "as many rows as sentences");
    free(line);
    fclose(doc);
    return done_testing();
}
