/* lib/run/kernel/signal_frame.c - signal frames on the guest's stack, in the kernel's layout (arch/x86/include/asm/sigframe.h):
 *
 *   low   return address (restorer) | ucontext | siginfo | ... | XSAVE area, 64-byte aligned   high
 *
 * The processor's vector and x87 registers hold the guest's state, so xsave and xrstor are used directly. */
#include "run/core/core.h"
#include "run/kernel/signal.h"

#define RED_ZONE 128
#define UC_FP_XSTATE 1u
#define UC_FLAGS 6u           /* UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS */
#define FP_MAGIC1 0x46505853u /* FP_XSTATE_MAGIC1 */
#define FP_MAGIC2 0x46505845u
#define FXSAVE_SIZE 512
#define FXSAVE_IP 8           /* offset of the x87 instruction pointer */
#define XSTATE_BV 512
#define XSTATE_LEGACY 3ull    /* x87 and SSE */
#define XSTATE_TILES (1ull << 18)
#define ARCH_GET_XCOMP_PERM_ 0x1022
#define XSAVE_HEADER_END 576
#define MAGIC2_SIZE 4u
#define SW_RESERVED 464       /* offset of struct _fpx_sw_bytes in the fxsave image */
#define USER_CS 0x33
#define USER_SS 0x2b
#define GUEST_FLAGS 0x40cd5ull /* what sigreturn may set: AC OF DF SF ZF AF PF CF; and TF, which is in the thread */
#define MXCSR_DEFAULT 0x1f80u
#define FCW_DEFAULT 0x37f

struct frame {
    uint64_t restorer;
    struct qn_ucontext uc;
    struct qn_siginfo info;
};

/* On a processor without xsave the frame has the state that fxsave stores. */
static bool is_extended(void) { return qn_host_state() != 0; }

/* Components that a frame has.  The program may use AMX's tiles (8 KiB) only if it has asked for them, which may happen at any time. */
static uint64_t frame_state(void)
{
    uint64_t all = qn_host_state(), permitted;

    if (all & XSTATE_TILES)
        all &= qn_sys_failed(qn_sys2(__NR_arch_prctl, ARCH_GET_XCOMP_PERM_, (long)&permitted)) ? ~XSTATE_TILES : permitted;
    return all;
}

/* Bytes of x87 and vector state, without the magic word behind what xsave stores. */
static uint32_t fpu_bytes(void)
{
    static struct { uint64_t state; uint32_t bytes; } last;
    uint64_t state = frame_state();

    if (!last.bytes || last.state != state) {
        last.bytes = is_extended() ? qn_cpu_state_bytes(state, false) : FXSAVE_SIZE;
        last.state = state;
    }
    return last.bytes;
}

uint32_t qn_frame_fpu_bytes(void) { return fpu_bytes() + (is_extended() ? MAGIC2_SIZE : 0); }

static void save_extended(uint8_t *area)
{
    uint32_t size = fpu_bytes(), *sw = (uint32_t *)(area + SW_RESERVED);
    uint32_t magic2 = FP_MAGIC2;

    for (unsigned i = FXSAVE_SIZE; i < XSAVE_HEADER_END; i++)
        area[i] = 0;
    qn_fpu_save(area, frame_state());
    *(uint64_t *)(area + XSTATE_BV) |= XSTATE_LEGACY; /* also if they have their initial state: what a handler stores there counts */
    __builtin_memset(sw, 0, FXSAVE_SIZE - SW_RESERVED);
    sw[0] = FP_MAGIC1;
    sw[1] = size + MAGIC2_SIZE;
    *(uint64_t *)(sw + 2) = frame_state();
    sw[4] = size;
    __builtin_memcpy(area + size, &magic2, MAGIC2_SIZE);
}

static void save_fpu(uint8_t *area)
{
    if (is_extended()) {
        save_extended(area);
    } else {
        qn_fpu_save_legacy(area);
        __builtin_memset(area + SW_RESERVED, 0, FXSAVE_SIZE - SW_RESERVED);
    }
    *(uint64_t *)(area + FXSAVE_IP) = qn_fpu_guest_ip(*(uint64_t *)(area + FXSAVE_IP));
}

