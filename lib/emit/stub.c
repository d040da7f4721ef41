/* lib/emit/stub.c - the assembly between a failed check and the simulator, which all checks share.
 *
 *   again:  xor entries(S2), S1             the address, as it was before the comparison
 *           mov S1, arg_addr ;  mov now, ctx.now
 *           call the simulator
 *           mov ctx.now, now ;  ret
 *
 * There is one stub for each set of scratch registers and function of the simulator; it is made when it is first needed, in the fixed
 * part of the code cache.  It is entered by a call on the slow-call stack, with arg_site set.  The default data cache has a longer one,
 * see lru_stub.c.
 */
#include "emit/internal.h"

/* ---- calling C from translated code ----
 *
 * Nothing may be written below the guest's rsp, so a slow call switches to a stack of its own.  The callee keeps
 * all registers (no_caller_saved_registers) and uses no vector unit; only the status flags are lost.
 *
 * The guest may have set the direction flag, or AC, with which the processor checks alignment; C code can stand neither.  So a function of C
 * is called by its entry, which resets both and gives them back:
 *
 *   pushfq ;  testl $DF|AC, (%rsp) ;  jnz set ;  lea 8(%rsp), %rsp ;  jmp fn
 *   set:      push $2 ;  popfq ;  call fn ;  popfq ;  ret
 */

#define DF_AC 0x40400u
#define C_ENTRIES 64u /* functions */
#define C_ENTRY_BYTES 48u

uint64_t emit_c_entry(qn_slow_call *fn)
{
    static qn_slow_call *functions[C_ENTRIES];
    struct qn_code c;
    uint64_t entry, set;
    unsigned n = 0;

    while (n < C_ENTRIES && functions[n] && functions[n] != fn)
        n++;
    if (n == C_ENTRIES)
        qn_engine_die("no room for another function of C", (uintptr_t)fn, 0);
    c.exec = entry = QN_CODE_BASE + n * C_ENTRY_BYTES;
    c.p = qn_code_at(entry);
    if (functions[n])
        return entry;
    functions[n] = fn;
    x_byte(&c, X_PUSHF);
    x_bytes(&c, "\xf7\x04\x24", 3); /* testl $DF_AC, (%rsp) */
    x_u32(&c, DF_AC);
    set = x_jcc(&c, X_CC_NE, 0);
    x_lea(&c, QN_RSP, QN_RSP, QN_REG_NONE, 1, 8);
    x_jmp(&c, (uintptr_t)fn);
    x_patch(set, c.exec);
    x_bytes(&c, "\x6a\x02", 2); /* push $2 */
    x_byte(&c, X_POPF);
    x_call(&c, (uintptr_t)fn);
    x_byte(&c, X_POPF);
    x_byte(&c, X_RET);
    return entry;
}

void emit_slow_stack_in(struct qn_code *c)
{
    x_store(c, CTX(guest_sp), QN_RSP);
    x_movi(c, QN_RSP, (uint64_t)(uintptr_t)qn_slow_stack_top);
}

void emit_slow_stack_out(struct qn_code *c) { x_load(c, QN_RSP, CTX(guest_sp)); }

void emit_slow_call_at(struct qn_code *c, uint64_t target)
{
    emit_slow_stack_in(c);
    x_call(c, target);
    emit_slow_stack_out(c);
}

/* If rbp is borrowed, it is in ctx.gpr already. */
void emit_frame_out(const struct emitter *e, struct qn_code *c)
{
    if (emit_hooks.place && e->now != QN_RBP && e->s1 != QN_RBP && e->s2 != QN_RBP && e->s3 != QN_RBP)
        x_store(c, CTX(gpr[QN_RBP]), QN_RBP);
}

void emit_slow_call(struct qn_code *c, qn_slow_call *fn) { emit_slow_call_at(c, emit_c_entry(fn)); }

/* mov $value, abs without a register, for any 64-bit value; does not change the flags. */
void emit_store_const(struct qn_code *c, uint64_t abs, uint64_t value)
{
    if (qn_fits_i32((int64_t)value)) {
        x_store_imm(c, abs, (uint32_t)value);
    } else {
        x_store32_imm(c, abs, (uint32_t)value);
        x_store32_imm(c, abs + 4, (uint32_t)(value >> 32));
    }
}

/* ---- stubs ---- */

#define STUB_BYTES_MAX 128
#define ENTRIES 16 /* functions, each with and without `again` */

