# Counters that stand in one line
# ask: Four threads on four cores add to counters of their own, 40,000 times in all. No counter is shared. How many adds miss, if the counters stand in one line of 64 bytes, and if each has a line?
# tell: In one line every second add misses: a turn is as long as two of them, and begins by taking the line from the core before. Nobody has written what the add needs: the sharing is false. With a line each no add misses.
cc -O1 -g -pthread -o adds adds.c
quern run -q --cores=5 --quantum=10 --D1=32768,8,64 --out-file=adds.out ./adds
quern annotate --show=D1.false,D1.true --no-show-percs adds.out | grep '\.n++'
