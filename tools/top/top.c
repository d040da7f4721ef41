/* tools/top/top.c - `quern top`: a profile on the whole screen of a terminal.
 *
 * In:  quern top [OPTIONS] PROFILE; keys
 * Out: the screen; exit 0, 1 (a bad profile), 2 (usage, no terminal)
 */
#define _GNU_SOURCE
#include <curses.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../prof_args.h"
#include "../tools.h"
#include "text/source.h"
#include "text/escape.h"
#include "top.h"

#define PROGRAM "quern top"
#define DEPTH 8       /* of views */
#define SEARCH_MOST 64
#define FRAME 3       /* title, heading, keys */
#define TAB 4
#define ESCAPE 27

static const char help[] =
    "usage: quern top [OPTIONS] PROFILE\n"
    "\n"
    "Shows a profile on the whole terminal: functions by estimated cost, source with heat, details and findings\n"
    "of a line. Enter goes on, q back; ? lists the keys. `quern annotate` has the same as text.\n"
    "\n";

static const struct qn_option options[] = {
    PROF_ARGS_INCLUDE,
    QN_OPTION_SOURCE_MAP,
    PROF_ARGS_TIMING("how the estimated cost is worked out, or some of it [1,1,10,100,10]"),
    PROF_ARGS_REGION("what was counted in this region only (quern.h); OUTER/INNER: nested so"),
    QN_OPTIONS_END};

static const struct qn_option last[] = {PROF_ARGS_LAST};

struct screen {
    struct top *top;
    struct top_view views[DEPTH];
    int depth;                 /* the view that is shown */
    char search[SEARCH_MOST];
    const char *said;          /* in place of the keys, until the next one */
    bool colors;
};

static struct top_view *view(struct screen *s) { return &s->views[s->depth]; }
static int height(void) { return LINES > FRAME + 1 ? LINES - FRAME : 1; }

/* ---- drawing ---- */

/* Writes text as far as `width` characters go, tabs as blanks. */
static void put(const char *text, int width)
{
    int column = 0;

    for (size_t left = strlen(text), taken; left && column < width; text += taken, left -= taken) {
        char piece[QN_TEXT_ESCAPE_MAX + 1];
        size_t n;
        int wide = 0;

        if (*text == '\t') {
            taken = 1;
            do
                addch(' ');
            while (++column % TAB && column < width);
            continue;
        }
        n = qn_text_escape(piece, text, left, &taken);
        for (size_t i = 0; i < n; i++)
            wide += ((unsigned char)piece[i] & 0xc0) != 0x80;
        if (column + wide > width)
            break;
        addnstr(piece, (int)n);
        column += wide;
    }
    for (; column < width; column++)
        addch(' ');
}

static void put_line(int row, attr_t look, const char *text)
{
    move(row, 0);
    attrset(look);
    put(text, COLS - 1);
    attrset(A_NORMAL);
    clrtoeol();
}

static attr_t look_of(const struct screen *s, const struct top_view *v, int row)
{
    int heat = qn_out_heat(v->rows[row].share);
    attr_t look = s->colors && heat ? COLOR_PAIR(heat) : A_NORMAL;

    return look | (heat == QN_OUT_HOT ? A_BOLD : 0) | (row == v->at ? A_REVERSE : 0);
}

static void draw(struct screen *s)
{
    struct top_view *v = view(s);
    char title[1024], rest[128], total[QN_OUT_PERCENT_MAX];
    long room, length = (long)strlen(v->title);

    if (v->at < v->first)
        v->first = v->at;
    if (v->at >= v->first + height())
        v->first = v->at - height() + 1;
    qn_out_brief(total, s->top->facts.lines.total);
    snprintf(rest, sizeof rest, " (%d of %d), %s estimated cycles", v->count ? v->at + 1 : 0, v->count, total);
    room = COLS - 1 - (long)strlen(s->top->path) - (long)strlen(": ...") - (long)strlen(rest);
    room = !v->is_path || length < room ? length : room < 0 ? 0 : room;
    snprintf(title, sizeof title, "%s: %s%s%s", s->top->path, room < length ? "..." : "", v->title + length - room, rest);
    erase();
    put_line(0, A_BOLD, title);
    put_line(1, A_UNDERLINE, v->heading);
    for (int i = 0; i < height() && v->first + i < v->count; i++)
        put_line(2 + i, look_of(s, v, v->first + i), v->rows[v->first + i].text);
    put_line(LINES - 1, A_DIM, s->said ? s->said : "q back  ? keys  Enter source  d details  Tab lines  s sort  / search  t hottest");
    move(LINES > FRAME ? 2 + v->at - v->first : 0, 0);
    refresh();
}

