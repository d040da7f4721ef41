/* The loader of ELF files on damaged and hostile ones, beside the kernel: what the kernel runs runs, and what it refuses is refused.
 *
 *   elf [CASES [SEED]]
 *
 * Each file is a small program of two segments with a field or two changed.  The kernel executes it in one child; in another the loader
 * maps it and control goes to its entry.  The program ends with 42 if its data is as the file has it and the rest of its pages is zero. */
#define _GNU_SOURCE
#include <stdlib.h>
#include "guest/load.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest/exec_map.h"
#include "tap.h"

void *qn_engine_alloc(uint64_t bytes) { return calloc(1, bytes); }

#define BASE 0x41000000ull
#define CODE 0x200u       /* offset of the code, */
#define DATA 0x1000u      /* of the data */
#define DATA_BYTES 0x100u
#define FILE_BYTES 0x2000u
#define PHDRS 3u
#define RAN 42

enum outcome { REFUSED, DIED, RUNS }; /* DIED: after the old program was gone, or in the new one */
static const char *const outcome_names[] = {"refused", "died", "runs"};

struct file {
    Elf64_Ehdr eh;
    Elf64_Phdr ph[PHDRS];
    uint8_t rest[FILE_BYTES - sizeof(Elf64_Ehdr) - PHDRS * sizeof(Elf64_Phdr)];
};
_Static_assert(sizeof(struct file) == FILE_BYTES, "no padding");

static char path[4096];

/* ---- the program ----
 *
 *   movzbl data(%rip), %edi; sub $0xaa, %edi; movzbl bss(%rip), %ecx; add %ecx, %edi; movzbl bss_end(%rip), %ecx; add %ecx, %edi
 *   add $42, %edi; mov $231, %eax; syscall */
static void put_load(uint8_t **p, uint8_t modrm, uint8_t *code, uint32_t at)
{
    int32_t rel = (int32_t)(at - (CODE + (uint32_t)(*p - code) + 7));

    memcpy(*p, (uint8_t[]){0x0f, 0xb6, modrm}, 3);
    memcpy(*p + 3, &rel, 4);
    /* the address is relative to the end of an instruction of seven bytes */
    *p += 7;
}

static void put_code(uint8_t *code)
{
    static const uint8_t sub[] = {0x81, 0xef, 0xaa, 0, 0, 0}, add[] = {0x01, 0xcf},
                         end[] = {0x83, 0xc7, RAN, 0xb8, 231, 0, 0, 0, 0x0f, 0x05};
    uint8_t *p = code;

    put_load(&p, 0x3d, code, DATA);
    p = (uint8_t *)mempcpy(p, sub, sizeof sub);
    put_load(&p, 0x0d, code, DATA + DATA_BYTES);
    p = (uint8_t *)mempcpy(p, add, sizeof add);
    put_load(&p, 0x0d, code, DATA + 0x2fff);
    p = (uint8_t *)mempcpy(p, add, sizeof add);
    memcpy(p, end, sizeof end);
}

static struct file good(unsigned type)
{
    uint64_t base = type == ET_EXEC ? BASE : 0;
    struct file f = {
        .eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, .e_type = (uint16_t)type, .e_machine = EM_X86_64,
               .e_version = EV_CURRENT, .e_entry = base + CODE, .e_phoff = sizeof(Elf64_Ehdr), .e_ehsize = sizeof(Elf64_Ehdr),
               .e_phentsize = sizeof(Elf64_Phdr), .e_phnum = PHDRS},
        .ph = {{.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = base, .p_filesz = 0x300, .p_memsz = 0x300, .p_align = 4096},
               {.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_offset = DATA, .p_vaddr = base + DATA, .p_filesz = DATA_BYTES,
                .p_memsz = 0x3000, .p_align = 4096},
               {.p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W}},
    };

    memset((uint8_t *)&f + DATA, 0xaa, FILE_BYTES - DATA);
    put_code((uint8_t *)&f + CODE);
    return f;
}

/* ---- both ways to run it ---- */

static void write_file(const struct file *f, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);

    if (fd < 0 || write(fd, f, bytes) != (ssize_t)bytes || close(fd))
        bail("cannot write %s", path);
}

static enum outcome outcome_of(pid_t child, int refused)
{
    int status;

    if (waitpid(child, &status, 0) != child)
        bail("no child");
    if (WIFEXITED(status) && WEXITSTATUS(status) == RAN)
        return RUNS;
    return WIFEXITED(status) && WEXITSTATUS(status) == refused ? REFUSED : DIED;
}

static enum outcome by_kernel(void)
{
    pid_t child = fork();

    if (!child) {
        alarm(10);
        execl(path, path, NULL);
        _exit(99);
    }
    return outcome_of(child, 99);
}

static uint64_t low_address(uint64_t size)
{
    (void)size;
    return 0x20000000;
}

