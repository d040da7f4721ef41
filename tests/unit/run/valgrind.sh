#!/bin/sh
# Is quern, called as valgrind, what Valgrind 3.19 is: the same files, counts, exit status and refusals for the same command lines,
# options of .valgrindrc and VALGRIND_OPTS?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"
guest=$top_builddir/tests/guest/loops
real=$(command -v valgrind) && "$real" --version | grep -q '^valgrind-3\.19\.' || real=
[ -n "$real" ] || diag 'without Valgrind 3.19 the command lines are run by quern alone, and nothing is compared'
mkdir -p own home || bail 'no folders'
ln -sf "$QUERN" own/valgrind
geometry='--I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64'
HOME=$SCRATCH/home
export HOME
unset VALGRIND_OPTS
cat >exits <<'END'
#!/bin/sh
exit 7
END
cat >kills <<'END'
#!/bin/sh
kill -9 $$
END
chmod +x exits kills

# in_folder FOLDER VALGRIND WORDS...: what it says into FOLDER.log, its status and the files that it makes into FOLDER.end
in_folder() {
    folder=$1
    shift
    rm -rf "$folder" && mkdir "$folder" && cp -p exits kills "$folder" && { [ ! -f rc ] || cp -p rc "$folder/.valgrindrc"; } || bail "no $folder"
    (cd "$folder" && "$@" >"../$folder.log" 2>&1; echo "status $?") >"$folder.end" 2>/dev/null
    ls "$folder" | sed 's/\.[0-9][0-9]*$/.PID/' >>"$folder.end"
}

# same WORDS...: both end alike and leave the same files; a line that refuses begins with the same words
same() {
    in_folder q "$SCRATCH/own/valgrind" "$@"
    if [ -z "$real" ]; then
        absent 'no Valgrind 3.19'
        return
    fi
    in_folder v "$real" "$@"
    refusal=$(sed -n '1s/^valgrind: \(Unknown option\|Bad option\|no program\)/&/p' v.log)
    is "$(cat q.end)$(head -n 1 q.log | head -c ${#refusal})" "$(cat v.end)$refusal" "${VALGRIND_OPTS-} valgrind $*"
}

