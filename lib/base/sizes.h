/* lib/base/sizes.h - how much the engine's tables hold.
 *
 * With QN_TINY (make tiny) as little as can be, to give bugs a chance: everything is evicted all the time, all chains are long,
 * every table is full.  What a program does and what is counted must be the same, but for turns (--cores), which end where blocks do. */
#ifndef QN_SIZES_H
#define QN_SIZES_H

#ifdef QN_TINY
#define QN_SEGMENTS 2                  /* of the code cache; two, so that there are links between them */
#define QN_TCACHE_BYTES (2u << 12)    /* a page is the least that a block of two instructions may need */
#define QN_TRANSLATED_MAX 2           /* instructions of a block */
#define QN_TBLOCKS_MAX 3u
#define QN_TBLOCK_BUCKETS 3u
#define QN_KNOWN_BUCKETS 256u         /* with fewer a program of many blocks takes hours: all that were ever translated are in it */
#define QN_IBL_MOST 3u
#define QN_ORDER_MAX 200u             /* as many as a small program has, which is sampled as ever */
#define QN_ORDER_BUCKETS 3u
#else
#define QN_SEGMENTS 8
#define QN_TCACHE_BYTES (96u << 20)   /* unless --tcache-size says otherwise */
#define QN_TRANSLATED_MAX 64          /* instructions of a block, up to QN_BLOCK_MAX */
#define QN_TBLOCKS_MAX (1u << 21)     /* blocks at a time */
#define QN_TBLOCK_BUCKETS (1u << 18)  /* of the hash table of blocks */
#define QN_KNOWN_BUCKETS (1u << 18)   /* of that of blocks ever translated */
#define QN_ORDER_MAX (1u << 22)       /* addresses that are put in order to find cycles (block/order.c) */
#define QN_ORDER_BUCKETS (1u << 18)   /* of the hash table of these */
#define QN_IBL_MOST 0u                /* targets that the tables of indirect branches hold at a time, 0 = any number */
#endif

#endif
