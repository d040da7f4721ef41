/* module.c - a module that was handed in (MODULE), as host.c sees it.  A file of its own: what the module does to the
 * preprocessor and the compiler ends here.
 *
 *   cc -ffreestanding -DMODULE='"lru.c"' -c module.c
 */
#define QN_SIM_UNIT 1
#include "sim/module.h"
#include "lab/host.h"
#if NO_MEMORY /* the compiler says so at the line that asks for more */
#define sim_alloc(bytes) the_memory_of_this_predictor_is_its_variables(bytes)
#pragma GCC diagnostic error "-Wimplicit-function-declaration"
#endif
#include MODULE

#if defined(POLICY)
static const char *module_init(const struct sim_config *config)
{
    (void)config;
#ifdef POLICY_INIT
    return policy_init();
#else
    return 0;
#endif
}

static unsigned module_settled(unsigned set, unsigned way)
{
#ifdef POLICY_HIT_IS_NOOP
    return (void)set, (void)way, 1;
#else
    return policy_settled(set, way);
#endif
}

const struct host_module host_module = {
    .init = module_init,
#ifndef POLICY_HIT_IS_NOOP
    .hit = policy_hit,
#endif
    .fill = policy_fill,
    .victim = policy_victim,
    .settled = module_settled,
#ifdef POLICY_WAY_STATE
    .way_bytes = sizeof(POLICY_WAY_STATE),
    .way_memory = &sim_way_memory,
#endif
#ifdef POLICY_SET_STATE
    .set_bytes = sizeof(POLICY_SET_STATE),
    .set_memory = &sim_set_memory,
#endif
    .config = &sim,
    .line = &sim_line,
    .random = &sim_random_state,
};
#elif defined(PREDICTOR)
static const char *module_init(const struct sim_config *config)
{
    (void)config;
#ifdef PREDICTOR_INIT
    branchsim_BC_init(config);
#endif
    return 0;
}

const struct host_module host_module = {
    .init = module_init,
    .predict = branchsim_BC_predict,
    .update = branchsim_BC_update,
    .config = &sim,
    .random = &sim_random_state,
};
#elif defined(LEVEL)
static const char *module_init(const struct sim_config *config) { return cachesim_X_initcache(config), (const char *)0; }

static void module_ref(uint64_t addr, uint32_t size, unsigned kind, struct sim_result *result)
{
    cachesim_X_doref(addr, size, (enum sim_kind)kind, result);
}

const struct host_module host_module = { .init = module_init, .ref = module_ref, .config = &sim, .random = &sim_random_state };
#elif defined(COHERENCE)
#define STATES_OF(table) (sizeof(table) / sizeof(table)[0])
_Static_assert(STATES_OF(coherence_access) == STATES_OF(coherence_reply), "coherence_access and coherence_reply have the same states");
_Static_assert(STATES_OF(coherence_access) <= HOST_STATES_MAX && sizeof COHERENCE_LETTERS - 1 == STATES_OF(coherence_access),
               "COHERENCE_LETTERS has a letter for each state, of which there are at most 16");
_Static_assert(HOST_REQUESTS == SIM_BUS_REQUESTS, "requests have one number");

static const char *module_init(const struct sim_config *config) { return (void)config, (const char *)0; }

static void module_tables(struct host_tables *t)
{
    t->states = STATES_OF(coherence_access);
    t->dirty = COHERENCE_DIRTY;
    for (unsigned state = 0; state < t->states; state++) {
        t->letters[state] = COHERENCE_LETTERS[state];
        for (unsigned writes = 0; writes < 2; writes++) {
            const struct sim_bus_access *a = &coherence_access[state][writes];

            t->access[state][writes].request = (uint8_t)a->request, t->access[state][writes].shared = a->shared, t->access[state][writes].alone = a->alone;
        }
        for (unsigned request = 0; request < HOST_REQUESTS; request++)
            t->reply[state][request].state = coherence_reply[state][request].state, t->reply[state][request].does = coherence_reply[state][request].does;
    }
}

const struct host_module host_module = { .init = module_init, .tables = module_tables, .config = &sim, .random = &sim_random_state };
#else
#error quern-module: nothing says what it is: #define POLICY, PREDICTOR, LEVEL or COHERENCE is missing
#endif
