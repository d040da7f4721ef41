# python3.py N: objects, dictionaries, json, regular expressions, a little n-body; N is about a tenth of a second each.
import json
import re
import sys


class Body:
    def __init__(self, x, v, m):
        self.x, self.v, self.m = x, v, m


def step(bodies, dt):
    for i, a in enumerate(bodies):
        for b in bodies[i + 1:]:
            d = [p - q for p, q in zip(a.x, b.x)]
            f = dt / (sum(c * c for c in d) + 0.01) ** 1.5
            a.v = [v - c * b.m * f for v, c in zip(a.v, d)]
            b.v = [v + c * a.m * f for v, c in zip(b.v, d)]
    for a in bodies:
        a.x = [p + dt * v for p, v in zip(a.x, a.v)]


def words(n):
    counts = {}
    x = 7
    for _ in range(n):
        x = x * 1103515245 + 12345 & 0x7FFFFFFF
        counts["w%d" % (x >> 20)] = counts.get("w%d" % (x >> 20), 0) + 1
    return counts


for _ in range(int(sys.argv[1])):
    bodies = [Body([i, i * 0.5, -i], [0.1 * i, 0, 0.2], 1 + i) for i in range(5)]
    for _ in range(200):
        step(bodies, 0.01)
    counts = words(30000)
    text = json.dumps(counts, sort_keys=True)
    pairs = re.findall(r'"(w\d*7)": (\d+)', text)
    total = sum(int(n) for _, n in pairs) + sum(i * i % 7 for i in range(60000))
print(repr(bodies[0].x), total, len(json.loads(text)))
