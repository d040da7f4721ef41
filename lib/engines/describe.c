/* lib/engines/describe.c - what is in a simulator.
 *
 *   "quern-sim-build: I1=lru D1=srrip:50b34235a5a88360 LL=lru BC=cachegrind BI=cachegrind"
 *   "quern-sim-sources: \nD1=/home/me/srrip.c"           "quern-sim-units: D1=srrip:50b34235a5a88360\nD1=fifo:..."
 *   "quern-sim-defaults: D1=0f3a... LL=..."              "quern-sim-observes: values:8d0e..."
 *
 * An engine carries such texts about itself (lib/sim/slots.c), and a replay one, with another mark.  Only an ELF file that has the
 * first is a simulator.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "engines/engines.h"

#define MARK "quern-sim-"
#define FIRST_SLOT "I1=" /* every description begins so; quern itself contains the marks, but nothing that begins so */
#define OBSERVES "observes: "
#define TEXT_MAX 65536 /* bytes of the longest text: six paths, or all units */
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

/* The bytes of an ELF file, from its beginning, that are loaded when it runs: they hold the texts, its debug information does not.
 * 0: it is no ELF file. */
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

/* The text that follows `mark` on its line; with `lines`, the lines that follow it up to an empty one or to the end of the string. */
static char *copy_text(const char *at, const char *end, bool lines)
{
    size_t n = (size_t)(end - at) < TEXT_MAX ? (size_t)(end - at) : TEXT_MAX, length = strnlen(at, n);
    const char *line = lines ? NULL : memchr(at, '\n', length);

    return strndup(at, line ? (size_t)(line - at) : length);
}

/* The modules that observe instructions, a line for each: "values:50b34235a5a88360\n". */
static void add_observer(struct qn_engines_texts *t, char *name)
{
    char *longer;

    if (name && asprintf(&longer, "%s%s\n", t->observers ? t->observers : "", name) >= 0) {
        free(t->observers);
        t->observers = longer;
    }
    free(name);
}

static bool begins(const char *at, const char *end, const char *text)
{
    return (size_t)(end - at) >= strlen(text) && !memcmp(at, text, strlen(text));
}

/* Takes one text, given without its "quern-sim-".  Of each kind the first text counts. */
static void take_text(struct qn_engines_texts *t, const char *at, const char *end)
{
    static const struct {
        const char *kind;
        size_t field;
        bool lines;
    } kinds[] = {
        { "build: " FIRST_SLOT, offsetof(struct qn_engines_texts, description), false },
        { "replay: " FIRST_SLOT, offsetof(struct qn_engines_texts, replay), false },
        { "sources: ", offsetof(struct qn_engines_texts, sources), true },
        { "units: ", offsetof(struct qn_engines_texts, units), true },
        { "defaults: ", offsetof(struct qn_engines_texts, defaults), false },
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char **field = (char **)((char *)t + kinds[i].field);

        if (!*field && begins(at, end, kinds[i].kind))
            *field = copy_text(at + strcspn(at, " ") + 1, end, kinds[i].lines);
    }
    if (begins(at, end, OBSERVES))
        add_observer(t, copy_text(at + strlen(OBSERVES), end, false));
}

/* Finds each text that begins with MARK in the loaded part of the file. */
static void read_texts(const char *path, struct qn_engines_texts *t)
{
    size_t mapped = 0;
    const char *bytes = map_file(path, &mapped), *at = bytes, *end = bytes + (bytes ? loaded_bytes(bytes, mapped) : 0);

    *t = (struct qn_engines_texts){ .description = NULL };
    while (at && (at = memmem(at, (size_t)(end - at), MARK, strlen(MARK)))) {
        at += strlen(MARK);
        take_text(t, at, end);
    }
    if (bytes)
        munmap((void *)(uintptr_t)bytes, mapped);
}

bool qn_engines_read_texts(const char *path, struct qn_engines_texts *t)
{
    read_texts(path, t);
    if (t->description)
        return true;
    qn_engines_free_texts(t);
    return false;
}

void qn_engines_free_texts(struct qn_engines_texts *t)
{
    free(t->description);
    free(t->replay);
    free(t->sources);
    free(t->units);
    free(t->defaults);
    free(t->observers);
    *t = (struct qn_engines_texts){ .description = NULL };
}

char *qn_engines_text_of_slot(const char *description, enum qn_engines_slot slot)
{
    for (const char *at = description; at && *at; at += strspn(at, " \n")) {
        size_t n = strcspn(at, " \n");

        if (n > 3 && at[2] == '=' && !strncmp(at, qn_engines_slot_names[slot], 2))
            return strndup(at + 3, n - 3);
        at += n;
    }
    return NULL;
}

char *qn_engines_read_replay(const char *path)
{
    struct qn_engines_texts t;
    char *text;

    read_texts(path, &t);
    text = t.replay;
    t.replay = NULL;
    qn_engines_free_texts(&t);
    return text;
}

uint64_t qn_engines_hash_engine(const char *path)
{
    uint64_t hash;
    size_t mapped = 0;
    const char *bytes = map_file(path, &mapped);

    hash = qn_hash_words(QN_HASH_NONE, bytes, bytes ? loaded_bytes(bytes, mapped) : 0);
    if (bytes)
        munmap((void *)(uintptr_t)bytes, mapped);
    return hash;
}
