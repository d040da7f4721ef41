/* lib/text/options.h - the options of a command, declared once: for the parser and for --help, from which the man pages' lists
 * (tests/unit/man/man.sh) and the shells' completion are made.
 *
 *   static const struct qn_option own[] = {
 *       QN_OPTION("-o", "FILE", "write to FILE", qn_option_text, struct x, out),
 *       QN_OPTION("--crlf", "yes|no", "lines end with CR LF [yes]", qn_option_yesno, struct x, crlf),
 *       QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };
 *
 *   -o FILE, -oFILE     --crlf, --no-crlf, --crlf=no, and where no program follows --crlf no     others: --x=VALUE or --x VALUE
 *   "--" ends them.
 *
 * glibc's argp is not used, because it accepts abbreviations, which become ambiguous when a later version adds an option; it prints two
 * lines of its own for an error; and it has neither --no-x nor options of three words.  popt would be one more library.
 */
#ifndef QN_TEXT_OPTIONS_H
#define QN_TEXT_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

struct qn_option {
    const char *names;    /* "-q, --quiet"; the last entry of a list has NULL */
    const char *argument; /* as --help shows it; "yes|no" has all forms of these; NULL: there is none */
    const char *help;     /* NULL: not shown */
    /* Takes the value (NULL without argument). NULL, or what was wanted instead, "" if a message has been printed. */
    const char *(*take)(const struct qn_option *o, void *field, char **value);
    size_t field;         /* offset in the command's settings */
    const char *const *words; /* of qn_option_word and qn_option_choice: what is known, NULL ends them */
};

/* Options that need or exclude others:
 *
 *   { "--calls-room", false, "--calls or --profile-format=callgrind", NULL }     "--calls-room: needs --calls or ..."
 *   { "--from", true, "--line", "which tells where to begin, too" }              "--from: not with --line, which tells ..."
 *
 * A name is met by the option with any value but no; NAME=VALUE by this value. */
struct qn_option_rule {
    const char *name;  /* NULL: the last rule */
    bool excludes;     /* the name excludes the others; else it needs one of them */
    const char *others; /* names, with " or " between them */
    const char *why;   /* follows in the message; NULL: nothing */
};

/* Options that --help=all lists together; --help lists the first group only. */
struct qn_option_group {
    const char *title; /* NULL: the last group */
    const char *names; /* long ones, with a blank between two */
};

/* Of `first`: the first option that is not the command's ends them, too, and "--" stays among the words: these are another command's. */
#define QN_OPTIONS_OTHERS 2u

struct qn_options {
    const char *tool;       /* "diff" */
    const char *prefix;     /* of its messages: "quern diff" */
    const char *begin, *end; /* of --help: what stands before and behind the list; the second may be NULL */
    const struct qn_option *own, *shared; /* the second may be NULL */
    unsigned first; /* true: options end at the first word that is none: it is a program with options of its own */
    const struct qn_option_rule *rules; /* NULL: none */
};

/* -1: go on, and *words are those that are no options; else the exit status: help, version, wrong usage. Moves words in
 * argv. */
int qn_options_take(const struct qn_options *c, void *settings, char **argv, char ***words);

/* Called with a word that is none of the command's options, if set: one of another program's has the words to take in its place (NULL: none). */
enum qn_option_foreign { QN_OPTION_UNKNOWN, QN_OPTION_TAKEN, QN_OPTION_REFUSED /* a message was printed */ };
extern enum qn_option_foreign (*qn_options_foreign)(const char *word, char ***words);
/* Of the command that is run; NULL: --help lists all options, in their order. */
extern const struct qn_option_group *qn_options_groups;

/* One line: PREFIX: WORD: WHAT; `quern TOOL --help` describes it. Returns QN_EXIT_USAGE. `word` may be "". */
int qn_options_wrong(const struct qn_options *c, const char *word, const char *what);

/* Whether qn_options_take has met an option of this name, or this name and value. */
bool qn_options_met(const char *name);

/* Fields: bool, bool, const char *, uint64_t, int (the number of the word), const char * (the word). */
const char *qn_option_set(const struct qn_option *o, void *field, char **value);
const char *qn_option_yesno(const struct qn_option *o, void *field, char **value);
const char *qn_option_text(const struct qn_option *o, void *field, char **value);
const char *qn_option_number(const struct qn_option *o, void *field, char **value);
const char *qn_option_word(const struct qn_option *o, void *field, char **value);
const char *qn_option_choice(const struct qn_option *o, void *field, char **value);

/* NULL and the number of the word, or what was wanted. */
const char *qn_option_find_word(const char *const *words, const char *text, int *number);

/* These only mark what qn_options_take does. */
const char *qn_option_help(const struct qn_option *o, void *field, char **value);
const char *qn_option_version(const struct qn_option *o, void *field, char **value);

/* Entries of a list: one whose value `take` puts into a field of struct type; the same of words; one without a field; the last. */
#define QN_OPTION(names, argument, help, take, type, field) { names, argument, help, take, offsetof(type, field), NULL }
#define QN_OPTION_OF(words, names, argument, help, take, type, field) { names, argument, help, take, offsetof(type, field), words }
#define QN_OPTION_PLAIN(names, argument, help, take) { names, argument, help, take, 0, NULL }
#define QN_OPTION_HELP QN_OPTION_PLAIN("-h, --help", NULL, "show this text", qn_option_help)
#define QN_OPTION_VERSION QN_OPTION_PLAIN("--version", NULL, "show the version", qn_option_version)
#define QN_OPTIONS_END { NULL, NULL, NULL, NULL, 0, NULL }

#endif
