/* lib/lab/models/model_msi.c - see models.h.
 *
 * What each copy does is written out, state by state: there is no table.
 */
#include "lab/models/models.h"

static unsigned rule(const struct qn_lab_msi *m, enum qn_lab_parameter which) { return m->rules->value[which]; }

struct qn_lab_msi qn_lab_new_msi(const struct qn_lab_variant *rules, unsigned cores)
{
    struct qn_lab_msi m = { .rules = rules, .cores = cores };

    for (unsigned core = 0; core < QN_LAB_CORES_MAX; core++)
        m.state[core] = 'I';
    return m;
}

static void begin(struct qn_lab_msi *m, bool miss, enum qn_lab_asks asks)
{
    m->miss = miss;
    m->asks = asks;
    m->supplied = m->written = 0;
}

/* A copy hears that another core reads. */
static void hear_read(struct qn_lab_msi *m, unsigned core)
{
    unsigned how = rule(m, QN_LAB_MSI_READ);

    if (m->state[core] == 'S') {
        m->supplied += rule(m, QN_LAB_MSI_CLEAN) == 1;
    } else if (m->state[core] == 'M') {
        m->supplied += how != 2;
        m->written++;
        m->state[core] = how == 1 ? 'I' : 'S';
    }
}

/* ... that another core wants the line for itself; with its bytes, or without. */
static void hear_write(struct qn_lab_msi *m, unsigned core, bool bytes)
{
    unsigned how = rule(m, QN_LAB_MSI_OWN);

    if (m->state[core] == 'S' && bytes) {
        m->supplied += rule(m, QN_LAB_MSI_CLEAN) == 2;
    } else if (m->state[core] == 'M') {
        m->supplied += how != 1;
        m->written += how != 0;
    }
    m->state[core] = 'I';
}

void qn_lab_msi_read(struct qn_lab_msi *m, unsigned core)
{
    bool miss = m->state[core] == 'I';

    begin(m, miss, miss ? QN_LAB_ASKS_READ : QN_LAB_ASKS_NOTHING);
    for (unsigned other = 0; miss && other < m->cores; other++)
        if (other != core)
            hear_read(m, other);
    if (miss)
        m->state[core] = 'S';
}

void qn_lab_msi_write(struct qn_lab_msi *m, unsigned core)
{
    bool miss = m->state[core] == 'I', bytes = miss || rule(m, QN_LAB_MSI_UPGRADE);

    begin(m, miss, m->state[core] == 'M' ? QN_LAB_ASKS_NOTHING : bytes ? QN_LAB_ASKS_OWN : QN_LAB_ASKS_UPGRADE);
    for (unsigned other = 0; m->state[core] != 'M' && other < m->cores; other++)
        if (other != core)
            hear_write(m, other, bytes);
    m->state[core] = 'M';
}

void qn_lab_msi_evict(struct qn_lab_msi *m, unsigned core)
{
    begin(m, false, QN_LAB_ASKS_NOTHING);
    m->written = m->state[core] == 'M';
    m->state[core] = 'I';
}
