#!/bin/sh
# cpi.sh PROGRAM: the stack of its cycles with a last level of 64 KiB to 4 MiB, as CSV for `quern plot curve`.
echo size,part,cycles
for size in 65536 131072 262144 524288 1048576 2097152 4194304; do
    quern run -q --branch-sim=yes --I1=32768,8,64 --D1=32768,8,64 --LL=$size,16,64 --out-file=cpi.out "$1" >/dev/null
    quern csv --by=function --metadata=no --crlf=no --show=Ir,I1mr,ILmr,Dr,D1mr,DLmr,Dw,D1mw,DLmw,Bc,Bcm,Bi,Bim -o stack.csv cpi.out
    ./timing stack -l 12 -m 200 -p 15 -t stack.csv | awk -F, -v size=$size '$1 == "total" {
        print size ",cpi," $2; print size ",base," $3; print size ",last level," $4; print size ",memory," $5; print size ",branches," $6 }'
done
