/* tests/unit/sim/dragon.c - the protocol beside a slow model: coherence_model.h. */
#define PROTOCOL 'd'
#define COHERENCE_FILE "sim/coherence/dragon.c"
#include "coherence_model.h"
