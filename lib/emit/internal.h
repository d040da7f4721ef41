/* lib/emit/internal.h - the state of the emitter, and the functions that files of this folder share. */
#ifndef QN_EMIT_INTERNAL_H
#define QN_EMIT_INTERNAL_H

#include "base/context.h"
#include "emit/emit.h"
#include "emit/x86.h"
#include "sim/contract.h"
#include "sim/fast/fast.h"

struct emitter {
    struct qn_code hot, cold;
    const struct qn_block *b;
    const struct qn_event_list *list;
    uint32_t counter;         /* index of the execution counter */
    uint32_t centre;          /* event counter k is at centre + k */
    uint64_t sample;          /* address of the block's countdown, 0 = none */
    uint32_t index;           /* the block's index after the commit */
    bool borrowed;            /* this block borrows scratch registers */
    uint64_t entry3;          /* the entry after the check of the first code line */
    uint64_t touched;         /* code line that the last emitted fetch check touched, ~0 = none */
    bool flags_saved;         /* the guest's flags are in ctx.saved_flags, not in the processor */
    uint8_t now, s1, s2;
    uint8_t s3;               /* QN_NO_REG unless references are logged without a jump */
    bool log_open;            /* S2 = address of the log's next entry */
    bool has_open, item_open; /* the block has open items (contract.h); references from C belong to one */
    uint32_t id;              /* the block's number for the recorder */
    uint32_t data_time, code_time; /* the next data reference has the time clock + data_time; the next fetch, clock + code_time */
    bool refs_counted, numbered; /* the block's references have been counted; --explain: and are numbered from there (check.c) */
    uint16_t refs, made;      /* their number; the number of those emitted so far */
    uint16_t left[QN_BLOCK_MAX]; /* by instruction: the number of those of it and of later ones, if they have been counted */
    struct qn_tblock out;
    struct qn_side side[QN_BLOCK_MAX];
    uint8_t pos[QN_EVENTS_MAX];     /* event e is emitted before instruction pos[e] */
    int32_t shift[QN_EVENTS_MAX];   /* correction of a hoisted stack reference's displacement */
};

extern struct qn_emit_rules emit_rules;
extern struct qn_emit_hooks emit_hooks;

#define CTX(field) ((uint64_t)(uintptr_t)&qn_ctx.field)
#define CTX_GPR(r) ((uint64_t)(uintptr_t)&qn_ctx.gpr[r])

static inline uint64_t counter_address(uint32_t index) { return QN_COUNTERS_BASE + 8ull * index; }

/* Swaps hot and cold code: functions that write hot code then write cold code, until the next swap. */
static inline void emit_swap(struct emitter *e)
{
    struct qn_code hot = e->hot;

    e->hot = e->cold;
    e->cold = hot;
}

/* emit.c */
void emit_save_flags(struct emitter *e);
void emit_restore_flags(struct emitter *e);
bool emit_flags_free(const struct emitter *e, unsigned i); /* may the flags be destroyed before instruction i? */
void emit_need_flags(struct emitter *e, unsigned i);   /* make them free */
bool emit_can_stand_at(const struct emitter *e, const struct qn_event *ev, unsigned position, int32_t *shift);
void emit_count_execution(struct emitter *e);
void emit_add_with_lea(struct emitter *e, uint64_t counter, int32_t n); /* n to a counter in memory; does not change the flags */

/* copy.c */
void emit_copy(struct emitter *e, unsigned i);
void emit_string(struct emitter *e, unsigned i, const struct qn_event *ev);
void emit_load_operand(struct emitter *e, unsigned i, unsigned dst); /* mov <r/m of instruction i>, %dst */

/* stub.c: calls of C */
uint64_t emit_c_entry(qn_slow_call *fn); /* the function's entry for translated code that is on the engine's stack */
void emit_slow_call(struct qn_code *c, qn_slow_call *fn);
void emit_slow_call_at(struct qn_code *c, uint64_t target);
void emit_slow_stack_in(struct qn_code *c);  /* switch to the engine's stack: pushes no longer touch guest memory */
void emit_slow_stack_out(struct qn_code *c); /* switch back */
void emit_store_const(struct qn_code *c, uint64_t abs, uint64_t value);
void emit_frame_out(const struct emitter *e, struct qn_code *c); /* stores rbp in ctx.gpr, if frames are needed (--data) */

