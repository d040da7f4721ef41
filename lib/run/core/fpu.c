/* lib/run/core/fpu.c - the instruction pointer of the x87 unit.
 *
 * The processor notes where the last x87 instruction was: in the code cache.  fnstenv, fnsave, fxsave and xsave store that.
 * A block ends behind them, and here the program's own address takes its place.  Where the translation is gone
 * meanwhile, nobody knows it any more: 0, as if there had been no x87 instruction.
 *
 * The 16-bit forms (66h fnstenv, fnsave) have no room for an address of the code cache, so that the engine stores by the 32-bit
 * form itself and makes of it (SDM vol. 1, 8.1.10)
 *
 *   control 0 | status 2 | tag 4 | ip 6 | cs 8 | operand 10 | ds 12       registers behind that, 80 bytes
 */
#include "block/block.h"
#include "run/core/operand.h"
#include "run/kernel/signal.h"

enum { ENV_IP = 12, FXSAVE_IP = 8, XSTATE_BV = 512 }; /* offsets in bytes */
#define ENV_WORDS 7u     /* of 16 or of 32 bits */
#define REGISTERS 80u    /* bytes */
#define FNSAVE 0xdd      /* opcode; of fnstenv d9 */

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

/* The xsave family leaves the x87 part of memory alone where edx:eax or the header does not name it (SDM vol. 1, 13.7). */
static bool has_x87(const struct qn_insn *in, uint64_t at)
{
    const uint64_t *saved = (const uint64_t *)(uintptr_t)(at + XSTATE_BV);

    return !(in->attr & QN_ATTR_XSAVE) || (qn_ctx.gpr[QN_RAX] & *saved & 1);
}

/* The memory has just been written to. */
void qn_fpu_stored(uint64_t pc)
{
    struct qn_insn in;
    uint64_t at;

    qn_block_decode((const uint8_t *)(uintptr_t)pc, QN_INSN_MAX_LEN, &in);
    at = qn_operand_address(&in, &in.mem[0], pc);
    if (!has_x87(&in, at))
        return;
    if (in.map == 0)
        put_right32(at + ENV_IP);
    else if (in.map && in.opsize == 8)
        put_right64(at + FXSAVE_IP);
    else if (in.map)
        put_right32(at + FXSAVE_IP);
}

/* Can it be written to?  If not, a signal is on its way. */
static bool is_writable(uint64_t at, uint32_t bytes)
{
    uint8_t there[2 * ENV_WORDS + REGISTERS];

    if (!qn_read_guest(at, there, bytes))
        qn_signal_raise(SIG_SEGV, SEGV_MAPERR_, at);
    else if (!qn_write_guest(at, there, bytes))
        qn_signal_raise(SIG_SEGV, SEGV_ACCERR_, at);
    else
        return true;
    return false;
}

/* First of all the environment is taken from the processor, for some (AMD's) forget the instruction pointer when the kernel takes
 * turns; if nothing can be written it is given back. */
bool qn_fpu_store16(const struct qn_insn *in)
{
    static struct { uint32_t env[ENV_WORDS]; uint8_t registers[REGISTERS]; } from;
    struct { uint16_t env[ENV_WORDS]; uint8_t registers[REGISTERS]; } to;
    bool whole = in->opcode == FNSAVE;
    uint64_t bytes = whole ? sizeof to : sizeof to.env, at;

    if (whole)
        __asm__ volatile("fnsave %0" : "=m"(from));
    else
        __asm__ volatile("fnstenv %0" : "=m"(from.env));
    at = qn_operand_address(in, &in->mem[0], qn_ctx.rip);
    if (!is_writable(at, bytes)) {
        if (whole)
            __asm__ volatile("frstor %0" :: "m"(from));
        else
            __asm__ volatile("fldenv %0" :: "m"(from.env));
        return false;
    }
    put_right32((uint64_t)(uintptr_t)from.env + ENV_IP);
    for (unsigned i = 0; i < ENV_WORDS; i++)
        to.env[i] = (uint16_t)from.env[i];
    __builtin_memcpy(to.registers, from.registers, sizeof to.registers);
    return qn_write_guest(at, &to, bytes);
}
