# A predictor that remembers the way
# ask: The loop of ten rounds again. How many of the last outcomes must a predictor know to be right at the end of the loop, too?
# tell: With four outcomes of history the last round looks like those before; with twelve it does not: nine times taken, then the end.
cc -O1 -g -o loops loops.c
quern run --toggle=main --sim=gshare --branch-sim=yes --cache-sim=no --sim-opt=bits=12,gshare-history=4 --out-file=g.out ./loops 2>&1 | sed -n 's/.*Mispredicts/Mispredicts/p'
quern run --toggle=main --sim=gshare --branch-sim=yes --cache-sim=no --sim-opt=bits=12,gshare-history=12 --out-file=g.out ./loops 2>&1 | sed -n 's/.*Mispredicts/Mispredicts/p'
