/* tests/unit/sim/mesi.c - the protocol beside a slow model: coherence_model.h. */
#define PROTOCOL 'e'
#define COHERENCE_FILE "sim/coherence/mesi.c"
#include "coherence_model.h"
