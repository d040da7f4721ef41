/* sequence.c - TRACE: a line for each reference that qn_trace_next gives, and what the trace counts beyond fetches. */
#include <stdio.h>

#include "sim/module.h"
#include "trace/trace.h"

int main(int argc, char **argv)
{
    char why[256] = "TRACE is missing";
    struct qn_trace_reader *t = argc == 2 ? qn_trace_open(argv[1], why, sizeof why) : NULL;
    unsigned long long fetches = 0, beyond = 0;
    struct sim_ref ref;
    int more;

    if (!t)
        return fprintf(stderr, "sequence: %s\n", why), 2;
    while ((more = qn_trace_next(t, &ref)) == 1) {
        beyond += qn_trace_take_more(t);
        fetches += ref.kind == SIM_REF_FETCH;
        printf("%u %llx %u %llx %u%u\n", ref.kind, (unsigned long long)ref.addr, ref.size, (unsigned long long)ref.target, ref.outcome, ref.backward);
    }
    fprintf(stderr, "%llu\n", fetches + beyond + qn_trace_take_more(t));
    qn_trace_close(t);
    return more < 0;
}
