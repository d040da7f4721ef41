"""tests/models/papers.py - DIP, Hawkeye, best-offset, ITTAGE and a page walker, written from the heads of the modules and the papers they name, as somebody would
who has a trace as text and no C.  Lists and dictionaries; nothing is shared with lib/sim or with the models in C.

    papers.py dip      D1=4096,4,64 seed=7 <trace     --sim=D1=dip
    papers.py hawkeye  I1=... D1=... LL=...           --sim=LL=hawkeye
    papers.py bop      I1=... D1=... L2=... LL=...    --sim=L2=bop
    papers.py ittage                                  --sim=BI=ittage
    papers.py tlb      ... sim-opt=walker=1,...       --sim=D1=tlb; prints its events first

Each line of the trace has what quern says of it (doc/traces.md).  Prints the lines that the model says otherwise of, ten at most, then how many were compared
and how many differ.
"""
import sys


class Random:
    """xorshift64* (Vigna 2016), as lib/sim/module.h describes it."""

    def __init__(self, seed):
        self.state = (seed + 1) * 0x9E3779B97F4A7C15 % 2**64 | 1

    def below(self, n):
        x = self.state
        x ^= x >> 12
        x = (x ^ x << 25) % 2**64
        x ^= x >> 27
        self.state = x
        return (x * 0x2545F4914F6CDD1D % 2**64 >> 32) * n >> 32


