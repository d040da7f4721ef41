/* lib/text/options.c - takes options, and lists them.  See options.h. */
#include "text/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/error.h"
#include "text/version.h"

#define WIDTH 110   /* of a line of --help */
#define COLUMN_MAX 34 /* where the texts begin, at most */

/* ---- kinds ---- */

const char *qn_option_set(const struct qn_option *o, void *field, char **value)
{
    (void)o, (void)value;
    *(bool *)field = true;
    return NULL;
}

const char *qn_option_yesno(const struct qn_option *o, void *field, char **value)
{
    (void)o;
    *(bool *)field = !strcmp(*value, "yes");
    return *(bool *)field || !strcmp(*value, "no") ? NULL : "yes or no";
}

const char *qn_option_text(const struct qn_option *o, void *field, char **value)
{
    (void)o;
    *(const char **)field = *value;
    return NULL;
}

const char *qn_option_number(const struct qn_option *o, void *field, char **value)
{
    char *end;

    (void)o;
    errno = 0;
    *(uint64_t *)field = strtoull(*value, &end, (*value)[0] == '0' && ((*value)[1] | 32) == 'x' ? 16 : 10);
    return isdigit((unsigned char)**value) && !*end && !errno ? NULL : "a number";
}

/* "a, b or c" */
static const char *list_words(const char *const *words)
{
    static char text[200];
    size_t n = 0;

    for (int i = 0; words[i] && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", i == 0 ? "" : words[i + 1] ? ", " : " or ", words[i]);
    return text;
}

const char *qn_option_find_word(const char *const *words, const char *text, int *number)
{
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], text))
            return *number = i, NULL;
    return list_words(words);
}

const char *qn_option_word(const struct qn_option *o, void *field, char **value)
{
    return qn_option_find_word(o->words, *value, field);
}

const char *qn_option_choice(const struct qn_option *o, void *field, char **value)
{
    int number = 0;
    const char *wanted = qn_option_word(o, &number, value);

    if (!wanted)
        *(const char **)field = o->words[number];
    return wanted;
}

const char *qn_option_help(const struct qn_option *o, void *field, char **value)
{
    (void)o, (void)field, (void)value;
    return NULL;
}

const char *qn_option_version(const struct qn_option *o, void *field, char **value)
{
    return qn_option_help(o, field, value);
}

/* ---- --help ---- */

/* Prints words up to the width; further lines begin at `column`. */
static void print_text(const char *text, int at, int column)
{
    while (*text) {
        int n = (int)strcspn(text, " ");

        if (at > column && at + 1 + n > WIDTH) {
            printf("\n%*s", column, "");
            at = column;
        }
        at += printf("%s%.*s", at > column ? " " : "", n, text);
        text += n + (text[n] == ' ');
    }
    putchar('\n');
}

static bool is_long(const struct qn_option *o) { return strstr(o->names, "--"); }

static int left_width(const struct qn_option *o)
{
    return (int)(2 + strlen(o->names) + (o->argument ? 1 + strlen(o->argument) : 0));
}

const struct qn_option_group *qn_options_groups;

