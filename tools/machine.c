/* tools/machine.c - `quern machine`: the machines that --machine knows; what one stands for, for run, replay, report, sweep and --timing.
 *
 *   quern machine list             a name and a title a line
 *   quern machine show skylake     its file, with the source of each number, and the options that it stands for
 *   quern machine host             this machine's caches as such a file
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "collect/options.h"
#include "engines/engines.h"
#include "exp/machine.h"
#include "text/options.h"
#include "tools.h"

static const char help[] =
    "usage: quern machine list\n"
    "       quern machine show NAME|FILE...\n"
    "       quern machine host\n\n"
    "A machine is a file that describes caches, translation buffer, predictors and latencies.\n"
    "`quern run --machine=NAME`, also report, replay, `sweep -L machine=A,B` and `annotate --timing=NAME`, take it.\n"
    "list names those that ship; show prints a file, in which each number has its source, and the options that it\n"
    "stands for; host prints one of this machine, by CPUID, else by /sys.\n\n";

static const struct qn_option options[] = { QN_OPTION_HELP, QN_OPTION_VERSION, QN_OPTIONS_END };
static const struct qn_options command = { "machine", "quern: machine", help, NULL, options, NULL, false, NULL };

/* ---- for other commands ---- */

bool qn_machine_read(const char *asker, const char *name, struct qn_exp_machine *m)
{
    const char *library = qn_engines_library(asker);
    struct qn_text_error err = { .status = QN_TEXT_OK };

    if (library && qn_exp_read_machine(m, name, library, &err))
        return true;
    if (library)
        qn_text_complain("quern: %s: %s", asker, err.text);
    return false;
}

_Static_assert((int)QN_EXP_LL == (int)QN_COLLECT_LL && (int)QN_EXP_L2 == (int)QN_COLLECT_L2 && (int)QN_EXP_LEVELS == (int)QN_COLLECT_LEVELS
                   && (int)QN_EXP_SLOTS == QN_COLLECT_SLOTS && (int)QN_EXP_SLOTS == (int)QN_ENGINES_SLOTS, "the same levels and slots");

bool qn_machine_take(const char *asker, const char *name, struct qn_collect_machine *to)
{
    static struct qn_exp_machine m; /* its texts stay */
    const char *base;

    if (!qn_machine_read(asker, name, &m))
        return false;
    memcpy(to->geometry, m.geometry, sizeof to->geometry);
    to->cores = m.cores;
    for (int i = 0; i < QN_EXP_SLOTS; i++) {
        to->module[i].name = m.module[i].text;
        to->module[i].origin = m.module[i].origin;
        to->module[i].options = m.options[i];
    }
    base = strrchr(m.path, '/') ? strrchr(m.path, '/') + 1 : m.path;
    to->text = qn_text_format(&m.memory, "%.*s:%016" PRIx64, (int)strcspn(base, "."), base, qn_engines_hash_file(m.path));
    return true;
}

const char *qn_machine_timing(const char *name)
{
    static struct qn_exp_machine m;

    if (!qn_machine_read("--timing", name, &m))
        return NULL;
    if (!*m.timing)
        qn_text_complain("quern: --timing: %s says nothing of latencies", m.path);
    return *m.timing ? m.timing : NULL;
}

/* ---- list, show ---- */

static int list(void)
{
    const char *library = qn_engines_library("machine list");
    struct qn_text_memory memory = { 0 };
    struct qn_exp_machine m;
    const char *pattern;
    int status = 0;
    glob_t g;

    if (!library)
        return 1;
    pattern = qn_text_format(&memory, "%s/*" QN_EXP_MACHINE_END, qn_exp_machines(&memory, library));
    if (glob(pattern, 0, NULL, &g) == 0) {
        for (size_t i = 0; i < g.gl_pathc; i++) {
            const char *base = strrchr(g.gl_pathv[i], '/') + 1;

            if (qn_machine_read("machine list", g.gl_pathv[i], &m))
                printf("%-16.*s %s\n", (int)strcspn(base, "."), base, m.title);
            else
                status = 1;
            qn_exp_free_machine(&m);
        }
        globfree(&g);
    }
    qn_text_free_memory(&memory);
    return status;
}

static bool print_file(const char *path)
{
    FILE *f = fopen(path, "r");
    int c;

    if (!f)
        return false;
    while ((c = getc(f)) != EOF)
        putchar(c);
    return fclose(f) == 0;
}

/* What the machine stands for: of quern run, and --timing. */
static void print_options(const struct qn_exp_machine *m)
{
    const char *separator = " --sim=";

    printf("\n# %s\n# quern run", m->path);
    for (int i = 0; i < QN_EXP_LEVELS; i++)
        if (m->geometry[i].line)
            printf(" --%s=%u,%u,%u", qn_exp_level_names[i], m->geometry[i].size, m->geometry[i].assoc, m->geometry[i].line);
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        if (m->module[i].text) {
            printf("%s%s=%s", separator, qn_exp_slot_names[i], m->module[i].text);
            separator = ",";
        }
    for (int i = 0; i < QN_EXP_SLOTS; i++)
        if (*m->options[i])
            printf(" --sim-opt=%s", m->options[i]);
    puts("");
    if (*m->timing)
        printf("# quern annotate --timing=%s\n", m->timing);
    if (m->cores > 1)
        printf("# of threads, with I1, D1%s for each core: --cores=%u\n", m->geometry[QN_EXP_L2].line ? " and L2" : "", m->cores);
}

