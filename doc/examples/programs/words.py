# words.py FILE - how often is each word there?
import sys

counts = {}
for line in open(sys.argv[1]):
    for word in line.split():
        counts[word] = counts.get(word, 0) + 1
for word in sorted(counts, key=lambda w: (-counts[w], w))[:10]:
    print(counts[word], word)
