/*
 * Names in Callgrind's files. See callgrind.h.
 *
 * In:  fn=(7) main, then fn=(7)
 * Out: "main", twice
 *
 * A name is `(7) name` when it comes first and `(7)` from then on; objects, files and functions are numbered apart, and
 * those of callees (cob=, cfi=, cfl=, cfn=) and jumps (jfi=, jfn=) share the numbers. Callgrind calls a function that is called while it is
 * active `f'2` (--separate-recs): that is f.
 */
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "prof/callgrind/callgrind_parts.h"
#include "text/digits.h"

#define NUMBERS_MAX (1u << 24) /* of names in one space: guards memory against damaged files */

typedef struct qn_prof_callgrind file;

/* Room for the name of this number. */
static void make_room(struct qn_prof_callgrind_names *n, size_t number)
{
    for (size_t had = n->room; number >= n->room; had = n->room) {
        QN_MORE(n->at, n->room, n->room, QN_PROF_CG_FIRST_ROOM);
        memset(n->at + had, 0, (n->room - had) * sizeof *n->at);
    }
}

static void replace(char **to, const char *name)
{
    char *copy = QN_NEEDED(strdup(name));
    free(*to);
    *to = copy;
}

/* "(7) name", "(7)" or "name"; *to, where it is not NULL, becomes a copy of the name. */
static int take_name(file *c, enum qn_prof_callgrind_space space, const char *text, char **to)
{
    struct qn_prof_callgrind_names *n = &c->names[space];
    uint64_t number;
    const char *name, *end;
    text += strspn(text, " \t");
    name = text;
    end = text[0] == '(' ? qn_text_parse_digits(text + 1, UINT64_MAX, &number) : NULL;
    if (end && *end == ')') {
        if (number > NUMBERS_MAX)
            return qn_prof_callgrind_bad(c, "the number of a name is too large", text, "at most 2^24");
        name = end + 1 + strspn(end + 1, " \t");
        if (*name) {
            make_room(n, number);
            replace(&n->at[number], name);
        }
        if (number >= n->room || !n->at[number])
            return qn_prof_callgrind_bad(c, "a number without its name", text, "`(NUMBER) NAME` before it");
        name = n->at[number];
    }
    if (to)
        replace(to, name);
    return 0;
}

/* Takes "'2" off the name. 1: it was there. */
static int take_level(char *name)
{
    char *mark = strrchr(name, '\'');
    size_t digits = mark ? strspn(mark + 1, "0123456789") : 0;
    if (!digits || mark[1 + digits] || mark == name)
        return 0;
    *mark = '\0';
    return 1;
}

enum whose { OWN, HOME, CALLED, JUMP };

static const struct keyword {
    const char *text;
    enum qn_prof_callgrind_space space;
    enum whose whose;
} keywords[] = {
    {"fn=", QN_PROF_CG_FUNCTIONS, OWN}, {"fl=", QN_PROF_CG_FILES, HOME}, {"fi=", QN_PROF_CG_FILES, OWN},
    {"fe=", QN_PROF_CG_FILES, OWN}, {"ob=", QN_PROF_CG_OBJECTS, OWN},
    {"cfn=", QN_PROF_CG_FUNCTIONS, CALLED}, {"cfi=", QN_PROF_CG_FILES, CALLED}, {"cfl=", QN_PROF_CG_FILES, CALLED},
    {"cob=", QN_PROF_CG_OBJECTS, CALLED}, {"jfn=", QN_PROF_CG_FUNCTIONS, JUMP}, {"jfi=", QN_PROF_CG_FILES, JUMP},
    {"jfl=", QN_PROF_CG_FILES, JUMP},
};

static int take(file *c, const struct keyword *k, const char *text)
{
    char **const own[] = {&c->object, &c->file, &c->function}, **const called[] = {&c->called_object, &c->called_file, &c->called};
    char **to = k->whose == JUMP ? NULL : k->whose == CALLED ? called[k->space] : own[k->space];
    if (take_name(c, k->space, text, to) != 0)
        return -1;
    if (k->whose == HOME)
        replace(&c->home, c->file);
    if (to == &c->function)
        c->inner = take_level(*to);
    if (to == &c->called)
        c->called_inner = take_level(*to);
    return 1;
}

int qn_prof_callgrind_take_place(file *c, const char *text)
{
    for (size_t i = 0; i < sizeof keywords / sizeof keywords[0]; i++) {
        size_t n = strlen(keywords[i].text);
        if (strncmp(text, keywords[i].text, n) == 0)
            return take(c, &keywords[i], text + n);
    }
    return 0;
}

void qn_prof_callgrind_free_names(file *c)
{
    for (int s = 0; s < QN_PROF_CG_SPACES; s++) {
        for (size_t i = 0; i < c->names[s].room; i++)
            free(c->names[s].at[i]);
        free(c->names[s].at);
    }
    free(c->object);
    free(c->file);
    free(c->home);
    free(c->function);
    free(c->called_object);
    free(c->called_file);
    free(c->called);
}
