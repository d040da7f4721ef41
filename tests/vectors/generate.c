/* tests/vectors/generate.c - make vectors; see vector.h.
 *
 * Strings are drawn (tests/unit/decode/input.h) until every form of the opcode tables that they reach has its share, then
 * registers, displacement and stack are chosen so that memory operands mostly lie in the arena and branches in the slot.
 * Left out: what would leave the sandbox or differ from run to run (forbidden()). */
#include "../unit/decode/input.h"

#include "vector.h"

#define ADDRESS 0x7fffffffffffull

#define FORMS 4096             /* more than there are */
#define DRAWS_IN_VAIN 100000

static uint64_t state;
static enum qn_machine host;

static uint64_t draw(void)
{
    return vector_random(&state);
}

static bool one_in(unsigned n)
{
    return draw() % n == 0;
}

/* Time, chance, the processor at hand, other vendors' hypercalls (a hypervisor may rewrite them). */
static bool is_never_the_same(const struct qn_insn *in)
{
    bool legacy = in->encoding == QN_ENC_LEGACY;
    unsigned reg = in->modrm >> 3 & 7;
    bool registers = in->modrm_off && in->modrm >= 0xc0;
    bool fs_base = in->opcode == 0xae && registers && reg == 0 && in->rep_prefix == 0xf3;
    bool plain_system = in->modrm == 0xd0 || in->modrm == 0xfc; /* xgetbv, clzero */
    bool stores_table = in->opcode == 0x01 && !registers && reg < 2; /* sgdt, sidt: tables.c */

    if (in->attr & QN_ATTR_RDTSC)
        return true;
    if (!legacy || in->map != 1)
        return false;
    return in->opcode == 0x33 || in->opcode == 0xa2 /* rdpmc, cpuid: quern hides transactions */ ||
           (in->opcode == 0xc7 && registers && reg >= 6) /* rdrand, rdseed, rdpid */ ||
           fs_base || stores_table ||
           (in->opcode == 0x01 && registers && !plain_system) /* hypercalls, waiting, keys, rdpru */;
}

/* Would leave the sandbox, or is refused by quern and documented so. */
static bool forbidden(const struct qn_insn *in)
{
    bool legacy = in->encoding == QN_ENC_LEGACY;
    bool loads_fs = (in->attr & QN_ATTR_FSGSBASE) != 0;
    bool waits = legacy && in->map == 1 && in->opcode == 0xae && in->modrm >= 0xf0 && in->rep_prefix;
    bool int_80 = in->cls == QN_CLS_INT && (in->imm & 0xff) == 0x80;
    bool sets_pkru = legacy && in->map == 1 && (in->opcode == 0xae || in->opcode == 0xc7) && (in->attr & QN_ATTR_XSAVE) &&
                     in->mem[0].access == QN_ACC_READ;
    bool far_below = (in->attr & QN_ATTR_IP16) && in->cls != QN_CLS_JCC && in->cls != QN_CLS_JMP;

    for (unsigned i = 0; i < in->n_mem; i++)
        if (in->mem[i].seg == QN_SEG_FS)
            return true;
    return in->cls == QN_CLS_SYSCALL || in->cls == QN_CLS_SYSENTER || in->cls == QN_CLS_FAR ||
           in->cls == QN_CLS_XBEGIN || int_80 || loads_fs || waits || sets_pkru || far_below ||
           is_never_the_same(in);
}

static uint64_t interesting(void)
{
    static const uint64_t some[] = {0, 1, ~0ull, 1ull << 63, 0x7fffffff, 0x80000000, 0xff, 0x8000, 0x7f};

    switch (draw() % 8) {
    case 0:
        return some[draw() % (sizeof some / sizeof *some)];
    case 1:
    case 2:
        return draw() % 256;
    case 3:
        return ARENA + ARENA_POINTER + draw() % 64;
    default: /* no address: under quern more is mapped than natively */
        return draw() | 1ull << 62;
    }
}

/* Mostly aligned for everything. */
static uint64_t operand_address(unsigned size)
{
    uint64_t at = ARENA + ARENA_POINTER;

    if (one_in(40))
        return ARENA + ARENA_SIZE - draw() % (size < 64 ? size + 2 : 64); /* the end of what is mapped */
    if (size < 256)
        at += draw() % 8 * 64;
    return one_in(3) ? at + draw() % 64 : at;
}

static void put_little_endian(uint8_t *to, unsigned n, uint64_t value)
{
    for (unsigned i = 0; i < n; i++)
        to[i] = value >> 8 * i;
}

