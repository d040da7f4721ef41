# One bit of memory, or two
# ask: A loop of ten rounds is run 10,000 times. How often is a predictor wrong that remembers the last outcome? And one with counters of two bits?
# tell: One bit is wrong twice a loop: at its end, and at the begin of the next. Two bits are wrong once: a single other outcome does not change their mind.
cc -O1 -g -o loops loops.c
quern run --toggle=main --sim=onebit --branch-sim=yes --cache-sim=no --out-file=one.out ./loops 2>&1 | sed -n 's/.*Mispredicts/Mispredicts/p'
quern run --toggle=main --sim=bimodal --branch-sim=yes --cache-sim=no --out-file=two.out ./loops 2>&1 | sed -n 's/.*Mispredicts/Mispredicts/p'
