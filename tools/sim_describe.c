/* tools/sim_describe.c - what is in a simulator.
 *
 *   "quern-sim-build: I1=lru D1=srrip:50b34235a5a88360 LL=lru BC=cachegrind BI=cachegrind"
 *
 * An engine carries such a line about itself (lib/sim/engine.c), and so does a replay, with another mark.  Only an ELF file that
 * has one is a simulator.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "sim_build.h"
#include "tools.h"

#define ENGINE_MARK "quern-sim-build: "
#define REPLAY_MARK "quern-sim-replay: "
#define FIRST_SLOT "I1=" /* follows the mark in a simulator, but not in quern, which has the mark, too */
#define DESCRIPTION_MAX 250
#define ENGINE_BYTES_MAX (64u << 20)

/* The file, or its first ENGINE_BYTES_MAX bytes; to be unmapped.  NULL: there is none, by errno, or nothing in it, errno 0. */
static const char *map_file(const char *path, size_t *bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), error;
    void *at = MAP_FAILED;
    struct stat st = { 0 };

    if (fd < 0)
        return NULL;
    errno = 0;
    if (!fstat(fd, &st) && S_ISDIR(st.st_mode)) {
        errno = EISDIR;
    } else if (st.st_size > 0) {
        *bytes = st.st_size < ENGINE_BYTES_MAX ? (size_t)st.st_size : ENGINE_BYTES_MAX;
        at = mmap(NULL, *bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    error = errno;
    close(fd);
    errno = error;
    if (at == MAP_FAILED)
        *bytes = 0;
    return at == MAP_FAILED ? NULL : at;
}

/* How much of an ELF file is loaded when it runs: the texts lie there, and not in its debug information.  0: it is none. */
static size_t loaded_bytes(const char *file, size_t n)
{
    const Elf64_Ehdr *h = (const Elf64_Ehdr *)file;
    size_t end = 0;

    if (n < sizeof *h || memcmp(file, ELFMAG, SELFMAG) || h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff % 8 || h->e_phoff > n ||
        (n - h->e_phoff) / sizeof(Elf64_Phdr) < h->e_phnum)
        return 0;
    for (const Elf64_Phdr *p = (const Elf64_Phdr *)(file + h->e_phoff), *last = p + h->e_phnum; p < last; p++)
        if (p->p_type == PT_LOAD && p->p_offset <= n && p->p_filesz <= n - p->p_offset && p->p_offset + p->p_filesz > end)
            end = p->p_offset + p->p_filesz;
    return end;
}

/* What follows `mark` and begins with `first`. */
static char *find_text(const char *path, const char *mark, const char *first, unsigned size)
{
    size_t mapped = 0;
    const char *bytes = map_file(path, &mapped), *at = bytes, *end = bytes + (bytes ? loaded_bytes(bytes, mapped) : 0);
    char *text = NULL;

    while (at && !text && (at = memmem(at, (size_t)(end - at), mark, strlen(mark)))) {
        at += strlen(mark);
        if ((size_t)(end - at) > strlen(first) && !memcmp(at, first, strlen(first)))
            text = strndup(at, size - 1 < (size_t)(end - at) ? size - 1 : (size_t)(end - at));
    }
    if (bytes)
        munmap((void *)(uintptr_t)bytes, mapped);
    return text;
}

uint64_t qn_sim_hash_engine(const char *path)
{
    uint64_t hash;
    size_t mapped = 0;
    const char *bytes = map_file(path, &mapped);

    hash = qn_hash_words(QN_HASH_NONE, bytes, bytes ? loaded_bytes(bytes, mapped) : 0);
    if (bytes)
        munmap((void *)(uintptr_t)bytes, mapped);
    return hash;
}

char *qn_sim_find_text(const char *path, const char *mark, unsigned size) { return find_text(path, mark, "", size); }

char *qn_sim_read_description(const char *path, bool replay)
{
    return find_text(path, replay ? REPLAY_MARK : ENGINE_MARK, FIRST_SLOT, DESCRIPTION_MAX + 1);
}

char *qn_sim_describe(const char *tool, const char *path)
{
    char *text = qn_sim_read_description(path, false);

    if (!text)
        qn_tool_complain("quern: %s: %s: %s", tool, path, errno ? strerror(errno) : "not a simulator");
    return text;
}