static void patch_displacement(struct vector *v, const struct qn_insn *in, uint64_t value)
{
    put_little_endian(v->bytes + in->disp_off, in->disp_len, value);
}

/* Choose base and index, or the displacement, for address `at`; `slot` is where the instruction will lie. */
static void place_memory(struct vector *v, const struct qn_insn *in, const struct qn_mem *m, uint64_t at, uint64_t slot)
{
    uint64_t offset = at - (m->seg == QN_SEG_GS ? GS_BASE : 0);
    bool has_index = m->index != QN_REG_NONE && !m->vsib;

    if (m->base == QN_RIP) {
        patch_displacement(v, in, offset - (slot + in->len));
        return;
    }
    if (m->base == QN_REG_NONE && !has_index) {
        if (in->disp_len >= 4)
            patch_displacement(v, in, offset);
        return;
    }
    offset -= (uint64_t)m->disp;
    if (has_index && m->index != m->base && m->base != QN_REG_NONE) {
        v->gpr[m->index] = draw() % 8;
        offset -= v->gpr[m->index] * m->scale;
    } else if (has_index) { /* index alone, or the same register twice */
        offset /= m->scale + (m->base != QN_REG_NONE);
    }
    if (m->addr32)
        offset = (uint32_t)offset | draw() << 32;
    v->gpr[m->base != QN_REG_NONE ? m->base : m->index] = offset;
}

/* An x87 instruction pointer that is loaded must not be one into quern's code cache (bits 29 and 30 set), which it would take
 * for its own when it is stored. */
static void patch_loaded_pointer(struct vector *v, const struct qn_insn *in, const struct qn_mem *m, uint64_t at)
{
    bool environment = in->map == 0 && (m->size == 28 || m->size == 108);
    bool image = in->map == 1 && m->size == 512;

    if (!(in->attr & QN_ATTR_X87) || m->access != QN_ACC_READ || !(environment || image))
        return;
    v->patch_at = at - ARENA + (image ? 8 : 12);
    v->patch = draw() & ~0x60000000ull;
}

static void place_operands(struct vector *v, const struct qn_insn *in, uint64_t slot)
{
    for (unsigned i = 0; i < in->n_mem; i++) {
        const struct qn_mem *m = &in->mem[i];
        uint64_t at = operand_address(in->attr & QN_ATTR_XSAVE ? 4096 : m->size);
        if (m->base == QN_RSP && !m->is_modrm)
            continue; /* rsp points into the arena as it is */
        place_memory(v, in, m, at, slot);
        patch_loaded_pointer(v, in, m, at);
        if (m->vsib)
            v->vsib_reg = m->index, v->vsib_bytes = m->vsib;
    }
}

/* Direct branches lead to the second end; indirect ones find its address in the register or in memory. */
static void place_branch(struct vector *v, const struct qn_insn *in, uint64_t slot)
{
    uint64_t taken = slot + SLOT_TAKEN;
    bool direct = in->cls == QN_CLS_JCC || in->cls == QN_CLS_JMP || in->cls == QN_CLS_CALL || in->cls == QN_CLS_LOOP ||
                  in->cls == QN_CLS_JRCXZ;

    if (direct) {
        put_little_endian(v->bytes + in->imm_off, in->imm_len, SLOT_TAKEN - in->len);
        return;
    }
    v->patch = taken;
    if (in->cls == QN_CLS_RET)
        v->patch_at = v->gpr[QN_RSP] - ARENA;
    else if (in->modrm >= 0xc0)
        v->gpr[(in->modrm & 7) | (in->rex & 1 ? 8 : 0)] = taken;
    else if (in->mem[0].base != QN_RSP)
        v->patch_at = 0; /* found by the caller */
}

/* Where the first operand of ModRM will be, if it is in the arena. */
static uint64_t address_of(const struct vector *v, const struct qn_insn *in, const struct qn_mem *m, uint64_t slot)
{
    uint64_t at = (uint64_t)m->disp;

    if (m->base == QN_RIP)
        at = slot + in->len + (uint64_t)(int64_t)*(const int32_t *)(v->bytes + in->disp_off);
    else if (m->base != QN_REG_NONE)
        at += v->gpr[m->base];
    if (m->base == QN_REG_NONE && in->disp_len == 4)
        at = (uint64_t)(int64_t)*(const int32_t *)(v->bytes + in->disp_off);
    if (m->index != QN_REG_NONE && !m->vsib)
        at += v->gpr[m->index] * m->scale;
    if (m->addr32)
        at = (uint32_t)at;
    return at + (m->seg == QN_SEG_GS ? GS_BASE : 0);
}

