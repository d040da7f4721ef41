/* tests/unit/decode/host_features.h - are the CPUID features that the decoder tells those that the processor wants?
 *
 * Where CPUID reports all features of an instruction the processor must take it.  Where it does not, a hypervisor may
 * have hidden a feature that is there, and some instructions are no-ops for older processors; then all instructions of
 * that feature are taken, otherwise none: a feature with instructions of both kinds is given to a wrong one. */
#ifndef QN_TEST_HOST_FEATURES_H
#define QN_TEST_HOST_FEATURES_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "decode/decode.h"

#define HOST_FEATURES 256

struct host_feature {
    const struct qn_feature *feature;
    bool reported;
    unsigned long taken, refused; /* instructions that lack nothing, or this one only */
    uint8_t taken_bytes[QN_INSN_MAX_LEN];
};
static struct host_feature host_features[HOST_FEATURES];

/* CPUID is asked once for each, since it takes microseconds in a virtual machine. */
static struct host_feature *host_feature(const struct qn_feature *f)
{
    size_t i = (uintptr_t)f / sizeof *f % HOST_FEATURES;
    unsigned r[4] = {0}; /* as enum qn_reg numbers them */

    while (host_features[i].feature && host_features[i].feature != f)
        i = (i + 1) % HOST_FEATURES;
    if (!host_features[i].feature) {
        __get_cpuid_count(f->leaf, f->subleaf, &r[QN_RAX], &r[QN_RBX], &r[QN_RCX], &r[QN_RDX]);
        host_features[i].feature = f;
        host_features[i].reported = f->reg == QN_REG_NONE || (r[f->reg] >> f->bit & 1);
    }
    return &host_features[i];
}

/* Shadow stacks must be enabled for the thread by the operating system; AMX's tiles must be asked for and configured. */
static bool wants_system(const struct qn_feature *f)
{
    return !strcmp(f->name, "cet_ss") || !strncmp(f->name, "amx_", 4);
}

/* Enter what the processor did; true if that is wrong already. */
static bool enter_features(const uint8_t *bytes, const struct qn_insn *insn, bool refused)
{
    const struct qn_feature *list[QN_FEATURES_MAX];
    size_t n = qn_decode_features(insn, list);
    struct host_feature *lacking = NULL;
    unsigned n_lacking = 0;

    for (size_t i = 0; i < n; i++) {
        struct host_feature *f = host_feature(list[i]);
        if (wants_system(list[i]))
            return false;
        if (!strcmp(list[i]->name, "ptwrite") && memchr(bytes, 0x66, 4)) /* #UD (SDM), which the decoder does not tell */
            return false;
        if (!f->reported) {
            lacking = f;
            n_lacking++;
        }
    }
    if (n_lacking == 0)
        return refused;
    if (n_lacking > 1)
        return !refused;
    lacking->refused += refused;
    lacking->taken += !refused;
    if (!refused)
        memcpy(lacking->taken_bytes, bytes, insn->len);
    return false;
}

/* The features that some instructions need and others do not; how many. */
static unsigned conclude_features(void)
{
    unsigned reported = 0, lacking = 0, wrong = 0;

    for (size_t i = 0; i < HOST_FEATURES; i++) {
        const struct host_feature *f = &host_features[i];
        reported += f->feature && f->reported;
        lacking += f->feature && !f->reported && !f->taken && f->refused;
        if (f->taken)
            printf("# %s is not reported, yet taken\n", f->feature->name);
        if (f->taken && f->refused) {
            wrong++;
            printf("# ... %lu times, refused %lu times; taken:", f->taken, f->refused);
            for (unsigned k = 0; k < QN_INSN_MAX_LEN; k++)
                printf(" %02x", f->taken_bytes[k]);
            putchar('\n');
        }
    }
    printf("# features reported and there: %u, neither: %u, wrong: %u\n", reported, lacking, wrong);
    return wrong;
}

#endif