# counts: the profiles of both have the same events and numbers in each line of each function
counts() {
    if [ -z "$real" ]; then
        absent 'no Valgrind 3.19'
        return
    fi
    for folder in q v; do
        cat "$folder"/*.out* | sed -n '/^events/,$s/ *$//p' >"$folder.counts"
    done
    is "$(cmp q.counts v.counts 2>&1; grep -c '^fn=' q.counts)" "$(grep -c '^fn=' v.counts)" "$* (counts)"
}

# ---- command lines ----

plain='--tool=cachegrind --vex-guest-chase=no --vex-iropt-level=0'
same $plain $geometry "$guest"
counts 'caches'
same $plain $geometry --branch-sim=yes --cachegrind-out-file=x.out.%p "$guest"
counts 'caches and branches'
same $plain --cache-sim=no --cachegrind-out-file=x.out "$guest"
counts 'instructions only'
same --tool=cachegrind $geometry --log-file=x.log.%p -- ./exits
same --tool=cachegrind $geometry -q ./kills
same --tool=cachegrind -q --trace-children=yes $geometry --cachegrind-out-file=%q{HOME}.%p sh -c './exits; true'
same --tool=nosuch ./exits
same --tool=none --tool=cachegrind $geometry -q ./exits
same --tool= ./exits
same --tool=cachegrind
same --tool=cachegrind --foo ./exits
same --tool=cachegrind -x ./exits
same --tool=cachegrind --branch-sim=maybe ./exits
same --tool=cachegrind --branch-sim ./exits
same --tool=cachegrind --I1=1000,3 ./exits
same --tool=cachegrind --I1=abc ./exits
same --tool=cachegrind --leak-check=full ./exits
same --tool=cachegrind --num-callers=many ./exits
same --tool=cachegrind --error-exitcode=201 --fair-sched=try --num-callers=40 --smc-check=all -q $geometry ./exits
same --tool=cachegrind --fair-sched=perhaps ./exits
same --tool=cachegrind --log-file=/nonexistent/x ./exits
same --tool=cachegrind nosuchprogram
same --tool=cachegrind /nosuchfolder/program
same --tool=cachegrind /etc/passwd
same --foo --tool=cachegrind --version
same --version

# ---- VALGRIND_OPTS, ~/.valgrindrc, ./.valgrindrc ----

run="--tool=cachegrind -q $geometry"
export VALGRIND_OPTS
VALGRIND_OPTS='--cachegrind-out-file=env'
same $run ./exits
VALGRIND_OPTS="  --cachegrind-out-file='a b'  -v"
same $run ./exits
VALGRIND_OPTS='--cachegrind-out-file="a\"b --'
same $run ./exits
VALGRIND_OPTS="--cachegrind-out-file=x'y'\"z\""
same $run ./exits
VALGRIND_OPTS='--foo'
same $run ./exits
VALGRIND_OPTS='# --foo'
same $run ./exits
VALGRIND_OPTS='--foo'
same --command-line-only=yes $run ./exits
VALGRIND_OPTS='--memcheck:leak-check=full --nosuch:x=3 --cachegrind:cachegrind-out-file=mine --tool=none'
same $run ./exits
VALGRIND_OPTS=--cachegrind-out-file=env
printf -- '--cachegrind-out-file=home\n\n  --branch-sim=yes\n' >home/.valgrindrc
same $run ./exits
echo '--cachegrind-out-file=here' >rc
same $run ./exits
same $run --cachegrind-out-file=there ./exits
chmod o+w rc
same $run ./exits
rm -f rc
VALGRIND_OPTS=
chmod o+w home/.valgrindrc
same $run ./exits
chmod o-w home/.valgrindrc
same $run ./exits
# Of another user, or no file: not read.  Both say so and go on.
if [ "$(id -u)" = 0 ]; then
    chown 12345 home/.valgrindrc
    same $run ./exits
    echo '--cachegrind-out-file=here' >rc
    chown 12345 rc
    same $run ./exits
    rm -f rc
else
    skip 'only root can give a file to another user' 2
fi
rm -f home/.valgrindrc
mkdir home/.valgrindrc
same $run ./exits
rmdir home/.valgrindrc
# No text, or too much: not read, with one line each.
for bytes in '\000--D1=1024,2,64' '%01048577d'; do
    # shellcheck disable=SC2059
    printf "$bytes" >home/.valgrindrc
    is "$(HOME=$PWD/home own/valgrind --tool=cachegrind -q --cachegrind-out-file=/dev/null true 2>&1)" \
        "valgrind: $PWD/home/.valgrindrc was not read: wanted text, at most 1048576 bytes" ".valgrindrc of $bytes"
done
rm home/.valgrindrc
unset VALGRIND_OPTS

# ---- what only quern says ----

# refused TEXT WORDS...: status 1 and one line
refused() {
    wanted=$1
    shift
    said=$(own/valgrind "$@" 2>&1)
    is "$? $said" "1 $wanted" "$*"
}
refused 'valgrind: Not supported by quern: --xml=yes' --tool=cachegrind --xml=yes ./exits
refused "valgrind: Bad option: --time-stamp=2: got '2', wanted no|yes" --tool=cachegrind --time-stamp=2 ./exits
refused "valgrind: failed to start tool 'massif': quern has only cachegrind and callgrind" --tool=massif ./exits
refused "valgrind: failed to start tool 'memcheck': quern has only cachegrind and callgrind (memcheck is what --tool= is if nothing is said)" ./exits
VALGRIND_OPTS=--xml=no "$QUERN" valgrind --tool=cachegrind -q $geometry --cachegrind-out-file=direct ./exits
is "$? $(grep -c '^summary' direct)" '7 1' 'quern valgrind: the same'

# ---- every option that Valgrind's help has ----

# values TOOL: "OPTION VALUE..." of each option in Valgrind's help, less those that name outputs of the test itself.
values() {
    "$real" --tool=$1 --help-debug | sed -n 's/^ *\(--*[a-zA-Z0-9-]*\)\(<[a-z]*>\)\{0,1\}\(=[^ ]*\)\{0,1\}.*/\1 \2 \3/p' |
        awk '$1 ~ /^(-h|--help|--help-.*|--version|--tool|--log-.*|--xml|.*-out-file|-q|-v|-s|-d|--trace-(syscalls|signals)|--trace-children)$/ { next }
            # "Not used by this tool", which refuses them, though its help has them.
            $1 ~ /^--(alignment|xtree-.*|trace-malloc)$/ { next }
            { name = $1; value = $NF; if (value !~ /^=/) next
              if (NF > 2) name = name 3
              n = split(substr(value, 2), of, "|"); text = ""
              for (i = 1; i <= n; i++) { v = of[i]
                  if (v ~ /<size>/) v = "32768,8,64"
                  else if (v ~ /vex-iropt|<0[.][.]|<1[.][.]/) v = 2
                  else if (v ~ /<number>|<count>|<n>|<level>|<BB/) v = 1
                  else if (v ~ /0xPP/) v = "0x10000"
                  else if (v ~ /XXX/) v = "00000000"
                  else if (v ~ /^</) v = "name"
                  text = text " " v }
              print name text }' | sort -u
}
if [ -z "$real" ]; then
    absent 'no Valgrind 3.19' 4
