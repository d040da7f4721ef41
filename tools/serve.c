/* tools/serve.c - `quern serve`: an editor in the browser that runs C programs under quern.
 *
 * In:  quern serve [--port=N] [FOLDER]
 * Out: this process becomes quern-serve (lib/serve/serve.c), which prints its address; exit 1 (it is not there, or cannot begin), 2 (usage)
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engines/engines.h"
#include "lab/lab_tool.h"
#include "text/options.h"
#include "text/error.h"
#include "tools.h"

#define PROGRAM "quern serve"
#define PORT_MAX 65535

static const char help[] =
    "usage: quern serve [--port=N] [FOLDER]\n"
    "\n"
    "An editor in the browser for the C files of a folder: compiles a program, runs it under quern, and shows\n"
    "counts beside its lines. Prints the address to open; it is known to nobody else, and reached from this machine\n"
    "only. Ctrl-C ends it.\n"
    "\n";

static const char help_end[] = "\nPrograms run in the sandbox of the labs: without files, network, or other processes. doc/serve.md tells more.\n";

struct settings {
    uint64_t port;
};

static const struct qn_option options[] = {
    QN_OPTION("--port", "N", "listen on this port of 127.0.0.1 [any that is free]", qn_option_number, struct settings, port),
    QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };

static const struct qn_options command = { "serve", PROGRAM, help, help_end, options, NULL, false, NULL };

static int parse(struct settings *s, char **argv, const char **folder)
{
    char **words;
    int status = qn_options_take(&command, s, argv, &words);
    struct stat st;

    if (status >= 0)
        return status;
    *folder = *words ? *words : ".";
    if (*words && words[1])
        return qn_options_wrong(&command, words[1], "one folder only");
    if (s->port > PORT_MAX)
        return qn_options_wrong(&command, "--port", "wanted 1 to 65535");
    if (stat(*folder, &st))
        return qn_text_complain(PROGRAM ": %s: %s", *folder, strerror(errno)), QN_EXIT_USAGE;
    if (!S_ISDIR(st.st_mode))
        return qn_text_complain(PROGRAM ": %s: is no folder", *folder), QN_EXIT_USAGE;
    return -1;
}

/* "I1=lru D1=lru D1=srrip": what the menus offer. */
static char *list_modules(void)
{
    char *engine = qn_engines_default_engine(), *list = NULL;
    struct qn_engines_texts texts;
    size_t size;
    FILE *out = engine && qn_engines_read_texts(engine, &texts) ? open_memstream(&list, &size) : NULL;

    if (!out)
        return NULL;
    for (const char *line = texts.units; line && *line; line += strcspn(line, "\n"), line += *line == '\n')
        if (strncmp(strchrnul(line, '=') + 1, "cachesim_", 9)) /* the default ones; lru is the same under a name */
            fprintf(out, "%.*s ", (int)strcspn(line, ":\n"), line);
    fclose(out);
    qn_engines_free_texts(&texts);
    free(engine);
    return list;
}

int qn_tool_serve(int argc, char **argv)
{
    static struct settings s;
    struct qn_lab_place place;
    const char *folder;
    char port[16], *server, *modules;
    int status;

    (void)argc;
    status = parse(&s, argv, &folder);
    if (status >= 0)
        return status;
    server = qn_engines_find_program("quern-serve");
    if (!server)
        return qn_text_complain(PROGRAM ": quern-serve is not there: this quern was built without libmicrohttpd or jansson"), 1;
    modules = list_modules();
    if (!modules)
        return qn_text_complain(PROGRAM ": quern-engine is not there"), 1;
    if (!qn_lab_find_place(&place))
        return 1;
    snprintf(port, sizeof port, "%" PRIu64, s.port);
    execv(server, (char *[]){ server, (char *)folder, port, (char *)place.quern, (char *)place.header, (char *)place.library, modules, NULL });
    return qn_text_complain(PROGRAM ": %s: %s", server, strerror(errno)), 1;
}
