# Compulsory, capacity, conflict
# ask: The two arrays of `quern demo ways` again, one way. Which class are their misses of, and would a cache of twice the size help?
# tell: Nearly all are conflicts: 2 KiB of data in 8 KiB of cache. Twice the size with one way helps here, because a and b then have places of their own; a third array would bring the conflicts back.
cc -O1 -g -o pair pair.c
quern run --toggle=main --analysis=3c --D1=8192,1,64 --out-file=pair.out ./pair 2>&1 | sed -n 's/.*AN\.//p'
quern run --toggle=main --analysis=3c --D1=16384,1,64 --out-file=pair.out ./pair 2>&1 | sed -n 's/.*AN\.//p'
