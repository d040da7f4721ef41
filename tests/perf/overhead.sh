#!/bin/bash
# What does it cost to run under quern at all, without counting (--instr-at-start=no)?  Processor time, user and system, of the
# program and of quern together, divided by the program's own; the least of three each.
#
#   QUERN=build/quern bash tests/perf/overhead.sh            all that are installed
#   QUERN=build/quern bash tests/perf/overhead.sh gzip node  these
#
# Prints a table for doc/corpus.md.  The programs run about half a second, so that it is not about how they start; the last group
# makes its own code while it runs.
set -u
LC_ALL=C
PYTHONHASHSEED=0
export LC_ALL PYTHONHASHSEED
QUERN=${QUERN:-quern}
times=${QN_REPEAT:-3}
files=$(cd "$(dirname "$0")/../corpus/files" && pwd)
where=$(mktemp -d)
trap 'rm -rf "$where"' EXIT
cd "$where" || exit

awk 'BEGIN { x = 1; for (i = 0; i < 400000; i++) { x = x * 16807 % 2147483647; print x, x % 1009, "the cache line that was read last" } }' >text
head -c 3000000 text >small
for ((i = 0; i < 8; i++)); do cat text; done >large
awk 'BEGIN { for (i = 0; i < 400; i++) printf "long f%d(long *p, long n) { long s = %d; for (long i = 0; i < n; i++) s += p[i] * %d ^ s >> %d; return s; }\n", i, i, i, i % 31 }' >many.c
cat >loop.c <<'END'
#include <stdio.h>
int main(void) { static double a[300][300], s; for (int k = 0; k < 12; k++) for (int i = 0; i < 300; i++) for (int j = 0; j < 300; j++) { a[i][j] += i * j % (k + 3); s += a[j][i]; } printf("%f\n", s); }
END
sed 's/60000/2000000/' "$files/sum.lua" >long.lua
sed 's/60000/1500000/' "$files/sum.py" >long.py
sed 's/20000/600000/' "$files/sum.pl" >long.pl
sed 's/20000/900000/' "$files/sum.awk" >long.awk
sed 's/20000.times/1500000.times/' "$files/sum.rb" >long.rb
sed 's/30000/4000000/' "$files/sum.php" >long.php
sed 's/i 20000/i 1500000/' "$files/sum.scm" >long.scm
sed '/^#lang/!s/i 20000/i 9000000/' "$files/sum.rkt" >long.rkt
sed 's/i < 4000/i < 400000/' "$files/sum.js" >long.js
sed 's/60000/9000000/' "$files/Sum.java" >Sum.java
sed 's/30000/3000000/' "$files/Sum.cs" >Sum.cs
sed 's/total 20000/total 9000000/' "$files/sum.lisp" >long.lisp
sed 's/loop(20000/loop(9000000/' "$files/sum.erl" >sum.erl
sed 's/i < 50000/i < 9000000/' "$files/sum.go" >sum.go
sed 's/to 20000/to 1000000/' "$files/sum.ml" >long.ml
sed 's/take 20000/take 600000/' "$files/sum.hs" >long.hs
sed 's/^20000 total/9000000 total/' "$files/sum.fs" >long.fs
sed 's/i < 5000/i < 120000/' "$files/sum.sql" >long.sql

# measure COMMAND...: seconds of processor time, the least of $times.
measure() {
    local TIMEFORMAT='%U %S'
    for ((t = 0; t < times; t++)); do
        { time "$@" >/dev/null 2>&1 </dev/null; } 2>&1
    done | awk '{ s = $1 + $2; if (NR == 1 || s < least) least = s } END { printf "%.2f", least }'
}

