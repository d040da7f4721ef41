/* lib/tcache/ibl.h - what tcache.c needs of ibl.c. */
#ifndef QN_TCACHE_IBL_H
#define QN_TCACHE_IBL_H

#include "base/base.h"

void qn_tcache_ibl_clear(uint32_t index); /* the block goes: no entry leads to it any more */
uint64_t qn_tcache_ibl_bytes(void);       /* of the tables, and what tells where they are */

#endif
