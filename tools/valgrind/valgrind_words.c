/* tools/valgrind/valgrind_words.c - where Valgrind's options come from: ~/.valgrindrc, VALGRIND_OPTS, ./.valgrindrc, the command line.
 *
 * In:  --cachegrind:branch-sim=yes --log-file='a b' --memcheck:leak-check=full       (a file's text; the tool is cachegrind)
 * Out: --branch-sim=yes   --log-file=a b
 *
 * Words end at white space; quotes, single and double, keep it, and go; a backslash is a letter like others.  A file counts only if
 * it is a regular file of this user that not everybody can write.  (Valgrind's manual, 2.6: Setting Default Options; its behaviour.)
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tools.h"
#include "valgrind.h"

#define FILE_MAX (1u << 20) /* bytes of a .valgrindrc */

bool qn_words_add(struct qn_words *words, const char *word)
{
    char **list = realloc(words->list, (words->count + 2) * sizeof *list);

    if (!list)
        return false;
    words->list = list;
    list[words->count] = strdup(word);
    list[words->count + 1] = NULL;
    return list[words->count++] != NULL;
}

/* --TOOL:NAME=VALUE is --NAME=VALUE for this tool, and nothing for others. */
static bool add_option(struct qn_words *words, const char *tool, const char *word)
{
    size_t name = strcspn(word, ":="), n = strlen(tool);
    char *plain;
    bool added;

    if (strncmp(word, "--", 2) || word[name] != ':')
        return qn_words_add(words, word);
    if (name != n + 2 || strncmp(word + 2, tool, n))
        return true;
    if (asprintf(&plain, "--%s", word + name + 1) < 0)
        return false;
    added = qn_words_add(words, plain);
    free(plain);
    return added;
}

/* The word that begins at text, without its quotes.  Returns where it ends. */
static const char *take_word(const char *text, char *word)
{
    char quote = 0;

    for (; *text && (quote || !isspace((unsigned char)*text)); text++) {
        if (*text == quote)
            quote = 0;
        else if (!quote && (*text == '\'' || *text == '"'))
            quote = *text;
        else
            *word++ = *text;
    }
    *word = 0;
    return text;
}

/* Words of a file or of VALGRIND_OPTS; "--" has no meaning there. */
static bool add_text(struct qn_words *words, const char *tool, const char *text)
{
    char *word = malloc(strlen(text) + 1);
    bool added = word;

    while (added) {
        text += strspn(text, " \t\n\v\f\r");
        if (!*text)
            break;
        text = take_word(text, word);
        added = !strcmp(word, "--") || add_option(words, tool, word);
    }
    free(word);
    return added;
}

/* NULL: there is none, or it is not to be trusted, and a line says so. */
static char *read_file(const char *path)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = NULL;
    ssize_t n;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & S_IWOTH))
        qn_text_complain("valgrind: %s was not read: wanted a regular file of this user, not writable by all", path);
    else if (st.st_size <= FILE_MAX && (text = malloc((size_t)st.st_size + 1)) && (n = read(fd, text, (size_t)st.st_size)) >= 0 && !memchr(text, 0, (size_t)n))
        text[n] = 0;
    else {
        qn_text_complain("valgrind: %s was not read: wanted text, at most %u bytes", path, FILE_MAX);
        free(text);
        text = NULL;
    }
    close(fd);
    return text;
}

static bool add_file(struct qn_words *words, const char *tool, const char *path)
{
    char *text = read_file(path);
    bool added = !text || add_text(words, tool, text);

    free(text);
    return added;
}

static bool is_here(const char *home)
{
    struct stat a, b;

    return home && !stat(home, &a) && !stat(".", &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool add_defaults(struct qn_words *words, const char *tool)
{
    const char *home = getenv("HOME"), *text = getenv("VALGRIND_OPTS");
    char *path = NULL;
    bool added = !home || (asprintf(&path, "%s/.valgrindrc", home) > 0 && add_file(words, tool, path));

    free(home ? path : NULL);
    return added && (!text || add_text(words, tool, text)) && (is_here(home) || add_file(words, tool, "./.valgrindrc"));
}

bool qn_valgrind_gather(struct qn_words *words, const char *tool, char **argv, size_t options)
{
    bool only = false, added;

    for (size_t i = 1; i < options; i++)
        if (!strncmp(argv[i], "--command-line-only=", 20))
            only = !strcmp(argv[i] + 20, "yes");
    added = only || add_defaults(words, tool);
    for (size_t i = 1; i < options && added; i++)
        added = add_option(words, tool, argv[i]);
    return added;
}
