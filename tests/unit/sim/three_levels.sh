#!/bin/sh
# Are I2mr, D2mr and D2mw, the misses of an L2 between level 1 and the LL, those of slow models: of each reference of random streams, and of each event
# of programs, however they are simulated?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
. "$top_srcdir/tests/models/models.inc"

guests=$top_builddir/tests/guest

# ---- random streams: each reference, with levels that ask the next one in ways of their own ----

# I1:D1:L2:LL
geometries='1024,2,32:1024,2,32:2048,4,32:8192,4,32 512,1,32:256,1,64:512,2,64:1024,4,64 2048,4,64:1024,8,32:4096,2,128:16384,8,32'

# said: events and remarks of the modules, as the model prints them
said() {
    sed -n 's/^\([A-Z0-9]*\.[a-z0-9-]*\) *\([0-9][0-9]*\)  .*/\1 \2/p; /dirty lines at the end/p; /coverage/p' "$1" | grep -v 'evictions\| 0$' | sort
}

everywhere() {
    for kind in random cyclic stride zipf mixed; do
        for g in $geometries; do
            # shellcheck disable=SC2046
            set -- $(echo "$g" | tr : ' ')
            ./model trace wanted kind=$kind n=6000 seed=3 d1=$d1 ll=$ll opt=${at:+at-L2=1,}$opt I1="$1" D1="$2" L2="$3" LL="$4" >said || bail model
            sort said >wanted.events
            for check in no yes; do
                ./replay --I1="$1" --D1="$2" --L2="$3" --LL="$4" ${opt:+--sim-opt=$opt} $at --check=$check --outcomes=got trace >log 2>&1 &&
                    cmp wanted got && said log >got.events && cmp wanted.events got.events && continue
                diff wanted.events got.events
                echo "$kind, $g, check $check: $(tail -n 1 log)"
                return 1
            done
        done
    done
}

build_model
at=
for level in lru:lru: lru:inclusive: victim:lru:victim-lines=2 nextline:lru:degree=2 writeback:inclusive: nowa:lru: writeback:lru: \
    lru:nextline:pollution=1 lru:stride:pollution=1 nextline:stride:pollution=1 lru:bop:pollution=1; do
    d1=${level%%:*} opt=${level##*:} ll=${level#*:} ll=${ll%:*}
    # shellcheck disable=SC2046
    build_replay ./replay $([ $d1 = lru ] || echo D1=$d1) $([ $ll = lru ] || echo LL=$ll)
    ok "an L2 below D1=$d1, above LL=$ll: each reference as the model says" everywhere
    case $ll in nextline | stride | bop)
        at=--at-L2=yes
        ok "... and with $ll at the L2" everywhere
        at= ;;
    esac
done

# ---- programs: the totals of a run are those of the references of its trace, of which trace_text.sh compares each with another model ----

caches='--I1=1024,2,64 --D1=1024,4,64 --L2=4096,4,64 --LL=16384,4,64'

# of TEXT: I1mr I2mr ILmr D1mr ... in the order of a profile
misses_of() {
    awk 'function put(kinds) { for (level = 0; level < 3; level++) line = line " " n[kinds, level] + 0 }
        $1 ~ /^[irwm]$/ { kind = $1 == "m" ? "r" : $1; for (level = 0; level < 3; level++) n[kind, level] += $(5 + level) == "miss" }
        END { put("i"); put("r"); put("w"); print line }' "$1"
}

# of PROFILE: the same
misses() { sed -n 's/^summary: //p' "$1" | cut -d ' ' -f 2-4,6-8,10-12; }

for guest in recursion sort strings rep straddle; do
    [ -x "$guests/$guest" ] || bail "there is no $guest: make guests"
    # shellcheck disable=SC2086
    "$QUERN" trace --format=text -o text $caches "$guests/$guest" >log 2>&1
    first=
    for mode in --filter=yes --filter=no --batch=always --batch=often --check=yes --calls=yes --block-max=1; do
        # shellcheck disable=SC2086
        "$QUERN" run -q $caches $mode --out-file=profile "$guests/$guest" >log 2>&1
        is " $(misses profile)" "$(misses_of text)" "$guest $mode: all misses"
        sed -n '/^events:/,/^summary:/p' profile >"lines$mode"
        [ -n "$first" ] || first=lines$mode
        same_file "lines$mode" "$first" '... and those of each line'
    done
done

# ---- faults take back what never happens; threads, processes, parts of a run ----

