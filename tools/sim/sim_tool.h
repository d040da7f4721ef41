/* tools/sim/sim_tool.h - the parts of `quern sim`.  Functions return the exit status. */
#ifndef QN_SIM_TOOL_H
#define QN_SIM_TOOL_H

/* list.c: the modules that ship, by slot, as text or JSON; what is in these simulators; the pages of these modules. */
int qn_sim_list(const char *slot); /* NULL: of all slots */
int qn_sim_list_json(void);
int qn_sim_describe(char **simulators);
int qn_sim_show(char **names);

/* compare.c */
struct qn_sim_comparison {
    const char *const *geometry;   /* of I1, D1, LL: "4096,2,64"; NULL: as usual */
    const char *sim_opt, *plot;    /* NULL: none */
    char **modules, **program;     /* NULL ends them */
};
int qn_sim_compare(const struct qn_sim_comparison *c);

#endif
