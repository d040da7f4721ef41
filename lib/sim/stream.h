/* lib/sim/stream.h - the stream of records (contract.h): who writes it from C, and who has it read.  See stream.c. */
#ifndef QN_SIM_STREAM_H
#define QN_SIM_STREAM_H

#include "sim/contract.h"
#include "sim/module.h"

/* wanted: what the readers of the run ask for; line: bytes of the D1's; analysed: some of them are analyses. */
void qn_stream_init(unsigned wanted, bool tells_lines, uint32_t line, bool analysed);
void qn_stream_be_at_once(void); /* somebody asks for events after each record */
/* The data reference that is being simulated, in order: its lines (only some, if the D1 tells of them), then its outcome. */
void qn_stream_line(const struct qn_line_use *line, uint64_t addr, uint32_t size, unsigned kind, uint32_t site);
void qn_stream_reference(const struct sim_ref *ref);
void qn_stream_end_reference(unsigned outcome);
/* This line is recent no longer. */
static inline void qn_stream_left(uint64_t line)
{
    struct sim_record *r = *qn_sim_stream.next;

    r->line = line;
    r->what = SIM_LEFT;
    __atomic_store_n(qn_sim_stream.next, r + 1, __ATOMIC_RELEASE);
    *qn_sim_stream.read_to += sizeof *r;
}
/* --explain: this function reads all records before the analyses do, also those of executions that have not ended: when records are
 * delivered, and when it asks for those that it has not read. */
void qn_stream_read_first(void (*read)(const struct sim_record *first, uint32_t n));
void qn_stream_catch_up(void);
/* Calls the analyses that count events, for records that they have not read. */
void qn_stream_count(void);
/* Another process calls the analyses, by qn_stream_read: these hand a batch on to it, and wait until all are read. */
struct qn_stream_beside {
    void (*hand_on)(struct sim_record *first, uint32_t n);
    void (*wait)(void);
};
void qn_stream_be_beside(const struct qn_stream_beside *beside);
void qn_stream_be_alone(void); /* no longer; all are read */
void qn_stream_read(struct sim_record *first, uint32_t n);
/* The program was killed; it had handed on these. */
void qn_stream_read_rest(struct sim_record *handed_on, uint32_t n);
/* Calls the analyses.  all: no execution of a block is open; else records of such executions wait. */
void qn_stream_deliver(bool all);
void qn_stream_take_back(const struct qn_sim_part *part);

#endif