static int show(char **names)
{
    struct qn_exp_machine m;
    int status = 0;

    if (!names[0])
        return qn_options_wrong(&command, "", "show wants the name of a machine, or a file");
    for (; *names; names++) {
        if (qn_machine_read("machine show", *names, &m) && print_file(m.path))
            print_options(&m);
        else
            status = 1;
        qn_exp_free_machine(&m);
    }
    return status;
}

/* ---- host ---- */

static unsigned long read_sys(unsigned index, const char *name, char text[64])
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, name);
    f = fopen(path, "r");
    text[0] = 0;
    if (f && !fgets(text, 64, f))
        text[0] = 0;
    if (f)
        fclose(f);
    return strtoul(text, NULL, 10);
}

/* Where CPUID lists none, as in some virtual machines. */
static unsigned list_sys(struct qn_collect_cache list[QN_COLLECT_CACHES_MAX])
{
    unsigned n = 0;
    char text[64];

    for (; n < QN_COLLECT_CACHES_MAX; n++) {
        struct qn_collect_cache *c = &list[n];

        c->level = (unsigned)read_sys(n, "level", text);
        c->sets = read_sys(n, "number_of_sets", text);
        c->ways = read_sys(n, "ways_of_associativity", text);
        c->line = read_sys(n, "coherency_line_size", text);
        read_sys(n, "type", text);
        c->kind = *text == 'I' ? QN_COLLECT_FETCHES : *text == 'D' ? QN_COLLECT_DATA : QN_COLLECT_ALL;
        if (!c->level || !c->sets || !c->ways || !c->line)
            break;
    }
    return n;
}

static void print_cache(enum qn_exp_level level, const struct qn_collect_cache *c)
{
    struct qn_geometry g = { (uint32_t)(c->sets * c->ways * c->line), (uint32_t)c->ways, (uint32_t)c->line };
    const char *name = qn_exp_level_names[level], *wanted = c->sets * c->ways * c->line > UINT32_MAX ? "a size below 4 GiB" : qn_exp_wanted_of(level, &g);
    uint64_t sets = 1ull << qn_log2(c->sets);

    if (wanted) {
        printf("# %s: %" PRIu64 " sets of %" PRIu64 " ways: rounded, because quern wants %s\n", name, c->sets, c->ways, wanted);
        g.assoc = (uint32_t)((c->sets * c->ways + sets / 2) / sets);
        g.size = (uint32_t)(sets * g.assoc * c->line);
    }
    printf("cache %s { size = %u  ways = %u  line = %u }\n", name, g.size, g.assoc, g.line);
}

/* The processor's name: CPUID leaves 80000002 to 80000004. */
static void print_title(void)
{
    unsigned words[13] = { 0 };
    char *name = (char *)words;

    if ((unsigned)__get_cpuid_max(0x80000000u, NULL) >= 0x80000004u)
        for (unsigned i = 0; i < 3; i++)
            __cpuid(0x80000002u + i, words[4 * i], words[4 * i + 1], words[4 * i + 2], words[4 * i + 3]);
    for (size_t i = strlen(name); i > 0 && name[i - 1] == ' '; i--)
        name[i - 1] = 0;
    for (char *c = name; *c; c++)
        *c = *c == '"' || *c == '\\' ? ' ' : *c;
    printf("title = \"%s\"\n", name + strspn(name, " "));
}

static int host(void)
{
    struct qn_collect_cache list[QN_COLLECT_CACHES_MAX];
    unsigned count = qn_collect_list_caches(list), last = 0;
    const char *source = "CPUID";

    if (!count) {
        count = list_sys(list);
        source = "/sys/devices/system/cpu/cpu0/cache";
    }
    if (!count)
        return qn_text_complain("quern: machine host: neither CPUID nor /sys describes the caches of this machine"), 1;
    printf("# This machine by %s. Latencies, translation buffer and predictors are not known there.\n", source);
    print_title();
    for (unsigned i = 0; i < count; i++)
        last = list[i].level > last && list[i].kind == QN_COLLECT_ALL ? list[i].level : last;
    for (unsigned i = 0; i < count; i++) {
        const struct qn_collect_cache *c = &list[i];

        if (c->level == 1 && c->kind != QN_COLLECT_DATA)
            print_cache(QN_EXP_I1, c);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct qn_collect_cache *c = &list[i];

        if (c->level == 1 && c->kind != QN_COLLECT_FETCHES)
            print_cache(QN_EXP_D1, c);
        if (c->level > 1 && c->kind == QN_COLLECT_ALL && (c->level == 2 || c->level == last))
            print_cache(c->level == last ? QN_EXP_LL : QN_EXP_L2, c);
    }
    return 0;
}

int qn_tool_machine(int argc, char **argv)
{
    char **words;
    int status = qn_options_take(&command, NULL, argv, &words);

    (void)argc;
    if (status >= 0)
        return status;
    if (words[0] && !strcmp(words[0], "show"))
        return show(words + 1);
    if (words[0] && words[1])
        return qn_options_wrong(&command, words[1], "show alone takes more words");
    if (words[0] && !strcmp(words[0], "list"))
        return list();
    if (words[0] && !strcmp(words[0], "host"))
        return host();
    return qn_options_wrong(&command, words[0] ? words[0] : "", "wanted list, show or host");
}
