/* slow/predictors.c - what `quern replay --watch-of=BC` (or BI) has to write, by predictors that are written plainly.
 *
 *   predictors NAME [SIZE] <FILE     FILE: rows of such a file; their last two columns are not looked at, but made anew
 *
 * Tables are as large as a branch may choose, histories are whole lists of outcomes; an index is worked out from its definition each time.
 * SIZE is the one option that the test sets: history of gshare and perceptron.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BRANCHES_MAX 1000000

static int outcomes[BRANCHES_MAX]; /* of all branches so far, the oldest first */
static int count;
static unsigned history_bits;
static char shows[2000];
static int8_t cell[1 << 20]; /* of one table at a time, by what chooses it */

/* The outcome i branches ago, 0: there was none. */
static int ago(int i) { return i < count ? outcomes[count - 1 - i] : 0; }

static uint64_t last_outcomes(unsigned n)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < n; i++)
        value += (uint64_t)ago((int)i) << i;
    return value;
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    size_t n = strlen(shows);
    va_list args;

    if (n)
        shows[n++] = ' ';
    va_start(args, format);
    vsnprintf(shows + n, sizeof shows - n, format, args);
    va_end(args);
}

static void say_bits(const char *name, uint64_t bits, unsigned n)
{
    char text[65] = "";

    for (unsigned i = 0; i < n; i++)
        text[i] = bits >> (n - 1 - i) & 1 ? '1' : '0';
    say("%s=0b%s", name, text);
}

/* A counter learns, and is shown. */
static void move(const char *name, int8_t *c, bool up, int least, int most)
{
    int before = *c;

    if (up && *c < most)
        ++*c;
    if (!up && *c > least)
        --*c;
    say("%s=%d>%d/%d:%d", name, before, *c, least, most);
}

static bool two_bit(uint64_t index, bool taken, const char *name)
{
    bool said = cell[index] >= 2;

    move(name, &cell[index], taken, 0, 3);
    return said;
}

static bool bimodal(uint64_t pc, bool taken)
{
    say("index=%" PRIu64, pc % 16384);
    return two_bit(pc % 16384, taken, "counter");
}

static bool onebit(uint64_t pc, bool taken)
{
    bool said = cell[pc % 16384];

    say("index=%" PRIu64, pc % 16384);
    move("last", &cell[pc % 16384], taken, 0, 1);
    return said;
}

static bool by_history(uint64_t index, unsigned n, bool taken)
{
    say_bits("history", last_outcomes(n), n);
    say("index=%" PRIu64, index);
    return two_bit(index, taken, "counter");
}

static bool gshare(uint64_t pc, bool taken)
{
    return by_history((pc ^ last_outcomes(history_bits) * (1u << (14 - history_bits))) % 16384, history_bits, taken);
}

static bool global(uint64_t pc, bool taken) { return by_history(last_outcomes(10) * 16 + pc % 16, 10, taken); }
static bool cachegrind(uint64_t pc, bool taken) { return by_history(last_outcomes(7) * 128 + pc % 128, 7, taken); }

/* The outcomes of a branch, or of those that share its history. */
static unsigned own[1024];

static bool local(uint64_t pc, bool taken)
{
    unsigned *history = &own[pc % 1024];
    bool said;

    say("branch=%" PRIu64, pc % 1024);
    say_bits("history", *history, 10);
    said = two_bit(*history, taken, "counter");
    *history = (*history * 2 + taken) % 1024;
    return said;
}

static bool tournament(uint64_t pc, bool taken)
{
    static int8_t locals[1024], globals[4096], choosers[4096];
    unsigned *history = &own[pc % 1024];
    uint64_t all = last_outcomes(12);
    bool by_local = locals[*history] >= 4, by_global = globals[all] >= 2, said = choosers[all] >= 2 ? by_global : by_local;

    say_bits("own-history", *history, 10);
    move("local", &locals[*history], taken, 0, 7);
    say_bits("global-history", all, 12);
    move("global", &globals[all], taken, 0, 3);
    if (by_local == by_global)
        say("chooser=%d>%d/0:3", choosers[all], choosers[all]);
    else
        move("chooser", &choosers[all], by_global == taken, 0, 3);
    *history = (*history * 2 + taken) % 1024;
    return said;
}

