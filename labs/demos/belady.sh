# Belady's anomaly: more room, more misses
# ask: First in, first out. The blocks 1 2 3 4 1 2 5 1 2 3 4 5 are used, with room for three of them, then with room for four. Which has fewer misses?
# tell: Three places miss 9 times, four miss 10 times. What fifo has in four places is not always a superset of what it has in three.
quern replay --sim=D1=fifo --D1=3,3,1 belady.xdin 2>&1 | grep 'D1  misses'
quern replay --sim=D1=fifo --D1=4,4,1 belady.xdin 2>&1 | grep 'D1  misses'
