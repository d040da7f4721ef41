/* tools/replay.c - `quern replay`: feeds a recorded trace to simulator modules in an ordinary program.
 *
 *   quern replay --D1=1024,1,32 TRACE                     default modules
 *   quern replay --sim=fifo TRACE                         fifo in I1, D1 and LL
 *   quern replay --sim=D1=opt,BC=gshare TRACE             a module per slot
 *   quern replay --sim=./myreplay TRACE                   made by `quern sim build --replay`
 *   quern replay --sim=AN=mine.c -- PROGRAM               what `quern trace` records of it comes through a pipe, while it runs
 *
 * The program is compiled, and kept for the next time (lib/engines/keep.c).  All other options go to it: see its --help.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "text/output.h"
#include "debug/debug.h"
#include "engines/engines.h"
#include "json/json.h"
#include "machine.h"
#include "sim/current_module.h"
#include "tools.h"

#define ARGUMENTS_MAX 256

#define SANITIZED "-g -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=undefined -DQN_SIM_SANITIZED=1"

static const char help[] =
    "usage: quern replay [--sim=MODULES] [--cflags=FLAGS] [OPTIONS] TRACE\n"
    "       quern replay [...] -- PROGRAM [ARGUMENTS]\n"
    "Feeds a trace, or what PROGRAM refers to while it runs (--quantum=, --pin= as of quern run), to modules.\n\n"
    "  --sim=MODULE            a policy in I1, D1 and LL; any other module in its usual slot\n"
    "  --sim=SLOT=MODULE,...   a module per slot, a name or a C file; slots are I1 D1 L2 LL BC BI AN\n"
    "  --sim=PATH              a program made by `quern sim build --replay`\n"
    "  --machine=NAME|FILE     caches, TLB, predictors of a machine, where no other option says otherwise\n"
    "  --coherence=PROTOCOL    with --cores=N, of a trace that quern trace --cores=N made: name or C file [mesi]\n"
    "  --cflags=FLAGS          for the compiler, as '-g -fsanitize=address'\n"
    "  --sanitize              with AddressSanitizer and UndefinedBehaviorSanitizer; the first line says where\n"
    "  --json                  print the totals as JSON (doc/json.md)\n"
    "  -h, --help              show this text, and with a compiler that of the options\n"
    "  --version               show the version\n\n";

static bool is_program(const char *path)
{
    struct stat st;
    size_t n = strlen(path);

    return strchr(path, '/') && strcmp(path + n - 2, ".c") && stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & 0111);
}

static bool module_at_L2;

#define SCRATCH "/tmp/quern-replay.XXXXXX"

/* A program in place of a trace. */
static struct {
    char **words;         /* the program and its arguments; NULL: there is a trace */
    char *cores, *quantum, *pin; /* options of the recorder; --cores=N is one of the replay, too */
    bool json;            /* standard output is for it alone */
    char folder[sizeof SCRATCH], path[sizeof SCRATCH + 8]; /* the path: of a named pipe, whose two openers wait for each other */
} live;

/* "D1=opt,BC=gshare", or "fifo", which a trace's references find in each cache. */
static bool choose(struct qn_engines_build *b, const char *text)
{
    static struct qn_engines_choice c = { .tool = "replay", .option = "--sim", .takes_L2 = true };

    if (!qn_engines_choose(&c, text))
        return false;
    if (c.engine) {
        qn_text_complain("quern: replay: --sim=%s: an engine, wanted a program made by `quern sim build --replay`", text);
        return false;
    }
    if (c.nmore) {
        qn_text_complain("quern: replay: --sim=%s: a replay has one analysis at a time", text);
        return false;
    }
    if (!strpbrk(text, "=,+") && c.slot[QN_ENGINES_D1].name)
        c.slot[QN_ENGINES_I1] = c.slot[QN_ENGINES_LL] = c.slot[QN_ENGINES_D1];
    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        if (c.slot[i].name)
            b->module[i] = c.slot[i].given;
    module_at_L2 = c.at_L2;
    return true;
}

