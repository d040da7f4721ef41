# Least recently used, and the best that is possible
# ask: The same blocks, room for four. How often does lru miss, and how often the best possible policy? What must that one know?
# tell: lru misses 8 times, the best possible policy 6 times: five first uses, and one more. It evicts what is used last of all, so it has to know the future.
quern replay --sim=D1=lru --D1=4,4,1 belady.xdin 2>&1 | grep 'D1  misses'
quern replay --sim=D1=opt --D1=4,4,1 belady.xdin 2>&1 | grep 'D1  misses'
