/* tools/sweep/sweep_programs.c - checks the programs and inputs of all runs before the first run, and identifies the programs.
 *
 * In:  "gzip", "./prog"          searched where the programs of a sweep are: /usr/local/bin, /usr/bin, /bin
 * Out: the build-id of an ELF file, for anything else "fnv1a:" and a hash of its bytes
 */
#define _GNU_SOURCE
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../tools.h"
#include "collect/collect.h"
#include "engines/engines.h"
#include "sweep.h"

static const char *const places[] = { "/usr/local/bin", "/usr/bin", "/bin", NULL };

const char *qn_sweep_find_program(struct qn_text_memory *m, const char *name)
{
    if (strchr(name, '/'))
        return qn_collect_is_program(name) ? name : NULL;
    for (const char *const *place = places; *place; place++) {
        const char *path = qn_text_format(m, "%s/%s", *place, name);

        if (qn_collect_is_program(path))
            return path;
    }
    return NULL;
}

static const char *read_build_id(struct qn_text_memory *m, const char *path)
{
    const unsigned char *id;
    const char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = -1;
    Elf *elf;

    elf_version(EV_CURRENT);
    elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    if (elf && elf_kind(elf) == ELF_K_ELF)
        n = dwelf_elf_gnu_build_id(elf, (const void **)&id);
    if (n > 0)
        text = "";
    for (ssize_t i = 0; i < n; i++)
        text = qn_text_format(m, "%s%02x", text, id[i]);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return text;
}

static int refuse(const struct qn_exp_text *origin, const char *what, const char *name, const char *why)
{
    qn_text_complain("quern: sweep: %s: %s '%s': %s", origin->origin, what, name, why);
    return QN_EXIT_USAGE;
}

static int check_input(const struct qn_exp_run *run)
{
    if (!run->input || access(run->input, R_OK) == 0)
        return 0;
    return refuse(&run->program->input, "input", run->input, strerror(errno));
}

/* Of a run whose command is new. */
static int identify(struct qn_sweep *s, int i)
{
    struct qn_text_memory *m = &s->options.exp.memory;
    const struct qn_exp_run *run = &s->runs.at[i];
    const char *path = qn_sweep_find_program(m, run->argv[0]), *id;

    if (!path)
        return refuse(&run->program->argv.at[0], "program", run->argv[0],
                      strchr(run->argv[0], '/') ? "not a program" : "not in /usr/local/bin, /usr/bin or /bin");
    id = read_build_id(m, path);
    s->provenance[i].build_id = id ? id : qn_text_format(m, "fnv1a:%016llx", (unsigned long long)qn_engines_hash_file(path));
    return 0;
}

int qn_sweep_check_programs(struct qn_sweep *s)
{
    for (int i = 0; i < s->runs.count; i++) {
        int status = check_input(&s->runs.at[i]), same = 0;

        if (status)
            return status;
        while (same < i && strcmp(s->runs.at[same].argv[0], s->runs.at[i].argv[0]))
            same++;
        s->provenance[i].build_id = s->provenance[same].build_id;
        if (same == i && (status = identify(s, i)))
            return status;
    }
    return 0;
}
