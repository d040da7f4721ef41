/* tests/models/generate.c - traces for the comparison of modules with models: random and structured, from a seed. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define DATA 0x500000
#define CODE 0x401000

/* splitmix64 (Steele, Lea, Flood 2014) */
uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

static void add(struct trace_ops *t, struct op_record op)
{
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->ops = realloc(t->ops, t->room * sizeof *t->ops);
        if (!t->ops)
            abort();
    }
    t->ops[t->n++] = op;
}

static unsigned some_size(uint64_t *s)
{
    static const unsigned sizes[] = {1, 2, 4, 4, 8, 8, 8, 16, 32, 64, 100, 512};

    return sizes[draw(s) % 12];
}

static void add_data(struct trace_ops *t, uint64_t *s, uint64_t addr, unsigned size)
{
    static const enum op ops[] = {OP_READ, OP_READ, OP_READ, OP_WRITE, OP_MODIFY};

    add(t, (struct op_record){.op = ops[draw(s) % 5], .addr = addr, .size = size});
}

static void add_random(struct trace_ops *t, uint64_t *s, uint64_t span)
{
    add_data(t, s, DATA + draw(s) % span, some_size(s));
}

static void add_zipf(struct trace_ops *t, uint64_t *s)
{
    uint64_t rank = 1;

    while (rank < 4096 && draw(s) % 100 < 70)
        rank = rank * 2 + draw(s) % 2;
    add_data(t, s, DATA + rank * 48, 4);
}

/* A loop of code with a few calls far away. */
static void add_code(struct trace_ops *t, uint64_t *s, size_t i)
{
    uint64_t at = draw(s) % 16 == 0 ? CODE + draw(s) % 65536 : CODE + i * 5 % 700;

    add(t, (struct op_record){.op = OP_FETCH, .addr = at, .size = 1 + (unsigned)(draw(s) % 15)});
}

/* Branches: nested loops, patterns, correlated, random. */
static void add_branch(struct trace_ops *t, uint64_t *s, size_t i)
{
    static bool last;
    unsigned site = (unsigned)(draw(s) % 7);
    bool taken;

    switch (site) {
    case 0: taken = i % 5 != 4; break;
    case 1: taken = i % 2; break;
    case 2: taken = last; break;
    case 3: taken = draw(s) % 8 != 0; break;
    case 4: taken = draw(s) % 2; break;
    case 5: taken = !last; break;
    default:
        add(t, (struct op_record){.op = OP_INDIRECT, .addr = CODE + 7 * (draw(s) % 40), .target = CODE + 64 * (i % 3)});
        return;
    }
    last = taken;
    add(t, (struct op_record){.op = OP_COND, .addr = CODE + site * 1021, .taken = taken, .backward = site == 0 || site == 3});
}

/* Branches at many places, some of them indirect: tables overflow, sets fill.  Each place has a habit of its own. */
static void add_site(struct trace_ops *t, uint64_t *s, size_t i)
{
    uint64_t site = draw(s) % 16 ? draw(s) % 300 : draw(s) % 20000, pc = CODE + site * 7;

    if (site % 5 == 0)
        add(t, (struct op_record){.op = OP_INDIRECT, .addr = pc, .target = CODE + 64 * (site % 3 ? site % 7 : draw(s) % 4)});
    else
        add(t, (struct op_record){.op = OP_COND, .addr = pc, .backward = site % 2,
                                  .taken = site % 4 == 3 ? (i / 3 + site) % 2 : draw(s) % 16 < site % 17});
}

/* Calls and returns, now deep, now shallow; sometimes one returns elsewhere, or a frame is skipped (longjmp). */
static void add_call(struct trace_ops *t, uint64_t *s, size_t i)
{
    static uint64_t frames[4096];
    static unsigned depth;
    uint64_t pc = CODE + draw(s) % 5000;

    if (depth == 0 || (depth < 4096 && draw(s) % 100 < (i / 200 % 2 ? 60 : 40))) {
        frames[depth++] = pc + 5;
        add(t, (struct op_record){.op = OP_CALL, .addr = pc, .target = pc + 5});
    } else {
        depth -= draw(s) % 50 == 0 && depth > 1;
        add(t, (struct op_record){.op = OP_RETURN, .addr = pc, .target = frames[--depth] + (draw(s) % 50 == 0)});
    }
}

/* for (i < n) for (j < k) ;  two loop-closing branches */
static void add_nest(struct trace_ops *t, size_t n, unsigned k)
{
    for (size_t i = 0; i < n; i++) {
        for (unsigned j = 0; j < k; j++)
            add(t, (struct op_record){.op = OP_COND, .addr = CODE + 16, .taken = j + 1 < k, .backward = true});
        add(t, (struct op_record){.op = OP_COND, .addr = CODE + 32, .taken = i + 1 < n, .backward = true});
    }
}

