/* lib/run/core/main.c - starts the engine: arena, code cache, simulators, then the guest's first instruction. */
#include "base/format.h"
#include "decode/decode.h"
#include "emit/emit.h"
#include "guest/exec_map.h"
#include "guest/load.h"
#include "run/core/core.h"
#include "run/kernel/kernel.h"
#include "run/run.h"
#include "tcache/tcache.h"

enum { E_NOEXEC = 8, E_ACCES = 13, E_EXIST = 17, E_LOOP = 40 };
#define ARGS_MAX 65536
#define FD_CLOEXEC_ 1
#define PR_SET_NAME 15
#define RLIMIT_STACK_ 3
#define STACK_ENOUGH (1u << 20) /* bytes */
#define STACK_BELOW (128u << 10) /* bytes below the stack pointer that Linux maps at exec, so that a lower limit does not take them away */

_Noreturn void qn_engine_main(uint64_t *kernel_sp);

static const char *guest_argv[ARGS_MAX];
static struct qn_script scripts[QN_SCRIPT_DEPTH + 1];
static char exe_path[QN_PATH_MAX];

static int number(const char *s)
{
    int n = 0;

    for (; *s >= '0' && *s <= '9'; s++)
        n = n * 10 + (*s - '0');
    return *s ? -1 : n;
}

/* The guest's arguments follow the engine's own three. */
static void take_arguments(uint64_t *kernel_sp)
{
    uint64_t argc = kernel_sp[0];
    const char *const *argv = (const char *const *)(kernel_sp + 1);

    if (argc < 3 || argc > ARGS_MAX - 2 * QN_SCRIPT_DEPTH - 1)
        qn_die_fatal(QN_FATAL_LOAD, 0, "usage: run by quern, not by hand");
    qn_socket_fd = number(argv[2]);
    qn_arena_attach(number(argv[1]));
    qn_sys3(__NR_fcntl, qn_socket_fd, F_SETFD, FD_CLOEXEC_);
    qn_sys3(__NR_fcntl, qn_arena_fd, F_SETFD, FD_CLOEXEC_);
    for (uint64_t i = 3; i < argc; i++)
        guest_argv[i - 3] = argv[i];
}

static void insert_argument(unsigned at, const char *text)
{
    unsigned n = 0;

    while (guest_argv[n])
        n++;
    __builtin_memmove(&guest_argv[at + 1], &guest_argv[at], (n + 1 - at) * sizeof guest_argv[0]);
    guest_argv[at] = text;
}

/* argv of a script: interpreter, its argument, path of the script, the rest. */
static void apply_script(const struct qn_script *s, const char *path)
{
    if (guest_argv[0])
        guest_argv[0] = path;
    else
        insert_argument(0, path);
    if (s->has_arg)
        insert_argument(0, s->arg);
    insert_argument(0, s->interp);
}

static int open_program(const char **path)
{
    for (unsigned depth = 0; depth <= QN_SCRIPT_DEPTH; depth++) {
        long fd = qn_sys4(__NR_openat, -100, (long)*path, 02000000, 0);

        if (qn_sys_failed(fd))
            qn_die_load((int)-fd);
        if (qn_elf_read_script((int)fd, &scripts[depth]) != 0)
            return (int)fd;
        qn_sys1(__NR_close, fd);
        apply_script(&scripts[depth], *path);
        *path = scripts[depth].interp;
    }
    qn_die_load(E_LOOP);
}

static void record_exe(int fd)
{
    char link[32];
    long len;

    qn_format(link, sizeof link, "/proc/self/fd/%u", (unsigned)fd);
    len = qn_sys3(__NR_readlink, (long)link, (long)exe_path, sizeof exe_path - 1);
    exe_path[len > 0 ? len : 0] = 0;
    qn_arena->exe = qn_arena_string(exe_path);
}