static int clamp(int w) { return w > 127 ? 127 : w < -128 ? -128 : w; }

static bool perceptron(uint64_t pc, bool taken)
{
    static int all[256][64];
    int *w = all[pc % 256], sum = w[0], threshold = (int)(1.93 * history_bits + 14), y = taken ? 1 : -1;
    char before[400] = "", after[400] = "";
    bool train;

    for (unsigned i = 1; i <= history_bits; i++)
        sum += w[i] * (ago((int)i - 1) ? 1 : -1);
    train = (sum >= 0) != taken || abs(sum) <= threshold;
    say("perceptron=%" PRIu64, pc % 256);
    say_bits("history", last_outcomes(history_bits), history_bits);
    say("sum=%d", sum);
    say("threshold=%d", threshold);
    say("bias=%d>%d/-128:127", w[0], train ? clamp(w[0] + y) : w[0]);
    if (train)
        w[0] = clamp(w[0] + y);
    for (unsigned i = 1; i <= history_bits; i++) {
        sprintf(before + strlen(before), "%s%d", i > 1 ? ";" : "", w[i]);
        if (train)
            w[i] = clamp(w[i] + y * (ago((int)i - 1) ? 1 : -1));
        sprintf(after + strlen(after), "%s%d", i > 1 ? ";" : "", w[i]);
    }
    say("weights=%s>%s/-128:127", before, after);
    return sum >= 0;
}

/* The last `length` outcomes, each at the bit of its age modulo `bits`, by exclusive or. */
static unsigned fold(int length, unsigned bits)
{
    unsigned value = 0;

    for (int i = 0; i < length; i++)
        value ^= (unsigned)ago(i) << (unsigned)i % bits;
    return value;
}

struct entry {
    bool filled;
    unsigned tag;
    int8_t counter, useful;
};
static const int lengths[4] = {5, 15, 44, 130};

static void show_tagged(int t, unsigned index, const struct entry *e)
{
    unsigned n = lengths[t] < 64 ? (unsigned)lengths[t] : 64;

    say_bits("history", last_outcomes(n), n);
    say("index=%u", index);
    say("tag=%u", e->tag);
}

static bool tage(uint64_t pc, bool taken)
{
    static struct entry table[4][1024];
    struct entry *hit[4];
    unsigned index[4], tag[4];
    bool base = cell[pc % 4096] >= 2, said = base, otherwise = base;
    int provider = -1, room = 4;

    for (int t = 0; t < 4; t++) {
        index[t] = (unsigned)((pc ^ pc >> 10) % 1024) ^ fold(lengths[t], 10);
        tag[t] = (unsigned)(pc % 512) ^ fold(lengths[t], 9) ^ (fold(lengths[t], 8) << 1) % 512;
        hit[t] = &table[t][index[t]];
        if (hit[t]->filled && hit[t]->tag == tag[t]) {
            otherwise = said;
            said = hit[t]->counter >= 0;
            provider = t;
        }
    }
    say("table=%d", provider + 1);
    if (provider < 0) {
        say("index=%" PRIu64, pc % 4096);
        two_bit(pc % 4096, taken, "counter");
    } else {
        struct entry *e = hit[provider];

        show_tagged(provider, index[provider], e);
        move("counter", &e->counter, taken, -4, 3);
        if (said != otherwise)
            move("useful", &e->useful, said == taken, 0, 3);
        else
            say("useful=%d>%d/0:3", e->useful, e->useful);
        say("otherwise=%d", otherwise);
    }
    if (said == taken)
        return said;
    for (int t = 3; t > provider; t--)
        if (!hit[t]->useful)
            room = t;
    if (room < 4)
        *hit[room] = (struct entry){true, tag[room], taken ? 0 : -1, 0};
    for (int t = provider + 1; room == 4 && t < 4; t++)
        hit[t]->useful--;
    return said;
}

