/* tools/lab/lab_variant.c - whose variant of a lab it is: from --student and --key-file, or from a folder that `start` made. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tools.h"
#include "lab/variant.h"
#include "lab_tool.h"

#define LOOPS 2
#define BOX 6                    /* its variants are its boxes */
#define BOX_SEEDS 1000000000ull

bool qn_lab_take_variant(struct qn_lab_request *r)
{
    uint64_t seed;

    if (!r->name && !r->key_file)
        return true;
    if (!r->name || !r->key_file) {
        qn_text_complain("quern: lab: --student and --key-file belong together");
        return false;
    }
    if (!qn_lab_variant_seed(r->key_file, r->name, r->lab->number, &seed))
        return false;
    if (r->lab->number == BOX) {
        r->knows_student = true;
        r->student = seed % BOX_SEEDS;
    } else {
        r->has_variant = true;
        r->variant = seed;
    }
    return true;
}

/* What lab 2's driver is compiled with. */
static bool write_rules(const char *directory, const struct qn_lab_variant *v)
{
    char path[PATH_MAX];
    FILE *f;

    snprintf(path, sizeof path, "%s/rules.h", directory);
    f = fopen(path, "we");
    if (!f)
        return perror(path), false;
    qn_lab_print_rules(f, v);
    return fclose(f) == 0 || (perror(path), false);
}

bool qn_lab_write_variant(const struct qn_lab_request *r, const char *directory)
{
    char path[PATH_MAX], *text = NULL;
    struct qn_lab_variant v = qn_lab_draw_variant(r->variant);
    size_t size = 0;
    ssize_t n;
    FILE *f;

    snprintf(path, sizeof path, "%s/" QN_LAB_STUDENT_FILE, directory);
    f = fopen(path, "ae");
    if (!f || fprintf(f, "variant %" PRIx64 "\n", r->variant) < 0 || fclose(f))
        return perror(path), false;
    snprintf(path, sizeof path, "%s/HANDOUT.md", directory);
    f = fopen(path, "re");
    n = f ? getdelim(&text, &size, 0, f) : -1;
    if (f)
        fclose(f);
    f = n > 0 ? fopen(path, "we") : NULL;
    if (!f)
        return perror(path), free(text), false;
    n = (ssize_t)strcspn(text, "\n");
    fprintf(f, "%.*s\n\n**This is the variant of %s.** Where the text below and these rules differ, the rules hold; numbers that are\n"
               "worked out below are those of the rules below.\n\n", (int)n, text, r->name);
    qn_lab_print_variant(f, r->lab->number, &v);
    fputs(text + n, f);
    free(text);
    if (fclose(f))
        return perror(path), false;
    return r->lab->number != LOOPS || write_rules(directory, &v);
}
