/* lib/sim/fast/log.h - references written down, to be simulated many at a time; included by engine.c.
 *
 *   program        A   A   B   fetch C   D, 300 bytes      no filter has let these pass
 *   written down   A       B   C                           D: drained, then simulated by itself
 *   drained        D1s, one after the other; then what missed in the same order: last level, counters
 *
 * Emitted code writes entries down (emit/log.c) and so does log_note, for references from C.  Drained is when there are QN_LOG_ENTRIES
 * of them and when translated code is left, so that whoever looks at the counters finds them complete.  Compared with a call for each
 * reference, registers are saved once for many of them, and the processor goes on to the next before it knows how this one ends.
 *
 * Who simulates them: the default caches (fast/log_D1.h) or many caches (many/log.h).
 */
#define LOG_ROOM (2 * QN_LOG_ENTRIES) /* and what a block may write behind QN_LOG_FULL */

static struct qn_log_entry log_entries[LOG_ROOM] __attribute__((aligned(2 * QN_LOG_FULL)));

static const struct qn_log_consumer *log_to;

static void log_init(void) { qn_sim_log.next = (uintptr_t)log_entries; }

static void log_drain(void)
{
    uint32_t n = (uint32_t)((qn_sim_log.next - (uintptr_t)log_entries) / sizeof *log_entries);

    log_init();
    log_to->simulate(log_entries, n);
}

static void log_note(uint64_t addr, uint32_t size, unsigned kind, uint32_t counter)
{
    if (kind != QN_LOG_FETCH)
        log_to->pass(addr, size);
    if (size > QN_SITE_SIZE_MAX) { /* more than an entry can say; what is written down came before it */
        log_drain();
        log_to->reference(addr, size, (enum qn_log_kind)kind, counter);
        return;
    }
    *(struct qn_log_entry *)(uintptr_t)qn_sim_log.next = (struct qn_log_entry){addr, counter | size << QN_SITE_SIZE_SHIFT, kind};
    qn_sim_log.next += sizeof *log_entries;
    if (qn_sim_log.next & QN_LOG_FULL)
        log_drain();
}
