/* lib/emit/flags.c - saves the guest's status flags while emitted checks change them.
 *
 * Dead flags are not saved.  Live flags are saved to ctx.saved_flags once, stay there over as many events as
 * possible, and are restored before the next instruction that reads them, or does not write all of them.
 */
#include "emit/internal.h"

struct qn_emit_stats qn_emit_stats;

/* Saves rax, which lahf and sahf need: in S1 if it is borrowed, otherwise in memory. */
static void park_rax(struct emitter *e)
{
    if (e->borrowed)
        x_mov(&e->hot, e->s1, QN_RAX);
    else
        x_store(&e->hot, CTX(tmp), QN_RAX);
}

static void unpark_rax(struct emitter *e)
{
    if (e->borrowed)
        x_mov(&e->hot, QN_RAX, e->s1);
    else
        x_load(&e->hot, QN_RAX, CTX(tmp));
}

void emit_save_flags(struct emitter *e)
{
    if (e->flags_saved)
        return;
    park_rax(e);
    x_byte(&e->hot, 0x9f);                 /* lahf */
    x_bytes(&e->hot, "\x0f\x90\xc0", 3);   /* seto %al */
    x_store32(&e->hot, CTX(saved_flags), QN_RAX);
    unpark_rax(e);
    e->flags_saved = true;
    qn_emit_stats.flag_saves++;
}

void emit_restore_flags(struct emitter *e)
{
    if (!e->flags_saved)
        return;
    park_rax(e);
    x_load32(&e->hot, QN_RAX, CTX(saved_flags));
    x_bytes(&e->hot, "\x04\x7f", 2);       /* add $127, %al: overflows if OF was set */
    x_byte(&e->hot, 0x9e);                 /* sahf */
    unpark_rax(e);
    e->flags_saved = false;
}

bool emit_flags_free(const struct emitter *e, unsigned i)
{
    return e->flags_saved || e->b->live[i] == 0;
}

void emit_need_flags(struct emitter *e, unsigned i)
{
    if (!emit_flags_free(e, i))
        emit_save_flags(e);
}

/* The flags whose new values do not depend on the old ones.  Flags that an instruction leaves undefined may: processors keep some of them.
 * But if AF alone is undefined, as after logic and shifts, it does not. */
static uint8_t surely_written(const struct emitter *e, const struct qn_insn *in)
{
    return e->b->exact_flags && (in->flags_undef & ~QN_AF) ? in->flags_written & (uint8_t)~in->flags_undef : in->flags_written;
}

bool emit_flags_before(struct emitter *e, unsigned i)
{
    const struct qn_insn *in = &e->b->insn[i];
    uint8_t reads = in->flags_read & QN_FLAGS_STATUS;
    uint8_t writes = (in->flags_written | in->flags_maywrite) & QN_FLAGS_STATUS;

    if (!e->flags_saved)
        return false;
    if (reads || (writes && (e->b->live[i + 1] & ~surely_written(e, in)))) {
        emit_restore_flags(e);
        return false;
    }
    if (writes || e->b->live[i + 1] == 0)
        e->flags_saved = false;
    return true;
}
