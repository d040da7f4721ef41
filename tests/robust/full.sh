#!/bin/sh
# On a full disk: is there one clear reason, the status 1, and nothing half-written or left, from no room at all to nearly enough?
#
# The disk is a tmpfs of 128 KiB in a mount namespace of its own.  Each command writes its output to it, or has TMPDIR there.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"

if [ "${IN_NAMESPACE:-}" != yes ]; then
    [ "$(id -u)" -eq 0 ] && as= || as=-r
    unshare $as -m true 2>/dev/null || skip_all 'no mount namespace here' 20
    IN_NAMESPACE=yes exec unshare $as -m sh "$0"
fi
mkdir disk
mount -t tmpfs -o size=128k none disk || skip_all 'no tmpfs here' 20
printf 'int main(void)\n{\n    static volatile int x[1000];\n    for (int i = 0; i < 1000; i++)\n        x[i] = i;\n    return 0;\n}\n' >prog.c
"$CC" -g prog.c -o prog || bail 'cannot compile'
"$QUERN" run -q --out-file=profile ./prog && "$QUERN" trace -q -o trace ./prog || bail 'cannot run'
printf '%s\n' '#include "sim/module.h"' '#define POLICY "mine"' 'static void policy_hit(unsigned set, unsigned way) { (void)set, (void)way; }' \
    'static void policy_fill(unsigned set, unsigned way) { (void)set, (void)way; }' 'static unsigned policy_victim(unsigned set) { (void)set; return 0; }' \
    'static bool policy_settled(unsigned set, unsigned way) { (void)set, (void)way; return true; }' >mine.c

# whole FILE: ends as a whole one does
whole() {
    case $1 in
    *.svg) grep -q '</svg>' "$1" ;;
    *.html) tail -c 8 "$1" | grep -q '</html>' ;;
    *.csv) test -z "$(tail -c 1 "$1")" ;;
    */profile) grep -q '^summary:' "$1" ;;
    esac
}
# Rows of a sweep, and data and script of a picture, are whole, and stay.
# full WHERE COMMAND...: with no room, and with more and more, until it succeeds.
full() {
    where=$1
    shift
    for room in 0 4 8 16 24 32 48 64 96 128; do
        rm -rf disk/* disk/.[!.]* here
        head -c $((131072 - room * 1024)) /dev/zero >disk/fill
        before=$(find disk | sort)
        if [ "$where" = tmp ]; then XDG_CACHE_HOME=/dev/null TMPDIR=$SCRATCH/disk; else unset XDG_CACHE_HOME TMPDIR; fi
        export XDG_CACHE_HOME TMPDIR
        timeout 300 "$QUERN" "$@" >out 2>err
        status=$?
        left=$(find disk | sort)
        [ "$where" = tmp ] && [ "$left" != "$before" ] && echo "room for $room KiB: left $left"
        if [ $status -eq 0 ]; then
            for file in disk/*.*; do whole "$file" || echo "room for $room KiB: $file is cut"; done
            break
        fi
        grep -qE '^quern.*(No space left|no whole picture|no room for more)' err || echo "room for $room KiB: status $status without a reason: $(tail -n 2 err)"
        [ "$left" = "$before" ] || [ "$1" = sweep ] || [ "$1" = plot ] || echo "room for $room KiB: left $left"
    done
    true
}
try() {
    where=$1
    shift
    is "$(full "$where" "$@")" '' "$where: quern $*"
}
try out run -q --out-file=disk/profile ./prog
try out run -q --explain=prog.c:5 --explain-file=disk/explained --out-file=p ./prog
try out trace -q -o disk/trace ./prog
try out report -q -o disk/report ./prog
try out sweep -q --D1=1024,2,64 -L sim=lru,fifo -o disk/s.csv -- ./prog
try out page -o disk/p.html profile
try out watch -q --cache=lru:1024,2,64 --references=500 -o disk/w.html ./prog
! command -v gnuplot >/dev/null || try out plot top -o disk/top.svg profile
try out csv -o disk/c.csv profile
try out merge -o disk/profile profile profile
try out convert --to=callgrind -o disk/cg profile
try out lab start 1 disk/lab
try out sim build --D1=mine.c -o disk/sim
try tmp watch -q --cache=lru:1024,2,64 --references=500 -o here ./prog
try tmp replay --D1=1024,2,64 --sim=D1=mine.c trace
try tmp run -q --sim=D1=mine.c --out-file=here ./prog
try tmp trace -q --format=champsim -o here ./prog
try tmp lab check 1 "$top_srcdir/labs/solutions/01-cache"

# ---- limits of file sizes (a quota is the same), and of memory ----

# under LIMIT N REASON COMMAND...: it succeeds, or there is one line with the reason, status 1, and nothing left.  Where the kernel cannot even
# start quern (it kills it before its first instruction), nothing is asked.
under() {
    limit=$1 n=$2 reason=$3
    shift 3
    rm -rf made
    mkdir made
    { (ulimit -S "$limit" "$n"; exec "$QUERN" "$@" >made.out 2>&3) 3>&1 2>/dev/null; echo "status $?"; } | cat >err
    status=$(sed -n '$s/status //p' err)
    [ "$status" -eq 139 ] && [ "$limit" = -v ] && [ "$(wc -l <err)" -eq 1 ] && return
    [ "$status" -eq 0 ] && return
    [ "$status" -eq 1 ] && [ "$(wc -l <err)" -eq 2 ] && grep -q "^quern.*$reason" err || echo "$limit $n: $(cat err)"
    [ -z "$(ls -A made)" ] || echo "$limit $n: left $(ls -A made)"
}
limited() {
    is "$(for n in 0 1 8; do under -f $n 'File too large' "$@"; done)" '' "limited files: quern $*"
    is "$(for n in 9000 9500 10000 10500 11000 12000 14000; do under -v $n 'no memory' "$@"; done)" '' "limited memory: quern $*"
}
limited annotate profile
limited diff profile profile
limited page -o made/p.html profile
limited merge -o made/m profile profile
limited csv profile
limited csv -o made/c.csv profile
limited json profile
limited convert --to=callgrind -o made/cg profile
limited watch -q --cache=lru:1024,2,64 --references=500 -o made/w.html ./prog
is "$(for n in 1 8; do under -f $n 'File too large' report -q -o made/r ./prog; done)" '' 'limited files: quern report'
is "$(for n in 0 1; do under -f $n 'File too large' plot top -o made/t.svg profile; done)" '' 'limited files: quern plot'
done_testing
