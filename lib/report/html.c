/* lib/report/html.c - see html.h. */
#include "report/html.h"

#include <stdint.h>
#include <string.h>

#include "base/base.h"
#include "out/sink.h"
#include "prof/read.h"
#include "report/report.h"
#include "text/escape.h"

static const char style[] =
    ":root{color-scheme:light dark;--text:#111;--page:#fff;--rule:#ddd;--soft:#555;--hot:#fbe3d5;--edge:#D55E00;--advice:#0072B2}\n"
    "@media screen and (prefers-color-scheme:dark){\n"
    ":root{--text:#e4e4e4;--page:#161616;--rule:#3c3c3c;--soft:#aaa;--hot:#4d2a14;--edge:#ff8c42;--advice:#56B4E9}\n"
    "img{filter:invert(.92) hue-rotate(180deg)}}\n"
    "body{font:16px/1.45 sans-serif;color:var(--text);background:var(--page);max-width:75em;margin:2em auto;padding:0 1em}\n"
    "a{color:var(--advice)}\n"
    "h1{font-size:1.5em;overflow-wrap:anywhere}h2{font-size:1.2em;margin-top:2em;border-bottom:1px solid #999}\n"
    "h3{font-size:1em;margin-bottom:.2em;overflow-wrap:anywhere}\n"
    "nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:.2em 1.2em}\n"
    "div.wide{overflow-x:auto}\n"
    "table{border-collapse:collapse;margin:.6em 0}\n"
    "th,td{padding:.15em .7em;text-align:right;border-bottom:1px solid var(--rule);white-space:nowrap}\n"
    "th:first-child,td:first-child{text-align:left;white-space:normal;overflow-wrap:anywhere;min-width:9em}\n"
    "table.facts td{text-align:left;white-space:normal;overflow-wrap:anywhere}table.facts th{font-weight:normal}\n"
    "td small{color:var(--soft)}\n"
    "table.source th:first-child,table.source td:first-child{white-space:nowrap;overflow-wrap:normal;min-width:0;text-align:right}\n"
    "table.source td{border:0;padding:0 .7em;font:13px/1.35 monospace}\n"
    "table.source td.code{text-align:left;white-space:pre}\n"
    "tr.hot{background:var(--hot)}tr.hot td:first-child{border-left:4px solid var(--edge)}\n"
    "img{max-width:100%;border:1px solid var(--rule)}figure{margin:1em 0}figcaption,p.missing{color:var(--soft)}\n"
    "ol.first>li{margin-bottom:1.2em}p.advice{border-left:4px solid var(--advice);padding-left:.7em}p.hint{border-left:4px solid var(--rule);padding-left:.7em}\n"
    "@media(max-width:40em){body{padding:0 .5em}ol.first{padding-left:1.2em}th,td{padding:.15em .4em}}\n"
    "@media print{body{max-width:none;margin:0;font-size:11px}nav{display:none}div.wide{overflow:visible}\n"
    "th,td{padding:.1em .4em}table.source td{font-size:9px;padding:0 .4em}\n"
    "table.source td.code{white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "figure,tr,p.advice{break-inside:avoid}h2,h3{break-after:avoid}img{max-height:120mm;width:auto}}\n";

void qn_report_text(FILE *out, const char *text)
{
    static const char *const entities[] = { ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&#39;" };

    for (size_t left = strlen(text), taken; left; text += taken, left -= taken) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t n = qn_text_escape(piece, text, left, &taken);
        unsigned char c = (unsigned char)*piece;

        if (!qn_text_utf8_length(text, left))
            fputs("&#xFFFD;", out);
        else if (c < QN_ARRAY_LEN(entities) && entities[c])
            fputs(entities[c], out);
        else
            fwrite(piece, 1, n, out);
    }
}

