/* lib/run/core/fpu.c - the instruction pointer of the x87 unit.
 *
 * The processor records the address of the last x87 instruction, which is one in the code cache.  fnstenv, fnsave, fxsave and xsave
 * store it.  A block ends after these instructions, and the engine then replaces the address by the guest's.  If the translation has been
 * evicted meanwhile, the guest's address is unknown; the engine stores 0, as if there had been no x87 instruction.
 *
 * The 16-bit forms (66h fnstenv, fnsave) have no room for an address in the code cache.  So the engine executes them itself and stores
 * the address that it has found by the 32-bit form (SDM vol. 1, 8.1.10)
 *
 *   control 0 | status 2 | tag 4 | ip 6 | cs 8 | operand 10 | ds 12       then the registers, 80 bytes
 */
#include "block/block.h"
#include "run/core/attempt.h"
#include "run/core/cpu.h"
#include "run/core/references/operand.h"
#include "run/kernel/signal/signal.h"

enum { ENV_IP = 12, ENV16_IP = 6, FXSAVE_IP = 8, FXSAVE_X87 = 32, FXSAVE_XMM = 160, XSTATE_BV = 512, XSAVE_YMM = 576 }; /* offsets in bytes */
enum { STATE_X87 = 1 << 0, STATE_SSE = 1 << 1, STATE_AVX = 1 << 2 };
#define ENV_WORDS 7u     /* of 32 bits */
#define FNSAVE 0xdd      /* opcode; fnstenv has d9 */

uint64_t qn_fpu_guest_ip(uint64_t ip)
{
    return ip >= QN_CODE_BASE && ip < QN_CODE_BASE + QN_CODE_MAX ? qn_recover_pc(ip) : ip;
}

static void put_right32(uint64_t at)
{
    uint32_t *ip = (uint32_t *)(uintptr_t)at;

    *ip = (uint32_t)qn_fpu_guest_ip(*ip);
}

static void put_right64(uint64_t at)
{
    uint64_t *ip = (uint64_t *)(uintptr_t)at;

    *ip = qn_fpu_guest_ip(*ip);
}

/* Has the instruction stored x87 state?  Only if edx:eax and the header say so (SDM vol. 1, 13.7). */
static bool has_x87(const struct qn_insn *in, uint64_t at)
{
    const uint64_t *saved = (const uint64_t *)(uintptr_t)(at + XSTATE_BV);

    return !(in->attr & QN_ATTR_XSAVE) || (qn_ctx.gpr[QN_RAX] & *saved & 1);
}

/* Valgrind's xsave always marks x87, SSE and AVX state as in use, and its xrstor reads the marked components.  A processor may omit a
 * component that holds its initial values, at its own discretion (XINUSE; SDM vol. 1, 13.6): AMD's Zen 4 behaves differently after a task
 * switch, so counts would differ from run to run.  Therefore counting mode cachegrind adds the omitted components. */
static void mark_in_use(uint64_t at, uint64_t wanted)
{
    static const uint8_t x87[FXSAVE_IP + 16] = {0x7f, 0x03}, zeros[256]; /* control word; up to MXCSR, which has been written */
    static const struct {
        uint8_t component;
        uint16_t offset, size;
        const uint8_t *initial;
    } parts[] = {{STATE_X87, 0, sizeof x87, x87}, {STATE_X87, FXSAVE_X87, 128, zeros}, {STATE_SSE, FXSAVE_XMM, 256, zeros}, {STATE_AVX, XSAVE_YMM, 256, zeros}};
    uint64_t *held = (uint64_t *)(uintptr_t)(at + XSTATE_BV), left_out = wanted & ~*held;

    for (unsigned i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if ((left_out & parts[i].component) && !qn_write_guest(at + parts[i].offset, parts[i].initial, parts[i].size))
            return; /* not mapped: the processor has written nothing */
    *held |= left_out;
}

void qn_fpu_state_stored(const struct qn_insn *in, uint64_t at)
{
    bool xsave = in->opcode == 0xae && (in->modrm >> 3 & 7) == 4;

    if (xsave && qn_cfg()->counting == QN_COUNTING_CACHEGRIND)
        mark_in_use(at, qn_ctx.gpr[QN_RAX] & qn_cpu_state() & (STATE_X87 | STATE_SSE | STATE_AVX));
}

/* Called after the instruction has stored. */
void qn_fpu_stored(const struct qn_insn *in, uint64_t pc)
{
    uint64_t at = qn_operand_address(in, &in->mem[0], pc);

    if (has_x87(in, at)) {
        if (in->map == 0)
            put_right32(at + ENV_IP);
        else if (in->opsize == 8)
            put_right64(at + FXSAVE_IP);
        else
            put_right32(at + FXSAVE_IP);
    }
    if (in->attr & QN_ATTR_XSAVE)
        qn_fpu_state_stored(in, at);
}

/* Reads the 32-bit environment first, because some processors (AMD's) lose the instruction pointer at a task switch. */
bool qn_fpu_store16(const struct qn_insn *in)
{
    enum qn_attempt what = in->opcode == FNSAVE ? QN_ATTEMPT_FNSAVE16 : QN_ATTEMPT_FNSTENV16;
    uint64_t at = qn_operand_address(in, &in->mem[0], qn_ctx.rip);
    uint32_t env[ENV_WORDS];
    uint16_t ip;

    __asm__ volatile("fnstenv %0\n fldenv %0" : "+m"(env)); /* fnstenv masks exceptions */
    if (!qn_attempt(what, at, 0)) {
        qn_attempt_raise();
        return false;
    }
    ip = (uint16_t)qn_fpu_guest_ip(env[ENV_IP / sizeof *env]);
    return qn_write_guest(at + ENV16_IP, &ip, sizeof ip);
}
