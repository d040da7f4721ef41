/* lib/sim/fast/log.h - the log: references are recorded and simulated many at a time; included by engine.c.
 *
 *   program        A   A   B   fetch C   D, 300 bytes      references that do not hit under the filter
 *   log            A       B   C                           D: the log is drained, then D is simulated by itself
 *   drained        the D1 sees all entries; then the misses go, in the same order, to the last level and the counters
 *
 * Emitted code appends entries (emit/log.c), and log_note appends those from C.  The log is drained when it has QN_LOG_ENTRIES
 * entries and when translated code is left, so that all code outside sees complete counters.  This is faster than a call for each
 * reference: registers are saved once for many references, and the processor overlaps the work for consecutive ones.
 *
 * The default caches (fast/log_D1.h), a module in slot D1 (fast/log_unit.h) or many caches (many/log.h) simulate the entries.
 */
#define LOG_ROOM (2 * QN_LOG_ENTRIES) /* with room for what one block may append after QN_LOG_FULL */

static struct qn_log_entry log_entries[LOG_ROOM] __attribute__((aligned(2 * QN_LOG_FULL)));

static const struct qn_log_consumer *log_to;

static void log_init(void) { qn_sim_log.next = qn_sim_log.began = (uintptr_t)log_entries; }

static void log_drain(void)
{
    uint32_t n = (uint32_t)((qn_sim_log.next - (uintptr_t)log_entries) / sizeof *log_entries);
    uint32_t old = (uint32_t)((qn_sim_log.began - (uintptr_t)log_entries) / sizeof *log_entries);

    log_init();
    if (old) {
        qn_sim_is_old = true;
        log_to->simulate(log_entries, old);
        qn_sim_is_old = false;
    }
    log_to->simulate(log_entries + old, n - old);
}

static void log_note(uint64_t addr, uint32_t size, unsigned kind, uint32_t counter)
{
    if (kind != QN_LOG_FETCH)
        log_to->pass(addr, size);
    if (size > QN_SITE_SIZE_MAX) { /* too large for an entry; the entries in the log come first */
        log_drain();
        log_to->reference(addr, size, (enum qn_log_kind)kind, counter);
        return;
    }
    *(struct qn_log_entry *)(uintptr_t)qn_sim_log.next = (struct qn_log_entry){addr, counter | size << QN_SITE_SIZE_SHIFT, kind};
    qn_sim_log.next += sizeof *log_entries;
    if (qn_sim_log.next & QN_LOG_FULL)
        log_drain();
}