static uint32_t stubs[QN_SCRATCH_SETS][ENTRIES], fetch_stubs[16][16];
static uint64_t next_at = QN_CODE_BASE + C_ENTRIES * C_ENTRY_BYTES;

unsigned emit_scratch_number(const struct emitter *e)
{
    static uint16_t numbers[16][16][16], last;
    uint16_t *number = &numbers[e->now][e->s1][e->s2];

    if (!*number)
        *number = ++last;
    return *number;
}

#define RESERVED (1u << 18) /* bytes of the stubs' part that are left for stubs that cannot be done without */

/* Room for a stub of that many bytes at most.  For one that can be done without, p is NULL if there is none. */
struct qn_code emit_stub_begin(unsigned bytes, bool needed)
{
    if (next_at + bytes + (needed ? 0 : RESERVED) <= QN_CODE_BASE + QN_CODE_STUBS)
        return (struct qn_code){qn_code_at(next_at), next_at};
    if (needed)
        qn_engine_die("no room for another stub", next_at, 0);
    return (struct qn_code){NULL, 0};
}

void emit_stub_end(const struct qn_code *c) { next_at = qn_round_up(c->exec, 16); }

/* Registers that the block has not borrowed, for a stub that needs more. */
void emit_spare_registers(const struct emitter *e, unsigned n, unsigned r[])
{
    unsigned found = 0;

    for (unsigned k = QN_RAX; found < n; k++)
        if (k != QN_RSP && k != e->s1 && k != e->s2 && k != e->now)
            r[found++] = k;
}

void emit_save(struct qn_code *c, unsigned n, const unsigned r[])
{
    for (unsigned i = 0; i < n; i++)
        x_push(c, r[i]);
}

void emit_restore(struct qn_code *c, unsigned n, const unsigned r[])
{
    while (n--)
        x_pop(c, r[n]);
}

static unsigned entry_number(qn_slow_call *fn, uint64_t again)
{
    qn_slow_call *const entries[] = {qn_sim_slow_data, qn_sim_slow_write, qn_sim_slow_modify, qn_sim_slow_big, qn_sim_see_data,
                                      qn_sim_slow_group};
    unsigned n = 0;

    while (entries[n] != fn)
        n++;
    return n + (again ? ENTRIES / 2 : 0);
}

/* Returns at once if the reference to the address in S1 may be repeated without a call (struct qn_repeat); else S1 is destroyed. */
static void pass_repeat(const struct emitter *e, struct qn_code *c, bool writes)
{
    const struct qn_filter *f = &qn_sim_d1_filter;
    uint64_t table = f->repeats + (writes ? QN_REPEATS * sizeof(struct qn_repeat) : 0), other, larger;

    x_lea(c, e->s2, QN_REG_NONE, e->s1, 4, 0);
    x_alu_imm32(c, 0, X_AND, e->s2, (QN_REPEATS - 1) * sizeof(struct qn_repeat));
    x_table(c, X_CMP, e->s1, e->s2, table + offsetof(struct qn_repeat, addr));
    other = x_jcc(c, X_CC_NE, 0);
    x_load32(c, e->s1, CTX(arg_site));
    x_shr32(c, e->s1, QN_SITE_SIZE_SHIFT);
    x_table(c, X_CMP, e->s1, e->s2, table + offsetof(struct qn_repeat, size));
    larger = x_jcc(c, X_CC_A, 0);
    x_load(c, e->s1, CTX(arg_addr));
    x_shr64(c, e->s1, f->shift);
    x_alu_imm32(c, 0, X_AND, e->s1, f->mask);
    x_lea(c, e->now, e->now, QN_REG_NONE, 1, 1);
    x_table(c, X_STORE, e->now, e->s1, f->entries + offsetof(struct qn_filter_entry, stamp));
    x_byte(c, X_RET);
    x_patch(other, c->exec);
    x_patch(larger, c->exec);
}

/* Is there a filter, and does `fn` simulate the reference of arg_site? */
static bool passes_repeats(qn_slow_call *fn)
{
    return emit_rules.filter && qn_sim_d1_filter.entries && qn_sim_d1_filter.repeats && (fn == qn_sim_slow_data || fn == qn_sim_slow_write || fn == qn_sim_slow_modify);
}