/* n lines of 64 bytes, one after the other, `rounds` times. */
static void add_walk(struct trace_ops *t, size_t n, unsigned rounds)
{
    for (size_t i = 0; i < n * rounds; i++)
        add(t, (struct op_record){.op = OP_READ, .addr = DATA + i % n * 64, .size = 8});
}

bool generate(struct trace_ops *t, const char *kind, uint64_t seed, size_t n)
{
    uint64_t s = seed * 7919 + 1;

    if (!strncmp(kind, "nest", 4))
        return add_nest(t, n, (unsigned)atoi(kind + 4)), true;
    if (!strncmp(kind, "walk", 4))
        return add_walk(t, n, (unsigned)atoi(kind + 4)), true;

    for (size_t i = 0; i < n; i++) {
        if (!strcmp(kind, "random"))
            add_random(t, &s, 8192);
        else if (!strcmp(kind, "cyclic"))
            add_data(t, &s, DATA + i % 80 * 32, 4);
        else if (!strcmp(kind, "stride"))
            add_data(t, &s, DATA + i * 72 % 16384, 8);
        else if (!strcmp(kind, "zipf"))
            add_zipf(t, &s);
        else if (!strcmp(kind, "branches"))
            add_branch(t, &s, i);
        else if (!strcmp(kind, "sites"))
            add_site(t, &s, i);
        else if (!strcmp(kind, "calls"))
            add_call(t, &s, i);
        else if (!strcmp(kind, "paths"))
            i % 3 ? add_site(t, &s, i) : add_call(t, &s, i);
        else if (strcmp(kind, "mixed"))
            return false;
        else if (i % 3 == 0)
            add_code(t, &s, i);
        else if (i % 3 == 1)
            add_zipf(t, &s);
        else
            add_random(t, &s, 1 + draw(&s) % 32768);
    }
    return true;
}

/* ---- files ---- */

/* i PC ADDRESS BYTES; b PC WAY OUTCOME; j, c, t PC TARGET taken */
bool write_text(const struct trace_ops *t, const char *path)
{
    FILE *f = fopen(path, "w");

    if (!f)
        return false;
    for (size_t i = 0; i < t->n; i++) {
        const struct op_record *op = &t->ops[i];

        if (op->op < OP_COND)
            fprintf(f, "%c 0x0 0x%" PRIx64 " %u\n", "irwm"[op->op], op->addr, op->size);
        else if (op->op == OP_COND)
            fprintf(f, "b 0x%" PRIx64 " %s %s\n", op->addr, op->backward ? "backward" : "forward", op->taken ? "taken" : "not");
        else
            fprintf(f, "%c 0x%" PRIx64 " 0x%" PRIx64 " taken\n", "jct"[op->op - OP_INDIRECT], op->addr, op->target);
    }
    return fclose(f) == 0;
}

bool write_lackey(const struct trace_ops *t, const char *path)
{
    static const char *const letters[] = {"I ", " L", " S", " M"};
    FILE *f = fopen(path, "w");

    if (!f)
        return false;
    fputs("==1== a remark\n", f);
    for (size_t i = 0; i < t->n; i++)
        if (t->ops[i].op < OP_COND)
            fprintf(f, "%s %08" PRIx64 ",%u\n", letters[t->ops[i].op], t->ops[i].addr, t->ops[i].size);
    return fclose(f) == 0;
}

/* ---- reading ---- */

bool read_text(struct trace_ops *t, const char *path)
{
    FILE *f = fopen(path, "r");
    char line[256], way[16], outcome[16];

    if (!f)
        return false;
    while (fgets(line, sizeof line, f)) {
        static const char kinds[] = "irwmbjct";
        const char *kind = strchr(kinds, line[0]);
        struct op_record o = {.size = 0};

        if (line[0] == '#')
            continue;
        if (!kind)
            return false;
        o.op = (enum op)(kind - kinds);
        if (o.op < OP_COND && sscanf(line, "%*c %*x %" SCNx64 " %u", &o.addr, &o.size) != 2)
            return false;
        if (o.op == OP_COND && sscanf(line, "%*c %" SCNx64 " %15s %15s", &o.addr, way, outcome) != 3)
            return false;
        if (o.op == OP_COND) {
            o.backward = way[0] == 'b';
            o.taken = outcome[0] == 't';
        }
        if (o.op > OP_COND && sscanf(line, "%*c %" SCNx64 " %" SCNx64, &o.addr, &o.target) != 2)
            return false;
        add(t, o);
    }
    return fclose(f) == 0;
}