/* ---- keys ---- */

static volatile sig_atomic_t resized;

static void note_size(int signal)
{
    (void)signal;
    resized = 1;
}

/* The size is looked at only where a key is waited for, so that no change of it is missed. */
static void watch_size(void)
{
    struct sigaction action = {.sa_handler = note_size};
    sigset_t size;

    sigemptyset(&size);
    sigaddset(&size, SIGWINCH);
    sigprocmask(SIG_BLOCK, &size, NULL);
    sigaction(SIGWINCH, &action, NULL);
}

/* The next key; KEY_RESIZE: the terminal has another size; ERR: it is gone. */
static int read_key(void)
{
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    struct winsize size;
    sigset_t none;
    int key;

    sigemptyset(&none);
    while ((key = getch()) == ERR) {
        if (ppoll(&keys, 1, NULL, &none) > 0 && keys.revents & (POLLHUP | POLLERR | POLLNVAL))
            return ERR;
        if (resized) {
            resized = 0;
            if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
                resizeterm(size.ws_row, size.ws_col); /* which makes it a key */
        }
    }
    return key;
}

static void leave(struct screen *s)
{
    free(view(s)->rows);
    s->depth--;
}

/* The view to fill, above the one that is shown; NULL: there is no room. */
static struct top_view *enter(struct screen *s) { return s->depth + 1 < DEPTH ? &s->views[++s->depth] : NULL; }

static void show_details(struct screen *s)
{
    const struct top_view *v = view(s);
    int centre = v->count ? v->rows[v->at].centre : -1;
    bool of_function = v->kind == TOP_FUNCTIONS;

    if (centre < 0 || v->kind >= TOP_DETAILS)
        s->said = "nothing was counted here";
    else if (s->depth + 1 < DEPTH)
        top_details(s->top, enter(s), centre, of_function);
}

static void show_source(struct screen *s)
{
    const struct top_view *v = view(s);
    int centre = v->count ? v->rows[v->at].centre : -1;
    const struct qn_plot_centre *at;
    uint32_t hottest = 0;

    if (v->kind >= TOP_SOURCE || centre < 0) {
        show_details(s);
        return;
    }
    at = v->kind == TOP_LINES ? &s->top->facts.lines.at[centre] : &s->top->facts.functions.at[centre];
    hottest = at->line;
    for (int i = 0; i < s->top->facts.lines.count && !hottest; i++) { /* the costliest first */
        const struct qn_plot_centre *line = &s->top->facts.lines.at[i];

        if (!strcmp(line->file, at->file) && !strcmp(line->function, at->function))
            hottest = line->line;
    }
    if (!hottest)
        s->said = "no line is known here: compile with -g";
    else if (s->depth + 1 < DEPTH)
        top_source(s->top, enter(s), at->file, hottest);
}

static void change_lists(struct screen *s, enum top_kind kind, int sort)
{
    while (s->depth)
        leave(s);
    free(s->views[0].rows);
    s->top->sort = sort % TOP_COLUMNS;
    top_list(s->top, &s->views[0], kind);
}

/* Reads what to search for, in the last line; false: nothing, or Esc. */
static bool read_search(struct screen *s)
{
    size_t n = 0;

    for (;;) {
        char line[SEARCH_MOST + 2];
        int key;

        s->search[n] = '\0';
        snprintf(line, sizeof line, "/%s", s->search);
        put_line(LINES - 1, A_NORMAL, line);
        move(LINES - 1, (int)n + 1);
        refresh();
        key = read_key();
        if (key == '\n' || key == '\r' || key == KEY_ENTER)
            return n > 0;
        if (key == ESCAPE || key == ERR)
            return false;
        if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && n > 0)
            n--;
        else if (key >= ' ' && key < 256 && key != 127 && n + 1 < sizeof s->search)
            s->search[n++] = (char)key;
    }
}

static void go_to(struct screen *s, int row)
{
    struct top_view *v = view(s);

    v->at = row >= v->count ? v->count - 1 : row;
    v->at = v->at < 0 ? 0 : v->at;
}

static void go_to_found(struct screen *s, int row, const char *otherwise)
{
    if (row < 0)
        s->said = otherwise;
    else
        go_to(s, row);
}

/* The source shows the chosen column, too: it is read anew. */
static void sort_anew(struct screen *s)
{
    if (view(s)->kind == TOP_SOURCE) {
        struct top_view *v = view(s);
        int at = v->at, first = v->first;
        const char *file = v->file;

        s->top->sort = (s->top->sort + 1) % TOP_COLUMNS;
        free(v->rows);
        top_source(s->top, v, file, 0);
        v->at = at, v->first = first;
    } else if (view(s)->kind <= TOP_LINES) {
        change_lists(s, view(s)->kind, s->top->sort + 1);
    }
}