/* With registers as the kernel leaves them. */
static _Noreturn void enter(uint64_t entry)
{
    __asm__ volatile("push %0\n\txor %%eax, %%eax; xor %%ebx, %%ebx; xor %%ecx, %%ecx; xor %%edx, %%edx; xor %%esi, %%esi\n\t"
                     "xor %%edi, %%edi; xor %%ebp, %%ebp; xor %%r8d, %%r8d; xor %%r9d, %%r9d; xor %%r10d, %%r10d; xor %%r11d, %%r11d\n\t"
                     "xor %%r12d, %%r12d; xor %%r13d, %%r13d; xor %%r14d, %%r14d; xor %%r15d, %%r15d; ret" :: "r"(entry));
    __builtin_unreachable();
}

static enum outcome by_loader(void)
{
    static const struct qn_elf_base base = {low_address};
    struct qn_image image;
    pid_t child = fork();

    if (!child) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);

        alarm(10);
        if (fd < 0 || qn_elf_check(fd, &image) || qn_elf_load(fd, &base, &image))
            _exit(99);
        if (!qn_exec_find(image.entry))
            _exit(98); /* the engine executes what is mapped executable, and says what is not */
        enter(image.entry);
    }
    return outcome_of(child, 99);
}

/* The same, but that a loader may refuse what the kernel starts only to kill it. */
static bool agree(enum outcome kernel, enum outcome loader) { return kernel == loader || (kernel == DIED && loader == REFUSED); }

static bool same(const struct file *f, size_t bytes, const char *what)
{
    enum outcome kernel, loader;

    write_file(f, bytes);
    kernel = by_kernel();
    loader = by_loader();
    if (agree(kernel, loader))
        return true;
    diag("%s: the kernel: %s, the loader: %s", what, outcome_names[kernel], outcome_names[loader]);
    return false;
}

/* ---- by hand ---- */

#define EH(field, value) {offsetof(struct file, eh.field), sizeof(((struct file *)0)->eh.field), value}
#define PH(n, field, value) {offsetof(struct file, ph[n].field), sizeof(((struct file *)0)->ph[0].field), value}

static const struct {
    struct change {
        size_t at, size;
        uint64_t value;
    } change[2];
    size_t bytes; /* of the file; 0 = all */
    const char *what;
} cases[] = {
    {.what = "nothing changed"},
    {.what = "an empty file", .bytes = 1},
    {.what = "half a header", .bytes = 40},
    {.what = "half of the program headers", .bytes = 100},
    {.what = "the data segment ends behind the file's end", .bytes = DATA + 0x80},
    {.what = "no byte of the data segment is in the file", .bytes = DATA},
    {{EH(e_type, ET_REL)}, .what = "an object file"},
    {{EH(e_type, ET_CORE)}, .what = "a core file"},
    {{EH(e_machine, EM_386)}, .what = "another machine"},
    {{EH(e_ident[EI_CLASS], ELFCLASS32)}, .what = "another class"},
    {{EH(e_ident[EI_DATA], ELFDATA2MSB)}, .what = "another byte order"},
    {{EH(e_ident[EI_VERSION], 7)}, .what = "another version of the format"},
    {{EH(e_version, 7)}, .what = "another version"},
    {{EH(e_ehsize, 0)}, .what = "a header of no bytes"},
    {{EH(e_phentsize, 32)}, .what = "program headers of another size"},
    {{EH(e_phnum, 0)}, .what = "no program headers"},
    {{EH(e_phnum, 1)}, .what = "the first program header only"},
    {{EH(e_phnum, 60)}, .what = "sixty program headers, most of them zero or code"},
    {{EH(e_phnum, 0xffff)}, .what = "more program headers than a file may have"},
    {{EH(e_phoff, FILE_BYTES)}, .what = "program headers behind the file's end"},
    {{EH(e_phoff, ~0ull)}, .what = "program headers at the end of all files"},
    {{EH(e_phoff, 1ull << 63)}, .what = "program headers at a negative offset"},
    {{EH(e_entry, 0)}, .what = "an entry where nothing is"},
    {{EH(e_entry, 1ull << 63)}, .what = "an entry that is no address"},
    {{PH(1, p_filesz, 0x4000)}, .what = "more bytes in the file than in memory"},
    {{PH(1, p_filesz, ~0ull), PH(1, p_memsz, ~0ull)}, .what = "a segment of all bytes there are"},
    {{PH(1, p_memsz, 1ull << 47)}, .what = "a segment that fills the address space"},
    {{PH(1, p_memsz, 1ull << 46)}, .what = "a segment that fills half of it"},
    {{PH(1, p_vaddr, 1ull << 47)}, .what = "a segment in the kernel"},
    {{PH(1, p_vaddr, 0xfffffffffffff000)}, .what = "a segment at the end of all addresses"},
    {{PH(1, p_vaddr, BASE + DATA + 8)}, .what = "a segment at another place of its page than in the file"},
    {{PH(1, p_offset, DATA + 8)}, .what = "... the other way round"},
    {{PH(1, p_offset, ~0xfffull)}, .what = "a segment of what is behind all files"},
    {{PH(1, p_flags, 0)}, .what = "a segment without any access"},
    {{PH(1, p_flags, PF_R)}, .what = "a segment for reading with bytes that are not in the file"},
    {{PH(1, p_flags, PF_R | PF_W | PF_X)}, .what = "a segment for everything"},
    {{PH(0, p_flags, PF_R)}, .what = "code that is not executable"},
    {{PH(0, p_type, PT_NOTE)}, .what = "code that is not loaded"},
    {{PH(0, p_type, PT_NOTE), PH(1, p_type, PT_NOTE)}, .what = "nothing is loaded"},
    {{PH(1, p_filesz, 0)}, .what = "data of zeros only"},
    {{PH(1, p_filesz, 0), PH(1, p_memsz, 0)}, .what = "a segment of no bytes"},
    {{PH(0, p_align, 0)}, .what = "no alignment"},
    {{PH(0, p_align, 3)}, .what = "an alignment that is no power of two"},
    {{PH(0, p_align, 1ull << 40)}, .what = "an alignment of a terabyte"},
    {{PH(2, p_type, PT_INTERP)}, .what = "an interpreter of no bytes"},
    {{PH(2, p_type, PT_INTERP), PH(2, p_filesz, 1)}, .what = "an interpreter of one byte"},
    {{PH(2, p_type, PT_INTERP), PH(2, p_filesz, 5000)}, .what = "an interpreter with a path of 5,000 bytes"},
    {{PH(2, p_type, PT_INTERP), PH(2, p_filesz, 64)}, .what = "an interpreter whose path does not end"},
    {{PH(2, p_type, PT_LOAD)}, .what = "a third segment that is empty"},
};

