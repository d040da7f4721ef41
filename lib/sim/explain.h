/* lib/sim/explain.h - run --explain: what becomes of the accesses of a source line, and why.
 *
 *   explain.c        tallies and notes of the accesses that are explained, in the arena
 *   explain_seen.c   what is known of their lines where every data reference is looked at
 *   explain_told.c   the same where the D1 tells which lines come and leave, and who used them last
 */
#ifndef QN_SIM_EXPLAIN_H
#define QN_SIM_EXPLAIN_H

#include "sim/unit.h"

/* An access, as the engine sees it. */
struct qn_explained {
    uint64_t addr;
    uint32_t size, site;
    unsigned kind, outcome; /* enum sim_kind; bit 0: D1 miss, bit 1: LL miss (after) */
    unsigned which;         /* of the lines that are explained, from 1; 0: none of them */
};

typedef QN_NCSR_TYPE unsigned qn_show_set(uint64_t line, uint64_t *lines);

/* What of the D1 is shown. */
struct qn_explain_shows {
    qn_show_set *set;
    enum qn_show order;
    qn_unit_state *state; /* NULL: the policy shows nothing of itself */
    const char *way_state, *set_state;
};

void qn_explain_init(const struct qn_config *config, struct qn_explain_output *output, const struct qn_explain_shows *shows);

/* Round each data reference of the run. */
void qn_explain_begin_seen(void);
QN_SIM_NCSR void qn_explain_before(const struct qn_explained *e);
QN_SIM_NCSR void qn_explain_after(const struct qn_explained *e);

/* Can the D1 tell all that is asked for? */
bool qn_explain_can_be_told(const struct qn_config *config);
void qn_explain_begin_told(const struct qn_config *config);
/* Before each reference that comes to C: counts it; who makes it, as a word (contract.h). */
QN_SIM_NCSR uint64_t qn_explain_next(uint32_t site);
QN_SIM_NCSR void qn_explain_numbered(uint64_t user); /* of one that emitted code has counted */
/* A line of it that has come in, or that is one of several.  user: who used it last, or the victim if it missed. */
QN_SIM_NCSR void qn_explain_line(const struct sim_line *line, uint64_t user);
/* Round each reference of the lines that are explained.  user: as above, where no line has been told. */
QN_SIM_NCSR void qn_explain_before_told(const struct qn_explained *e);
QN_SIM_NCSR void qn_explain_after_told(const struct qn_explained *e, uint64_t user);

/* ---- between the files of explain ---- */

#define QN_EXPLAIN_WAYS_MAX 1024u  /* of a set whose victims are known */
#define QN_EXPLAIN_LINES_MAX 256u  /* of an access: more than the largest there is has */
#define QN_EXPLAIN_RECORDS_MAX (1u << 23) /* different lines: 512 MiB of lines of 64 bytes */
#define QN_EXPLAIN_GROUPS_MAX (1u << 19)  /* of 64 neighbours: 2 GiB, one gigabyte of records */

/* A line that an access touches. */
struct qn_explain_touched {
    uint64_t line;                         /* address of its first byte */
    uint64_t before[QN_EXPLAIN_WAYS_MAX], state[QN_NOTE_WAYS], set_state;
    uint32_t ways;                         /* in `before` */
    uint8_t class;
    bool hit;
    struct qn_note_use used, out;          /* before this access */
    uint64_t victim;                       /* QN_NOTE_NONE: there is none */
    struct qn_note_use victim_used;
};

struct qn_explain_state {
    struct qn_explain_output *output;
    struct qn_explain_shows shows;
    uint64_t watch_count;
    bool watch_now;          /* --watch begins with the next reference, if it has not begun */
    uint32_t line_bytes, capacity;         /* bytes; lines of the D1 */
    struct qn_explain_touched touched[QN_EXPLAIN_LINES_MAX];
    unsigned ntouched;
};
extern struct qn_explain_state qn_explain_state;

/* An access of the lines that are explained is over.  number: of the data reference in the run. */
QN_SIM_NCSR void qn_explain_tell(const struct qn_explained *e, uint64_t number);
/* --watch: any reference. */
QN_SIM_NCSR void qn_explain_watch(const struct qn_explained *e, uint64_t number);
bool qn_explain_wants_note(unsigned which); /* of the next access of this one */

#endif