/* Handlers start with the initial x87 and vector state, as natively. */
static void reset_fpu(void)
{
    static uint8_t init[XSAVE_HEADER_END] __attribute__((aligned(64)));

    *(uint16_t *)init = FCW_DEFAULT;
    *(uint32_t *)(init + 24) = MXCSR_DEFAULT;
    if (is_extended())
        qn_fpu_restore(init, frame_state());
    else
        qn_fpu_restore_legacy(init);
}

static uint64_t frame_stack(struct qn_thread *t, const struct qn_sigaction *act, bool *on_alt)
{
    *on_alt = on_altstack(t, qn_ctx.gpr[4]);
    if ((act->flags & SA_ONSTACK_) && !(t->altstack.flags & SS_DISABLE_) && t->altstack.size && !*on_alt) {
        *on_alt = true;
        return t->altstack.sp + t->altstack.size;
    }
    return qn_ctx.gpr[4] - RED_ZONE;
}

/* Does the frame exceed the alternate stack?  Then the kernel raises SIGSEGV. */
static bool beyond(const struct qn_thread *t, uint64_t frame)
{
    return frame <= t->altstack.sp || frame - t->altstack.sp > t->altstack.size;
}

/* Can the guest write there?  The accesses make a stack grow. */
static bool probe_write(uint64_t start, uint64_t bytes)
{
    uint64_t last = start + bytes - 1;

    if (last < start || qn_is_engine_range(start, bytes))
        return false;
    for (uint64_t at = last; at >= start && at <= last; at = qn_round_down(at, QN_PAGE) - 1) /* downwards, as a stack grows */
        if (!qn_guarded_insn(QN_GUARDED_PROBE, at, 0))
            return false;
    return qn_guarded_insn(QN_GUARDED_PROBE, start, 0);
}

static void fill_mcontext(struct qn_mcontext *mc, uint64_t fpstate)
{
    const uint64_t *g = qn_ctx.gpr;
    struct qn_thread *t = qn_self;

    *mc = (struct qn_mcontext){
        .r8 = g[8], .r9 = g[9], .r10 = g[10], .r11 = g[11], .r12 = g[12], .r13 = g[13], .r14 = g[14], .r15 = g[15],
        .di = g[7], .si = g[6], .bp = g[5], .bx = g[3], .dx = g[2], .ax = g[0], .cx = g[1], .sp = g[4],
        .ip = qn_ctx.rip, .flags = qn_ctx.rflags | (t->trap_flag ? FLAG_TF : 0), .cs = USER_CS, .ss = USER_SS,
        .err = t->fault_err, .trapno = t->fault_trap, .oldmask = t->mask, .cr2 = t->fault_cr2, .fpstate = fpstate,
    };
}

void qn_frame_push(int sig, const struct qn_siginfo *info, const struct qn_sigaction *act)
{
    struct qn_thread *t = qn_self;
    bool on_alt;
    uint64_t sp = frame_stack(t, act, &on_alt);
    uint64_t fp = (sp - qn_frame_fpu_bytes()) & ~63ull;
    struct frame *f = (struct frame *)(((fp - sizeof *f) & ~15ull) - 8);

    if ((on_alt && beyond(t, (uint64_t)(uintptr_t)f)) ||
        !probe_write((uint64_t)(uintptr_t)f, fp + qn_frame_fpu_bytes() - (uint64_t)(uintptr_t)f)) {
        qn_signal_no_frame(sig);
        return;
    }
    t->on_guest_stack = 1;
    save_fpu((uint8_t *)(uintptr_t)fp);
    f->restorer = act->restorer;
    f->uc.flags = UC_FLAGS | (is_extended() ? UC_FP_XSTATE : 0);
    f->uc.link = 0;
    f->uc.stack = t->altstack;
    fill_mcontext(&f->uc.mc, fp);
    f->uc.mask = t->mask;
    f->info = *info;
    t->on_guest_stack = 0;
    if (t->altstack.flags & SS_AUTODISARM_)
        t->altstack = (struct qn_stack){.flags = SS_DISABLE_};
    if (t->waited)
        t->mask = t->waiting_mask; /* the frame has the one from before */
    t->waited = 0;
    t->mask |= act->mask | (act->flags & SA_NODEFER_ ? 0 : sig_bit(sig));
    if (act->flags & SA_RESETHAND_)
        t->actions[sig].handler = HANDLER_DFL;
    reset_fpu();
    QN_TELL(signal, qn_ctx.gpr[4]);
    qn_ctx.gpr[4] = (uint64_t)(uintptr_t)f;
    qn_ctx.gpr[7] = (uint64_t)sig;
    qn_ctx.gpr[6] = (uint64_t)(uintptr_t)&f->info;
    qn_ctx.gpr[2] = (uint64_t)(uintptr_t)&f->uc;
    qn_ctx.gpr[0] = 0;
    qn_ctx.rflags &= ~(uint64_t)(FLAG_DF | FLAG_RF);
    t->trap_flag = t->trap_shadow = false;
    qn_ctx.rip = act->handler;
}

