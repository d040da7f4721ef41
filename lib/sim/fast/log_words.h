/* lib/sim/fast/log_words.h - writes words of a recorder's log from C (contract.h, enum qn_log_word); included by engine.c. */
static void log_word(uint64_t addr, uint32_t site, uint32_t kind)
{
    *(struct qn_log_entry *)(uintptr_t)qn_sim_log.next = (struct qn_log_entry){addr, site, kind};
    qn_sim_log.next += sizeof *log_entries;
    if (qn_sim_log.next & QN_LOG_FULL)
        log_drain();
}

uint32_t qn_sim_log_define(uint64_t pc, const struct qn_item *item, unsigned n)
{
    static uint32_t last;

    if (!qn_sim_log_is_empty())
        log_drain(); /* a definition must not be split */
    log_word(pc, ++last, QN_LOG_DEFINE | n << 8);
    for (unsigned i = 0; i < n; i += QN_ITEMS_A_WORD) {
        struct qn_item word[QN_ITEMS_A_WORD] = {{0, 0, 0}};

        __builtin_memcpy(word, item + i, (n - i < QN_ITEMS_A_WORD ? n - i : QN_ITEMS_A_WORD) * sizeof *item);
        __builtin_memcpy((void *)(uintptr_t)qn_sim_log.next, word, sizeof word);
        qn_sim_log.next += sizeof word;
    }
    log_drain();
    return last;
}

void qn_sim_log_left(unsigned insns)
{
    if (qn_sim_records)
        log_word(insns, 0, QN_LOG_LEFT);
}

void qn_sim_log_more(uint64_t insns)
{
    if (qn_sim_records && insns)
        log_word(insns, 0, QN_LOG_MORE | QN_LOG_FROM_C);
}

void qn_sim_log_run(const struct qn_log_stream *stream, unsigned n, uint64_t times)
{
    if (!times)
        return;
    log_word(times, n, QN_LOG_RUN | QN_LOG_FROM_C);
    for (unsigned i = 0; i < n; i++) {
        log_word(stream[i].addr, stream[i].size, stream[i].kind | QN_LOG_FROM_C | QN_LOG_BIG);
        log_word(stream[i].step, 0, QN_LOG_STEP | QN_LOG_FROM_C);
    }
}