/* stub.c: stubs */
struct qn_code emit_stub_begin(unsigned bytes, bool needed);
void emit_stub_end(const struct qn_code *c);
/* The number of the block's scratch registers (now, s1, s2), from 1, in the order of first use, so that tables indexed by it are dense. */
#define QN_SCRATCH_SETS (16 * 16 * 16 + 1)
unsigned emit_scratch_number(const struct emitter *e);
void emit_spare_registers(const struct emitter *e, unsigned n, unsigned r[]);
void emit_save(struct qn_code *c, unsigned n, const unsigned r[]);
void emit_restore(struct qn_code *c, unsigned n, const unsigned r[]); /* after emit_save */
uint32_t emit_fetch_stub(const struct emitter *e);
/* again: the address of the table with which S1 has been compared; 0: S1 is the address */
uint32_t emit_reference_stub(const struct emitter *e, qn_slow_call *fn, uint64_t again);

/* stub.c: the last level */
bool emit_has_levels_below(unsigned line_bits), emit_has_last_level(void);
void emit_last_level(struct qn_code *c, unsigned address, const unsigned scratch[5]); /* as the next one */
/* 0 or 1 in scratch[2]: it missed.  With an L2, arg_addr is the address, too.  both: of two lines; arg_aux: the address of the other. */
void emit_last_level_look_up(struct qn_code *c, unsigned address, bool both, const unsigned scratch[5]);
void emit_last_level_account(struct qn_code *c, const unsigned scratch[5]);
void emit_execution(struct qn_code *c, unsigned to, unsigned counter); /* to = qn_sim_execution(counter) */

/* lru_stub.c */
uint32_t emit_lru_stub(const struct emitter *e, const struct qn_event *ev, bool known);

/* log.c */
void emit_log_append(struct qn_code *c, unsigned address, unsigned s1, unsigned s2, int32_t site, enum qn_log_kind kind, unsigned size);
bool emit_logs(const struct qn_event *ev); /* is this reference logged without a jump? */
void emit_log(struct emitter *e, const struct qn_event *ev, int32_t shift);
void emit_log_flush(struct emitter *e);
void emit_log_mark(struct emitter *e);
enum qn_log_kind emit_kind(const struct qn_event *ev);
void emit_record_define(struct emitter *e);
void emit_record_block(struct emitter *e);
bool emit_record_event(struct emitter *e, const struct qn_event *ev, unsigned i); /* true: the event is recorded, and needs no other code */
void emit_record_end(struct emitter *e);
void emit_record_arm(struct emitter *e, bool taken); /* does not change the flags; nor does the next */
void emit_record_target(struct emitter *e); /* in standard state, the target in r11 */

/* fetch.c */
void emit_fetch(struct emitter *e, const struct qn_event *ev);
uint64_t emit_fetch_or_enter(struct emitter *e, const struct qn_event *ev);

/* check.c */
uint32_t emit_site(const struct emitter *e, const struct qn_event *ev);
uint32_t emit_aux(const struct emitter *e, const struct qn_event *ev); /* the value of arg_aux for this event */
qn_slow_call *emit_slow_entry(const struct qn_event *ev); /* for reads, writes or modifies; without qn_sim_kinds, that for reads */
void emit_address(struct emitter *e, const struct qn_mem *m, const struct qn_insn *in, uint64_t next, int32_t shift);
void emit_offset(struct emitter *e, unsigned dst, unsigned shift, uint32_t mask);
void emit_data(struct emitter *e, const struct qn_event *ev, int32_t shift);
unsigned emit_group(struct emitter *e, unsigned n, unsigned position);
void emit_complex(struct emitter *e, const struct qn_event *ev);
unsigned emit_time_register(struct emitter *e, uint32_t offset); /* a register with clock + offset: the clock's, or S1 */
void emit_clock(struct emitter *e, struct qn_code *c); /* advances the clock register past the times used so far */
void emit_clock_out(struct emitter *e);                /* ctx.now = clock */
void emit_clock_in(struct emitter *e);                 /* and back */
void emit_refs_begin(struct emitter *e);
void emit_refs_count(struct emitter *e);       /* all references of the block */
void emit_refs_make(struct emitter *e, unsigned n, unsigned end); /* of the events from n to end - 1, the next ones are emitted now */
void emit_refs_at(struct emitter *e, unsigned i); /* instruction i is emitted now */
void emit_refs_left(struct emitter *e);        /* at the block's end: for faults */
void emit_refs_ahead(struct emitter *e, struct qn_code *c); /* before a call of C that tells the shadow model */

