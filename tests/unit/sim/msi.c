/* tests/unit/sim/msi.c - the protocol beside a slow model: coherence_model.h. */
#define PROTOCOL 'i'
#define COHERENCE_FILE "sim/coherence/msi.c"
#include "coherence_model.h"
