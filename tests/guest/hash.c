/* hash.c - a hash table with open addressing: FNV-1a over short keys, insertions, hits, misses, deletions. */
#include "guest.h"

#define SLOTS 4096
#define KEYS 2000

struct slot {
    uint32_t hash; /* 0 = empty, 1 = deleted */
    uint32_t value;
    char key[8];
};

static struct slot table[SLOTS];

static NOINLINE unsigned make_key(char *key, uint32_t number)
{
    unsigned length = 0;

    do {
        key[length++] = (char)('a' + number % 26);
        number /= 26;
    } while (number > 0);
    return length;
}

static uint32_t hash_key(const char *key, unsigned length)
{
    uint32_t hash = 2166136261u;

    for (unsigned i = 0; i < length; i++)
        hash = (hash ^ (uint8_t)key[i]) * 16777619u;
    return hash < 2 ? hash + 2 : hash;
}

static int same_key(const char *a, const char *b, unsigned length)
{
    for (unsigned i = 0; i < length; i++)
        if (a[i] != b[i])
            return 0;
    return a[length] == 0;
}

static NOINLINE struct slot *find(const char *key, unsigned length)
{
    uint32_t hash = hash_key(key, length);
    uint32_t i = hash % SLOTS;

    while (table[i].hash != 0 && !(table[i].hash == hash && same_key(table[i].key, key, length)))
        i = (i + 1) % SLOTS;
    return &table[i];
}

static NOINLINE void insert(uint32_t number)
{
    char key[8];
    unsigned length = make_key(key, number);
    struct slot *slot = find(key, length);

    slot->hash = hash_key(key, length);
    slot->value = number;
    for (unsigned i = 0; i < length; i++)
        slot->key[i] = key[i];
    slot->key[length] = 0;
}

static NOINLINE uint32_t look_up(uint32_t number)
{
    char key[8];
    struct slot *slot = find(key, make_key(key, number));

    return slot->hash == 0 ? 0 : slot->value;
}

static NOINLINE void forget(uint32_t number)
{
    char key[8];

    find(key, make_key(key, number))->hash = 1;
}

static int guest_main(void)
{
    uint64_t sum = 0;
    unsigned left = 0;

    for (uint32_t n = 1; n <= KEYS; n++)
        insert(n * 5);
    for (uint32_t n = 1; n <= 2 * KEYS; n++)
        sum += look_up(n);
    for (uint32_t n = 1; n <= KEYS; n += 2)
        forget(n * 5);
    for (uint32_t n = 1; n <= KEYS; n++)
        left += look_up(n * 5) != 0;
    return EXPECT(sum == 5u * 800 * 801 / 2 && left == KEYS / 2);
}