void qn_report_put_by(FILE *out, void (*put_text)(FILE *out, const char *text), const char *format, va_list args)
{
    for (size_t n; *format; format += n) {
        char one[16]; /* "%.1f" */

        n = strcspn(format, "%");
        fwrite(format, 1, n, out);
        if (!*(format += n))
            break;
        n = 1 + strcspn(format + 1, "%csdufg") + 1;
        snprintf(one, sizeof one, "%.*s", (int)n, format);
        switch (format[n - 1]) {
        case 's': put_text(out, va_arg(args, const char *)); break;
        case 'c':
        case 'd':
        case 'u':
            if (strpbrk(one, "lz"))
                fprintf(out, one, va_arg(args, uint64_t));
            else
                fprintf(out, one, va_arg(args, unsigned));
            break;
        case '%': putc('%', out); break;
        default: fprintf(out, one, va_arg(args, double)); break;
        }
    }
}

void qn_report_put(FILE *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    qn_report_put_by(out, qn_report_text, format, args);
    va_end(args);
}

void qn_report_begin(FILE *out, const char *mark, const char *title)
{
    fprintf(out, "<!DOCTYPE html>\n%s\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
            "<meta name=\"viewport\" content=\"width=device-width\">\n", mark);
    qn_report_put(out, "<title>%s</title>\n", title);
    fprintf(out, "<style>\n%s</style>\n</head>\n<body>\n", style);
}

void qn_report_end(FILE *out) { fputs("</body>\n</html>\n", out); }

void qn_report_begin_table(FILE *out, const char *name, const char *headings)
{
    fprintf(out, *name ? "<div class=\"wide\"><table class=\"%s\">\n" : "<div class=\"wide\"><table>\n", name);
    if (!*headings)
        return;
    fputs("<tr>", out);
    for (size_t n; ; headings += n + 1) {
        n = strcspn(headings, "|");
        fprintf(out, n ? "<th scope=\"col\">%.*s</th>" : "<th></th>", (int)n, headings);
        if (!headings[n])
            break;
    }
    fputs("</tr>\n", out);
}

void qn_report_end_table(FILE *out) { fputs("</table></div>\n", out); }

void qn_report_heading(FILE *out, const char *id, const char *title) { qn_report_put(out, "<h2 id=\"%s\">%s</h2>\n", id, title); }

void qn_report_count_cell(FILE *out, double count, double whole)
{
    char text[QN_OUT_COUNT_MAX];

    qn_out_commify(text, (int64_t)count);
    fprintf(out, "<td>%s", text);
    if (whole)
        fprintf(out, " <small>%.1f%%</small>", 100 * count / whole);
    fputs("</td>", out);
}

void qn_report_text_cell(FILE *out, const char *text) { qn_report_put(out, "<td>%s</td>", text); }

void qn_report_put_descriptions(FILE *out, const struct qn_prof_header *h)
{
    qn_report_begin_table(out, "facts", "");
    qn_report_put(out, "<tr><th scope=\"row\">Command</th><td>%s</td></tr>\n", h->cmd.text);
    for (int i = 0; i < h->desc_count; i++) {
        const char *text = h->descs[i].text, *colon = strchr(text, ':');
        char key[64];

        snprintf(key, sizeof key, "%.*s", colon ? (int)(colon - text) : 0, text);
        qn_report_put(out, "<tr><th scope=\"row\">%s</th><td>%s</td></tr>\n", key, colon ? colon + 1 + strspn(colon + 1, " ") : text);
    }
    qn_report_end_table(out);
}

void qn_report_missing(FILE *out, const char *what, const char *command)
{
    qn_report_put(out, "<p class=\"missing\">%s; <code>%s</code> does it.</p>\n", what, command);
}

void qn_report_explore_link(FILE *out)
{
    fputs("<p>This page is plain: it can be printed and read aloud. <a href=\"" QN_REPORT_EXPLORE "\">The same to explore</a>: sources as a whole, "
          "tables to sort and search, what each line costs.</p>\n", out);
}