static uint32_t make_stub(const struct emitter *e, qn_slow_call *fn, uint64_t again)
{
    struct qn_code c = emit_stub_begin(STUB_BYTES_MAX, true);
    uint32_t at = (uint32_t)c.exec;

    if (again)
        x_table(&c, X_XOR, e->s1, e->s2, again);
    x_store(&c, CTX(arg_addr), e->s1);
    if (passes_repeats(fn))
        pass_repeat(e, &c, fn != qn_sim_slow_data);
    x_store(&c, CTX(now), e->now);
    emit_frame_out(e, &c);
    x_call(&c, emit_c_entry(fn));
    x_load(&c, e->now, CTX(now));
    x_byte(&c, X_RET);
    emit_stub_end(&c);
    return at;
}

#define JUMP_BACK_BYTES 8 /* mov S1, %rsp ; jmp */

/* mov now, ctx.now ;  arg_aux = address of the data behind the call and the jump back ;  call the simulator ;  mov ctx.now, now ;  ret */
static uint32_t make_fetch_stub(const struct emitter *e)
{
    struct qn_code c = emit_stub_begin(STUB_BYTES_MAX, true);
    uint32_t at = (uint32_t)c.exec;

    x_store(&c, CTX(now), e->now);
    x_table(&c, X_LOAD, e->s2, QN_RSP, 0);
    x_lea(&c, e->s2, e->s2, QN_REG_NONE, 1, JUMP_BACK_BYTES);
    x_store(&c, CTX(arg_aux), e->s2);
    x_call(&c, emit_c_entry(qn_sim_slow_fetch));
    x_load(&c, e->now, CTX(now));
    x_byte(&c, X_RET);
    emit_stub_end(&c);
    return at;
}

uint32_t emit_fetch_stub(const struct emitter *e)
{
    uint32_t *at = &fetch_stubs[e->now][e->s2];

    if (!*at)
        *at = make_fetch_stub(e);
    return *at;
}

/* Address of the stub that calls fn for the block's registers. */
uint32_t emit_reference_stub(const struct emitter *e, qn_slow_call *fn, uint64_t again)
{
    uint32_t *at = &stubs[emit_scratch_number(e)][entry_number(fn, again)];

    if (!*at)
        *at = make_stub(e, fn, again);
    return *at;
}

/* ---- the default last level: does the work of sim/fast/I1_LL.h for a reference within one line, and counts as engine.c does ----
 *
 * If there is an L2, it is looked up first, and what misses it is counted and goes on to the LL.
 *
 *   row = rows + (line number & mask) * ways
 *   word = line number + QN_FAST_LL_BIAS
 *   the word is the first of the row: a hit that changes nothing
 *   otherwise it becomes the first, and the others move up by one, up to the word's old position or the end of the row
 */

enum { WORD, ROW, CARRIED, HERE, END }; /* the five registers during the search; afterwards: */
enum { SITE = WORD, SLOT = ROW, MISSED = CARRIED, EXECUTION = HERE };

static void row_of(struct qn_code *c, const struct qn_fast_LL *l, unsigned address, const unsigned *r)
{
    x_mov(c, r[WORD], address);
    x_shr64(c, r[WORD], l->line_bits);
    x_mov32(c, r[ROW], r[WORD]);
    x_alu_imm32(c, 0, X_AND, r[ROW], l->sets - 1);
    x_imul32(c, r[ROW], r[ROW], l->ways * 8);
    x_movi(c, r[HERE], l->rows);
    x_lea(c, r[ROW], r[ROW], r[HERE], 1, 0);
    x_lea(c, r[WORD], r[WORD], QN_REG_NONE, 1, QN_FAST_LL_BIAS);
}

/* r[MISSED] = 0 or 1 */
static void look_up(struct qn_code *c, const struct qn_fast_LL *l, const unsigned *r)
{
    uint64_t first, found, again, end;

    x_table(c, X_LOAD, r[CARRIED], r[ROW], 0);
    x_rr(c, 1, X_CMP, r[CARRIED], r[WORD]);
    first = x_jcc(c, X_CC_E, 0);
    x_table(c, X_STORE, r[WORD], r[ROW], 0);
    x_lea(c, r[END], r[ROW], QN_REG_NONE, 1, (int32_t)(l->ways - 1) * 8);
    again = c->exec;
    x_rr(c, 1, X_CMP, r[ROW], r[END]);
    end = x_jcc(c, X_CC_E, 0);
    x_lea(c, r[ROW], r[ROW], QN_REG_NONE, 1, 8);
    x_table(c, X_LOAD, r[HERE], r[ROW], 0);
    x_table(c, X_STORE, r[CARRIED], r[ROW], 0);
    x_mov(c, r[CARRIED], r[HERE]);
    x_rr(c, 1, X_CMP, r[HERE], r[WORD]);
    found = x_jcc(c, X_CC_NE, again);
    x_patch(first, found);
    x_movi(c, r[MISSED], 0);
    first = x_jmp(c, 0);
    x_patch(end, c->exec);
    x_movi(c, r[MISSED], 1);
    x_patch(first, c->exec);
}

