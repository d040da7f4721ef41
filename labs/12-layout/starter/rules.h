/* rules.h - what scan, lookup and events mean, for driver.c. */
#define X 0
#define V 8
#define FIELDS 12
#define BACKWARDS 0
#define LAST_OF_EQUALS 0
#define SPREAD 1000