/* Does the frame have extended state, as the kernel's check_xstate_in_sigframe sees it?  Then *components are to be restored. */
static bool is_extended_frame(uint64_t fpstate, uint64_t *components)
{
    uint32_t sw[5], magic2; /* struct _fpx_sw_bytes: magic, size of all, components (64 bits), size of the state */

    if (!is_extended() || !qn_read_guest(fpstate + SW_RESERVED, sw, sizeof sw) || sw[0] != FP_MAGIC1 || sw[4] < XSAVE_HEADER_END ||
        sw[4] > fpu_bytes() || sw[4] > sw[1] || !qn_read_guest(fpstate + sw[4], &magic2, sizeof magic2) || magic2 != FP_MAGIC2)
        return false;
    *components = (sw[2] | (uint64_t)sw[3] << 32) & frame_state();
    return true;
}

/* Components that the frame does not have get their initial state.  false: the processor refuses the frame, or it cannot be read. */
static bool restore_fpu(uint64_t fpstate)
{
    uint64_t components = XSTATE_LEGACY;
    bool extended, done;

    reset_fpu();
    if (!fpstate)
        return true;
    extended = is_extended_frame(fpstate, &components);
    done = !qn_is_engine_range(fpstate, FXSAVE_SIZE) &&
           qn_guarded_insn(extended ? QN_GUARDED_XRSTOR64 : QN_GUARDED_FXRSTOR64, fpstate, components);
    if (!done)
        reset_fpu();
    return done;
}

static void restore_registers(const struct qn_mcontext *mc)
{
    uint64_t *g = qn_ctx.gpr;

    g[0] = mc->ax; g[1] = mc->cx; g[2] = mc->dx; g[3] = mc->bx; g[4] = mc->sp; g[5] = mc->bp; g[6] = mc->si; g[7] = mc->di;
    g[8] = mc->r8; g[9] = mc->r9; g[10] = mc->r10; g[11] = mc->r11; g[12] = mc->r12; g[13] = mc->r13; g[14] = mc->r14;
    g[15] = mc->r15;
    qn_ctx.rip = mc->ip;
    qn_ctx.rflags = (qn_ctx.rflags & ~GUEST_FLAGS) | (mc->flags & GUEST_FLAGS);
    qn_self->trap_flag = mc->flags & FLAG_TF;
}

/* The handler has returned: restores the state from the frame, which it may have edited.  SIGSEGV if there is no frame. */
void qn_sys_sigreturn(void)
{
    struct qn_thread *t = qn_self;
    struct frame f;
    int err;

    if (!qn_read_guest(qn_ctx.gpr[4] - 8, &f, sizeof f)) {
        qn_signal_force(SIG_SEGV);
        return;
    }
    restore_registers(&f.uc.mc);
    QN_TELL(sigreturn);
    t->mask = f.uc.mask & ~UNBLOCKABLE;
    if (restore_fpu(f.uc.mc.fpstate))
        qn_signal_set_altstack(&f.uc.stack, &err);
    else
        qn_signal_force(SIG_SEGV);
    qn_signal_release_held();
    qn_signal_set_host_mask(t->mask);
}
