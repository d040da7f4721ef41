/* lib/page/shell.c - see shell.h. */
#include "page/shell.h"

#include "page_files.h"
#include "report/html.h"

/* The browser loads nothing that is not in the page, but scripts beside it (the second file of sources). */
#define POLICY                                                                                                          \
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'self'; img-src data: blob:; base-uri 'none'; " \
    "form-action 'none'"

void qn_page_begin(FILE *out, const char *title)
{
    fputs("<!DOCTYPE html>\n" QN_PAGE_MARK "\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>", out);
    qn_report_text(out, title);
    fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n<noscript>\n", page_style);
}

void qn_page_begin_data(FILE *out)
{
    fputs("</noscript>\n<header id=\"head\"></header>\n<main id=\"main\" tabindex=\"-1\"></main>\n"
          "<script type=\"application/json\" id=\"data\">", out);
}

void qn_page_end(FILE *out, enum qn_page_script script)
{
    fprintf(out, "</script>\n<script>\n'use strict';\n%s%s", page_common, script == QN_PAGE_WATCH ? page_watch : page_explore);
    fputs("start(JSON.parse(document.getElementById('data').textContent));\n</script>\n</body>\n</html>\n", out);
}