/* What depends on the width is made anew: lists, and the details that are shown. */
static void resize(struct screen *s)
{
    struct top_view *v = view(s), *list = &s->views[0];
    int at = list->at, first = list->first;

    s->top->width = COLS;
    free(list->rows);
    top_list(s->top, list, list->kind);
    list->at = at, list->first = first;
    if (v->kind == TOP_DETAILS) {
        free(v->rows);
        top_details(s->top, v, v->centre, v->of_function);
    }
}

/* false: the end. */
static bool handle(struct screen *s, int key)
{
    struct top_view *v = view(s);

    s->said = NULL;
    switch (key) {
    case KEY_DOWN: case 'j': go_to(s, v->at + 1); break;
    case KEY_UP: case 'k': go_to(s, v->at - 1); break;
    case KEY_NPAGE: case ' ': go_to(s, v->at + height()); break;
    case KEY_PPAGE: case 'b': go_to(s, v->at - height()); break;
    case KEY_HOME: case 'g': go_to(s, 0); break;
    case KEY_END: case 'G': go_to(s, v->count - 1); break;
    case '\n': case '\r': case KEY_ENTER: case KEY_RIGHT: case 'l': show_source(s); break;
    case 'd': show_details(s); break;
    case '\t': change_lists(s, s->views[0].kind == TOP_LINES ? TOP_FUNCTIONS : TOP_LINES, s->top->sort); break;
    case 's': sort_anew(s); break;
    case 't': go_to_found(s, top_next_hottest(v), "no line is cooler"); break;
    case '/': go_to_found(s, read_search(s) ? top_find(v, s->search) : v->at, "not found"); break;
    case 'n': go_to_found(s, top_find(v, s->search), "not found"); break;
    case '?': case 'h': if (v->kind != TOP_HELP && s->depth + 1 < DEPTH) top_help(enter(s)); break;
    case 'q': case ESCAPE: case KEY_LEFT:
        if (!s->depth)
            return key == KEY_LEFT;
        leave(s);
        break;
    case KEY_RESIZE: resize(s); break;
    case 'Q': case ERR: return false; /* ERR: the terminal is gone */
    default: break;
    }
    return true;
}

static enum qn_text_status show(struct top *t, struct qn_text_error *err)
{
    struct screen s = {.top = t};
    bool colors = qn_out_use_heat(QN_OUT_COLOR_AUTO, STDOUT_FILENO);
    SCREEN *terminal;

    setlocale(LC_CTYPE, "");
    terminal = newterm(NULL, stdout, stdin);
    if (!terminal)
        return qn_text_fail(err, QN_TEXT_IO, "the terminal `%s` is not known here: `quern annotate` has the same as text", getenv("TERM") ? getenv("TERM") : "");
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    watch_size();
    set_escdelay(50);
    s.colors = colors && has_colors() && start_color() == OK;
    if (s.colors) {
        use_default_colors();
        init_pair(QN_OUT_COOL, COLOR_GREEN, -1);
        init_pair(QN_OUT_WARM, COLOR_YELLOW, -1);
        init_pair(QN_OUT_HOT, COLOR_RED, -1);
    }
    t->width = COLS;
    top_list(t, &s.views[0], TOP_FUNCTIONS);
    do
        draw(&s);
    while (handle(&s, read_key()));
    endwin();
    delscreen(terminal);
    while (s.depth)
        leave(&s);
    free(s.views[0].rows);
    return QN_TEXT_OK;
}

static enum qn_text_status run(const struct prof_args *a, struct qn_text_error *err)
{
    const char **includes = (const char **)(uintptr_t)a->includes; /* they may be changed, says the request */
    struct qn_out_request request = {.includes = includes, .include_count = a->include_count};
    struct top t = {.request = &request, .path = a->inputs[0]};

    if (qn_report_read_profile(&t.facts, t.path, err) == QN_TEXT_OK) {
        if (qn_report_has_event(&t.facts, "Ir"))
            t.finding_count = qn_report_find(&t.facts, t.findings);
        show(&t, err);
    }
    qn_report_free_facts(&t.facts);
    return err->status;
}

static const char *check(const struct prof_args *a)
{
    (void)a;
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? NULL : "standard input and output are no terminal; `quern annotate` has the same as text";
}

int qn_tool_top(int argc, char **argv)
{
    static const struct prof_command command = {{"top", PROGRAM, help, NULL, options, last, false, NULL}, 1, 1, check, run};
    struct prof_args args = {.include_count = 0};

    (void)argc;
    return prof_args_run(&command, &args, argv);
}
