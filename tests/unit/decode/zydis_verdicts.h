/* zydis_verdicts.h - a fact of an instruction in words, for the list of what quern and Zydis say (zydis-verdicts.txt).
 *
 *   only quern                      aadd %edx,(%rbx) / rejected
 *   registers read                  ax,cx
 *   flags undefined                 PF AF
 *   memory operand                  read 8 bytes at si+cx*4+0x8 */
#ifndef QN_TEST_ZYDIS_VERDICTS_H
#define QN_TEST_ZYDIS_VERDICTS_H

#include <stdarg.h>

#include "decode_facts.h"

#define WORDS 400

struct words {
    char text[WORDS];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void say(struct words *w, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    w->used += vsnprintf(w->text + w->used, WORDS - w->used, format, arguments);
    va_end(arguments);
    if (w->used >= WORDS)
        w->used = WORDS - 1;
}

static const char *general_name(unsigned n)
{
    static const char names[][4] = {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "8",
                                    "9",  "10", "11", "12", "13", "14", "15", "ip"};

    return n <= QN_RIP ? names[n] : "none";
}

static void say_general(struct words *w, unsigned mask)
{
    for (unsigned n = 0; n < 16; n++)
        if (mask >> n & 1)
            say(w, "%s%s", w->used ? "," : "", general_name(n));
}

static void say_flags(struct words *w, unsigned mask)
{
    static const char names[7][3] = {"CF", "PF", "AF", "ZF", "SF", "OF", "DF"};

    for (unsigned n = 0; n < 7; n++)
        if (mask >> n & 1)
            say(w, "%s%s", w->used ? " " : "", names[n]);
}

/* Runs of registers as v0-v15. */
static void say_kind(struct words *w, const char *name, uint32_t mask)
{
    for (unsigned n = 0; n < 32; n++) {
        unsigned last = n;
        if (!(mask >> n & 1))
            continue;
        while (last < 31 && (mask >> (last + 1) & 1))
            last++;
        say(w, "%s%s%u", w->used ? "," : "", name, n);
        if (last > n)
            say(w, "-%s%u", name, last);
        n = last;
    }
}

static void say_others(struct words *w, const struct qn_registers *registers)
{
    static const char kinds[][5] = {"v", "k", "mm", "st", "tmm", "bnd", "seg", "cr", "db"};
    static const char states[][6] = {"fcw", "fsw", "mxcsr", "xcr0", "pkru", "gdtr", "idtr", "ldtr", "tr"};

    for (unsigned kind = 0; kind < QN_KIND_STATE; kind++)
        say_kind(w, kinds[kind], registers->of[kind]);
    for (unsigned n = 0; n < sizeof states / sizeof *states; n++)
        if (registers->of[QN_KIND_STATE] >> n & 1)
            say(w, "%s%s", w->used ? "," : "", states[n]);
}

static void say_address(struct words *w, const struct qn_mem *m)
{
    static const char segments[][4] = {"", "fs:", "gs:", "es:", "cs:", "ss:", "ds:"};
    const char *plus = "";

    say(w, "%s", segments[m->seg]);
    if (m->base != QN_REG_NONE) {
        say(w, "%s", general_name(m->base));
        plus = "+";
    }
    if (m->index != QN_REG_NONE) {
        say(w, "%s%s%s*%u", plus, m->vsib ? "v" : "", general_name(m->index), m->scale);
        plus = "+";
    }
    if (m->disp || !*plus)
        say(w, "%s0x%llx", m->disp < 0 ? "-" : plus, (unsigned long long)(m->disp < 0 ? -m->disp : m->disp));
}

static void say_memories(struct words *w, const struct facts *f)
{
    static const char access[][9] = {"name", "read", "write", "modify"};

    for (unsigned i = 0; i < f->n_mem; i++) {
        const struct qn_mem *m = &f->mem[i];
        say(w, "%s%s %u bytes at ", i ? ", " : "", access[m->access], m->size);
        say_address(w, m);
        say(w, "%s", m->addr16 ? " (16 bits)" : m->addr32 ? " (32 bits)" : "");
    }
}

/* `what` as difference() of decode_facts.h says it; `text` of an instruction that only one of the two accepts. */
static void say_fact(struct words *w, const struct facts *f, const char *what, const char *text)
{
    w->used = 0;
    w->text[0] = 0;
    if (!strncmp(what, "only", 4))
        say(w, "%s", f->accepted ? text : "rejected");
    else if (!strcmp(what, "length"))
        say(w, "%u", f->len);
    else if (strstr(what, "memory") || strstr(what, "SIB"))
        say_memories(w, f);
    else if (!strncmp(what, "registers", 9))
        say_general(w, strstr(what, "read") ? f->reads : f->writes);
    else if (!strncmp(what, "other", 5))
        say_others(w, strstr(what, "read") ? &f->other_reads : &f->other_writes);
    else if (!strcmp(what, "flags read"))
        say_flags(w, f->flags_read);
    else if (!strcmp(what, "flags written"))
        say_flags(w, f->flags_written);
    else if (!strcmp(what, "flags undefined"))
        say_flags(w, f->flags_undef);
    else if (!strcmp(what, "branch"))
        say(w, "%s", *f->branch ? f->branch : "no");
    else if (!strcmp(what, "target"))
        say(w, "%llx", (unsigned long long)f->target);
    else if (!strcmp(what, "privilege"))
        say(w, "%s", f->privileged ? "privileged" : "not");
    else if (!strcmp(what, "features"))
        say(w, "%s", f->features);
    if (!w->used)
        say(w, "none");
}

#endif