/* With --check, stores the outcome of the reference for the shadow. */
static void tell_shadow(struct qn_code *c, const unsigned r[5])
{
    if (!emit_rules.check)
        return;
    x_lea(c, r[EXECUTION], r[MISSED], r[MISSED], 1, 1); /* bit 0: L1 miss, bit 1: LL miss */
    x_store(c, CTX(result), r[EXECUTION]);
}

void emit_execution(struct qn_code *c, unsigned to, unsigned counter)
{
    x_movi(c, to, (uintptr_t)qn_sim_executions);
    x_lea(c, to, to, counter, sizeof *qn_sim_executions, 0);
    x_load32_table(c, to, to, 0);
    x_table(c, X_LOAD, to, to, 0);
}

/* The two counters of the site, and the log of misses. */
void emit_last_level_account(struct qn_code *c, const unsigned r[5])
{
    uint64_t log = (uintptr_t)qn_sim_misses, count = (uintptr_t)&qn_sim_miss_count;

    tell_shadow(c, r);
    x_load32(c, r[SITE], CTX(arg_site));
    x_alu_imm32(c, 0, X_AND, r[SITE], QN_SITE_COUNTER_MASK);
    x_load32(c, r[SLOT], count);
    x_inc(c, count);
    emit_execution(c, r[EXECUTION], r[SITE]);
    x_alu_imm32(c, 0, X_AND, r[SLOT], QN_SIM_MISSES - 1);
    x_imul32(c, r[SLOT], r[SLOT], sizeof *qn_sim_misses);
    x_store32_at(c, r[SITE], r[SLOT], 1, log + offsetof(struct qn_sim_miss, counter));
    x_store32_at(c, r[MISSED], r[SLOT], 1, log + offsetof(struct qn_sim_miss, ll));
    x_table(c, X_STORE, r[EXECUTION], r[SLOT], log + offsetof(struct qn_sim_miss, execution));
    x_inc_at(c, r[SITE], 8, QN_COUNTERS_BASE);
    x_add_at(c, r[MISSED], r[SITE], 8, QN_COUNTERS_BASE + 8);
    if (!emit_rules.sums)
        return;
    x_movzbl_table(c, r[SLOT], r[SITE], (uintptr_t)qn_sim_event_of);
    x_inc_at(c, r[SLOT], 8, emit_rules.sums);
    x_add_at(c, r[MISSED], r[SLOT], 8, emit_rules.sums + 8);
    x_inc(c, emit_rules.sums + 8 * QN_SUMS_ANY);
}

/* What qn_sim_L2_missed does, which is called if the site has no row yet. */
static void count_L2_miss(struct qn_code *c, const unsigned r[5])
{
    enum { PLACE = WORD, COUNTS = ROW, EXECUTED = CARRIED, EVENT = HERE, COUNTER = END };
    const struct qn_sim_charged to = qn_sim_charged();
    const uint64_t ring = (uintptr_t)qn_sim_charges;
    uint64_t first, done;

    x_load32(c, r[COUNTER], CTX(arg_site));
    x_alu_imm32(c, 0, X_AND, r[COUNTER], QN_SITE_COUNTER_MASK);
    x_movi(c, r[COUNTS], to.row_of);
    x_lea(c, r[COUNTS], r[COUNTS], r[COUNTER], 4, 0);
    x_load32_table(c, r[COUNTS], r[COUNTS], 0);
    x_alu_imm32(c, 0, X_CMPI, r[COUNTS], 0);
    first = x_jcc(c, X_CC_E, 0);
    x_imul32(c, r[COUNTS], r[COUNTS], to.row_bytes);
    x_movi(c, r[EXECUTED], to.rows - to.row_bytes);
    x_lea(c, r[COUNTS], r[COUNTS], r[EXECUTED], 1, 0);
    x_movzbl_table(c, r[EVENT], r[COUNTER], (uintptr_t)qn_sim_event_of);
    x_movzbl_table(c, r[EVENT], r[EVENT], (uintptr_t)qn_sim_L2_event_of);
    x_lea(c, r[COUNTS], r[COUNTS], r[EVENT], 8, 0);
    x_inc_table(c, r[COUNTS], 8);
    x_movi(c, r[COUNTS], to.sums);
    x_lea(c, r[COUNTS], r[COUNTS], r[EVENT], 8, 0);
    x_inc_table(c, r[COUNTS], 0);
    x_load32(c, r[PLACE], (uintptr_t)&qn_sim_charge_count);
    x_inc(c, (uintptr_t)&qn_sim_charge_count);
    x_alu_imm32(c, 0, X_AND, r[PLACE], QN_SIM_CHARGES - 1);
    x_imul32(c, r[PLACE], r[PLACE], sizeof *qn_sim_charges);
    x_store_imm_table(c, r[PLACE], ring + offsetof(struct qn_sim_charge, n), 1);
    emit_execution(c, r[EXECUTED], r[COUNTER]);
    x_table(c, X_STORE, r[EXECUTED], r[PLACE], ring + offsetof(struct qn_sim_charge, execution));
    x_store32_at(c, r[COUNTER], r[PLACE], 1, ring + offsetof(struct qn_sim_charge, site));
    x_store32_at(c, r[EVENT], r[PLACE], 1, ring + offsetof(struct qn_sim_charge, event));
    if (emit_rules.sums) {
        x_inc_at(c, r[EVENT], 8, emit_rules.sums + 8 * QN_COST_EVENTS);
        x_inc(c, emit_rules.sums + 8 * QN_SUMS_ANY);
    }
    done = x_jmp(c, 0);
    x_patch(first, c->exec);
    x_call(c, emit_c_entry(qn_sim_L2_missed));
    x_patch(done, c->exec);
}