static void fill(struct vector *v, const struct qn_insn *in, uint64_t slot)
{
    v->form = in->entry;
    v->vsib_reg = 255;
    v->patch_at = ARENA_SIZE;
    v->seed = draw();
    v->flags = (draw() & 0xcd5) | 0x202; /* status flags and DF */
    for (unsigned i = 0; i < 16; i++)
        v->gpr[i] = interesting();
    if ((in->reads | in->writes) >> QN_RSP & 1)
        v->gpr[QN_RSP] = ARENA + ARENA_STACK + draw() % 2 * 8;
    else
        v->gpr[QN_RSP] &= ADDRESS; /* with another, some hypervisors let no interrupted program go on */
    if (in->cls == QN_CLS_LOOP || in->cls == QN_CLS_JRCXZ || (in->attr & (QN_ATTR_REP | QN_ATTR_REPNE)))
        v->gpr[QN_RCX] = draw() % 12;
    if ((in->attr & QN_ATTR_BT_REG) && !one_in(8))
        v->gpr[(in->modrm >> 3 & 7) | (in->rex & 4 ? 8 : 0)] = draw() % 1024;
    place_operands(v, in, slot);
    if (in->cls != QN_CLS_OTHER)
        place_branch(v, in, slot);
    if (in->cls == QN_CLS_JMP_IND || in->cls == QN_CLS_CALL_IND)
        v->patch_at = in->n_mem && in->mem[0].is_modrm ? address_of(v, in, &in->mem[0], slot) - ARENA : ARENA_SIZE;
    if (in->cls == QN_CLS_INT && one_in(2)) /* the two that user mode may call */
        v->bytes[in->imm_off] = 3 + draw() % 2;
    if (in->attr & QN_ATTR_POPF) { /* no single steps, no alignment checks */
        v->patch_at = v->gpr[QN_RSP] - ARENA;
        v->patch = (draw() & 0xcd5) | 0x202;
    }
}

static void draw_string(uint8_t bytes[QN_INSN_MAX_LEN])
{
    random_state = draw();
    if (one_in(2))
        systematic_string(draw() % SYSTEMATIC, QN_MACHINE_64, bytes);
    else if (one_in(2))
        systematic_string(draw() % (SYSTEMATIC_LEGACY * BLOCK), QN_MACHINE_64, bytes);
    else
        random_string(QN_MACHINE_64, bytes);
}

static const char *allowed; /* features, separated by commas; NULL: all */

static bool needs_another(const struct qn_insn *in)
{
    const struct qn_feature *needs[QN_FEATURES_MAX];
    bool found = true;

    for (size_t n = allowed ? qn_decode_features(in, needs) : 0; found && n; n--) {
        const char *name = needs[n - 1]->name, *p = allowed;
        size_t length = strlen(name);

        found = needs[n - 1]->reg == QN_REG_NONE;
        for (; !found && p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
            found = !strncmp(p, name, length) && (!p[length] || p[length] == ',');
    }
    return !found;
}

/* Operand and address of the vector as they will be, for the facts depend on the displacement that was patched. */
static bool make(struct vector *v, uint64_t slot)
{
    struct qn_insn in;

    memset(v, 0, sizeof *v);
    draw_string(v->bytes);
    if (qn_decode_insn_for(host, v->bytes, sizeof v->bytes, &in) != QN_DEC_OK || forbidden(&in) || needs_another(&in))
        return false;
    v->len = in.len;
    fill(v, &in, slot);
    return true;
}

/* Every form gets `share` vectors; when hardly a string fills a share any more, all shares grow. */
static void generate(unsigned long count)
{
    static unsigned long made[FORMS];
    unsigned long written = 0, in_vain = 0, share = count / FORMS + 2;

    while (written < count) {
        struct vector v;
        if (++in_vain > DRAWS_IN_VAIN) {
            share += share / 4 + 1;
            in_vain = 0;
        }
        if (!make(&v, SLOTS + written % BATCH * SLOT_SIZE) || made[v.form] >= share)
            continue;
        made[v.form]++;
        in_vain = 0;
        fwrite(&v, sizeof v, 1, stdout);
        written++;
    }
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        fputs("usage: generate COUNT SEED [FEATURE,...] >FILE\n", stderr);
        return 2;
    }
    state = strtoull(argv[2], NULL, 0);
    host = qn_decode_host();
    allowed = argv[3];
    generate(strtoul(argv[1], NULL, 0));
    return fflush(stdout) || ferror(stdout);
}
