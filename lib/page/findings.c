/* lib/page/findings.c - see findings.h. */
#include "page/findings.h"

#include <inttypes.h>

#include "page/json.h"
#include "plot/words.h"
#include "report/findings.h"
#include "report/sentences.h"
#include "report/findings.h"

static void put_member(FILE *out, const char *before, const char *name, const char *text)
{
    fprintf(out, "%s\"%s\":", before, name);
    qn_page_put_text(out, text);
}

static void put_finding(const struct qn_report_facts *f, const struct qn_report_finding *finding, FILE *out)
{
    put_member(out, "{", "what", finding->what);
    put_member(out, ",", "proof", finding->proof);
    put_member(out, ",", "advice", finding->advice);
    if (finding->line >= 0 && qn_report_has_line(&f->lines.at[finding->line])) {
        put_member(out, ",", "file", f->lines.at[finding->line].file);
        fprintf(out, ",\"line\":%" PRIu32, f->lines.at[finding->line].line);
    }
    putc('}', out);
}

void qn_page_put_findings(struct qn_report_facts *f, FILE *out)
{
    struct qn_report_finding findings[QN_REPORT_FINDINGS_MAX];
    const char *hints[QN_REPORT_HINTS_MAX];
    int count = qn_report_has_event(f, "Ir") ? qn_report_find(f, findings) : 0;

    qn_report_hint(f, hints);
    fputs(",\n\"findings\":[", out);
    for (int i = 0; i < count; i++) {
        fputs(i ? ",\n" : "", out);
        put_finding(f, &findings[i], out);
    }
    fputs("],\n\"hints\":[", out);
    for (int i = 0; hints[i]; i++) {
        fputs(i ? "," : "", out);
        qn_page_put_text(out, hints[i]);
    }
    fputs("]", out);
    put_member(out, ",\n\"classes\":{", "compulsory", SAY_D1_COMPULSORY);
    put_member(out, ",", "capacity", qn_text_format(&f->memory, SAY_D1_CAPACITY, qn_plot_say_bytes(&f->memory, f->size[QN_REPORT_D1])));
    put_member(out, ",", "conflict", SAY_D1_CONFLICT);
    putc('}', out);
}

/* A row of two numbers. */
static void add_row(struct qn_text_table *t, struct qn_text_memory *m, double a, double b)
{
    char **cells = qn_text_add_row(t);

    cells[0] = qn_text_format(m, "%.0f", a);
    cells[1] = qn_text_format(m, "%.10g", b);
}

/* The tables of the pictures mrc and sets. */
static void take_log(struct qn_report_facts *f, const struct qn_page_log *log)
{
    qn_text_add_column(&f->sets, "set");
    qn_text_add_column(&f->sets, "misses");
    for (size_t i = 0; i < log->set_count; i++)
        add_row(&f->sets, &f->memory, (double)i, (double)log->sets[i]);
    qn_text_add_column(&f->curve, "size");
    qn_text_add_column(&f->curve, "miss_percent");
    for (size_t i = 0; i < log->curve_count; i++)
        add_row(&f->curve, &f->memory, (double)(log->curve[i][0] * log->line), 100 * (double)log->curve[i][1] / (double)log->touched);
}

void qn_page_find(const struct qn_page_found *from, FILE *out)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_page_profile *p = from->profile;
    struct qn_report_facts f = { .profile = { p->reader, p->merge, p->functions } };

    f.intervals = *from->intervals;
    f.runs = *from->runs;
    f.sharing = *from->sharing;
    f.culprits = *from->culprits;
    if (qn_prof_find_event(qn_prof_reader_header(p->reader), "Ir", 2) >= 0 && qn_report_gather_facts(&f, p->path, &err) == QN_TEXT_OK) {
        if (from->log)
            take_log(&f, from->log);
        qn_report_find_knees(&f);
        qn_page_put_findings(&f, out);
    }
    qn_text_free_table(&f.sets);
    qn_text_free_table(&f.curve);
    f.intervals = f.runs = f.sharing = f.culprits = (struct qn_text_table){ 0 }; /* the caller owns them, and the rows */
    f.profile = (struct qn_plot_profile){ NULL, NULL, NULL };
    qn_report_free_facts(&f);
}
