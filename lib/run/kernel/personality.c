/* lib/run/kernel/personality.c - personality(): for the program itself, --aslr decides whether addresses vary; for programs that it executes
 * and that are not traced, its own call decides, which gdb and setarch need. */
#include "run/run.h"

#define ADDR_NO_RANDOMIZE_ 0x0040000u
#define ASK 0xffffffffu

/* The personality that the program has chosen. */
uint32_t qn_personality(void)
{
    uint32_t host = (uint32_t)qn_sys1(__NR_personality, ASK);

    return (host & ~ADDR_NO_RANDOMIZE_) | (qn_self->fixed_places ? ADDR_NO_RANDOMIZE_ : 0);
}

long qn_sys_personality(uint32_t wanted)
{
    uint32_t before = qn_personality();
    long r;

    if (wanted == ASK)
        return before;
    r = qn_sys1(__NR_personality, qn_cfg()->aslr ? wanted : wanted | ADDR_NO_RANDOMIZE_);
    if (qn_sys_failed(r))
        return r;
    qn_self->fixed_places = (wanted & ADDR_NO_RANDOMIZE_) != 0;
    return before;
}
