/* lib/debug/debug.c - opens and closes a module, and joins the answers of symbols and line tables.
 *
 * In:  a path (or an image in memory) and addresses.
 * Out: struct qn_debug_place, see debug.h.
 *
 * Invariants: opening reads the headers and the build-id only.
 */
#include "debug/debug.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "base/format.h"
#include "debug/inlines.h"
#include "debug/memory.h"

static bool fail(char *why, size_t size, const char *text)
{
    snprintf(why, size, "%s", text);
    return false;
}

static bool check_header(struct qn_debug *d, char *why, size_t size)
{
    GElf_Ehdr header;

    if (!d->main.elf || elf_kind(d->main.elf) != ELF_K_ELF || !gelf_getehdr(d->main.elf, &header))
        return fail(why, size, "not an ELF file");
    if (gelf_getclass(d->main.elf) != ELFCLASS64 || header.e_machine != EM_X86_64)
        return fail(why, size, "not an ELF64 x86-64 file");
    if (!qn_debug_read_segments(d))
        return fail(why, size, "damaged program headers");
    qn_debug_read_build_id(d->main.elf, d->build_id);
    return true;
}

static struct qn_debug *new_module(void)
{
    struct qn_debug *d = calloc(1, sizeof *d);

    if (d)
        d->main.fd = d->separate.fd = -1;
    elf_version(EV_CURRENT);
    return d;
}

struct qn_debug *qn_debug_open_fd(int fd, const char *path, char *why, size_t size)
{
    struct qn_debug *d = new_module();
    struct stat st;

    fail(why, size, "no memory");
    if (!d) {
        close(fd);
        return NULL;
    }
    d->path = strdup(path);
    d->main.fd = fd;
    if (fstat(d->main.fd, &st)) {
        snprintf(why, size, "%m");
    } else if (!S_ISREG(st.st_mode)) {
        fail(why, size, "not a regular file");
    } else {
        d->dev = st.st_dev;
        d->ino = st.st_ino;
        d->main.elf = elf_begin(d->main.fd, ELF_C_READ_MMAP, NULL);
        if (check_header(d, why, size))
            return d;
    }
    qn_debug_close(d);
    return NULL;
}

struct qn_debug *qn_debug_open(const char *path, char *why, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

    if (fd >= 0)
        return qn_debug_open_fd(fd, path, why, size);
    snprintf(why, size, "%m");
    return NULL;
}

struct qn_debug *qn_debug_open_memory(const void *image, size_t bytes, char *why, size_t size)
{
    struct qn_debug *d = new_module();

    fail(why, size, "no memory");
    if (!d)
        return NULL;
    d->main.elf = elf_memory((char *)(uintptr_t)image, bytes);
    if (check_header(d, why, size))
        return d;
    qn_debug_close(d);
    return NULL;
}

static void close_file(struct qn_elf_file *f)
{
    elf_end(f->elf);
    if (f->fd >= 0)
        close(f->fd);
}

void qn_debug_close(struct qn_debug *d)
{
    if (!d)
        return;
    qn_debug_free_inline_names(d);
    qn_debug_free_inlines(d);
    qn_debug_free_memory(d);
    qn_debug_free_made_names(d);
    qn_debug_free_parents(d);
    dwarf_end(d->dwarf);
    qn_debug_free_lines(&d->lines);
    qn_debug_free_symbols(&d->symbols);
    qn_debug_free_objects(d->objects);
    close_file(&d->separate);
    close_file(&d->main);
    free(d->directories);
    qn_debug_free_ranges(d);
    free(d->segments);
    free(d->too_large);
    free(d->path);
    free(d);
}

bool qn_debug_has_inode(const struct qn_debug *d, uint64_t ino)
{
    return d->ino == ino;
}

const uint8_t *qn_debug_bytes(const struct qn_debug *d, uint64_t offset, size_t *count)
{
    size_t size = 0;
    const char *file = elf_rawfile(d->main.elf, &size);

    if (!file || offset >= size)
        return NULL;
    *count = size - offset;
    return (const uint8_t *)file + offset;
}

static void name_inlined(struct qn_debug *d, uint64_t address, struct qn_debug_place *place)
{
    const struct qn_inline *call = qn_debug_find_inline(d, address, &place->end);
    const char *name = call ? qn_debug_name_inline(d, call, place->function ? place->function : "???") : NULL;

    if (name)
        place->function = name;
}

void qn_debug_find(struct qn_debug *d, uint64_t address, struct qn_debug_place *place)
{
    uint64_t line_end = UINT64_MAX;

    *place = (struct qn_debug_place){ NULL, NULL, 0, UINT64_MAX };
    qn_debug_find_symbol(d, address, &place->function, &place->end);
    if (!place->function && !qn_debug_has_symbols(d))
        qn_debug_find_subprogram(d, address, &place->function, &place->end);
    if (qn_debug_settings.inlines)
        name_inlined(d, address, place);
    qn_debug_find_line(d, address, &place->file, &place->line, &line_end);
    if (line_end < place->end)
        place->end = line_end;
    if (place->end <= address)
        place->end = address + 1;
}

/* ---- the author's own line ---- */

/* Compilers name headers as they found them: "/usr/bin/../lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/vector". */
static bool is_of_library(const char *file)
{
    static const char *const places[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/", "/rustc/", "/rust/deps/"},
                      *const parts[] = {"/include/c++/", "/rustlib/src/", "/.cargo/registry/"};
    char *path = strdup(file);
    bool is = false;

    if (!path)
        return false;
    qn_normalise_path(path);
    for (size_t i = 0; i < QN_ARRAY_LEN(places) && !is; i++)
        is = !strncmp(path, places[i], strlen(places[i]));
    for (size_t i = 0; i < QN_ARRAY_LEN(parts) && !is; i++)
        is = strstr(path, parts[i]);
    free(path);
    return is;
}

void qn_debug_find_user(struct qn_debug *d, uint64_t address, struct qn_debug_place *place)
{
    const struct qn_inline *call;
    uint64_t end = UINT64_MAX;
    const char *outer = NULL;

    qn_debug_find(d, address, place);
    call = place->file && is_of_library(place->file) ? qn_debug_find_inline(d, address, &end) : NULL;
    if (!call)
        return;
    qn_debug_find_symbol(d, address, &outer, &end);
    for (; call; call = call->into)
        if (call->file && call->line && !is_of_library(call->file)) {
            place->file = call->file;
            place->line = call->line;
            place->function = call->into ? call->into->function : outer ? outer : place->function;
            return;
        }
}

const char *qn_debug_build_id(const struct qn_debug *d)
{
    return d->build_id;
}

bool qn_debug_is_damaged(const struct qn_debug *d)
{
    return d->damaged;
}
