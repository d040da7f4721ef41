# sum.py - for PyPy and CPython: loops that are compiled, dictionaries, exceptions, big integers, generators.
import sys
x, counts = 1, {}
for i in range(60000):
    x = x * 16807 % 2147483647
    counts[x % 1009] = counts.get(x % 1009, 0) + 1
print(len(counts), sorted(counts.items(), key=lambda p: (-p[1], p[0]))[:3])
class Node(object):
    def __init__(self, key, rest):
        self.key, self.rest = key, rest
chain = None
for i in range(20000):
    chain = Node(i, chain if i % 50 else None)
print(chain.key, sum(v * v for v in range(2000)), 3 ** 300 % 10 ** 20)
caught = 0
for i in range(2000):
    try:
        [][i]
    except IndexError:
        caught += 1
print(caught, "%.12f" % sum(i ** 0.5 for i in range(1000)), "".join(reversed("cache line")))
sys.exit(4)
