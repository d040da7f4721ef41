/* lib/sim/bank.c - see bank.h. */
#include "sim/bank.h"

#include "sim/module.h"

static struct qn_bank *open_bank; /* NULL: none */

/* Not memcpy: a sanitizer lets nothing copy what lies between two variables. */
static void copy(void *to, const void *from, uint64_t bytes)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

static uint8_t *put_away(const struct qn_bank *b, uint8_t *image)
{
    uint8_t *to = image ? image : sim_alloc(b->bytes + 1);

    image = to;
    for (uint32_t i = 0; i < b->parts; to += b->part[i++].bytes)
        copy(to, b->part[i].at, b->part[i].bytes);
    return image;
}

void qn_bank_open(struct qn_bank *bank) { open_bank = bank; }

void qn_bank_add(struct qn_bank *b, void *at, uint64_t bytes)
{
    if (b->parts == QN_BANK_PARTS)
        sim_fail("?", "?", "sim_alloc", 0, "is called more often at the start than --cores has room for");
    b->part[b->parts].at = at;
    b->part[b->parts++].bytes = bytes;
    b->bytes += bytes;
}

void qn_bank_note(void *at, uint64_t bytes)
{
    if (open_bank)
        qn_bank_add(open_bank, at, bytes);
}

void qn_bank_close(struct qn_bank *b)
{
    open_bank = NULL;
    b->fresh = put_away(b, NULL);
}

void qn_bank_turn(struct qn_bank *b, uint32_t core)
{
    const uint8_t *from = b->away[core] ? b->away[core] : b->fresh;

    if (core == b->running || !b->parts)
        return;
    b->away[b->running] = put_away(b, b->away[b->running]);
    b->running = core;
    for (uint32_t i = 0; i < b->parts; from += b->part[i++].bytes)
        copy(b->part[i].at, from, b->part[i].bytes);
}
