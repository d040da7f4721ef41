/* lib/plot/flame_svg.c - writes a flame graph as SVG with search and zoom.  See flame.h.
 *
 *   <svg class="f h2" x="10.0%" y="154" width="25.0%" height="18" data-...><title>f (a.c): ...</title><rect .../><text ...>f</text></svg>
 *
 * Every bar is an <svg> of its own with a width in per cent, which clips the name; the script zooms by changing x and width.
 * Bars too narrow to be seen are left out, because they would be most of the file.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/base.h"
#include "out/sink.h"
#include "plot/flame.h"
#include "text/escape.h"

enum { WIDTH = 1200, ROW = 19, BAR = 18, HEAD = 78, FOOT = 30, BASELINE = 13 };

#define LEAST (1.0 / 20000) /* of the width: bars that are narrower are left out */

/* Misses of level 1 per 1000 instructions at which a bar becomes a step darker.  The colours are ColorBrewer's YlOrRd; they differ in
 * lightness, so the colour-blind can tell them apart. */
static const double steps[] = { 1, 5, 20, 80 };
static const char *const colours[] = { "#ffffcc", "#fed976", "#fd8d3c", "#d7301f", "#7f0000" };
enum { STEPS = QN_ARRAY_LEN(steps) };

static const char style[] =
    "<style>text{font:12px sans-serif;fill:#000}.t{font-size:17px;font-weight:bold}.n{fill:#444}.f rect{stroke:#fff;stroke-width:.5}"
    ".f{cursor:pointer}.f:hover rect,.f:focus rect{stroke:#000;stroke-width:2}.h3 text,.h4 text{fill:#fff}.up{opacity:.6}"
    ".hit rect{fill:#6a3d9a}.hit text{fill:#fff}"
    "input{font:13px sans-serif;width:150px}button{font:13px sans-serif;margin-left:6px}</style>\n";

static const char script[] =
    "<script><![CDATA[\n"
    "'use strict';\n"
    "const bars = [...document.querySelectorAll('.f')].map(e => ({ e, d: +e.dataset.d, l: +e.dataset.l, w: +e.dataset.w }));\n"
    "const find = document.getElementById('find'), found = document.getElementById('found'), back = document.getElementById('all');\n"
    "const slack = 1e-9;\n"
    "// The chosen bar has the whole width, and so have those that it came from; what is beside it is hidden.\n"
    "function zoom(to) {\n"
    "  for (const b of bars) {\n"
    "    const around = b.d < to.d && b.l <= to.l + slack && b.l + b.w >= to.l + to.w - slack;\n"
    "    const within = b.d >= to.d && b.l >= to.l - slack && b.l + b.w <= to.l + to.w + slack;\n"
    "    b.e.style.display = around || within ? '' : 'none';\n"
    "    b.e.classList.toggle('up', around);\n"
    "    b.e.setAttribute('x', around ? '0%' : 100 * (b.l - to.l) / to.w + '%');\n"
    "    b.e.setAttribute('width', around ? '100%' : 100 * b.w / to.w + '%');\n"
    "  }\n"
    "  back.disabled = to.d === 0;\n"
    "}\n"
    "// Bars whose names hold the words; their share without bars that stand on one of them.\n"
    "function search(words) {\n"
    "  const low = words.toLowerCase(), counted = [];\n"
    "  let share = 0, n = 0;\n"
    "  for (const b of bars) {\n"
    "    const hit = low !== '' && b.d > 0 && b.e.dataset.n.toLowerCase().includes(low);\n"
    "    b.e.classList.toggle('hit', hit);\n"
    "    if (!hit) continue;\n"
    "    n++;\n"
    "    if (counted.some(c => c.d < b.d && c.l <= b.l + slack && c.l + c.w >= b.l + b.w - slack)) continue;\n"
    "    counted.push(b);\n"
    "    share += b.w;\n"
    "  }\n"
    "  found.textContent = low === '' ? '' : n + ' bars, ' + (100 * share).toFixed(1) + '%';\n"
    "}\n"
    "for (const b of bars) {\n"
    "  b.e.addEventListener('click', () => zoom(b));\n"
    "  b.e.addEventListener('keydown', event => { if (event.key === 'Enter') zoom(b); });\n"
    "}\n"
    "find.addEventListener('input', () => search(find.value));\n"
    "back.addEventListener('click', () => zoom(bars[0]));\n"
    "document.addEventListener('keydown', event => { if (event.key === 'Escape') zoom(bars[0]); });\n"
    "]]></script>\n";

/* Text of an element or of an attribute in double quotes: as XML takes it. */
static void put_text(FILE *out, const char *text)
{
    for (size_t left = strlen(text), taken; left; text += taken, left -= taken) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t n = qn_text_escape(piece, text, left, &taken);

        if (!qn_text_utf8_length(text, left) || (taken == 3 && !memcmp(text, "\xef\xbf", 2) && (unsigned char)text[2] >= 0xbe))
            fputs("\xef\xbf\xbd", out); /* nor are U+FFFE and U+FFFF characters of XML */
        else if (strchr("<>&\"", *text))
            fprintf(out, "&#%d;", *text);
        else
            fwrite(piece, 1, n, out);
    }
}