static void set(struct file *f, const struct change *c)
{
    if (c->size)
        memcpy((uint8_t *)f + c->at, &c->value, c->size);
}

static void try_cases(unsigned type, const char *kind)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct file f = good(type);
        struct change c = cases[i].change[0];

        if (type == ET_DYN && c.value >= BASE && c.value < BASE + 0x10000)
            c.value -= BASE;
        set(&f, &c);
        set(&f, &cases[i].change[1]);
        ok(same(&f, cases[i].bytes ? cases[i].bytes : sizeof f, cases[i].what), "%s: %s", kind, cases[i].what);
    }
}

/* ---- at random ---- */

static uint64_t random_state;

static uint32_t below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

static struct file damaged(char *what, size_t size)
{
    static const uint64_t values[] = {0, 1, 7, 0x38, 0xfff, 0x1000, 0x1fff, 0x2000, 0x10000, BASE, BASE + 0x1000, BASE + 0x2000,
                                      0x7fffffff, 0x80000000, 0xffffffff, 1ull << 46, (1ull << 47) - 4096, 1ull << 47, 1ull << 63, ~0xfffull, ~0ull};
    struct file f = good(below(2) ? ET_EXEC : ET_DYN);
    size_t used = (size_t)snprintf(what, size, "type %u", (unsigned)f.eh.e_type);

    for (unsigned n = 1 + below(3); n; n--) {
        unsigned bytes = 1u << below(4), at = below((uint32_t)(sizeof f.eh + sizeof f.ph) / bytes) * bytes;
        uint64_t value = values[below(sizeof values / sizeof values[0])];

        memcpy((uint8_t *)&f + at, &value, bytes);
        used += (size_t)snprintf(what + used, size - used, ", %u bytes at %u: %" PRIx64, bytes, at, value);
    }
    return f;
}

/* AddressSanitizer has memory of its own from 2 GiB on, where the kernel has none: there a segment that reaches so far is refused. */
static bool can_be_asked(const struct file *f)
{
#ifdef __SANITIZE_ADDRESS__
    for (unsigned i = 0; i < PHDRS; i++)
        if (f->ph[i].p_memsz >= (1ull << 31) - 0x10000 - BASE)
            return false;
#endif
    return (void)f, true;
}

static long count_wrong(long n)
{
    long wrong = 0;

    for (long at = 0; at < n; at++) {
        char what[200];
        struct file f;

        do
            f = damaged(what, sizeof what);
        while (!can_be_asked(&f));
        wrong += !same(&f, sizeof f, what);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? atol(argv[1]) : 1000;

    random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    snprintf(path, sizeof path, "%s/damaged", getenv("SCRATCH") ? getenv("SCRATCH") : "/tmp");
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    try_cases(ET_EXEC, "at a fixed place");
    try_cases(ET_DYN, "at any place");
    is_int(count_wrong(n), 0, "%ld files that were damaged at random are run or refused as by the kernel", n);
    unlink(path);
    return done_testing();
}
