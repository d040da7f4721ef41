/* tests/unit/sim/moesi.c - the protocol beside a slow model: coherence_model.h. */
#define PROTOCOL 'o'
#define COHERENCE_FILE "sim/coherence/moesi.c"
#include "coherence_model.h"
