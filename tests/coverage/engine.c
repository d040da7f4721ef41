/* tests/coverage/engine.c - what gcov needs of a C library, for an engine built with --coverage.  Not part of any other engine.
 *
 * The engine has neither a libc nor constructors, so nobody would register its counters or write them down at its end.  This does
 * both: qn_coverage_save calls the constructors once, and then libgcov, which adds the counters to the .gcda files beside the
 * objects, under a lock, as in any program.  The functions of libc that libgcov calls are those below; a file lies in memory
 * between open and close.
 *
 * Counts may be too high: a child of fork writes what its parent had counted, too.  Which lines ran is exact, but for engines that
 * cannot write at their end (killed by SIGKILL, no descriptor left, a sandbox, another user): what only they ran is missing.
 */
#include "base/base.h"
#include "base/syscall.h"
#include "run/run.h"

#include <stdarg.h>

#define FILE_MAX (1u << 20) /* bytes of a .gcda file; the largest has 100 KB */
#define HEAP_SIZE (64u << 10)
#define STATE_SIZE (16u << 10) /* bytes of xsave, with AMX about 11,000 */
#define EXIT_ABORT 70 /* EX_SOFTWARE of sysexits.h */

struct file {
    int fd;
    size_t at, size;
    bool changed;
    char bytes[FILE_MAX];
};

static struct file the_file; /* libgcov has one open at a time */
static char heap[HEAP_SIZE] __attribute__((aligned(16)));
static size_t heap_used;
static int error_number;
void *stderr;

void __gcov_dump(void), __gcov_reset(void);

typedef void constructor(void);
extern constructor *const __init_array_start[], *const __init_array_end[];

/* ---- what only `quern watch` calls, in a replay: without optimisation the engine has the callers, too ---- */

void sim_show_number(const char *name, int64_t number);
void sim_show_bits(const char *name, uint64_t bits, unsigned n);
void sim_show_address(const char *name, uint64_t address);
void sim_show_counter(const char *name, const void *counter, int least, int most);
void sim_show_weights(const char *name, const int8_t *weights, unsigned n);
void sim_show_number(const char *name, int64_t number) { (void)name, (void)number; }
void sim_show_bits(const char *name, uint64_t bits, unsigned n) { (void)name, (void)bits, (void)n; }
void sim_show_address(const char *name, uint64_t address) { (void)name, (void)address; }
void sim_show_counter(const char *name, const void *counter, int least, int most) { (void)name, (void)counter, (void)least, (void)most; }
void sim_show_weights(const char *name, const int8_t *weights, unsigned n) { (void)name, (void)weights, (void)n; }

/* ---- memory, text ---- */

void *malloc(size_t size)
{
    void *p = heap + heap_used;

    heap_used += qn_round_up(size, 16);
    return heap_used <= HEAP_SIZE ? p : NULL;
}

void free(void *p) { (void)p; }

char *strchr(const char *s, int c)
{
    for (; *s; s++)
        if (*s == (char)c)
            return (char *)(uintptr_t)s;
    return NULL;
}

size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n])
        n++;
    return n;
}

char *strcat(char *to, const char *from)
{
    __builtin_memcpy(to + strlen(to), from, strlen(from) + 1);
    return to;
}

/* ---- no environment, nothing printed, no way out ---- */

char *getenv(const char *name) { (void)name; return NULL; }
long strtol(const char *s, char **end, int base) { (void)s, (void)end, (void)base; return 0; }
int sprintf(char *to, const char *format, ...) { (void)format; *to = 0; return 0; }
int fprintf(void *file, const char *format, ...) { (void)file, (void)format; return 0; }
int vfprintf(void *file, const char *format, va_list args) { (void)file, (void)format, (void)args; return 0; }
int *__errno_location(void) { return &error_number; }
_Noreturn void abort(void) { qn_exit_group(EXIT_ABORT); }
_Noreturn void exit(int status) { qn_exit_group(status); }

/* ---- files ---- */

static long told(long r)
{
    if (!qn_sys_failed(r))
        return r;
    error_number = (int)-r;
    return -1;
}

int getpid(void) { return (int)qn_sys1(__NR_getpid, 0); }
int access(const char *path, int mode) { return (int)told(qn_sys2(__NR_access, (long)path, mode)); }
int mkdir(const char *path, unsigned mode) { return (int)told(qn_sys2(__NR_mkdir, (long)path, mode)); }
int open(const char *path, int flags, unsigned mode) { return (int)told(qn_sys3(__NR_open, (long)path, flags, mode)); }
int fcntl(int fd, int what, void *lock) { return (int)told(qn_sys3(__NR_fcntl, fd, what, (long)lock)); }
int close(int fd) { return (int)told(qn_sys1(__NR_close, fd)); }
void *fopen(const char *path, const char *mode) { (void)path, (void)mode; return NULL; }

void *mmap(void *at, size_t size, int prot, int flags, int fd, long offset)
{
    return (void *)told(qn_sys6(__NR_mmap, (long)at, (long)size, prot, flags, fd, offset));
}

void *fdopen(int fd, const char *mode)
{
    struct file *f = &the_file;
    long n;

    (void)mode;
    f->fd = fd;
    f->at = f->size = 0;
    f->changed = false;
    while (f->size < FILE_MAX && (n = qn_sys3(__NR_read, fd, (long)(f->bytes + f->size), (long)(FILE_MAX - f->size))) > 0)
        f->size += (size_t)n;
    return f;
}

size_t fread(void *to, size_t size, size_t n, struct file *f)
{
    if (f->at + size * n > f->size)
        return 0;
    __builtin_memcpy(to, f->bytes + f->at, size * n);
    f->at += size * n;
    return n;
}

size_t fwrite(const void *from, size_t size, size_t n, struct file *f)
{
    if (f->at + size * n > FILE_MAX)
        return 0;
    __builtin_memcpy(f->bytes + f->at, from, size * n);
    f->at += size * n;
    f->changed = true;
    if (f->size < f->at)
        f->size = f->at;
    return n;
}

/* libgcov knows no other origin than the beginning. */
int fseek(struct file *f, long offset, int origin)
{
    (void)origin;
    f->at = (size_t)offset;
    return 0;
}

int fclose(struct file *f)
{
    if (f->changed)
        qn_sys4(__NR_pwrite64, f->fd, (long)f->bytes, (long)f->size, 0);
    return close(f->fd);
}

/* ---- the end of an engine ---- */

static void register_counters(void)
{
    static bool done;

    for (constructor *const *c = __init_array_start; !done && c < __init_array_end; c++)
        (*c)();
    done = true;
}

/* Vector registers are the guest's, and it may need them yet: not every execve succeeds.  Whoever shares this memory may end, too. */
void qn_coverage_save(void)
{
    static char state[STATE_SIZE] __attribute__((aligned(64)));
    static bool busy;
    uint64_t all = ~0ull, old = 0;

    qn_sys4(__NR_rt_sigprocmask, 2, (long)&all, (long)&old, 8);
    while (__atomic_exchange_n(&busy, true, __ATOMIC_ACQUIRE))
        qn_sys1(__NR_sched_yield, 0);
    qn_fpu_save(state, all);
    register_counters();
    heap_used = 0;
    __gcov_dump();
    __gcov_reset(); /* or nothing would be written a second time */
    qn_fpu_restore(state, all);
    __atomic_store_n(&busy, false, __ATOMIC_RELEASE);
    qn_sys4(__NR_rt_sigprocmask, 2, (long)&old, 0, 8);
}
