/* lib/collect/program.c - finds the program, and refuses files that cannot run.
 *
 * In:  argv[0] as typed, PATH
 * Out: the file's path; or one line `quern: run: PATH: what` and the exit status, 127 for what is
 *      not there, 126 for what cannot be executed
 *
 * The engine follows #! lines itself; here only the first file is looked at: it must be an ELF64
 * x86-64 executable whose segments lie inside the file, or begin with #!.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect/collect.h"

#define DEFAULT_PATH "/usr/local/bin:/bin:/usr/bin" /* if PATH is not set, as execvp */
#define PHDRS_MAX 512 /* headers that are read */

static int refuse(const char *path, const char *what, int status)
{
    qn_collect_complain("%s: %s", path, what);
    return status;
}

static int refuse_errno(const char *path)
{
    return refuse(path, strerror(errno),
                  errno == ENOENT || errno == ENOTDIR ? QN_EXIT_NOT_FOUND : QN_EXIT_NOT_EXECUTABLE);
}

bool qn_collect_is_program(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

/* As execvp searches: an empty element is the current directory. */
static char *search_path(const char *name)
{
    const char *p = getenv("PATH");

    for (p = p ? p : DEFAULT_PATH;; p++) {
        size_t n = strcspn(p, ":");
        char *path;

        if (asprintf(&path, "%.*s%s%s", (int)n, p, n ? "/" : "./", name) < 0)
            return NULL;
        if (qn_collect_is_program(path))
            return path;
        free(path);
        p += n;
        if (!*p)
            return NULL;
    }
}

static const char *check_segments(int fd, const Elf64_Ehdr *h, uint64_t size)
{
    if (h->e_phnum == 0 || h->e_phentsize != sizeof(Elf64_Phdr))
        return "ELF file without program headers";
    if (h->e_phoff > size || (size - h->e_phoff) / sizeof(Elf64_Phdr) < h->e_phnum)
        return "truncated ELF file";
    for (int i = 0; i < h->e_phnum && i < PHDRS_MAX; i++) {
        Elf64_Phdr p;

        if (pread(fd, &p, sizeof p, (off_t)(h->e_phoff + (uint64_t)i * sizeof p)) != sizeof p)
            return "truncated ELF file";
        if ((p.p_type == PT_LOAD || p.p_type == PT_INTERP) && (p.p_offset > size || p.p_filesz > size - p.p_offset))
            return "truncated ELF file";
    }
    return NULL;
}

/* Returns what is wrong with the file; NULL: it may run. */
static const char *check_elf(int fd, const Elf64_Ehdr *h, ssize_t n, uint64_t size)
{
    if (n < EI_NIDENT)
        return "truncated ELF file";
    if (h->e_ident[EI_CLASS] == ELFCLASS32)
        return "32-bit program; only 64-bit x86-64 programs can be run";
    if (n < (ssize_t)sizeof *h)
        return "truncated ELF file";
    if (h->e_ident[EI_CLASS] != ELFCLASS64 || h->e_ident[EI_DATA] != ELFDATA2LSB || h->e_machine != EM_X86_64)
        return "program for another machine; only x86-64 programs can be run";
    if (h->e_type != ET_EXEC && h->e_type != ET_DYN)
        return h->e_type == ET_REL ? "object file, not linked" : "ELF file that is not a program";
    return check_segments(fd, h, size);
}

static int check_content(const char *path, uint64_t size)
{
    Elf64_Ehdr h;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n;
    const char *what = NULL;

    if (fd < 0)
        return errno == EACCES ? 0 : refuse_errno(path); /* executable but not readable: the engine will see */
    memset(&h, 0, sizeof h);
    n = pread(fd, &h, sizeof h, 0);
    if (n < 0)
        what = strerror(errno);
    else if (n == 0)
        what = "empty file";
    else if (n >= SELFMAG && !memcmp(h.e_ident, ELFMAG, SELFMAG))
        what = check_elf(fd, &h, n, size);
    else if (n < 2 || memcmp(h.e_ident, "#!", 2))
        what = "neither an ELF program nor a script that begins with #!";
    close(fd);
    return what ? refuse(path, what, QN_EXIT_NOT_EXECUTABLE) : 0;
}

int qn_collect_find_program(struct qn_collect *r)
{
    const char *name = r->options.argv[0];
    struct stat st;

    if (!name[0])
        return refuse("''", "no such program", QN_EXIT_NOT_FOUND);
    r->program = strchr(name, '/') ? strdup(name) : search_path(name);
    if (!r->program)
        return refuse(name, "not found in PATH", QN_EXIT_NOT_FOUND);
    if (stat(r->program, &st))
        return refuse_errno(r->program);
    if (S_ISDIR(st.st_mode))
        return refuse(r->program, "is a directory", QN_EXIT_NOT_EXECUTABLE);
    if (!S_ISREG(st.st_mode))
        return refuse(r->program, "not a regular file", QN_EXIT_NOT_EXECUTABLE);
    if (access(r->program, X_OK))
        return refuse_errno(r->program);
    return check_content(r->program, (uint64_t)st.st_size);
}
