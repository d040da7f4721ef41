"""tests/models/papers.py - DIP, Hawkeye, best-offset, Berti, FNL+MMA, a decoupled sectored cache, a multiperspective perceptron, TAGE with the path, ITTAGE and a page walker,
written from the heads of the modules and the papers they name, as somebody would who has a trace as text and no C.  Lists and dictionaries; nothing is shared with
lib/sim or with the models in C.

    papers.py dip      D1=4096,4,64 seed=7 <trace     --sim=D1=dip
    papers.py hawkeye  I1=... D1=... LL=...           --sim=LL=hawkeye
    papers.py bop      I1=... D1=... L2=... LL=...    --sim=L2=bop
    papers.py berti    ... sim-opt=berti-latency=9    --sim=D1=berti
    papers.py fnlmma   ... sim-opt=mma-bits=5,...     --sim=I1=fnlmma
    papers.py decoupled                               --sim=D1=decoupled
    papers.py mpp      sim-opt=mpp-entries=100        --sim=BC=mpp
    papers.py tage06   seed=7                         --sim=BC=tage06
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


class Prefetching(Cache):
    """What was prefetched and not used since is in `fresh`.  The level below sees the reference first, then what train() brings."""
    sees_hits = False

    def __init__(self, geometry, below):
        super().__init__(geometry)
        self.below, self.fresh, self.missed_below = below, set(), False

    def look(self, addr, size, pc=0):
        lines = self.lines(addr, size)
        miss = not all(self.has(line) for line in lines)
        self.missed_below = miss and self.below.look(addr, size)
        first = miss
        for line in lines:
            if self.use(line):
                first |= line in self.fresh
            self.fresh.discard(line)
        if first or self.sees_hits:
            self.train(addr, size, pc, miss)
        return miss

    def bring(self, line):
        if not self.has(line):
            self.below.look(line * self.line, self.line)
            self.use(line)
            self.fresh.add(line)


class BestOffset(Prefetching):
    """Michaud, HPCA 2016, with the base entered at once, at the L2."""

    def __init__(self, geometry, below):
        super().__init__(geometry, below)
        self.recent = {}
        self.offsets = [d for d in range(1, 257) if all(d % p for p in range(7, d + 1) if all(p % q for q in range(2, p)))]
        self.scores, self.tried, self.rounds, self.best = [0] * 52, 0, 0, 1

    def place(self, number):
        return (number ^ number >> 8) % 256, (number >> 8) % 4096

    def learn(self, number):
        index, tag = self.place((number - self.offsets[self.tried]) % 2**64)
        if self.recent.get(index) == tag:
            self.scores[self.tried] += 1
        self.tried = (self.tried + 1) % len(self.offsets)
        self.rounds += self.tried == 0
        if self.tried == 0 and (max(self.scores) == 31 or self.rounds == 100):
            most = max(self.scores)
            self.best = self.offsets[self.scores.index(most)] if most > 1 else 0
            self.scores, self.rounds = [0] * 52, 0

    def train(self, addr, size, pc, miss):
        number = addr // self.line
        self.learn(number)
        to = number + self.best
        index, tag = self.place(number)
        self.recent[index] = tag
        if self.best and to * self.line // 4096 == addr // 4096:
            self.bring(to)


class Berti(Prefetching):
    """Navarro-Torres et al., MICRO 2022, without time: what is older than `latency` misses and first uses is in time."""

    def __init__(self, geometry, below, latency):
        super().__init__(geometry, below)
        self.now, self.latency, self.past, self.known = 0, latency, {}, []   # past: by set, the newest first; known: the newest first

    def search(self, by, line):
        found = []
        for when, whose, other in self.past.get(by % 8, []):
            if whose == by and when + self.latency <= self.now:
                if other == line or other in found:
                    break
                found.append(other)
        return found[:8]

    def learn(self, by, line):
        found = self.search(by, line)
        k = ([k for k in self.known if k['by'] == by] or [None])[0]
        near = [line - other for other in found if abs(line - other) < 4096]
        if k is None and near:
            k = {'by': by, 'searches': 1, 'deltas': [[0, 0, 'no'] for _ in range(16)]}
            self.known = [k] + self.known[:15]
        elif k and found:
            k['searches'] += 1
            if k['searches'] == 16:
                k['searches'] = 0
                for d in k['deltas']:
                    share = d[1] / 16
                    d[1], d[2] = 0, 'D1' if share > .65 else 'next' if share > .5 else 'maybe' if share > .35 else 'no'
        for delta in near:
            self.count(k['deltas'], delta)
        self.past.setdefault(by % 8, []).insert(0, (self.now, by, line))
        del self.past[by % 8][16:]

    def count(self, deltas, delta):
        for d in deltas:
            if d[0] == delta:
                d[1] += 1
                return
        for kind in 'no', 'maybe':
            candidates = [d for d in deltas if d[2] == kind]
            if candidates:
                min(candidates, key=lambda d: d[1])[:] = [delta, 1, 'no']
                return

    def train(self, addr, size, pc, miss):
        by, line = (pc >> 1 ^ pc >> 4) % 1024, addr // self.line
        self.now += 1
        self.learn(by, line % 2**24)
        for k in self.known:
            if k['by'] == by:
                uses = [(d[0], d[2]) for d in k['deltas'] if d[0]]
                if all(use == 'no' for _, use in uses) and k['searches'] >= 8:
                    shares = [(d[0], 100 * d[1] // k['searches']) for d in k['deltas'] if d[0]]
                    uses = [(delta, 'D1' if share > 80 else 'next' if share > 35 else 'no') for delta, share in shares]
                wanted = [(delta, use) for kind in ('D1', 'next', 'maybe') for delta, use in uses if use == kind]
                for delta, use in wanted[:12]:
                    if use == 'D1':
                        self.bring(line + delta)
                    else:
                        self.below.look((line + delta) * self.line, self.line)


class FnlMma(Prefetching):
    """Seznec, First Instruction Prefetching Championship, 2020."""
    sees_hits = True

    def __init__(self, geometry, below, options, seed):
        super().__init__(geometry, below)
        self.ahead, self.bits, self.most = options.get('mma-ahead', 8), options.get('mma-bits', 11), options.get('fnl-lines', 5)
        self.size, self.random = 2**options.get('fnl-bits', 16), Random(seed)
        self.shadow, self.lately = [[0] * 3 for _ in range(64)], [[0] * 4 for _ in range(32)]
        self.worth, self.touched, self.turn = {}, set(), 0
        self.next_misses = {}                                     # (way, place): [tag, line, came twice]
        self.misses, self.predicted = [0] * 41, [0] * 17

    def footprint(self, line):
        self.touched.add(line % self.size)
        if (line - 1) % self.size in self.touched:
            self.worth[(line - 1) % self.size] = 3
        for _ in range(self.size // 8192):
            if self.turn in self.touched:
                self.worth[self.turn] = max(self.worth.get(self.turn, 0) - 1, 0)
                self.touched.remove(self.turn)
            self.turn = (self.turn + 1) % self.size

    def next_lines(self, line, really):
        if not self.worth.get(line % self.size):
            return
        all_of_them = (line - 1) // 32 % 2**15 not in self.lately[(line - 1) % 32]
        n = 1
        while n < self.most and self.worth.get((line + n) % self.size):
            n += 1
        for i in range(1, n + 1):
            if really and self.most and (all_of_them or i == self.most):
                self.bring(line + i)
        self.lately[line % 32] = [line // 32 % 2**15] + self.lately[line % 32][:3]

    def places(self, key):
        low, high = key % 2**self.bits, (key >> self.bits) % 2**self.bits
        turned = [low]
        for _ in range(3):
            turned.append(turned[-1] >> 3 | turned[-1] % 8 << self.bits - 3)
        return [(way, turned[way] ^ high) for way in range(4)], (key >> self.bits) % 4096

    def entry(self, key):
        places, tag = self.places(key)
        return ([self.next_misses[p] for p in places if self.next_misses.setdefault(p, [0, 0, False])[0] == tag] or [None])[-1]

    def learn(self, line, key):
        entry = self.entry(key)
        if entry:
            entry[1:] = [line, entry[1] == line]
            return
        places, tag = self.places(key)
        drawn = self.random.below(4)
        for way in range(drawn, drawn + 4):
            if not self.next_misses[places[way % 4]][2]:
                self.next_misses[places[way % 4]] = [tag, line, False]
                return
        if self.random.below(4) == 0:
            self.next_misses[places[drawn]][2] = False

    def has_shadow(self, line):
        return line // 64 % 2**15 in self.shadow[line % 64]

    def one(self, line, key, miss):
        known, row, tag = self.has_shadow(line), self.shadow[line % 64], line // 64 % 2**15
        row.remove(tag) if known else row.pop()
        row.insert(0, tag)
        if known:
            return
        self.footprint(line)
        self.next_lines(line, line not in self.predicted)
        entry, to = self.entry(key), 0
        if entry and entry[2] and entry[1] not in self.predicted and not self.has_shadow(entry[1]):
            to = entry[1]
            self.bring(to)
            self.next_lines(to, True)
        if miss and (line != self.misses[0] * 4 // self.line + 1 or not self.most):
            self.learn(line, self.misses[self.ahead])
        self.misses = [key] + self.misses[:40]
        self.predicted = [to] + self.predicted[:16]

    def train(self, addr, size, pc, miss):
        for line in self.lines(addr, size):
            self.one(line, max(addr, line * self.line) // 4, miss)


class Decoupled(Cache):
    """Seznec, ISCA 1994: a line is there if its sector has a tag and one of the frames for its place has the line."""

    def __init__(self, geometry, options):
        super().__init__(geometry)
        self.of_sector, self.ntags = options.get('sector-lines', 4), options.get('sector-tags', 0) or 2 * self.ways
        self.tags, self.frames = {}, {}                           # that which goes next first

    def use(self, line, pc=0):
        sector, place = divmod(line, self.of_sector)
        number = sector % (self.nsets // self.of_sector)
        tags = self.tags.setdefault(number, [])
        if sector in tags:
            tags.remove(sector)
        elif len(tags) == self.ntags:
            gone = tags.pop(0)
            for frames in self.frames.values():
                frames[:] = [other for other in frames if other // self.of_sector != gone]
        tags.append(sector)
        frames = self.frames.setdefault((number, place), [])
        there = line in frames
        if there:
            frames.remove(line)
        elif len(frames) == self.ways:
            frames.pop(0)
        frames.append(line)
        return there


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


class Multiperspective:
    """Jimenez, 5th Championship Branch Prediction, 2016: all histories are lists, the newest first, and folded anew at each branch."""
    SIZES = [1, 3, 4, 5, 7, 8, 9, 11, 12, 14, 15, 17, 19, 21, 23, 25, 27, 29, 32, 34, 37, 41, 45, 49, 53, 58, 63, 69, 76, 85, 94, 106]
    LAST = [0, 4, 5, 7, 9, 11, 12, 14, 16, 17, 19, 22, 28, 33, 39, 45]
    FACTORS = [2.40625, 1.4375, 1, 1, 1.0625, 1.625, 1.25, 1.125, 1.40625, 1.5, 1.28125, 1.5625, 1.25, 1.875, 1.65625, 2.53125]

    def __init__(self, entries):
        self.entries, self.weights = entries, {}
        self.outcomes, self.path, self.even, self.recent, self.own = [0] * 150, [0] * 31, [0] * 7, [0] * 31, {}
        self.back = self.forth = self.doubt = 0
        self.threshold = 10

    def global_view(self, first, end):
        value = 0
        for i, bit in enumerate(self.outcomes[first:end]):
            value ^= bit << i % 21
        return value

    @staticmethod
    def shifted(items, by):
        value = 0
        for item in items:
            value = (value << by) + item
        return value % 2**32

    def way(self, first, end, by):
        return self.shifted([a * 2 + t for a, t in zip(self.path[first:end], self.outcomes[first:end])], by)

    def indices(self, pc):
        low, last = pc % 2**16, self.entries - 1
        where = self.recent.index(low) * self.entries // 31 if low in self.recent else last
        views = [0, self.global_view(0, 19), self.global_view(0, 65), self.global_view(21, 64), self.global_view(75, 150), self.shifted(self.even, 3),
                 self.way(0, 11, 2), self.way(0, 15, 4), self.way(0, 31, 1), self.way(0, 7, 1), self.forth, self.shifted(self.own.get(pc % 48, [0] * 11)[::-1], 1),
                 self.shifted(self.recent[:14], 4), where, self.way(0, 4, 3), self.way(1, 2, 5)]
        more = {1: self.back, 2: self.back, 4: where, 7: where, 10: self.forth, 14: self.forth}
        return [((view << 6) ^ low ^ more.get(t, 0)) % self.entries for t, view in enumerate(views)]

    def branch(self, pc, taken, backward):
        """True: predicted."""
        sign = (pc % 2**32 * 0x9e3779b1 >> 16) % 2
        weights = [self.weights.setdefault((t, i), [0, [t % 2 == 1, True]]) for t, i in enumerate(self.indices(pc))]
        own = self.own.setdefault(pc % 48, [0] * 11)                  # the newest first
        total = {0: -5, 11: 5}.get(sum(own), 0) + (own == [0] * 10 + [1]) * -1 + (own == [1] * 10 + [0]) * 1
        for t, (size, minus) in enumerate(weights):
            total += int(self.FACTORS[t] * (self.LAST if t == 15 else self.SIZES)[size]) * (-1 if minus[sign] else 1)
        total = int(total * 245 / 1000)
        right = (total >= 1) == taken
        if not right or abs(total) <= self.threshold:
            self.doubt += 1 if not right else -1 if abs(total) < self.threshold else 0
            if abs(self.doubt) == 9:
                self.threshold, self.doubt = self.threshold + self.doubt // 9, 0
            for t, w in enumerate(weights):
                if w[1][sign] != taken:
                    w[0] = min(w[0] + 1, 15 if t == 15 else 31)
                elif w[0]:
                    w[0] -= 1
                else:
                    w[1][sign] = not w[1][sign]
        self.after(pc, taken, backward, own)
        return right

    def after(self, pc, taken, backward, own):
        low = pc % 2**16
        if backward:
            self.back = (self.back + 1) % 2**16 if taken else 0
        else:
            self.forth = 0 if taken else (self.forth + 1) % 2**16
        self.passes(pc, int(taken))
        if (pc % 2**32 * 0x9e3779b1 >> 16) % 2 == 0:
            self.even = [low * 2 + taken] + self.even[:6]
        if low in self.recent:
            self.recent.remove(low)
        self.recent = ([low] + self.recent)[:31]
        own[:] = [int(taken)] + own[:10]

    def passes(self, pc, bit):
        self.outcomes = [bit] + self.outcomes[:149]
        self.path = [pc % 2**16] + self.path[:30]


class Tage:
    """Seznec, Michaud, JILP 8, 2006, with the path of 16 branches; histories are folded anew each time."""
    LENGTHS = (5, 15, 44, 130)

    def __init__(self, seed):
        self.random, self.outcomes, self.path, self.base, self.tables = Random(seed), [], [], {}, [{} for _ in self.LENGTHS]
        self.trust, self.branches = 8, 0

    def fold(self, length, bits):
        value = 0
        for i, bit in enumerate(self.outcomes[:length]):
            value ^= bit << i % bits
        return value

    def place(self, table, pc):
        length = self.LENGTHS[table]
        way = sum(bit << i for i, bit in enumerate(self.path[:length]))
        return (pc ^ pc >> (10 - table) ^ self.fold(length, 10) ^ way ^ way >> 10) % 1024, (pc ^ self.fold(length, 9) ^ self.fold(length, 8) << 1) % 512

    def branch(self, pc, taken, backward):
        """True: predicted."""
        places = [self.place(t, pc) for t in range(4)]
        entries = [table.get(place[0], {'tag': None, 'counter': 0, 'useful': 0}) for table, place in zip(self.tables, places)]
        found = [t for t in range(4) if entries[t]['tag'] == places[t][1]]
        views = [self.base.get(pc % 4096, 0) >= 2] + [entries[t]['counter'] >= 0 for t in found]
        otherwise, said = views[-2:] if found else views * 2
        by_provider = said
        if found:
            entry = entries[found[-1]]
            new = entry['useful'] == 0 and entry['counter'] in (0, -1)
            if new and self.trust >= 8:
                said = otherwise
            if new and by_provider != otherwise:
                self.trust = min(self.trust + 1, 15) if otherwise == taken else max(self.trust - 1, 0)
            entry['counter'] = min(entry['counter'] + 1, 3) if taken else max(entry['counter'] - 1, -4)
            if by_provider != otherwise:
                entry['useful'] = min(entry['useful'] + 1, 3) if by_provider == taken else max(entry['useful'] - 1, 0)
        else:
            counter = self.base.get(pc % 4096, 0)
            self.base[pc % 4096] = min(counter + 1, 3) if taken else max(counter - 1, 0)
        if said != taken:
            self.allocate(places, entries, found[-1] + 1 if found else 0, taken)
        self.outcomes = [int(taken)] + self.outcomes[:129]
        self.passes(pc, None)
        self.age()
        return said == taken

    def passes(self, pc, bit):
        self.path = [pc % 2] + self.path[:15]

    def allocate(self, places, entries, first, taken):
        free = [t for t in range(first, 4) if entries[t]['useful'] == 0]
        for t in range(first, 4) if not free else ():
            entries[t]['useful'] -= 1
        if free:                                    # of three, the first has four chances in seven, the second two
            lots = [t for i, t in enumerate(free) for _ in range(2 ** (len(free) - 1 - i))]
            t = lots[self.random.below(len(lots))]
            self.tables[t][places[t][0]] = {'tag': places[t][1], 'counter': 0 if taken else -1, 'useful': 0}

    def age(self):
        self.branches += 1
        if self.branches % 2**18 == 0:              # high bits first, then low bits
            for entry in (entry for table in self.tables for entry in table.values()):
                entry['useful'] &= 1 if self.branches // 2**18 % 2 else 2


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
    seed, words = int(given.get('seed', 1)), dict(word.split('=') for word in given.get('sim-opt', '').split(',') if word)
    options = {key: int(value) for key, value in words.items()}
    last = Hawkeye(given['LL']) if name == 'hawkeye' else Cache(given['LL'])
    of_data = {'dip': lambda g: Dip(g, seed), 'berti': lambda g: Berti(g, last, options.get('berti-latency', 0)), 'decoupled': lambda g: Decoupled(g, options)}
    code = FnlMma(given['I1'], last, options, seed) if name == 'fnlmma' else Cache(given.get('I1', '32768,8,64'))
    data = of_data.get(name, Cache)(given['D1'])
    middle = BestOffset(given['L2'], last) if name == 'bop' else None
    tlb = Tlb(words, last) if name == 'tlb' else None

    def said(kind, words):
        pc, addr, size = int(words[1], 16), int(words[2], 16), int(words[3])
        word = ('hit', 'miss')
        if tlb and kind != 'i':
            tlb.translate(addr, size)
        level = code if kind == 'i' else data
        if not level.look(addr, size, pc):
            return ['hit', '-', '-'] if middle else ['hit', '-']
        if isinstance(level, Prefetching):
            return ['miss', word[level.missed_below]]
        if not middle:
            return ['miss', word[last.look(addr, size, pc)]]
        if not middle.look(addr, size):
            return ['miss', 'hit', '-']
        return ['miss', 'miss', word[middle.missed_below]]
    return (lambda words: (said(words[0], words), words[4:]) if words[0] in 'irwm' else None), tlb


def of_branches(name, given):
    model = Ittage() if name == 'ittage' else Tage(int(given.get('seed', 1))) if name == 'tage06' else Multiperspective(int(given.get('sim-opt', 'mpp-entries=587').split('=')[1]))

    def of_targets(words):
        if words[0] == 'b':
            model.outcome(words[3] == 'taken')
        if words[0] != 'j':
            return None
        return [('wrong', 'right')[model.branch(int(words[1], 16), int(words[2], 16))]], words[4:]

    def of_outcomes(words):
        if words[0] in 'jct':
            model.passes(int(words[1], 16), int(words[1], 16) // 4 % 2 == 0)
        if words[0] != 'b':
            return None
        return [('wrong', 'right')[model.branch(int(words[1], 16), words[3] == 'taken', words[2] == 'backward')]], words[4:]
    return of_targets if name == 'ittage' else of_outcomes, None


def main():
    given = dict(word.split('=', 1) for word in sys.argv[2:])
    said, tlb = (of_branches if sys.argv[1] in ('ittage', 'tage06', 'mpp') else of_caches)(sys.argv[1], given)
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