/* shadow_model.c */
void emit_check_shadow(struct emitter *e, const struct qn_event *ev, qn_slow_call *fn);
bool emit_shadow_passes(void);                   /* are references counted by block, and do some not call the shadow model? */
/* Is the shadow model called only where A has been called or where B's filter fails?  If so, emit_shadow_data and emit_shadow_fetch are for the rest. */
bool emit_shadow_is_inline(const struct qn_event *ev);
uint64_t emit_shadow_point(struct emitter *e);   /* S2 = offset of A's entry, which has passed: B's; where the jump to slow code ends */
uint64_t emit_shadow_point_known(struct emitter *e, uint32_t at);
void emit_shadow_data_slow(struct emitter *e, const struct qn_event *ev, int32_t shift, uint64_t from, uint64_t back);
void emit_shadow_data(struct emitter *e, const struct qn_event *ev, int32_t shift);
bool emit_shadow_repeats(const struct qn_event *ev); /* does this fetch only need to be counted? */
void emit_shadow_fetch(struct emitter *e, const struct qn_event *ev);
uint64_t emit_shadow_fetch_slow(struct emitter *e, const struct qn_event *ev, uint64_t back);

/* branch.c */
void emit_call(struct emitter *e, const struct qn_event *ev);
void emit_fixed_cond(struct emitter *e, const struct qn_event *ev);
void emit_jcc(struct emitter *e);  /* the last instruction of the block; so are the next two */
void emit_loop(struct emitter *e); /* loop and jrcxz */
void emit_indirect(struct emitter *e);
uint32_t emit_miss_stub(unsigned mode);
void emit_leave_standard_state(struct qn_code *c, enum qn_exit_kind kind); /* to the dispatcher, rip = r11, all registers native */

/* exits.c */
struct emit_scratch {
    uint8_t now;              /* the clock's register */
    uint16_t regs;            /* a bit for each borrowed register, including the clock's */
};
extern const struct emit_scratch emit_standard; /* of the standard state (branch.c) */
struct emit_scratch emit_borrowed(const struct emitter *e);
void emit_shuffle(struct qn_code *c, struct emit_scratch from, struct emit_scratch to);
void emit_give_back(struct emitter *e, struct qn_code *c);
void emit_entries(struct emitter *e);
void emit_verify(struct emitter *e);
void emit_countdown(struct emitter *e);
void emit_probe(struct emitter *e);
void emit_side_exit(struct emitter *e, enum qn_exit_kind kind, uint64_t pc, void (*undo)(struct emitter *));
void emit_side_exit_if(struct emitter *e, unsigned cond, enum qn_exit_kind kind, uint64_t pc, void (*undo)(struct emitter *));
void emit_direct_exit(struct emitter *e, uint64_t target); /* of the branch that ends the hot code */
void emit_jump_out(struct emitter *e, uint64_t target);
void emit_mark_side(struct emitter *e, unsigned i, unsigned state); /* an entry of the side table: instruction i begins here; QN_SIDE_* */
void emit_push_const(struct emitter *e, uint64_t value);
void emit_end(struct emitter *e);

/* calls.c */
void emit_calls_begin(struct emitter *e);  /* before the block counts anything */
void emit_calls_add(struct emitter *e);    /* with the block's execution */
void emit_calls_end(struct emitter *e);    /* before its last instruction, if that is a branch */
void emit_calls_return(struct emitter *e); /* in standard state but for rcx */

/* observe.c */
void emit_sample_entry(struct emitter *e);
bool emit_samples_branch(const struct emitter *e); /* the countdown stands at the branch */
void emit_sample_jump(struct emitter *e);
struct qn_code emit_sample_indirect(struct emitter *e);
void emit_sample_behind(struct emitter *e, struct qn_code branch);
void emit_steps(struct emitter *e);
void emit_step(struct emitter *e);
bool emit_trace_fits(const struct qn_block *b); /* can all instructions of the block be recorded? */
void emit_observed(struct emitter *e); /* at the entry */
void emit_trace_before(struct emitter *e, unsigned i);
void emit_trace_after(struct emitter *e, unsigned i);

#endif
