/* lib/sim/explain.h - run --explain: the outcome of each access of a source line, and its cause.
 *
 *   explain.c        tallies and notes of the accesses that are explained, in the arena
 *   explain_seen.c   the history of their lines, if every data reference of the run is observed
 *   explain_told.c   the same, if the D1 reports fills, victims and the last user of each line
 */
#ifndef QN_SIM_EXPLAIN_H
#define QN_SIM_EXPLAIN_H

#include "sim/unit.h"

/* An access. */
struct qn_explained {
    uint64_t addr;
    uint32_t size, site;
    unsigned kind, outcome; /* enum sim_kind; bit 0: D1 miss, bit 1: LL miss (known only after the access) */
    unsigned which;         /* number of the source line that is explained, from 1; 0: none of them */
};

typedef QN_NCSR_TYPE unsigned qn_show_set(uint64_t line, uint64_t *lines);

/* What the D1 can show of itself. */
struct qn_explain_shows {
    qn_show_set *set;
    enum qn_show order;
    qn_unit_state *state; /* NULL: the policy shows nothing of itself */
    const char *way_state, *set_state;
};

void qn_explain_init(const struct qn_config *config, struct qn_explain_output *output, const struct qn_explain_shows *shows);

/* Before and after each data reference of the run. */
void qn_explain_begin_seen(void);
QN_SIM_NCSR void qn_explain_before(const struct qn_explained *e);
QN_SIM_NCSR void qn_explain_after(const struct qn_explained *e);

/* Does the D1 report all that these options need? */
bool qn_explain_can_be_told(const struct qn_config *config);
void qn_explain_begin_told(const struct qn_config *config);
/* Before each reference from C: increments the number of references and returns the word of this one (struct qn_sim_users). */
QN_SIM_NCSR uint64_t qn_explain_next(uint32_t site);
QN_SIM_NCSR void qn_explain_numbered(uint64_t user); /* for a reference that emitted code has numbered: its word */
/* A line was filled, or looked up by a reference to several lines.  user: the word of the line's last user; after a miss, of the
 * victim's. */
QN_SIM_NCSR void qn_explain_line(const struct sim_line *line, uint64_t user);
/* Before and after each reference of the source lines that are explained.  user: as above, if qn_explain_line was not called. */
QN_SIM_NCSR void qn_explain_before_told(const struct qn_explained *e);
QN_SIM_NCSR void qn_explain_after_told(const struct qn_explained *e, uint64_t user);

/* ---- between the files of explain ---- */

#define QN_EXPLAIN_WAYS_MAX 1024u  /* victims are found in sets of at most so many ways */
#define QN_EXPLAIN_LINES_MAX 256u  /* lines of one access: more than the largest access has */
#define QN_EXPLAIN_RECORDS_MAX (1u << 23) /* different lines: 512 MiB of lines of 64 bytes */
#define QN_EXPLAIN_GROUPS_MAX (1u << 19)  /* groups of 64 adjacent lines: 2 GiB of guest memory, 1 GiB of records */

/* A line of an access. */
struct qn_explain_touched {
    uint64_t line;                         /* address of its first byte */
    uint64_t before[QN_EXPLAIN_WAYS_MAX], state[QN_NOTE_WAYS], set_state;
    uint32_t ways;                         /* in `before` */
    uint8_t class;
    bool hit;
    struct qn_note_use used, out;          /* last use and last eviction before this access */
    uint64_t victim;                       /* QN_NOTE_NONE: there is none */
    struct qn_note_use victim_used;
};

struct qn_explain_state {
    struct qn_explain_output *output;
    struct qn_explain_shows shows;
    uint64_t watch_count;
    bool watch_now;          /* --watch begins at the next reference, unless it has begun */
    uint32_t line_bytes, capacity;         /* bytes; lines of the D1 */
    struct qn_explain_touched touched[QN_EXPLAIN_LINES_MAX];
    unsigned ntouched;
};
extern struct qn_explain_state qn_explain_state;

/* An access of the source lines that are explained has its outcome.  number: of the data reference in the run. */
QN_SIM_NCSR void qn_explain_tell(const struct qn_explained *e, uint64_t number);
/* --watch: any data reference has its outcome. */
QN_SIM_NCSR void qn_explain_watch(const struct qn_explained *e, uint64_t number);
bool qn_explain_wants_note(unsigned which); /* does the next access of this source line get a note? */

#endif
