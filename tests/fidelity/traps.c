/* traps.c - every kind of fault, as the program's own handler sees it: signal, code, address, instruction, error code, trap number, cr2.
 *
 *   traps               faults of each kind; loads of segment registers
 *   traps sweep N       the Nth part of the opcode maps, each encoding once, with the trap flag set: what is undefined, what faults
 *                       otherwise, and what is executed, and where control is then
 *
 * Addresses are told as offsets from the instruction or from the page that it accesses. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE = 4096, CODE = 4 * PAGE, MARK = 0x5a };

static uint8_t *code, *data;      /* data: 16 pages, those on either side cannot be accessed */
static sigjmp_buf back;

/* An address by its distance from code or data. */
static void where(const char *what, uint64_t at)
{
    if (at - (uint64_t)(uintptr_t)code < CODE + 16)
        printf(" %s code+%lx", what, at - (uint64_t)(uintptr_t)code);
    else if (at - (uint64_t)(uintptr_t)data + PAGE < 18 * PAGE)
        printf(" %s data%+ld", what, (long)(at - (uint64_t)(uintptr_t)data));
    else
        printf(" %s %lx", what, at);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    greg_t *g = uc->uc_mcontext.gregs;

    __asm__ volatile("sub $128, %rsp; pushfq; andl $0xfffbffff, (%rsp); popfq; add $128, %rsp"); /* the C library's accesses need not be aligned */
    printf(" signal %d code %d", sig, info->si_code);
    where("address", info->si_code <= 0 ? 0 : (uint64_t)(uintptr_t)info->si_addr);
    where("rip", info->si_code <= 0 ? 0 : (uint64_t)g[REG_RIP]);
    printf(" err %llx trap %lld", g[REG_ERR], g[REG_TRAPNO]);
    if (g[REG_TRAPNO] == 14)
        where("cr2", (uint64_t)g[REG_CR2]);
    printf(" flags %llx\n", g[REG_EFL] & 0x10d00);
    siglongjmp(back, 1);
}

static void handle(void (*handler)(int, siginfo_t *, void *))
{
    static const int signals[] = {SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
    static uint8_t stack[1 << 16];
    stack_t alternate = {stack, 0, sizeof stack};
    struct sigaction act = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    sigaltstack(&alternate, NULL);
    for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
        sigaction(signals[i], &act, NULL);
}

/* Runs n bytes of code that return, or fault: rdi is an address. */
static void run_at(const char *name, void *entry, void *rdi)
{
    printf("%s:", name);
    if (!sigsetjmp(back, 1)) {
        ((void (*)(void *))(uintptr_t)entry)(rdi);
        printf(" goes on\n");
    }
}

static void run(const char *name, const char *bytes, unsigned n, void *rdi)
{
    memset(code, 0x90, PAGE);
    memcpy(code, bytes, n);
    code[n] = 0xc3;
    run_at(name, code, rdi);
}
#define RUN(name, bytes, rdi) run(name, bytes, sizeof bytes - 1, rdi)

/* ---- faults ---- */

static void fetches(void)
{
    uint8_t *page = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *old = data;

    data = page; /* for where() */
    run_at("fetch, never touched", page, NULL);
    page[PAGE] = 0xc3;
    run_at("fetch, written", page + PAGE, NULL);
    mprotect(page + PAGE, PAGE, PROT_NONE);
    run_at("fetch, no access", page + PAGE, NULL);
    munmap(page + 2 * PAGE, PAGE);
    run_at("fetch, not mapped", page + 2 * PAGE, NULL);
    mprotect(page, PAGE, PROT_READ | PROT_EXEC);
    mprotect(page + PAGE, PAGE, PROT_READ);
    data = old;
    for (unsigned n = 1; n < 7; n++) { /* cut by the end of what may be fetched, present and not */
        static const uint8_t add[] = {0x48, 0x81, 0xc0, 1, 0, 0, 0};

        memset(code + CODE - PAGE, 0x90, PAGE);
        memcpy(code + CODE - n, add, n);
        run_at("fetch, half an instruction", code + CODE - n, NULL);
    }
    memcpy(code + CODE - 2, "\x0f\xff", 2);
    run_at("ud0 without its operand", code + CODE - 2, NULL);
    memcpy(code + CODE - 2, "\x0f\x0b", 2);
    run_at("ud2 at the end", code + CODE - 2, NULL);
    code[CODE - 1] = 0x06;
    run_at("push es at the end", code + CODE - 1, NULL);
    memcpy(code + CODE - 2, "\x0f\x04", 2);
    run_at("0f 04 at the end", code + CODE - 2, NULL);
    memcpy(code + CODE - 3, "\xf0\xc5\xf8", 3);
    run_at("lock vex at the end", code + CODE - 3, NULL);
    memcpy(code + CODE - 2, "\x8f\xc8", 2);
    run_at("pop /1 at the end", code + CODE - 2, NULL);
    memcpy(code + CODE - 2, "\xfe\xff", 2);
    run_at("fe /7 at the end", code + CODE - 2, NULL);
}

static void file_ends(void)
{
    FILE *f = tmpfile();
    uint8_t *map, *old = data;

    if (!f || ftruncate(fileno(f), PAGE))
        return;
    map = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED, fileno(f), 0);
    if (map == MAP_FAILED)
        return;
    data = map;
    RUN("read behind the file", "\x8b\x07", map + PAGE);
    RUN("write behind the file", "\x89\x07", map + PAGE);
    run_at("fetch behind the file", map + PAGE, NULL);
    data = old;
}