/* --cores has a protocol in slot D1: that of --coherence, of --sim, or MESI. */
static bool take_cores(struct qn_engines_build *b, const char *program, const char *coherence)
{
    const char *what = !live.cores ? "needs --cores" : program ? "not beside --sim=PATH, which has its modules" : b->module[QN_ENGINES_D1] ? "not with another module in slot D1" : NULL;

    if (coherence && what)
        return qn_text_complain("quern: replay: --coherence: %s", what), false;
    if (live.cores && !program && !b->module[QN_ENGINES_D1])
        b->module[QN_ENGINES_D1] = coherence ? coherence : "mesi";
    return true;
}

/* Modules of a machine in slots that are free, and its other options, before those that are given: of each the last one counts. */
static bool take_machine(struct qn_engines_build *b, const char *name, bool modules, char **pass, int *n)
{
    static struct qn_exp_machine m;
    const char *library = qn_engines_library("replay");
    char *own[QN_EXP_LEVELS + QN_EXP_SLOTS];
    int count = 0;

    if (!qn_machine_read("replay: --machine", name, &m))
        return false;
    for (int i = 0; i < QN_EXP_LEVELS; i++)
        if (m.geometry[i].line)
            own[count++] = qn_text_format(&m.memory, "--%s=%u,%u,%u", qn_exp_level_names[i], m.geometry[i].size, m.geometry[i].assoc, m.geometry[i].line);
    for (int i = 0; i < QN_EXP_SLOTS; i++) {
        if (i == QN_EXP_SLOT_LL && m.module[i].text && module_at_L2)
            return qn_text_complain("quern: replay: --machine: its LL=%s: not with a module in slot L2", m.module[i].text), false;
        if (!m.module[i].text || !modules || (b->module[i] && !(library && qn_engines_stands_beside(library, m.module[i].text, b->module[i]))))
            continue;
        b->module[i] = b->module[i] ? qn_text_format(&m.memory, "%s+%s", b->module[i], m.module[i].text) : m.module[i].text;
        if (*m.options[i])
            own[count++] = qn_text_format(&m.memory, "--sim-opt=%s", m.options[i]);
    }
    if (*n + count > ARGUMENTS_MAX)
        return qn_text_complain("quern: replay: more than %d options", ARGUMENTS_MAX), false;
    memmove(pass + 1 + count, pass + 1, (size_t)(*n - 1) * sizeof *pass);
    memcpy(pass + 1, own, (size_t)count * sizeof *pass);
    *n += count;
    return true;
}

/* A file that the replay will write: where it cannot be, that is said before anything is compiled. */
static bool check_output(const char *word)
{
    static const char *const written[] = { "--outcomes=", "--watch-file=" };
    struct qn_text_error err = { .status = QN_TEXT_OK };

    for (size_t i = 0; i < sizeof written / sizeof *written; i++)
        if (!strncmp(word, written[i], strlen(written[i])) && qn_text_check_output(word + strlen(written[i]), &err) != QN_TEXT_OK)
            return qn_text_complain("quern: replay: %s", err.text), false;
    return true;
}

/* "mine:50b34235a5a88360" in a slot -> "mine.c"; NULL: nothing is there. */
static char *file_in(const char *description, enum qn_engines_slot slot)
{
    char *name = qn_engines_text_of_slot(description, slot), *file = NULL;

    if (name && asprintf(&file, "%.*s.c", (int)strcspn(name, ":"), name) < 0)
        file = NULL;
    free(name);
    return file;
}

/* What the program has said of a module, with the line of the source where the module stands. */
static void tell(const struct qn_engines_build *b, const char *program, const struct hosted_places *p)
{
    const char *files[QN_ENGINES_SLOTS + 1] = { NULL };
    char where[PATH_MAX + 16], *own[QN_ENGINES_SLOTS] = { NULL }, *sources = qn_engines_read_replay(program);
    bool found;
    int n = 0;

    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        if (b->module[i])
            files[n++] = b->module[i];
        else if (sources && (own[i] = file_in(sources, (enum qn_engines_slot)i)))
            files[n++] = own[i];
    found = qn_debug_say_where(program, p->place, p->n < HOSTED_PLACES ? (unsigned)p->n : HOSTED_PLACES, files, where, sizeof where);
    qn_text_complain("quern: replay: %.*s%s%s%s", (int)sizeof p->line - 1, p->line, found ? ", at " : "", found ? where : "",
                     strstr(p->line, SIM_CRASHED) && !(b->cflags && strstr(b->cflags, "-fsanitize")) ? SIM_SANITIZED_REPLAY : "");
    for (int i = 0; i < QN_ENGINES_SLOTS; i++)
        free(own[i]);
    free(sources);
}

