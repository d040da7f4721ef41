/* tests/vectors/compare.c - what differs between two runs of the same vectors; see vector.h.
 *
 *   compare VECTORS NATIVE QUERN [-v]   the first differences (-v: all), then how many, and over how many forms and
 *                                       mnemonics that this processor accepts */
#include <stdbool.h>
#include <stdio.h>
#include <signal.h>
#include <string.h>

#include "decode/decode.h"
#include "vector.h"

#define FORMS 4096
#define NAMES 4096
#define SHOWN 10

static enum qn_machine host;
static char names[NAMES][32];
static unsigned n_names;

static void text_of(const struct vector *v, char text[256])
{
    struct qn_insn in;

    qn_decode_insn_for(host, v->bytes, sizeof v->bytes, &in);
    qn_decode_print(v->bytes, &in, 0, text, 256);
}

/* The mnemonic: the last word before the operands, so that prefixes do not count. */
static void note_name(const struct vector *v)
{
    char text[256], *word = text, *end;

    text_of(v, text);
    for (;;) {
        end = word + strcspn(word, " ");
        if (end[0] != ' ' || end[1] == ' ' || strpbrk(end + 1, "%$(*") == end + 1 || (end[1] >= '0' && end[1] <= '9'))
            break;
        word = end + 1;
    }
    *end = 0;
    for (unsigned i = 0; i < n_names; i++)
        if (!strcmp(names[i], word))
            return;
    if (n_names < NAMES)
        snprintf(names[n_names++], sizeof names[0], "%.31s", word);
}

static void report(unsigned long number, const struct vector *v, const struct result *a, const struct result *b)
{
    char text[256];

    text_of(v, text);
    printf("# vector %lu:", number);
    for (unsigned i = 0; i < v->len; i++)
        printf(" %02x", v->bytes[i]);
    printf(" %s\n#   signal %d %d, end %d %d%s%s%s%s%s", text, a->signal, b->signal, a->end, b->end,
           a->rip != b->rip ? ", rip" : "", a->address != b->address ? ", address" : "", a->fp != b->fp ? ", fp" : "",
           a->arena != b->arena ? ", memory" : "", a->flags != b->flags ? ", flags" : "");
    if (a->flags != b->flags)
        printf(" %llx %llx", (unsigned long long)a->flags, (unsigned long long)b->flags);
    for (unsigned i = 0; i < 16; i++)
        if (a->gpr[i] != b->gpr[i])
            printf(", r%u %llx %llx", i, (unsigned long long)a->gpr[i], (unsigned long long)b->gpr[i]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    static bool accepted[FORMS];
    FILE *vectors, *first, *second;
    struct vector v;
    struct result a, b;
    unsigned long count = 0, different = 0, signals = 0, forms = 0;
    bool all = argc > 4;

    host = qn_decode_host();
    if (argc < 4 || !(vectors = fopen(argv[1], "rb")) || !(first = fopen(argv[2], "rb")) ||
        !(second = fopen(argv[3], "rb"))) {
        fputs("usage: compare VECTORS NATIVE QUERN [-v]\n", stderr);
        return 2;
    }
    for (; fread(&v, sizeof v, 1, vectors) == 1; count++) {
        if (fread(&a, sizeof a, 1, first) != 1 || fread(&b, sizeof b, 1, second) != 1) {
            printf("# a run ended at vector %lu\n", count);
            return 1;
        }
        signals += a.signal != 0;
        if (a.signal != SIGILL && !accepted[v.form]) {
            accepted[v.form] = true;
            forms++;
            note_name(&v);
        }
        if (memcmp(&a, &b, sizeof a) && (different++ < SHOWN || all))
            report(count, &v, &a, &b);
    }
    printf("# %lu vectors, %lu of them with a signal; %lu forms and %u mnemonics that the processor accepts; %lu different\n",
           count, signals, forms, n_names, different);
    return different != 0;
}
