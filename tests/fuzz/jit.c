/* tests/fuzz/jit.c - any text as a map of code made at run time (/tmp/perf-PID.map), asked for any address. */
#include "fuzz.h"

#include "cost/places/jit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t address = 0;
    struct qn_cost_jit_place p;
    struct qn_cost_jit *j = qn_cost_parse_jit((const char *)data, size);

    if (!j)
        return 0;
    for (int i = 0; i < 200; i++) {
        int found = qn_cost_find_jit(j, address, &p);
        must(p.end > address || p.end == UINT64_MAX, "an answer holds for the address asked");
        must(!found || (p.function && p.function[0]), "what is found has a name");
        must(!p.file || found, "what has a file is found");
        if (p.end == UINT64_MAX)
            break;
        address = p.end;
    }
    qn_cost_free_jit(j);
    return 0;
}