cat >program.c <<'EOF_C'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static long list[9000];
static sigjmp_buf back;
static void handler(int n) { siglongjmp(back, n); }
static void *walk(void *step)
{
    for (long i = 0; i < 3000; i++)
        list[i * (long)step % 9000] += i;
    return NULL;
}
int main(int argc, char **argv)
{
    volatile long n = argv != NULL;
    pthread_t thread;
    signal(SIGSEGV, handler);
    sigsetjmp(back, 1);
    if (n++ < 40) {
        walk((void *)(n * 8));
        __asm__ volatile("xor %%ebx, %%ebx; movl $1, (%0); mov %%ebx, (%%rbx); mov %%ebx, 64(%%rbx); addl $1, 4096(%0)"
                         : : "r"(list + n * 200) : "rbx", "memory");
    }
    if (argc > 1) { /* no two runs of it are the same */
        pthread_create(&thread, NULL, walk, (void *)24);
        pthread_join(thread, NULL);
    }
    if (!fork())
        _exit(walk((void *)16) != NULL);
    wait(NULL);
    return 0;
}
EOF_C
$CC -g -O1 -pthread -o program program.c || bail 'no program'
first=
for mode in --filter=yes --filter=no --batch=always --check=yes '--merge-children=yes --check=yes'; do
    # shellcheck disable=SC2086
    "$QUERN" run -q $caches $mode --out-file=profile ./program >log 2>&1
    is $? 0 "$mode: faults, a fork: $(cat log)"
    sed -n '/^fl=.*program\.c$/,/^f[li]=/p' profile | grep '^[0-9]' >lines
    [ -n "$first" ] || cp lines first
    first=first
    case $mode in *children*) ;; *) same_file lines first '... counted the same by line' ;; esac
done
# shellcheck disable=SC2086
"$QUERN" run -q $caches --check=yes --out-file=none ./program t >log 2>&1
is "$? $(cat log)" '0 ' 'with a thread, too'
# shellcheck disable=SC2086
"$QUERN" run -q $caches --interval=20000 --interval-file=intervals --out-file=profile ./program || bail 'no intervals'
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^[ID]2m/) at[++n] = i } NR > 1 { for (i = 1; i <= n; i++) sum[i] += $at[i] }
    END { print sum[1], sum[2], sum[3] }' intervals)" "$(misses profile | cut -d ' ' -f 2,5,8)" 'intervals add up to the run'

# ---- what is said ----

"$QUERN" run --L2=65536,8,64 --out-file=old true 2>err
ok '--L2 without --LL is its older name, which a line says' grep -q '^==.*LL cache: 65536 B.* as --L2 says, which without --LL is its older name$' err
is "$(sed -n 's/^events: //p' old)" 'Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw' '... and two levels have the events that they always had'
# shellcheck disable=SC2086
"$QUERN" run $caches --sim=D1=lru,I1=lru,LL=exclusive --out-file=none true 2>err
ok 'an exclusive LL below an L2 is refused' grep -q 'LL.*cannot stand below an L2' err
# shellcheck disable=SC2086
"$QUERN" run $caches --out-file=profile "$guests/sort" 2>err
is "$(sed -n 's/^==[0-9]*== \(L[2L][id ].*\)s: .*/\1/p' err | tr '\n' ,)" 'L2i misse,LLi misse,L2d misse,LLd misse,L2 ref,L2 misse,LL ref,LL misse,' 'the summary'
is "$(sed -n 's/.*LL refs: *\([0-9,]*\) .*/\1/p' err)" "$(sed -n 's/.*L2 misses: *\([0-9,]*\) .*/\1/p' err)" 'what misses the L2 goes to the LL'
is "$("$QUERN" annotate --show=cycles.L2,L2MPKI --timing=L2=7 profile | sed -n 's/ *PROGRAM TOTALS//p' | tr -d , | cut -d ' ' -f 1)" \
    "$(misses profile | awk '{ printf "%.3f", 7 * ($2 + $5 + $8) }')" 'the estimated time of the L2'

# ---- a sweep ----

"$QUERN" sweep -q -o sweep.csv -L 'L2=4096,4,64;8192,4,64' --I1=1024,2,64 --D1=1024,4,64 --LL=16384,4,64 -- "$guests/sort" >log 2>&1
is "$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 { print $at["L2_size"], $at["I2mr"], $at["D2mr"], $at["D2mw"], ($at["L2_mpki"] > 0) }' sweep.csv |
    head -n 1)" "4096 $(misses profile | cut -d ' ' -f 2,5,8) 1" 'a row of a sweep in which the L2 varies is the run'
done_testing
