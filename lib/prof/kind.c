/*
 * What a file is, by its beginning. See kind.h.
 *
 * In:  the first bytes of a file
 * Out: a profile of Cachegrind's format, of Callgrind's, or what else it is and which program reads it
 */
#define _GNU_SOURCE
#include "prof/kind.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/grow.h"
#include "prof/callgrind/callgrind.h"
#include "text/input.h"
#include "text/output.h"

#define START_BYTES 4096 /* of a file that are looked at */

enum kind { UNKNOWN, PROFILE, CALLGRIND, OTHER };

/* Files of other kinds, by how they begin. */
static const struct other {
    const char *start;
    size_t length;
    const char *what, *advice;
} others[] = {
#define BEGINS(text) text, sizeof text - 1
    {BEGINS("\177ELF"), "a program or library", "`quern run` makes a profile of a program"},
    {BEGINS("PERFILE2"), "samples of perf", "`perf report` shows them"},
    {BEGINS("gmon"), "a profile of gprof", "`gprof PROGRAM FILE` shows it"},
    {BEGINS("QNTRACE"), "a trace of quern", "`quern replay` reads it"},
    {BEGINS("adcg"), "counts of gcov", "`gcov` reads them"},
    {BEGINS("oncg"), "notes of gcov", "`gcov` reads them"},
    {BEGINS("TN:"), "coverage of lcov", "`genhtml` shows it"},
    {BEGINS("SF:"), "coverage of lcov", "`genhtml` shows it"},
    {BEGINS("\xffprofi\x81"), "a profile of clang", "`llvm-profdata show` reads it"},
    {BEGINS("\xfflprofi\x81"), "a profile of clang", "`llvm-profdata show` reads it"},
    {BEGINS("\x81rforpl\xff"), "a raw profile of clang", "`llvm-profdata merge` reads it"},
    {BEGINS("{\"dhatFileVersion\""), "a heap profile of DHAT", "dh_view.html shows it"},
    {BEGINS("snapshot="), "a heap profile of Massif", "`ms_print` shows it"},
    {BEGINS("<!DOCTYPE html"), "an HTML page", "name the profile that it was made of"},
    {BEGINS("<html"), "an HTML page", "name the profile that it was made of"},
    {BEGINS("<?xml"), "XML", "name the profile, not a log or a picture"},
    {BEGINS("<svg"), "a picture", "name the profile that it was made of"},
    {BEGINS("PK\3\4"), "a zip archive", "unpack it first"},
    {BEGINS("#!"), "a script", "`quern run` makes a profile of a program"},
    {BEGINS("!<arch>"), "a library of object files", "`quern run` makes a profile of a program"},
    {BEGINS("--------------------------------------------------------------------------------"), "the output of an annotation",
     "name the profile that it was made of"},
#undef BEGINS
};

struct start {
    char text[START_BYTES + 1];
    size_t length;
};

static bool begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* "==123== Memcheck, a memory error detector", "--123-- ..." */
static bool is_log(const char *p)
{
    if (!begins(p, "==") && !begins(p, "--"))
        return false;
    p += 2;
    if (!isdigit((unsigned char)*p))
        return false;
    return begins(p + strspn(p, "0123456789"), "==") || begins(p + strspn(p, "0123456789"), "--");
}

/* " L 1ffeffe7e,8": lackey's. */
static bool is_lackey(const char *p)
{
    return (begins(p, "I  ") || begins(p, " L ") || begins(p, " S ") || begins(p, " M ")) && isxdigit((unsigned char)p[3]) && strchr(p, ',');
}

/* A line of names with commas: quern csv, a sweep. */
static bool is_csv(const char *p)
{
    size_t names = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_. -,");
    return strchr("\r\n", p[names]) && memchr(p, ',', names);
}

/* Names or costs follow the line `events:`, and no header.  p: at the end of this line, or NULL. */
static bool has_body(const char *p)
{
    while (p && (*p == '\n' || *p == '\r' || *p == '#'))
        p = *p == '#' ? strchr(p, '\n') : p + 1;
    return p && (begins(p, "fl=") || begins(p, "fn=") || begins(p, "ob=")) && !strstr(p, "\ncmd:");
}