else
    for tool in cachegrind callgrind; do
        values $tool | while read -r name words; do
            for word in ${words:-name}; do
                printf '%s\n' "$name=$word"
            done
        done >all.$tool
        ok "$tool: Valgrind's help has a hundred values of options" test "$(wc -l <all.$tool)" -gt 130
        own/valgrind --tool=$tool -q --$tool-out-file=/dev/null $(cat all.$tool) ./exits >said 2>&1
        is "$? $(grep -v '^valgrind: --\|^--[0-9]*-- ' said)" '7 ' "$tool: all of them are taken"
    done
    "$QUERN" run -q --out-file=/dev/null $(cat all.callgrind) ./exits >said 2>&1
    is "$? $(grep -v '^quern: run: --\|^--[0-9]*-- ' said)" '7 ' 'quern run: all of them are taken'
    is "$(grep -c '^quern: run: --' said)" "$(own/valgrind --tool=callgrind -q --callgrind-out-file=/dev/null $(cat all.callgrind) ./exits 2>&1 | grep -c '^valgrind: --')" \
        '... and the same lines say what is missing'
fi

# ---- what the profile lacks is said ----

# warned TEXT WORDS...: one line, and the program's status
warned() {
    wanted=$1
    shift
    said=$(own/valgrind --tool=callgrind -q --callgrind-out-file=warned "$@" ./exits 2>&1)
    is "$? $said" "7 ${wanted:+valgrind: $*: $wanted}" "$*"
}
warned 'messages have no time' --time-stamp=yes
warned '' --time-stamp=no
warned '' --trace-children-skip=
warned 'the profile has no jumps' --collect-jumps=yes
warned 'system calls have no number and time' --collect-systime=nsec
warned 'functions are not separated by callers; `quern run --calls=paths` counts call paths' --separate-callers=3
warned 'functions are not separated by callers' --separate-callers2=main
warned '' --separate-callers=0
warned 'the LL is simulated without a prefetcher, and has more misses than with it' --simulate-hwpref=yes
printf '#!/bin/sh\nulimit -s\n' >stack
chmod +x stack
is "$(own/valgrind --tool=callgrind -q --callgrind-out-file=/dev/null --main-stacksize=4194304 ./stack)" 4096 '--main-stacksize: the limit of the stack'
is "$("$QUERN" run -q --out-file=/dev/null --main-stacksize=4194304 ./stack)" 4096 '... also of quern run'
"$QUERN" run -q --callgrind-out-file=as_run ./exits
is "$? $(head -n 1 as_run)" '7 # callgrind format' 'quern run --callgrind-out-file: in that format'
said=$("$QUERN" run --tool=callgrind ./exits 2>&1)
is "$? $said" '2 quern: run: Not supported by quern: --tool=callgrind: `quern valgrind` has Valgrind'"'"'s command line' 'quern run --tool=callgrind is quern valgrind'
said=$("$QUERN" run --nosuch ./exits 2>&1)
is "$? $said" '2 quern: run: --nosuch: no such option; `quern run --help=all` describes it' 'quern run: what neither knows'

