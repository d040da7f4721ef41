/* box.h - asking the black box.  Standard output goes to the box and standard input comes from it: print anything
 * else to standard error. */
#ifndef BOX_H
#define BOX_H

#include <stdint.h>

void box_reset(void);                                   /* the cache is empty, the predictor knows nothing */
int box_read(uint64_t addr);                            /* reads the byte at addr: 1 it missed, 0 it hit */
int box_branch(uint64_t pc, int taken);                 /* a branch: 1 it was mispredicted, 0 it was predicted */

/* Many at once, which is faster: answer[i] is that to the question i. */
void box_reads(const uint64_t *addr, int n, unsigned char *answer);
void box_branches(uint64_t pc, const unsigned char *taken, int n, unsigned char *answer);

/* The end.  policy: "lru", "fifo", "plru" or "nru". */
void box_answer(unsigned size, unsigned ways, unsigned line, const char *policy, unsigned history);

#endif
