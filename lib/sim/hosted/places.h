/* sim/hosted/places.h - what a replay that ends because of a module leaves for `quern replay`.
 *
 * The environment variable is the number of a descriptor, of an empty file.  A replay that has a message writes one struct there and prints
 * nothing; without the variable it prints the line. */
#ifndef QN_SIM_HOSTED_PLACES_H
#define QN_SIM_HOSTED_PLACES_H

#include <stdint.h>

#define HOSTED_PLACES_VARIABLE "QUERN_REPLAY_PLACES"
#define HOSTED_PLACES 32
#define HOSTED_LINE 512

struct hosted_places {
    uint64_t n;
    uint64_t place[HOSTED_PLACES]; /* the program's own addresses: of the instruction; of what may be returns to callers */
    char line[HOSTED_LINE];        /* without "quern: replay: " */
};

#endif