# ---- as others call it ----

# gungraun (iai-callgrind), cachegrind/args.rs and tool/args.rs: fixed caches, a log, and the head of the log, from which it takes the command
# and the processes.
own/valgrind --tool=cachegrind --I1=32768,8,64 --D1=32768,8,64 --LL=8388608,16,64 --cache-sim=yes --error-exitcode=201 --trace-children=yes \
    --fair-sched=try --verbose --cachegrind-out-file=cachegrind.bench.out.%p --log-file=cachegrind.bench.log.%p "$guest" >said 2>&1
is "$? $(cat said)" '0 ' 'gungraun: the status of the bench, nothing on the terminal'
log=$(ls cachegrind.bench.log.*)
pid=${log##*.}
is "$(ls cachegrind.bench.out.*)" "cachegrind.bench.out.$pid" 'a profile and a log of one process'
is "$(sed -n "s/^==$pid== Command: //p; s/^==$pid== Parent PID: \([0-9]*\)/\1/p" "$log" | tr '\n' ' ')" "$guest $$ " 'the log names command and parent'
is "$(grep -c '^desc: [ID]1 cache\|^desc: LL cache\|^cmd: '"$guest"'$\|^events: Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw *$\|^summary: [0-9 ]*$' \
    "cachegrind.bench.out.$pid")" 6 'the profile has the lines that are read'
# SQLite's speed-check.sh: one file cachegrind.out.PID, which cg_annotate reads.
rm -f cachegrind.out.*
own/valgrind --tool=cachegrind $geometry ./exits >summary 2>&1
is "$(ls cachegrind.out.* | wc -l) $(grep -c '^==[0-9]*== [ID] *refs' summary)" '1 2' 'speed-check: a profile, a summary'
if command -v cg_annotate >/dev/null; then
    ok 'which cg_annotate reads' sh -c 'cg_annotate cachegrind.out.* >annotated && grep -q "PROGRAM TOTALS" annotated'
else
    absent 'no cg_annotate'
fi

# ---- requests: a tool does not know those of the other ----

cat >asks.c <<'END'
static void request(unsigned long code)
{
    volatile unsigned long block[6] = { code };
    unsigned long answer = 7;

    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx" : "+d"(answer) : "a"(block) : "cc", "memory");
    if (answer != 7)
        __builtin_trap();
}
static volatile int cell;
static __attribute__((noinline)) void work(int n) { while (n-- > 0) cell++; }
int main(void)
{
    const unsigned long tool = OTHERS;
    unsigned i;

    for (i = 0; i < 6; i++) {
        request(tool << 16 | i);
        work(100);
    }
    return 0;
}
END
# ir FILE: of each line of main, request and work
ir() { awk '/^fn=/ { f = substr($0, 4); ours = f == "main" || f == "work" || f == "request" } ours && /^[0-9]/ { print f, $1, $2 }' "$1" | sort; }
for tool in cachegrind callgrind; do
    [ $tool = cachegrind ] && others=0x4354 || others=0x4347
    $CC -g -O1 -fno-inline -DOTHERS=$others -o asks asks.c || bail 'cannot compile'
    rm -rf q v && mkdir q v
    (cd q && ../own/valgrind --tool=$tool -q $geometry --$tool-out-file=out ../asks; echo "status $?"; ls) >q.end 2>&1
    is "$(cat q.end)" "status 0
out" "$tool: requests of the other have no effect, and no answer"
    if [ -n "$real" ]; then
        (cd v && "$real" --tool=$tool -q $geometry --$tool-out-file=out ../asks) || bail "no $tool"
        [ $tool = cachegrind ] || for one in q v; do "$QUERN" convert -o $one/out $one/out || bail 'no convert'; done
        is "$(ir q/out)" "$(ir v/out)" "$tool: every line of the program as with Valgrind's"
    else
        absent 'no Valgrind 3.19'
    fi
done
done_testing