static bool is_in(const struct qn_option_group *g, const struct qn_option *o)
{
    const char *dashes = strstr(o->names, "--"), *name = dashes ? dashes : o->names;
    size_t length = strlen(name);

    for (const char *at = g->names; (at = strstr(at, name)); at += length)
        if ((at == g->names || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
            return true;
    return false;
}

/* The group of an option: the last one if it is in none. */
static const struct qn_option_group *group_of(const struct qn_option_group *groups, const struct qn_option *o)
{
    while (groups[1].title && !is_in(groups, o))
        groups++;
    return groups;
}

/* groups: `only` is to be printed. */
static void print_list(const struct qn_option *list, int column, const struct qn_option_group *groups, const struct qn_option_group *only)
{
    for (const struct qn_option *o = list; o && o->names; o++)
        if (o->help && (!groups || group_of(groups, o) == only)) {
            int at = printf("  %s%s%s", o->names, !o->argument ? "" : is_long(o) ? "=" : " ", o->argument ? o->argument : "");

            if (at + 2 > column)
                putchar('\n'), at = 0;
            printf("%*s", column - at, "");
            print_text(o->help, column, column);
        }
}

static int find_column(const struct qn_option *list, int column)
{
    for (const struct qn_option *o = list; o && o->names; o++)
        if (o->help && left_width(o) + 2 > column && left_width(o) + 2 <= COLUMN_MAX)
            column = left_width(o) + 2;
    return column;
}

static int print_help(const struct qn_options *c, bool all)
{
    int column = find_column(c->shared, find_column(c->own, 0));
    const struct qn_option_group *g = qn_options_groups;

    fputs(c->begin, stdout);
    do {
        if (g)
            printf("%s%s:\n", g == qn_options_groups ? "" : "\n", g->title);
        print_list(c->own, column, qn_options_groups, g);
        print_list(c->shared, column, qn_options_groups, g);
    } while (g && all && (++g)->title);
    if (g && !all)
        printf("\n`quern %s --help=all` lists all options.\n", c->tool);
    fputs(c->end ? c->end : "", stdout);
    return 0;
}

/* ---- options together ---- */

int qn_options_wrong(const struct qn_options *c, const char *word, const char *what)
{
    qn_text_complain("%s: %s%s%s; `quern %s --help%s` describes it", c->prefix, word, *word ? ": " : "", what, c->tool, qn_options_groups ? "=all" : "");
    return QN_EXIT_USAGE;
}

static bool has_name(const struct qn_option *o, const char *name, size_t length)
{
    for (const char *at = o->names;; at += 2) {
        size_t n = strcspn(at, ",");

        if (n == length && !strncmp(at, name, n))
            return true;
        at += n;
        if (!*at)
            return false;
    }
}

#define MET_MAX 128

static struct met {
    const struct qn_option *option;
    const char *value; /* the last one; NULL: it has none */
} met[MET_MAX];
static int met_count;

static void remember(const struct qn_option *o, const char *value)
{
    int i = 0;

    while (i < met_count && met[i].option != o)
        i++;
    met[i] = (struct met){ o, value };
    met_count += i == met_count && i < MET_MAX - 1;
}

static bool is_met(const char *name, size_t length)
{
    const char *equals = memchr(name, '=', length);
    size_t of_name = equals ? (size_t)(equals - name) : length, of_value = length - of_name - 1;

    for (int i = 0; i < met_count; i++) {
        const char *value = met[i].value ? met[i].value : "";

        if (has_name(met[i].option, name, of_name)
            && (equals ? strlen(value) == of_value && !strncmp(value, equals + 1, of_value) : strcmp(value, "no") != 0))
            return true;
    }
    return false;
}

bool qn_options_met(const char *name) { return is_met(name, strlen(name)); }

/* The first of the names that is met, to its end or to " or "; NULL: none of them. */
static const char *find_met(const char *names)
{
    for (const char *at = names, *end; at; at = end ? end + 4 : NULL) {
        end = strstr(at, " or ");
        if (is_met(at, end ? (size_t)(end - at) : strlen(at)))
            return at;
    }
    return NULL;
}

/* -1: the rules are kept; else the exit status, after a message. */
static int check_rules(const struct qn_options *c)
{
    for (const struct qn_option_rule *r = c->rules; r && r->name; r++) {
        const char *other = find_met(r->others), *or;
        char what[200];

        if (!qn_options_met(r->name) || !other == r->excludes)
            continue;
        other = other ? other : r->others;
        or = r->excludes ? strstr(other, " or ") : NULL;
        snprintf(what, sizeof what, "%s %.*s%s%s", r->excludes ? "not with" : "needs", or ? (int)(or - other) : (int)strlen(other), other,
                 r->why ? ", " : "", r->why ? r->why : "");
        return qn_options_wrong(c, r->name, what);
    }
    return -1;
}

/* ---- taking ---- */

static const struct qn_option *find(const struct qn_options *c, const char *name, size_t length)
{
    const struct qn_option *lists[] = { c->own, c->shared };

    for (int i = 0; i < 2; i++)
        for (const struct qn_option *o = lists[i]; o && o->names; o++)
            if (has_name(o, name, length))
                return o;
    return NULL;
}

/* Does the option take yes or no, or more: yes|no|use? */
static bool is_yesno(const struct qn_option *o) { return o->argument && !strncmp(o->argument, "yes|no", 6); }

/* The option that a word names; *value: the one that stands in the same word, or NULL. */
static const struct qn_option *read_word(const struct qn_options *c, char *word, char **value)
{
    static char no[] = "no";
    bool is_letter = word[1] != '-';
    size_t length = is_letter ? 2 : strcspn(word, "=");
    const struct qn_option *o = find(c, word, length);
    char positive[64];

    *value = is_letter && word[length] == '=' ? word + 3 : word[length] ? word + length + !is_letter : NULL;
    if (o || *value || strncmp(word, "--no-", 5) || length >= sizeof positive)
        return o;
    snprintf(positive, sizeof positive, "--%s", word + 5);
    o = find(c, positive, strlen(positive));
    *value = no;
    return o && is_yesno(o) ? o : NULL;
}

/* The values in the words after the option's own.  A yes|no option without such a value is yes.  NULL: there are too few words. */
static char **next_values(const struct qn_options *c, const struct qn_option *o, char ***at)
{
    static char yes_text[] = "yes", *yes[] = { yes_text };
    char **values = *at + 1, *next = *values;

    if (is_yesno(o) && (c->first || !next || (strcmp(next, "yes") && strcmp(next, "no"))))
        return yes;
    for (const char *word = o->argument; word; word = strchr(word + 1, ' '))
        if (!*++*at)
            return NULL;
    return values;
}

/* One option at *at, which goes to its last word; `value` stands in the same word, or is NULL.  false: a line was printed. */
static bool take_one(const struct qn_options *c, void *settings, const struct qn_option *o, char *value, char ***at)
{
    char *word = **at, **values = value ? &value : next_values(c, o, at);
    const char *wanted;

    if (value && !o->argument)
        return qn_options_wrong(c, word, "it has no value"), false;
    if (!values) {
        qn_text_complain("%s: %s: no value given, wanted %s", c->prefix, word, o->argument);
        return false;
    }
    remember(o, o->argument ? *values : NULL);
    wanted = o->take(o, (char *)settings + o->field, values);
    if (wanted && *wanted)
        qn_text_complain("%s: %.*s: got '%s', wanted %s", c->prefix, word[1] == '-' ? (int)strcspn(word, "=") : 2, word, *values,
                         wanted);
    return !wanted;
}

enum qn_option_foreign (*qn_options_foreign)(const char *word, char ***words);

/* An option of another program's.  false: a line was printed. */
static bool take_foreign(const struct qn_options *c, void *settings, const char *word)
{
    char **words = NULL;
    enum qn_option_foreign known = qn_options_foreign ? qn_options_foreign(word, &words) : QN_OPTION_UNKNOWN;

    if (known == QN_OPTION_UNKNOWN)
        qn_options_wrong(c, word, "no such option");
    for (; words && *words; words++) {
        char *value;
        const struct qn_option *o = read_word(c, *words, &value);

        if (!take_one(c, settings, o, value, &words))
            return false;
    }
    return known == QN_OPTION_TAKEN;
}

int qn_options_take(const struct qn_options *c, void *settings, char **argv, char ***words)
{
    char **at = argv + 1, **to = argv + 1;

    *words = to;
    met_count = 0;
    for (; *at && strcmp(*at, "--"); at++) {
        const struct qn_option *o;
        char *value;

        if (at[0][0] != '-' || !at[0][1]) {
            if (c->first)
                break;
            *to++ = *at;
            continue;
        }
        o = read_word(c, *at, &value);
        if (!o && c->first == QN_OPTIONS_OTHERS)
            break;
        if (!o && !take_foreign(c, settings, *at))
            return QN_EXIT_USAGE;
        if (!o)
            continue;
        if (o->take == qn_option_help && (!value || !strcmp(value, "all")))
            return print_help(c, value);
        if (o->take == qn_option_version && !value)
            return puts("quern " QN_VERSION), 0;
        if (!take_one(c, settings, o, value, &at))
            return QN_EXIT_USAGE;
    }
    at += *at != NULL && !strcmp(*at, "--") && c->first != QN_OPTIONS_OTHERS;
    while (*at)
        *to++ = *at++;
    *to = NULL;
    return check_rules(c);
}
