/* tests/unit/sim/shows_nothing.h - what a predictor shows of itself is asked in replays only (shows.sh): services that do nothing. */
#define UNUSED __attribute__((unused))
void sim_show_number(UNUSED const char *name, UNUSED int64_t number) {}
void sim_show_bits(UNUSED const char *name, UNUSED uint64_t bits, UNUSED unsigned n) {}
void sim_show_address(UNUSED const char *name, UNUSED uint64_t address) {}
void sim_show_counter(UNUSED const char *name, UNUSED const void *byte, UNUSED int least, UNUSED int most) {}
void sim_show_weights(UNUSED const char *name, UNUSED const int8_t *weights, UNUSED unsigned n) {}