/* ---- a program in place of a trace ---- */

static bool make_pipe(void)
{
    strcpy(live.folder, SCRATCH);
    if (!qn_text_make_scratch(live.folder))
        return perror("quern: replay: " SCRATCH), false;
    snprintf(live.path, sizeof live.path, "%s/trace", live.folder);
    return mkfifo(live.path, 0600) == 0 || (perror(live.path), qn_text_remove_scratch(live.folder), false);
}

/* quern trace -o PIPE -- PROGRAM ... */
static _Noreturn void exec_recorder(void)
{
    char *own = qn_engines_own_path("replay"), *first[] = { own, (char *)"trace", (char *)"--compress=none", (char *)"-o", live.path, NULL };
    char *last[] = { live.cores, live.quantum, live.pin, (char *)"--" };
    struct qn_text_memory memory = { 0 };
    struct qn_text_words words = { .memory = &memory };

    qn_text_add_words(&words, first);
    for (size_t i = 0; i < sizeof last / sizeof *last; i++)
        if (last[i])
            qn_text_add_word(&words, "%s", last[i]);
    qn_text_add_words(&words, live.words);
    if (live.json)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    if (own)
        execv(own, words.at);
    perror("quern: replay: quern trace");
    close(open(live.path, O_WRONLY)); /* the reader goes on, to the end of nothing */
    _exit(1);
}

static pid_t start_recorder(void)
{
    pid_t child = fork();

    if (child == 0)
        exec_recorder();
    if (child < 0)
        perror("quern: replay: fork");
    return child;
}

/* Status: the program's, unless the replay failed; the program may then wait for a reader. */
static int end_recorder(pid_t child, int status)
{
    int of_program = 0;

    if (status)
        kill(child, SIGTERM);
    while (waitpid(child, &of_program, 0) < 0 && errno == EINTR)
        ;
    return status ? status : WIFEXITED(of_program) ? WEXITSTATUS(of_program) : 128 + WTERMSIG(of_program);
}

static int run_program(const struct qn_engines_build *b, char **argv)
{
    struct hosted_places p;
    pid_t child = live.words ? start_recorder() : 0;
    int fd = memfd_create("places", 0), status;
    char number[16];

    if (child < 0)
        return 1;
    snprintf(number, sizeof number, "%d", fd);
    if (fd >= 0)
        setenv(HOSTED_PLACES_VARIABLE, number, 1);
    status = qn_engines_run(argv);
    if (child)
        status = end_recorder(child, status);
    if (fd >= 0 && pread(fd, &p, sizeof p, 0) == sizeof p)
        tell(b, argv[0], &p);
    close(fd);
    return status;
}

static int build_and_run(struct qn_engines_build *b, char **argv)
{
    struct qn_engines_setup s = { .engine = NULL };
    int status = 1;

    b->replay = b->kept = true;
    argv[0] = qn_engines_keep(b, &s.scratch);
    if (argv[0])
        status = run_program(b, argv);
    qn_engines_remove_scratch(&s);
    free(argv[0]);
    return status;
}

/* The table of totals that the program has written, as JSON. */
static bool put_json(const char *prefix)
{
    struct qn_text_error err = { .status = QN_TEXT_OK };
    struct qn_text_table totals = { 0 };
    const char *path = qn_text_format(&totals.memory, "%s.totals.csv", prefix);

    if (qn_text_read_table(&totals, path, &err) == QN_TEXT_OK && !qn_json_write_replay(stdout, &totals))
        qn_text_fail(&err, QN_TEXT_IO, "standard output: cannot write: %s", strerror(errno));
    qn_text_free_table(&totals);
    return err.status == QN_TEXT_OK || (qn_text_complain("quern: replay: %s", err.text), false);
}

static int run(struct qn_engines_build *b, char **argv, bool build) { return build ? build_and_run(b, argv) : run_program(b, argv); }