/* The header of either format has lines "word: text" up to `events:`. */
static enum kind find_format(const char *p, bool *massif)
{
    static const char *const only_callgrind[] = {"version:", "creator:", "pid:", "thread:", "part:", "positions:", "event:", "summary:", "totals:", NULL};
    bool has_desc = false, has_cmd = false;
    for (; *p; p += strcspn(p, "\n"), p += *p == '\n') {
        if (begins(p, "# callgrind format"))
            return CALLGRIND;
        for (int i = 0; only_callgrind[i]; i++)
            if (begins(p, only_callgrind[i]))
                return CALLGRIND;
        *massif |= begins(p, "time_unit:");
        has_desc |= begins(p, "desc:");
        has_cmd |= begins(p, "cmd:");
        if (begins(p, "events:"))
            return !has_cmd && !has_desc && has_body(strchr(p, '\n')) ? CALLGRIND : PROFILE;
        if (!strchr("#\r\n \t", *p) && !begins(p, "desc:") && !begins(p, "cmd:"))
            break;
    }
    return *massif || !(has_desc || has_cmd) ? OTHER : PROFILE;
}

static enum kind find_kind(const struct start *s, struct other *found)
{
    static const struct other log = {NULL, 0, "a log of messages", "name the profile (cachegrind.out.N), not the log"},
                              lackey = {NULL, 0, "a trace of addresses", "name a profile (cachegrind.out.N)"},
                              json = {NULL, 0, "JSON", "name the profile that it was made of"},
                              massif = {NULL, 0, "a heap profile of Massif", "`ms_print` shows it"},
                              csv = {NULL, 0, "comma-separated values", "`quern csv --to-profile` makes a profile of those that `quern csv` wrote"},
                              empty = {NULL, 0, "an empty file", "was the run that wrote it killed?"};
    const char *text = s->text + (begins(s->text, "\xef\xbb\xbf") ? 3 : 0), *first = text + strspn(text, " \t\r\n");
    bool is_massif = false;
    enum kind kind = find_format(text, &is_massif);
    for (size_t i = 0; i < QN_ARRAY_LEN(others); i++)
        if (s->length >= others[i].length && !memcmp(s->text, others[i].start, others[i].length))
            return *found = others[i], OTHER;
    if (!s->length)
        return *found = empty, OTHER;
    if (kind != OTHER)
        return kind;
    *found = is_massif ? massif : is_log(text) ? log : *first == '{' || *first == '[' ? json : is_lackey(text) ? lackey : is_csv(text) ? csv
           : (struct other){0};
    return found->what ? OTHER : UNKNOWN;
}

/* Does not move the place at which the descriptor is read.  A device has no beginning: it is UNKNOWN. */
static enum kind look(int fd, struct other *found)
{
    struct start s;
    ssize_t n = pread(fd, s.text, START_BYTES, 0);
    *found = (struct other){0};
    if (n < 0)
        return UNKNOWN;
    s.length = (size_t)n;
    s.text[s.length] = '\0';
    return find_kind(&s, found);
}

/* Keeps what a file of Callgrind's is as a profile. */
static enum qn_text_status convert(const char *path, struct qn_text_error *err)
{
    struct qn_prof_callgrind *c = qn_prof_read_callgrind(path, err);
    struct qn_prof_writer *w;
    int to;
    if (!c)
        return err->status;
    to = qn_text_nameless_file("quern-profile");
    if (to < 0) {
        qn_prof_free_callgrind(c);
        return qn_text_fail(err, QN_TEXT_IO, "%s: cannot keep: %s", path, strerror(errno));
    }
    w = qn_prof_open_writer_fd(to, path);
    qn_prof_write_callgrind(c, w);
    qn_prof_free_callgrind(c);
    if (qn_prof_close_writer(w, err) == QN_TEXT_OK)
        qn_text_replace_input(path, to);
    else
        close(to);
    return err->status;
}

enum qn_text_status qn_prof_open_lines(struct qn_text_lines *l, const char *path, struct qn_text_error *err)
{
    struct other other;
    enum kind kind;
    if (qn_text_open_lines(l, path, err) != QN_TEXT_OK)
        return err->status;
    kind = look(l->window.fd, &other);
    if (kind == PROFILE || kind == UNKNOWN)
        return QN_TEXT_OK;
    qn_text_close_lines(l);
    if (kind == OTHER)
        return qn_text_fail(err, QN_TEXT_BAD, "%s:1: got %s, wanted a profile of quern, Cachegrind or Callgrind: %s", path, other.what, other.advice);
    return convert(path, err) == QN_TEXT_OK ? qn_text_open_lines(l, path, err) : err->status;
}

static enum kind kind_of(const char *path)
{
    struct other other;
    int fd = qn_text_open_input(path, NULL);
    enum kind kind = fd < 0 ? UNKNOWN : look(fd, &other);
    if (fd >= 0)
        close(fd);
    return kind;
}

bool qn_prof_is_profile(const char *path)
{
    enum kind kind = kind_of(path);
    struct qn_text_error err = {0};
    if (kind == CALLGRIND)
        convert(path, &err);
    return kind == PROFILE || kind == CALLGRIND;
}

bool qn_prof_is_converted(const char *path) { return kind_of(path) == PROFILE; }
