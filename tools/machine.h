/* tools/machine.h - machines for commands that take --machine. */
#ifndef QN_TOOLS_MACHINE_H
#define QN_TOOLS_MACHINE_H

#include "collect/options.h"
#include "exp/machine.h"

/* asker: "run: --machine", for messages.  false: a line was printed. */
bool qn_machine_read(const char *asker, const char *name, struct qn_exp_machine *m);
/* The same for a run.  Of one machine in a process. */
bool qn_machine_take(const char *asker, const char *name, struct qn_collect_machine *to);
/* Its --timing; NULL: a line was printed. */
const char *qn_machine_timing(const char *name);

#endif