/* What the program prints goes nowhere.  argv[end] is free. */
static int run_for_json(struct qn_engines_build *b, char **argv, int end, bool build, const char *prefix)
{
    char scratch[] = SCRATCH, own_prefix[sizeof scratch + 8], option[sizeof own_prefix + 16];
    int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), nowhere = out < 0 ? -1 : open("/dev/null", O_WRONLY | O_CLOEXEC), status;

    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || (!prefix && !qn_text_make_scratch(scratch)))
        return perror("quern: replay: --json"), 1;
    close(nowhere);
    if (!prefix) {
        snprintf(own_prefix, sizeof own_prefix, "%s/t", scratch);
        snprintf(option, sizeof option, "--tables=%s", own_prefix);
        argv[end] = option;
    }
    status = run(b, argv, build);
    dup2(out, STDOUT_FILENO);
    close(out);
    if (!status && !put_json(prefix ? prefix : own_prefix))
        status = 1;
    if (!prefix)
        qn_text_remove_scratch(scratch);
    return status;
}

int qn_tool_replay(int argc, char **argv)
{
    struct qn_engines_build b = { .tool = "replay" };
    char *pass[ARGUMENTS_MAX + 4] = { NULL };
    const char *program = NULL, *tables = NULL, *machine = NULL, *coherence = NULL;
    int n = 1, sims = 0, status;

    for (int i = 1; i < argc && !live.words; i++)
        live.words = strcmp(argv[i], "--") ? NULL : argv + i + 1;
    for (int i = 1; i < argc && n < ARGUMENTS_MAX && argv + i + 1 != live.words; i++) {
        if (!strcmp(argv[i], "--version"))
            return puts("quern " QN_VERSION), 0;
        if (!strcmp(argv[i], "--help=all"))
            argv[i][strlen("--help")] = '\0';
        if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
            fputs(help, stdout), fflush(stdout);
        if (!check_output(argv[i]))
            return 1;
        if (!strncmp(argv[i], "--tables=", 9))
            tables = argv[i] + 9;
        if (!strncmp(argv[i], "--cflags=", 9))
            b.cflags = argv[i] + 9, b.with_modules = NULL;
        else if (!strcmp(argv[i], "--sanitize"))
            b.cflags = SANITIZED, b.with_modules = "sim/hosted/service.c";
        else if (!strncmp(argv[i], "--machine=", 10))
            machine = argv[i] + 10;
        else if (!strncmp(argv[i], "--coherence=", 12))
            coherence = argv[i] + 12;
        else if (!strcmp(argv[i], "--json"))
            live.json = true;
        else if (live.words && !strncmp(argv[i], "--quantum=", 10))
            live.quantum = argv[i];
        else if (live.words && !strncmp(argv[i], "--pin=", 6))
            live.pin = argv[i];
        else if (strncmp(argv[i], "--sim=", 6))
            live.cores = !strncmp(argv[i], "--cores=", 8) ? argv[i] : live.cores, pass[n++] = argv[i];
        else if (is_program(argv[i] + 6) && !sims++)
            program = argv[i] + 6;
        else if (program)
            return qn_text_complain("quern: replay: %s: not beside --sim=%s, a program, which has its modules", argv[i], program), QN_EXIT_USAGE;
        else if (sims++, !choose(&b, argv[i] + 6))
            return QN_EXIT_USAGE;
    }
    if (live.words ? !*live.words : n == 1)
        return fprintf(stderr, "quern: replay: no %s given; `quern replay --help` tells how\n", live.words ? "program" : "trace"), QN_EXIT_USAGE;
    if (!take_cores(&b, program, coherence) || (machine && !take_machine(&b, machine, !program, pass, &n)))
        return QN_EXIT_USAGE;
    if (module_at_L2)
        pass[n++] = (char *)"--at-L2=yes";
    pass[0] = (char *)(program ? program : "");
    if (live.words && !make_pipe())
        return 1;
    if (live.words)
        pass[n++] = live.path;
    status = live.json ? run_for_json(&b, pass, n, !program, tables) : run(&b, pass, !program);
    if (live.words)
        qn_text_remove_scratch(live.folder);
    return status;
}