/* The row comes late, and the jump on it is often mispredicted.  So what emit_last_level_account reads is asked for before. */
static void ask_for_counters(struct qn_code *c, const unsigned r[5])
{
    x_load32(c, r[END], CTX(arg_site));
    x_alu_imm32(c, 0, X_AND, r[END], QN_SITE_COUNTER_MASK);
    x_op(c, 0, X_PREFETCHW, 1, QN_REG_NONE, r[END], 8, (int32_t)QN_COUNTERS_BASE);
    emit_execution(c, r[HERE], r[END]);
}

/* A further line, whose address is in arg_aux. */
static void look_up_second(struct qn_code *c, const struct qn_fast_LL *l, const unsigned r[5])
{
    x_push(c, r[MISSED]);
    x_load(c, r[WORD], CTX(arg_aux));
    row_of(c, l, r[WORD], r);
    look_up(c, l, r);
    x_pop(c, r[WORD]);
    x_rr(c, 0, X_OR_TO, r[WORD], r[MISSED]);
}

void emit_last_level_look_up(struct qn_code *c, unsigned address, bool both, const unsigned r[5])
{
    const struct qn_fast_LL *l = qn_fast.L2.ways ? &qn_fast.L2 : &qn_fast.LL;
    uint64_t hit;

    row_of(c, l, address, r);
    ask_for_counters(c, r);
    look_up(c, l, r);
    if (both)
        look_up_second(c, l, r);
    if (l == &qn_fast.LL)
        return;
    x_alu_imm32(c, 0, X_CMPI, r[MISSED], 0);
    hit = x_jcc(c, X_CC_E, 0);
    count_L2_miss(c, r);
    x_load(c, r[WORD], CTX(arg_addr));
    row_of(c, &qn_fast.LL, r[WORD], r);
    look_up(c, &qn_fast.LL, r);
    if (both)
        look_up_second(c, &qn_fast.LL, r);
    x_patch(hit, c->exec);
}

/* Can the levels below a level 1 with lines of this size be simulated in assembly?  A line of it is then in one line of each. */
bool emit_has_levels_below(unsigned line_bits)
{
    const struct qn_fast_LL *const levels[] = {&qn_fast.LL, &qn_fast.L2};
    bool all = qn_fast.LL.ways;

    for (unsigned i = 0; i < 2; i++)
        all &= !levels[i]->ways || (qn_is_pow2(levels[i]->sets) && line_bits <= levels[i]->line_bits);
    return all;
}

bool emit_has_last_level(void) { return emit_has_levels_below(qn_log2(qn_sim_d1_filter.line)); }

/* Simulates the levels below for the reference of arg_site and arg_addr, which has missed the D1 and lies within one of its lines.  address: a
 * register with its address, or that of the line.  Destroys the five registers and the flags. */
void emit_last_level(struct qn_code *c, unsigned address, const unsigned scratch[5])
{
    emit_last_level_look_up(c, address, false, scratch);
    emit_last_level_account(c, scratch);
}