class Cache:
    """Least recently used: the lines of a set, that which goes next first."""

    def __init__(self, geometry):
        size, self.ways, self.line = map(int, geometry.split(','))
        self.nsets = size // self.ways // self.line
        self.sets = [[] for _ in range(self.nsets)]

    def lines(self, addr, size):
        return range(addr // self.line, (addr + size - 1) // self.line + 1)

    def has(self, line):
        return line in self.sets[line % self.nsets]

    def insert(self, lines, line):
        lines.append(line)

    def use(self, line, pc=0):
        """True: it was there."""
        lines = self.sets[line % self.nsets]
        if line in lines:
            lines.remove(line)
            lines.append(line)
            return True
        if len(lines) == self.ways:
            lines.pop(0)
        self.insert(lines, line)
        return False

    def look(self, addr, size, pc=0):
        """True: a line of the reference was missing."""
        return not all([self.use(line, pc) for line in self.lines(addr, size)])


class Dip(Cache):
    """Qureshi et al., ISCA 2007: some sets insert as LRU, some as BIP, the others as whichever misses less."""

    def __init__(self, geometry, seed):
        super().__init__(geometry)
        self.random, self.selector = Random(seed), 511
        self.numbers = {id(lines): i for i, lines in enumerate(self.sets)}

    def insert(self, lines, line):
        number, few = self.numbers[id(lines)], self.nsets < 32
        leads_lru = number % min(self.nsets, 32) == 0
        leads_bip = not leads_lru and number % min(self.nsets, 32) == (self.nsets - 1 if few else 1)
        bip = leads_bip or (not leads_lru and self.selector > 511)
        if leads_lru:
            self.selector = min(self.selector + 1, 1023)
        elif leads_bip:
            self.selector = max(self.selector - 1, 0)
        if bip and self.random.below(32):
            lines.insert(0, line)
        else:
            lines.append(line)


class Hawkeye(Cache):
    """Jain and Lin, ISCA 2016.  A set is a list of ways: [line, instruction, age] or None."""

    def __init__(self, geometry):
        super().__init__(geometry)
        self.sets = [[None] * self.ways for _ in range(self.nsets)]
        self.hope = {}                                            # by instruction, from 0 to 7
        self.seen = [[] for _ in range(self.nsets)]               # of each sampled set: [line, instruction, lines that Belady's policy holds then]

    def change(self, by, n):
        self.hope[by] = max(0, min(7, self.hope.get(by, 4) + n))

    def sample(self, number, line, by):
        every = max(1, self.nsets // 64)
        if number % every or number // every >= 64:
            return
        past = self.seen[number]
        for i in range(len(past) - 1, -1, -1):
            if past[i][0] == line:
                room = all(reference[2] < self.ways for reference in past[i:])
                for reference in past[i:] if room else ():
                    reference[2] += 1
                self.change(past[i][1], 1 if room else -1)
                break
        past.append([line, by, 0])
        del past[:-8 * self.ways]

    def victim(self, ways):
        if None in ways:
            return ways.index(None)
        ages = [age for _, _, age in ways]
        way = ages.index(max(ages))
        if ages[way] < 7:
            self.change(ways[way][1], -1)
        return way

    def use(self, line, pc=0):
        number = line % self.nsets
        ways, by = self.sets[number], (pc ^ pc >> 13) % 2**13
        at = [way for way in range(self.ways) if ways[way] and ways[way][0] == line]
        way = at[0] if at else self.victim(ways)
        self.sample(number, line, by)
        friendly = self.hope.get(by, 4) >= 4
        if not at:
            ways[way] = [line, by, 0]
            for other in ways if friendly else ():
                if other and other[2] < 6:
                    other[2] += 1
        ways[way] = [line, by, 0 if friendly else 7]
        return bool(at)


class BestOffset(Cache):
    """Michaud, HPCA 2016, with the base entered at once, at the L2."""

    def __init__(self, geometry, below):
        super().__init__(geometry)
        self.below, self.fresh, self.recent = below, set(), {}
        self.offsets = [d for d in range(1, 257) if all(d % p for p in range(7, d + 1) if all(p % q for q in range(2, p)))]
        self.scores, self.tried, self.rounds, self.best = [0] * 52, 0, 0, 1

    def place(self, number):
        return (number ^ number >> 8) % 256, (number >> 8) % 4096

    def learn(self, number):
        index, tag = self.place((number - self.offsets[self.tried]) % 2**64)
        if self.recent.get(index) == tag:
            self.scores[self.tried] += 1
        full = self.scores[self.tried] == 31
        self.tried += 1
        if self.tried == len(self.offsets):
            self.tried, self.rounds = 0, self.rounds + 1
        if full or self.rounds == 100:
            most = max(self.scores)
            self.best = self.offsets[self.scores.index(most)] if most > 1 else 0
            self.scores, self.tried, self.rounds = [0] * 52, 0, 0

    def look(self, addr, size, pc=0):
        lines = self.lines(addr, size)
        miss = not all(self.has(line) for line in lines)
        self.missed_below = miss and self.below.look(addr, size)
        first = miss
        for line in lines:
            if self.use(line):
                first |= line in self.fresh
            self.fresh.discard(line)
        if first:
            self.train(addr)
        return miss

    def train(self, addr):
        number = addr // self.line
        self.learn(number)
        to = number + self.best
        index, tag = self.place(number)
        self.recent[index] = tag
        if self.best and to * self.line // 4096 == addr // 4096 and not self.has(to):
            self.below.look(to * self.line, self.line)
            self.use(to)
            self.fresh.add(to)


class Tlb:
    """Two levels, and a walk of four whose upper entries are cached (Barr et al., ISCA 2010): sets are lists, that which goes next first."""

    def __init__(self, options, last):
        def number(name, usual):
            return int(options.get(name, usual))
        self.last, self.bits = last, number('page-bits', 12)
        self.first = [number('tlb-entries', 64) // number('tlb-ways', 4), number('tlb-ways', 4), {}]
        self.second = [number('stlb-entries', 1536) // number('stlb-ways', 12), number('stlb-ways', 12), {}]
        self.upper = [None] + [[1, number(name, usual), {}] for name, usual in (('pde-entries', 32), ('pdpte-entries', 4), ('pml4e-entries', 2))]
        self.events = dict.fromkeys(('dtlb-misses', 'stlb-misses', 'walk-refs', 'walk-misses'), 0)

    def use(self, buffer, page):
        entries = buffer[2].setdefault(page % buffer[0], [])
        there = page in entries
        if there:
            entries.remove(page)
        elif len(entries) == buffer[1]:
            entries.pop(0)
        entries.append(page)
        return there

    def translate(self, addr, size):
        for page in range(addr >> self.bits, (addr + size - 1 >> self.bits) + 1):
            if self.use(self.first, page):
                continue
            self.events['dtlb-misses'] += 1
            if self.use(self.second, page):
                continue
            self.events['stlb-misses'] += 1
            known = [level for level in (1, 2, 3) if page >> 9 * level in self.upper[level][2].get(0, [])]
            if known:
                self.use(self.upper[known[0]], page >> 9 * known[0])
            for level in range(known[0] - 1 if known else 3, -1, -1):
                self.events['walk-refs'] += 1
                self.events['walk-misses'] += self.last.look(0xffff800000000000 + (level << 40) + 8 * (page >> 9 * level), 8)
                if level:
                    self.use(self.upper[level], page >> 9 * level)


class Ittage:
    """Seznec, JWAC-2 2011, with four tables; histories are folded anew each time."""
    LENGTHS = (4, 10, 25, 60)

    def __init__(self):
        self.history, self.base, self.tables = [], {}, [{} for _ in self.LENGTHS]

    def add(self, bit):
        self.history.insert(0, bit)
        del self.history[60:]

    def fold(self, length, bits):
        value = 0
        for i, bit in enumerate(self.history[:length]):
            value ^= bit << i % bits
        return value

    def outcome(self, taken):
        self.add(taken)

    def place(self, table, pc):
        length = self.LENGTHS[table]
        return (pc ^ pc >> (9 - table) ^ self.fold(length, 9)) % 512, (pc ^ self.fold(length, 8) << 1) % 512

    def branch(self, pc, target):
        """True: predicted."""
        places = [self.place(t, pc) for t in range(4)]
        entries = [self.tables[t].get(places[t][0]) for t in range(4)]
        found = [t for t in range(4) if entries[t] and entries[t]['tag'] == places[t][1]]
        usual = self.base.get(pc % 512, 0)
        provider = entries[found[-1]] if found else None
        other = entries[found[-2]] if len(found) > 1 else None
        otherwise = other['target'] if other else usual
        said = provider['target'] if provider else usual
        if other and provider['sure'] == 0 and other['sure'] > 0:
            said = other['target']
        if not provider:
            self.base[pc % 512] = target
        elif provider['target'] == target:
            provider['sure'] = min(provider['sure'] + 1, 3)
            provider['useful'] = provider['useful'] or otherwise != target
        elif provider['sure']:
            provider['sure'] -= 1
        else:
            provider['target'] = target
        if said != target:
            self.allocate(places, entries, found[-1] + 1 if found else 0, target)
        self.add((target >> 2 ^ target >> 5) & 1)
        self.add((target >> 3 ^ target >> 4) & 1)
        return said == target

    def allocate(self, places, entries, first, target):
        for t in range(first, 4):
            if not entries[t] or not entries[t]['useful']:
                self.tables[t][places[t][0]] = {'tag': places[t][1], 'target': target, 'sure': 0, 'useful': False}
                return
        for t in range(first, 4):
            entries[t]['useful'] = False


def of_caches(name, given):
    """The words behind the size that quern should have written."""
    first = {kind: Cache(given.get('I1', '32768,8,64')) for kind in 'i'}
    data = Dip(given['D1'], int(given['seed'])) if name == 'dip' else Cache(given['D1'])
    last = Hawkeye(given['LL']) if name == 'hawkeye' else Cache(given['LL'])
    middle = BestOffset(given['L2'], last) if name == 'bop' else None

    tlb = Tlb(dict(word.split('=') for word in given['sim-opt'].split(',')), last) if name == 'tlb' else None

    def said(kind, words):
        pc, addr, size = int(words[1], 16), int(words[2], 16), int(words[3])
        word = ('hit', 'miss')
        if tlb and kind not in first:
            tlb.translate(addr, size)
        if not (first[kind] if kind in first else data).look(addr, size):
            return ['hit', '-', '-'] if middle else ['hit', '-']
        if not middle:
            return ['miss', word[last.look(addr, size, pc)]]
        if not middle.look(addr, size):
            return ['miss', 'hit', '-']
        return ['miss', 'miss', word[middle.missed_below]]
    return (lambda words: (said(words[0], words), words[4:]) if words[0] in 'irwm' else None), tlb


def of_branches():
    model = Ittage()

    def said(words):
        if words[0] == 'b':
            model.outcome(words[3] == 'taken')
        if words[0] != 'j':
            return None
        return [('wrong', 'right')[model.branch(int(words[1], 16), int(words[2], 16))]], words[4:]
    return said, None


def main():
    given = dict(word.split('=', 1) for word in sys.argv[2:])
    said, tlb = of_branches() if sys.argv[1] == 'ittage' else of_caches(sys.argv[1], given)
    compared = different = 0
    for number, line in enumerate(sys.stdin, 1):
        both = None if line.startswith('#') else said(line.split())
        if both is None:
            continue
        compared += 1
        if both[0] != both[1]:
            different += 1
            if different <= 10:
                print(f'line {number}: {line.strip()}: the model says {" ".join(both[0])}')
    for event, count in tlb.events.items() if tlb else ():
        print(f'D1.{event} {count}')
    print(f'{compared} compared, {different} differ')


main()
