/* lib/debug/debug.c - opens and closes a module, knows its segments, and joins the answers of symbols and line tables.
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
#include "debug/internal.h"

struct qn_debug_settings qn_debug_settings;

void qn_debug_configure(const struct qn_debug_settings *settings) { qn_debug_settings = *settings; }

/* ---- segments: from offsets in the file to addresses and back, and where code is ---- */

/* false: they are damaged. */
static bool read_segments(struct qn_debug *d)
{
    size_t count;

    if (elf_getphdrnum(d->main.elf, &count) || !(d->segments = calloc(count + 1, sizeof *d->segments)))
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr p;

        if (!gelf_getphdr(d->main.elf, (int)i, &p) || p.p_type != PT_LOAD)
            continue;
        if (p.p_vaddr + p.p_memsz < p.p_vaddr || p.p_vaddr + p.p_filesz < p.p_vaddr)
            return false; /* beyond the last address: a range there has no end */
        d->segments[d->nsegments++] = (struct qn_segment){
            p.p_offset, p.p_filesz, p.p_vaddr, p.p_memsz, (p.p_flags & PF_X) != 0 };
    }
    return true;
}

bool qn_debug_address(const struct qn_debug *d, uint64_t offset, uint64_t *address)
{
    const struct qn_segment *s = d->segments, *end = s + d->nsegments;

    while (s < end && !(s->executable && offset >= s->offset && offset - s->offset < s->file_size))
        s++;
    if (s < end)
        *address = s->address + (offset - s->offset);
    return s < end;
}

static const struct qn_segment *code_segment(const struct qn_debug *d, uint64_t address)
{
    for (size_t i = 0; i < d->nsegments; i++) {
        const struct qn_segment *s = &d->segments[i];

        if (s->executable && address >= s->address && address - s->address < s->memory_size)
            return s;
    }
    return NULL;
}

bool qn_debug_is_code(const struct qn_debug *d, uint64_t address) { return code_segment(d, address); }

bool qn_debug_offset(const struct qn_debug *d, uint64_t address, uint64_t *offset)
{
    const struct qn_segment *s = code_segment(d, address);

    if (!s || address - s->address >= s->file_size)
        return false;
    *offset = s->offset + (address - s->address);
    return true;
}

bool qn_debug_segment(const struct qn_debug *d, size_t number, uint64_t *start, uint64_t *end)
{
    if (number >= d->nsegments)
        return false;
    *start = d->segments[number].address;
    *end = *start + d->segments[number].memory_size;
    return true;
}

/* ---- opening and closing ---- */

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
    if (!read_segments(d))
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
    qn_debug_free_inlines(d);
    qn_debug_free_types(d);
    qn_debug_free_dwarf(d);
    dwarf_end(d->dwarf);
    qn_debug_free_lines(d);
    qn_debug_free_symbols(d);
    close_file(&d->separate);
    close_file(&d->main);
    free(d->segments);
    free(d->too_large);
    free(d->path);
    free(d);
}

bool qn_debug_has_inode(const struct qn_debug *d, uint64_t ino) { return d->ino == ino; }

const char *qn_debug_build_id(const struct qn_debug *d) { return d->build_id; }

bool qn_debug_is_damaged(const struct qn_debug *d) { return d->damaged; }

const uint8_t *qn_debug_bytes(const struct qn_debug *d, uint64_t offset, size_t *count)
{
    size_t size = 0;
    const char *file = elf_rawfile(d->main.elf, &size);

    if (!file || offset >= size)
        return NULL;
    *count = size - offset;
    return (const uint8_t *)file + offset;
}

/* ---- the place of an address ---- */

void qn_debug_find(struct qn_debug *d, uint64_t address, struct qn_debug_place *place)
{
    uint64_t line_end = UINT64_MAX;
    const struct qn_code_range *code;
    struct qn_inline *call;
    const char *inlined;

    *place = (struct qn_debug_place){ NULL, NULL, 0, UINT64_MAX };
    qn_debug_find_symbol(d, address, &place->function, &place->end);
    if (!place->function && !qn_debug_has_symbols(d) && (code = qn_debug_find_code(d, address))) {
        Dwarf_Die die = code->die;

        place->function = qn_debug_name_die(d, &die);
        place->end = code->end;
    }
    call = qn_debug_settings.inlines ? qn_debug_find_inline(d, address, &place->end) : NULL;
    inlined = call ? qn_debug_name_inline(call, place->function ? place->function : "???") : NULL;
    if (inlined)
        place->function = inlined;
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

/* ---- where a program stands ---- */

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* "srrip+mine.c", several modules of one slot: is the file one of them? */
static bool is_part(const char *base, const char *parts)
{
    size_t n = strcspn(base, ".");

    for (const char *at = strchr(parts, '+') ? parts : ""; *at; at += strcspn(at, "+"), at += *at == '+')
        if (strcspn(at, ".+") == n && !strncmp(base, at, n))
            return true;
    return false;
}

static const char *is_one_of(const char *file, const char *const *files)
{
    for (; file && *files; files++)
        if (!strcmp(base_of(file), base_of(*files)))
            return *files;
        else if (is_part(base_of(file), base_of(*files)))
            return file;
    return NULL;
}

static const char *find_line(struct qn_debug *d, uint64_t address, const char *const *files, uint32_t *line)
{
    uint64_t end = UINT64_MAX;
    struct qn_debug_place place;
    const char *file;

    qn_debug_find(d, address, &place);
    *line = place.line;
    file = is_one_of(place.file, files);
    for (const struct qn_inline *call = qn_debug_find_inline(d, address, &end); call && !file; call = call->into) {
        *line = call->line;
        file = is_one_of(call->file, files);
    }
    return file;
}

/* The first address whose line is in one of the files is the pc itself, or the call of a function elsewhere (memset), which may be
 * inlined. */
bool qn_debug_say_where(const char *program, const uint64_t *address, unsigned n, const char *const *files, char *text, size_t size)
{
    char why[200];
    struct qn_debug *d = n ? qn_debug_open(program, why, sizeof why) : NULL;
    const char *file = NULL;
    uint32_t line = 0;

    for (unsigned i = 0; d && i < n && !file; i++)
        file = find_line(d, address[i] - (i > 0), files, &line); /* a return address is behind the call */
    if (file)
        snprintf(text, size, "%s:%u", file, line);
    if (d)
        qn_debug_close(d);
    return file;
}