# row NAME PACKAGE KIND COMMAND...
row() {
    local name=$1 package=$2 own other
    [ "$wanted" = all ] || [[ " $wanted " = *" $name "* ]] || return
    shift 2
    command -v "$1" >/dev/null || return
    own=$(measure "$@")
    other=$(measure "$QUERN" run -q --instr-at-start=no --trace-children=yes --out-file=/dev/null -- "$@")
    awk -v n="$name" -v p="$package" -v a="$own" -v b="$other" 'BEGIN { printf "| %s | %s | %.2f | %.2f | %s |\n", n, p, a, b, (a > 0.05 ? sprintf("%.2f", b / a) : "?") }'
}

wanted=${*:-all}
echo '| program | package | native, s | under quern, s | times |'
echo '|---|---|---|---|---|'
row sort coreutils sort -k2,2n text
row sha256sum coreutils sha256sum large large large
row wc coreutils wc -w large large
row gzip gzip gzip -9c small
row bzip2 bzip2 bzip2 -9c small
row xz xz-utils xz -T1 -3c small
row zstd zstd zstd -q --single-thread -9c small
row grep grep grep -cE '([0-9])\1\1' text
row sed sed sed -n 's/\([0-9]\)\([0-9]*\) /\2\1/gp' text
row gawk gawk gawk -f long.awk
row mawk mawk mawk -f long.awk
row bc bc sh -c 'echo "scale=700; 4*a(1)" | bc -l'
row diff diffutils diff small text
row tar tar tar -cf - /usr/share/doc
row find findutils find /usr/share -name '*.gz' -newer /etc/passwd
row python3 python3 /usr/bin/python3 long.py
row perl perl perl long.pl
row lua lua5.4 lua5.4 long.lua
row ruby ruby ruby long.rb
row php php-cli php long.php
row guile guile-3.0 guile --no-auto-compile long.scm
row tcl tcl tclsh "$files/sum.tcl"
row swipl swi-prolog-nox swipl "$files/sum.plg"
row gforth gforth gforth-fast long.fs
row bash bash bash -c 'for ((i = 0; i < 300000; i++)); do x=$((x * 3 + i & 65535)); done'
row gcc gcc gcc -O2 -c many.c -o many.o
row clang clang clang -O2 -c many.c -o many.o
row tcc tcc tcc -c many.c -o many.o
row objdump binutils objdump -d /usr/bin/git
row ocaml ocaml ocamlopt -o long.ml.exe long.ml && row ocaml_made ocaml ./long.ml.exe
ghc -v0 -O1 -o long.hs.exe long.hs >/dev/null 2>&1 && row ghc_made ghc ./long.hs.exe
GO111MODULE=off GOCACHE=$where/cache go build -o long.go.exe sum.go >/dev/null 2>&1 && row go_made golang-go ./long.go.exe
gcc -O2 -o loop loop.c && row loop_c gcc ./loop
row rg ripgrep rg --no-config -j1 -c '([0-9])7 [0-9]*9 the' large
row sqlite3 sqlite3 sh -c 'sqlite3 :memory: <long.sql'
row git git git -C / log --oneline
row openssl openssl openssl dgst -sha512 large
row ffmpeg ffmpeg ffmpeg -nostdin -v error -f lavfi -i testsrc2=size=176x144:rate=10:duration=8 -c:v libx264 -threads 1 -f framemd5 -
row jq jq jq -n '[range(300000) | . * 7 % 1009] | add'
echo '| **makes code while it runs** | | | | |'
row node nodejs node long.js
row luajit luajit luajit long.lua
javac Sum.java >/dev/null 2>&1 && row java openjdk-17-jdk-headless java -XX:+UseSerialGC -cp . Sum
row racket racket racket long.rkt
row sbcl sbcl sbcl --script long.lisp
erlc sum.erl >/dev/null 2>&1 && row erlang erlang-base erl +S 1:1 +sbwt none -noinput -eval 'sum:main([]).'
mcs -out:Sum.exe Sum.cs >/dev/null 2>&1 && row mono mono-runtime mono Sum.exe
row pypy3 pypy3 pypy3 long.py
row chez chezscheme scheme --script long.scm
row tcc_run tcc tcc -run loop.c