static int heat(const struct qn_plot_flame_bar *b)
{
    double rate = b->misses >= 0 && b->instructions > 0 ? 1000 * b->misses / b->instructions : 0;
    int step = 0;

    while (step < STEPS && rate >= steps[step])
        step++;
    return step;
}

static void put_count(FILE *out, double value)
{
    char text[QN_OUT_COUNT_MAX];

    if (value == floor(value) && fabs(value) < 9e15) {
        qn_out_commify(text, (int64_t)value);
        fputs(text, out);
    } else {
        fprintf(out, "%.3f", value);
    }
}

static void put_tip(const struct qn_plot_flame *f, const struct qn_plot_flame_bar *b, FILE *out)
{
    fputs("<title>", out);
    put_text(out, b->name);
    if (*b->file) {
        fputs(" (", out);
        put_text(out, b->file);
        putc(')', out);
    }
    fputs(": ", out);
    put_count(out, b->value);
    putc(' ', out);
    put_text(out, f->event);
    fprintf(out, ", %.1f%%; of its own ", 100 * b->value / f->bars[0].value);
    put_count(out, b->own);
    if (b->depth)
        fprintf(out, "; called %" PRId64 " times", b->calls);
    if (b->misses >= 0 && b->instructions > 0)
        fprintf(out, "; %.2f misses of level 1 per 1000 instructions", 1000 * b->misses / b->instructions);
    fputs("</title>", out);
}

static void put_bar(const struct qn_plot_flame *f, const struct qn_plot_flame_bar *b, FILE *out)
{
    double whole = f->bars[0].value, left = b->left / whole, width = b->value / whole;
    int step = heat(b);

    fprintf(out, "<svg class=\"f h%d\" x=\"%.6g%%\" y=\"%u\" width=\"%.6g%%\" height=\"%d\" data-d=\"%u\" data-l=\"%.10g\" data-w=\"%.10g\" data-n=\"",
            step, 100 * left, HEAD + ROW * (f->deepest - b->depth), 100 * width, BAR, b->depth, left, width);
    put_text(out, b->name);
    fputs("\" tabindex=\"0\">", out);
    put_tip(f, b, out);
    fprintf(out, "<rect width=\"100%%\" height=\"%d\" fill=\"%s\"/><text x=\"3\" y=\"%d\">", BAR, colours[step], BASELINE);
    put_text(out, b->name);
    fputs("</text></svg>\n", out);
}

static void put_legend(const struct qn_plot_flame *f, FILE *out)
{
    if (f->bars[0].misses < 0)
        return;
    fputs("<text class=\"n\" x=\"10\" y=\"67\">misses of level 1 per 1000 instructions:</text>\n", out);
    for (int i = 0; i <= STEPS; i++) {
        int x = 260 + 90 * i;

        fprintf(out, "<rect x=\"%d\" y=\"56\" width=\"14\" height=\"14\" fill=\"%s\" stroke=\"#888\"/><text class=\"n\" x=\"%d\" y=\"67\">", x, colours[i],
                x + 19);
        if (i)
            fprintf(out, "%g and more</text>\n", steps[i - 1]);
        else
            fprintf(out, "below %g</text>\n", steps[0]);
    }
}

void qn_plot_write_flame(const struct qn_plot_flame *f, const struct qn_plot_request *q, FILE *out)
{
    int width = q->width ? q->width : WIDTH, height = HEAD + ROW * (int)(f->deepest + 1) + FOOT;
    size_t narrow = 0;

    fprintf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\"><title>", width, height);
    put_text(out, f->title);
    fprintf(out, "</title>\n%s<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text class=\"t\" x=\"10\" y=\"24\">", style);
    put_text(out, f->title);
    fputs("</text>\n<text class=\"n\" x=\"10\" y=\"44\">", out);
    put_text(out, f->caption);
    fprintf(out, "</text>\n<foreignObject x=\"%d\" y=\"8\" width=\"380\" height=\"26\"><div xmlns=\"http://www.w3.org/1999/xhtml\">"
                 "<input id=\"find\" type=\"search\" placeholder=\"find functions\" aria-label=\"find functions\"/>"
                 "<button id=\"all\" disabled=\"disabled\">whole picture</button></div></foreignObject>\n"
                 "<text class=\"n\" id=\"found\" x=\"%d\" y=\"46\" role=\"status\"></text>\n", width - 300, width - 298);
    put_legend(f, out);
    for (size_t i = 0; i < f->count; i++) {
        if (f->bars[i].value >= LEAST * f->bars[0].value)
            put_bar(f, &f->bars[i], out);
        else
            narrow += f->bars[i].value > 0;
    }
    fprintf(out, "<text class=\"n\" x=\"10\" y=\"%d\">A click on a bar gives it the whole width.", height - 10);
    if (narrow)
        fprintf(out, " %zu paths of less than %g%% each are not drawn.", narrow, 100 * LEAST);
    fprintf(out, "</text>\n%s</svg>\n", script);
}