static void faults(void)
{
    uint8_t *locked = data + PAGE, *odd = (uint8_t *)0x8000000000000000;

    mprotect(locked, PAGE, PROT_READ);
    RUN("read null", "\x8b\x07", NULL);
    RUN("write null", "\x89\x07", NULL);
    RUN("read before", "\x8b\x07", data - 4);
    RUN("write read-only", "\x89\x07", locked);
    RUN("write across into read-only", "\x48\x89\x07", locked - 4);
    RUN("push", "\x48\x89\xfc\x50", locked + 8);
    RUN("not canonical", "\x8b\x07", odd);
    RUN("not canonical, by rbp", "\x48\x89\xfd\x8b\x45\x00", odd);
    RUN("kernel's", "\x8b\x07", (void *)0xffffffff80000000);
    RUN("rep movs", "\x48\xc7\xc1\x10\x00\x00\x00\x48\x89\xfe\xf3\xa4", locked - 8);
    RUN("int3", "\xcc", NULL);
    RUN("int1", "\xf1", NULL);
    RUN("int $3", "\xcd\x03", NULL);
    RUN("int $4", "\xcd\x04", NULL);
    RUN("int $1", "\xcd\x01", NULL);
    RUN("int $20", "\xcd\x14", NULL);
    RUN("hlt", "\xf4", NULL);
    RUN("in", "\xec", NULL);
    RUN("cli", "\xfa", NULL);
    RUN("mov cr0", "\x0f\x20\xc0", NULL);
    RUN("mov dr0", "\x0f\x21\xc0", NULL);
    RUN("rdmsr", "\x0f\x32", NULL);
    RUN("lgdt", "\x0f\x01\x17", data);
    RUN("ltr", "\x0f\x00\xd8", NULL);
    RUN("ud0", "\x0f\xff\xc0", NULL);
    RUN("ud1", "\x0f\xb9\xc0", NULL);
    RUN("ud2", "\x0f\x0b", NULL);
    RUN("div by 0", "\x31\xc9\xf7\xf1", NULL);
    RUN("idiv overflow", "\x48\x31\xd2\x48\xff\xca\x48\xb8\x00\x00\x00\x00\x00\x00\x00\x80\x6a\xff\x59\x48\x99\x48\xf7\xf9", NULL);
    RUN("x87 exception", "\xdb\xe3\x6a\x00\xd9\x2c\x24\x58\xd9\xee\xd9\xee\xd8\xf1\x9b", NULL);
    RUN("fninit", "\xdb\xe3", NULL);
    RUN("sse exception", "\x6a\x00\x0f\xae\x14\x24\x58\x0f\x57\xc0\xf3\x0f\x5e\xc0", NULL);
    RUN("mxcsr", "\x68\x80\x1f\x00\x00\x0f\xae\x14\x24\x58", NULL);
    RUN("bad mxcsr", "\x6a\xff\x0f\xae\x14\x24\x58", NULL);
    RUN("movaps, not aligned", "\x0f\x28\x47\x01", data);
    RUN("alignment check", "\x9c\x81\x0c\x24\x00\x00\x04\x00\x9d\x8b\x47\x01\x9c\x81\x24\x24\xff\xff\xfb\xff\x9d", data);
    RUN("15 prefixes", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", NULL);
    RUN("14 prefixes", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", NULL);
    RUN("jump, not canonical", "\x90", NULL);
    printf("after all that: ");
    if (!sigsetjmp(back, 1)) /* a signal that is sent shows the trap number of the last fault */
        raise(SIGTRAP);
    mprotect(locked, PAGE, PROT_READ | PROT_WRITE);
}

/* ---- segment registers ---- */

static void bases(const char *when)
{
    unsigned long fs = 1, gs = 1;

    syscall(SYS_arch_prctl, 0x1003, &fs);
    syscall(SYS_arch_prctl, 0x1004, &gs);
    printf("  %s:", when);
    where("gs", gs);
    printf(", fs %s\n", fs ? "set" : "0");
}

static void segments(void)
{
    static const char to[][4] = {"\x8e\xc7", "\x8e\xcf", "\x8e\xd7", "\x8e\xdf", "\x8e\xe7", "\x8e\xef", "\x8e\xf7", "\x8e\xff"};
    static const char from[][4] = {"\x8c\xc0", "\x8c\xc8", "\x8c\xd0", "\x8c\xd8", "\x8c\xe0", "\x8c\xe8", "\x8c\xf0", "\x8c\xf8"};
    static const unsigned long selectors[] = {0, 3, 0x2b, 0x2a, 0x28, 0x33, 0x23, 0x08, 0x10, 0xff, 0x100, 0x1000, 0x53, 0x7b, 7};
    unsigned long fs;

    syscall(SYS_arch_prctl, 0x1003, &fs);
    for (unsigned r = 0; r < 8; r++) {
        for (unsigned s = 0; s < sizeof selectors / sizeof *selectors; s++) {
            char name[60];

            if (r == 4) /* the C library needs fs: tried by itself below */
                continue;
            snprintf(name, sizeof name, "mov %lx to segment register %u", selectors[s], r);
            run(name, to[r], 2, (void *)selectors[s]);
            syscall(SYS_arch_prctl, 0x1002, fs);
        }
        run("mov from it", from[r], 2, NULL);
    }
    RUN("mov ss back", "\x6a\x2b\x58\x8e\xd0", NULL);
    bases("before");
    syscall(SYS_arch_prctl, 0x1001, data);
    bases("gs base set");
    memset(data, 0, 32);
    data[0] = MARK;
    RUN("a load by gs", "\x65\x8a\x04\x25\x00\x00\x00\x00", NULL);
    RUN("push 0, pop gs", "\x6a\x00\x0f\xa9", NULL);
    bases("gs popped");
    RUN("push 0, pop gs of 16 bits", "\x66\x6a\x00\x66\x0f\xa9", NULL);
    RUN("push 3, pop gs of 16 bits", "\x66\x6a\x03\x66\x0f\xa9", NULL);
    RUN("push 8, pop gs", "\x6a\x08\x0f\xa9", NULL);
    RUN("pop gs without a stack", "\x48\x89\xfc\x0f\xa9", (void *)16);
    RUN("push fs, push gs", "\x0f\xa0\x0f\xa8\x58\x58", NULL);
    RUN("push fs, push gs of 16 bits", "\x66\x0f\xa0\x66\x0f\xa8\x66\x58\x66\x58", NULL);
    syscall(SYS_arch_prctl, 0x1001, data);
    RUN("lgs 0", "\x48\x0f\xb5\x47\x08", data);
    bases("after lgs");
    RUN("lgs of 32 bits", "\x0f\xb5\x47\x08", data);
    RUN("lgs of 16 bits", "\x66\x0f\xb5\x47\x08", data);
    data[16] = 0x2b;
    RUN("lgs 2b", "\x48\x0f\xb5\x47\x08", data);
    RUN("lss 2b", "\x48\x0f\xb2\x47\x08\x48\x8b\x04\x24", data);
    data[16] = 0x08;
    RUN("lgs 8", "\x48\x0f\xb5\x47\x08", data);
    RUN("lss 8", "\x48\x0f\xb2\x5f\x08", data);
    RUN("lgs from nowhere", "\x48\x0f\xb5\x47\x08", NULL);
    RUN("lgs rip-relative", "\x0f\xb5\x15\x10\x00\x00\x00", NULL);
    RUN("pop fs, and its base again", "\x64\x48\x8b\x14\x25\x00\x00\x00\x00\x6a\x00\x0f\xa1\x66\x6a\x00\x66\x0f\xa1\x53\x57\x48\x89\xd6\xbf\x02\x10\x00\x00\xb8\x9e\x00\x00\x00\x0f\x05\x5f\x5b", NULL);
    bases("fs back");
    RUN("mov 0 to fs, and its base again", "\x64\x48\x8b\x14\x25\x00\x00\x00\x00\x31\xc0\x8e\xe0\x48\x89\xd6\xbf\x02\x10\x00\x00\xb8\x9e\x00\x00\x00\x0f\x05", NULL);
    RUN("mov 8 to fs", "\x6a\x08\x58\x8e\xe0", NULL);
    RUN("lfs, and its base again", "\x64\x48\x8b\x14\x25\x00\x00\x00\x00\xc6\x47\x10\x00\x48\x0f\xb4\x5f\x08\x48\x89\xd6\xbf\x02\x10\x00\x00\xb8\x9e\x00\x00\x00\x0f\x05\x31\xdb", data);
    bases("at last");
    syscall(SYS_arch_prctl, 0x1001, 0);
}

int main(int argc, char **argv)
{
    uint8_t *room = mmap(NULL, 18 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)argc;
    (void)argv;
    code = mmap(NULL, CODE + PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || code == MAP_FAILED)
        return 77;
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    data = room + PAGE;
    mprotect(room, PAGE, PROT_NONE);
    mprotect(room + 17 * PAGE, PAGE, PROT_NONE);
    mprotect(code + CODE, PAGE, PROT_READ | PROT_WRITE);
    handle(on_fault);
    fetches();
    file_ends();
    faults();
    segments();
    return 0;
}
