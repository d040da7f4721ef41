/* fpu_ip.c - the address of the last x87 instruction, as fnstenv, fnsave, fxsave and xsave store it and a handler sees it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

/* AMD's processors forget the ip when the kernel takes turns, natively, too: again then. */
enum { TRIES = 20, PAGE = 4096 };

static uint8_t area[4096] __attribute__((aligned(64)));
static uint32_t env[27];
extern const char first[], second[], third[], third2[], fourth[], fifth[], sixth[], seventh[];

static uint64_t in_area(void)
{
    uint64_t ip;

    memcpy(&ip, area + 8, 8);
    return ip;
}

/* The processor may store none (AMD's older ones, while no exception waits): then 0. */
static void tell(const char *what, uint64_t ip, const char *label)
{
    printf("%s: %s\n", what, ip == (uint64_t)(uintptr_t)label ? "the instruction" : ip ? "something else" : "none");
}

static void on_signal(int number, siginfo_t *info, void *context)
{
    const struct _libc_fpstate *f = ((ucontext_t *)context)->uc_mcontext.fpregs;

    (void)number, (void)info;
    tell("handler", f->rip, fifth);
}

/* 16 bits: control, status, tag, ip, cs, operand, ds; then, of fnsave, the registers. */
static void short_forms(void)
{
    static uint16_t e[7 + 40 + 1], mark = 0x5a5a;
    int tries = TRIES;
    long double two;

    e[7] = mark;
    do
        __asm__ volatile("fninit\n sixth: fld1\n .byte 0x66\n fnstenv %0\n fstp %%st(0)" : "=m"(e) :: "memory");
    while (!e[3] && --tries);
    printf("16-bit fnstenv: ip %d control %x status %x tag %x, behind it %x\n", e[3] == (uint16_t)(uintptr_t)sixth, e[0], e[1] >> 11 & 7, e[2], e[7]);
    e[47] = mark;
    do
        __asm__ volatile("fninit\n fldpi\n seventh: fld1\n fadd %%st(0)\n .byte 0x66\n fnsave %0" : "=m"(e) :: "memory");
    while (!e[3] && --tries);
    memcpy(&two, e + 7, 10);
    printf("16-bit fnsave: ip %d top %Lg control %x status %x tag %x, behind it %x\n", (uint16_t)(e[3] - (uintptr_t)seventh), two, e[0], e[1] >> 11 & 7, e[2], e[47]);
    __asm__ volatile("fnstenv %0" : "=m"(env));
    printf("then %x %x\n", env[0], env[2]);
}

static void *page;

static void open_page(int number)
{
    (void)number;
    mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

/* What cannot be stored at first is stored the second time, and has not been touched in between. */
static void store_behind_fault(void)
{
    const uint16_t *e = page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long double top;

    signal(SIGSEGV, open_page);
    __asm__ volatile("fninit\n fld1\n fldpi\n fadd %%st(0)\n .byte 0x66\n fnsave (%0)" :: "r"(page) : "memory");
    memcpy(&top, e + 7, 10);
    printf("behind a fault, fnsave: top %Lg control %x status %x tag %x\n", top, e[0], e[1] >> 11 & 7, e[2]);
    mprotect(page, PAGE, PROT_NONE);
    __asm__ volatile("fninit\n fldcw %1\n fld1\n .byte 0x66\n fnstenv (%0)\n fstp %%st(0)" :: "r"(page), "m"((uint16_t){0x27f}) : "memory");
    printf("behind a fault, fnstenv: control %x status %x tag %x\n", e[0], e[1] >> 11 & 7, e[2]);
}

int main(void)
{
    struct sigaction a = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};
    int tries = TRIES;

    do
        __asm__ volatile("first: fld1\n fnstenv %0\n fstp %%st(0)" : "=m"(env) :: "memory");
    while (!env[3] && --tries);
    printf("fnstenv %d\n", env[3] == (uint32_t)(uintptr_t)first);
    do
        __asm__ volatile("second: fld1\n fnsave %0" : "=m"(env) :: "memory");
    while (!env[3] && --tries);
    printf("fnsave %d\n", env[3] == (uint32_t)(uintptr_t)second);
    __asm__ volatile("third: fld1\n fxsave64 %0\n fstp %%st(0)" : "=m"(area) :: "memory");
    tell("fxsave64", in_area(), third);
    memset(area, 0, sizeof area);
    __asm__ volatile("fourth: fld1\n mov $-1, %%eax\n mov $-1, %%edx\n xsave64 %0\n fstp %%st(0)" : "=m"(area) :: "eax", "edx", "memory");
    tell("xsave64", in_area(), fourth);
    sigaction(SIGUSR1, &a, NULL);
    __asm__ volatile("fifth: fld1" ::: "memory");
    raise(SIGUSR1);
    __asm__ volatile("fstp %%st(0)\n fnstcw %0" : "=m"(env) :: "memory");
    /* With an unmasked exception waiting every processor stores it. */
    __asm__ volatile("fninit\n fnstcw %1\n andl $~4, %1\n fldcw %1\n fldz\n fld1\n third2: fdivp\n fxsave64 %0\n fninit" : "=m"(area), "=m"(env) :: "memory");
    tell("fxsave64 after an exception", in_area(), third2);
    short_forms();
    store_behind_fault();
    return 0;
}