static void record_command(void)
{
    static char line[65536];
    size_t n = 0;

    for (unsigned i = 0; guest_argv[i] && n + qn_strlen(guest_argv[i]) + 2 <= sizeof line; i++)
        n += qn_format(line + n, sizeof line - n, i ? " %s" : "%s", guest_argv[i]);
    qn_arena->cmd = qn_arena_string(line);
}

static void set_name(const char *path)
{
    const char *name = path;

    for (const char *p = path; *p; p++)
        if (*p == '/')
            name = p + 1;
    qn_sys2(__NR_prctl, PR_SET_NAME, (long)name);
}

static void start_translation(void)
{
    const struct qn_config *c = qn_cfg();
    struct qn_emit_hooks hooks = {
        .leave = qn_leave, .leave_step = qn_leave_step, .steps = qn_step_write, .result = qn_step_result, .string_done = qn_run_string,
        .verify = qn_run_verify, .complex_ref = qn_run_complex,
    };

    qn_slices_choose(c);
    QN_TELL(configure, &hooks);
    qn_block_machine = qn_decode_host();
    qn_cpu_init();
    qn_emit_init(&hooks);
    qn_translate_init();
    qn_tcache_init(c->tcache_bytes ? c->tcache_bytes : QN_TCACHE_BYTES, &qn_emit_shuffles);
    qn_region_of_thread(&qn_self->regions, qn_self->number);
    qn_mode_choose(qn_slices_scope());
}

/* The guest's stack usually begins up to 128 KiB below the kernel's. */
static bool stack_is_tight(void)
{
    uint64_t limit[2] = {0};

    return !qn_sys2(__NR_getrlimit, RLIMIT_STACK_, (long)limit) && limit[0] < STACK_ENOUGH;
}

static void load_guest(uint64_t *kernel_sp)
{
    const char *path = qn_arena_text(qn_cfg()->guest_path);
    const char *execfn = path;
    static const struct qn_elf_base base = {qn_low_address};
    struct qn_image image;
    struct qn_start start = {execfn, guest_argv, !qn_cfg()->vdso, stack_is_tight(), !qn_cfg()->aslr, qn_cfg()->seed, qn_cpu_hwcap};
    uint64_t vdso;
    int fd = open_program(&path), err;

    record_exe(fd);
    record_command();
    set_name(execfn);
    err = qn_elf_load(fd, &base, &image);
    if (err == E_EXIST)
        qn_die_linked(image.start, image.end);
    if (err)
        qn_die_load(err);
    qn_sys1(__NR_close, fd);
    qn_ctx.gpr[QN_RSP] = qn_stack_build(kernel_sp, &image, &start, &vdso);
    if (!start.tight)
        (void)*(const volatile char *)(qn_ctx.gpr[QN_RSP] - STACK_BELOW);
    if (image.exec_stack)
        qn_make_stack_executable(qn_ctx.gpr[QN_RSP]);
    qn_ctx.rip = image.entry;
    qn_ctx.rflags = 0x202;
    qn_proc_publish(qn_ctx.gpr[QN_RSP], &image);
    if (vdso && qn_cfg()->vdso)
        qn_exec_add(vdso, vdso + 2 * QN_PAGE, false);
}

_Noreturn void qn_engine_main(uint64_t *kernel_sp)
{
    qn_memory_reserve();
    take_arguments(kernel_sp);
    qn_memory_init();
    qn_thread_init();
    qn_seccomp_restore();
    qn_guard((uint64_t)(uintptr_t)qn_stack_guard_low, QN_STACK_GUARD);
    qn_guard((uint64_t)(uintptr_t)qn_stack_guard_high, QN_STACK_GUARD);
    qn_signal_init(); /* before the first call of a module, which may crash */
    start_translation();
    if (qn_cfg()->traced)
        qn_external_writes();
    load_guest(kernel_sp);
    qn_arena->guest_pid = (int32_t)qn_sys1(__NR_getpid, 0);
    qn_message_send(qn_socket_fd, QN_MESSAGE_HELLO, 0);
    qn_arena->started = 1;
    qn_dispatch();
}
