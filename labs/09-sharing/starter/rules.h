/* rules.h - what counters, queue and lock mean, for driver.c. */
#define UNIT 1
#define SHIFT 0
#define CAPACITY 64
#define LOW 63
#define TIMES 1
#define DEPTH 1