static bool btfn(uint64_t pc, bool backward)
{
    (void)pc;
    say("backward=%d", backward);
    return backward;
}

/* ---- targets; each says where to ---- */

static uint64_t targets[65536];

static uint64_t last_target(uint64_t pc, uint64_t to, unsigned entries)
{
    uint64_t said = targets[pc % entries];

    say("index=%" PRIu64, pc % entries);
    say("target=0x%" PRIx64, said);
    targets[pc % entries] = to;
    return said;
}

static uint64_t btb(uint64_t pc, uint64_t to)
{
    static struct {
        uint64_t pc, to, used;
    } table[128][4];
    static uint64_t now;
    int way = 4, oldest = 0, newer = 0;
    uint64_t said = 0;

    for (int i = 0; i < 4; i++) {
        if (table[pc % 128][i].used && table[pc % 128][i].pc == pc)
            way = i;
        if (table[pc % 128][i].used < table[pc % 128][oldest].used)
            oldest = i;
    }
    for (int i = 0; way < 4 && i < 4; i++)
        newer += table[pc % 128][i].used > table[pc % 128][way].used;
    said = way < 4 ? table[pc % 128][way].to : 0;
    say("set=%" PRIu64, pc % 128);
    say("way=%d", way < 4 ? newer : -1);
    say("target=0x%" PRIx64, said);
    way = way < 4 ? way : oldest;
    table[pc % 128][way].pc = pc;
    table[pc % 128][way].to = to;
    table[pc % 128][way].used = ++now;
    return said;
}

/* ---- rows ---- */

static bool predict(const char *name, uint64_t pc, bool taken, bool backward)
{
    static const struct {
        const char *name;
        bool (*predict)(uint64_t pc, bool taken);
    } all[] = {{"bimodal", bimodal}, {"onebit", onebit}, {"gshare", gshare}, {"global", global}, {"cachegrind", cachegrind}, {"local", local},
               {"tournament", tournament}, {"perceptron", perceptron}, {"tage", tage}};

    if (!strcmp(name, "taken"))
        return true;
    if (!strcmp(name, "btfn"))
        return btfn(pc, backward);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(name, all[i].name))
            return all[i].predict(pc, taken);
    fprintf(stderr, "no predictor %s\n", name);
    exit(1);
}

int main(int argc, char **argv)
{
    char line[4000];
    uint64_t number, pc, target = 0;
    char kind[20];
    int taken, backward, wrong;

    history_bits = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
    if (argc < 2 || !fgets(line, sizeof line, stdin))
        return 1;
    fputs(line, stdout);
    while (fgets(line, sizeof line, stdin)) {
        shows[0] = 0;
        if (sscanf(line, "%" SCNu64 ",0x%" SCNx64 ",cond,%d,,%d", &number, &pc, &taken, &backward) == 4) {
            wrong = predict(argv[1], pc, taken, backward) != taken;
            outcomes[count++] = taken;
            printf("%" PRIu64 ",0x%" PRIx64 ",cond,%d,,%d,%d,%s\n", number, pc, taken, backward, wrong, shows);
        } else if (sscanf(line, "%" SCNu64 ",0x%" SCNx64 ",%19[a-z],1,0x%" SCNx64, &number, &pc, kind, &target) == 4) {
            wrong = (strcmp(argv[1], "btb") ? last_target(pc, target, 512) : btb(pc, target)) != target;
            printf("%" PRIu64 ",0x%" PRIx64 ",%s,1,0x%" PRIx64 ",,%d,%s\n", number, pc, kind, target, wrong, shows);
        } else {
            fprintf(stderr, "not a row: %s", line);
            return 1;
        }
        if (count == BRANCHES_MAX)
            return 1;
    }
    return 0;
}
