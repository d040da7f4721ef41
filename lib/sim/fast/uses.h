/* lib/sim/fast/uses.h - run --data=use: the bytes of each line in the D1 that were used since its fill; included by D1.h.
 *
 *   came(address, site)    a fill for the byte at this address    -> a word, which is stored with the line
 *   ... uses ...           the bytes used become QN_USED: here, or in emitted code on a hit under the filter
 *   left(word, bytes)      the line is evicted
 *
 * Bytes and words are indexed by the line's entry in the D1 (D1.h), and move with the line.
 */
static struct {
    uint8_t *bytes;   /* below 2 GiB; NULL: not used */
    uint64_t *word;
    const struct qn_use_hooks *hooks;
    uint32_t site;    /* of the reference */
} D1_uses;

static inline uint64_t *D1_bytes_of(unsigned slot) { return (uint64_t *)(D1_uses.bytes + ((uint64_t)slot << D1.line_bits)); }

static inline void D1_use_ends(unsigned slot) { D1_uses.hooks->left(D1_uses.word[slot], (const uint8_t *)D1_bytes_of(slot)); }

/* The referenced line moves to the entry `home`; the line that was there moves to `place`, the entry of the referenced line or, after a
 * miss (`came`), of the victim. */
static inline void D1_use_moves(unsigned home, unsigned place, bool came, bool leaves, uint64_t address)
{
    const unsigned words = 1u << (D1.line_bits - 3);
    uint64_t *to = D1_bytes_of(place), *from = D1_bytes_of(home), word;

    if (leaves)
        D1_use_ends(place);
    for (unsigned i = 0; i < words && (came || place != home); i++) {
        uint64_t bytes = to[i];

        to[i] = from[i];
        from[i] = came ? 0 : bytes;
    }
    word = D1_uses.word[place];
    D1_uses.word[place] = D1_uses.word[home];
    D1_uses.word[home] = came ? D1_uses.hooks->came(address, D1_uses.site) : word;
}

/* Marks the bytes of the reference that lie in the line, which is in its home. */
static inline void D1_use(uint64_t line, unsigned home, uint64_t addr, uint32_t size)
{
    const uint64_t bytes = 1ull << D1.line_bits, end = addr + size - line < bytes ? addr + size - line : bytes;
    uint8_t *used = (uint8_t *)D1_bytes_of(home);

    for (uint64_t i = addr > line ? addr - line : 0; i < end; i++)
        used[i] = QN_USED;
}
