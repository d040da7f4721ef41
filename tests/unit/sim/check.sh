#!/bin/sh
# Are filtered and unfiltered simulation the same for every module that ships, on real programs?
#
#   sh tests/unit/sim/check.sh                 each module once, with gzip and one of four others in turn, small inputs
#   QN_CHECK=full sh tests/unit/sim/check.sh   each module alone in each of its slots, more programs and geometries
#   QN_CHECK_PROGRAMS='perl hash.pl' sh ...    with these programs, a line each, where each costs much (make tiny)
#
# Two proofs per simulator and program: --check runs an unfiltered shadow model in lockstep, reference by reference; and a run without
# the filter leaves the same profile, byte for byte, and the same words of the modules (their events).  With an analysis, besides:
# the simulator without it counts the same, and what the analysis says adds up to these counts.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

LC_ALL=C PYTHONHASHSEED=0 PERL_HASH_SEED=0
export LC_ALL PYTHONHASHSEED PERL_HASH_SEED
full=${QN_CHECK:-}

# Small caches, so that all happens often; lines of three sizes.
geometries='--I1=2048,2,32 --D1=4096,4,64 --LL=65536,8,64'
[ -z "$full" ] || geometries="$geometries
--I1=32768,8,64 --D1=32768,8,64 --LL=1048576,16,64
--I1=1024,1,64 --D1=512,8,32 --LL=16384,4,128
--I1=4096,64,64 --D1=1024,16,64 --LL=32768,1,64"

# ---- simulators ----

# A simulator is a list of modules, and, after a slash, options.  Policies stand in three slots at once, with a predictor.
simulators='I1=lru D1=lru LL=lru BC=taken BI=btb
I1=pdp D1=pdp LL=pdp BC=tage06 BI=ittage / pdp-period=1000
I1=fifo D1=fifo LL=fifo BC=btfn BI=ras
I1=random D1=random LL=random BC=onebit
I1=plru D1=plru LL=plru BC=bimodal
I1=nru D1=nru LL=nru BC=local
I1=lfu D1=lfu LL=lfu BC=global
I1=srrip D1=srrip LL=srrip BC=gshare
I1=brrip D1=brrip LL=brrip BC=tournament
I1=drrip D1=drrip LL=drrip BC=perceptron
D1=nowa LL=l2 BC=tage / l2-size=16384
I1=lru D1=writeback LL=exclusive BC=cachegrind
D1=victim LL=inclusive
I1=fifo D1=nextline / degree=2
I1=ship D1=ship LL=ship BC=yags
D1=fpj LL=srrip BC=2bcgskew
D1=stride LL=plru BC=hashed
D1=ghb
D1=skewed LL=zcache
D1=sectored LL=skewed
I1=waypred D1=waypred LL=ceaser
D1=writebuf LL=inclusive
D1=zcache I1=sectored
I1=streambuf D1=streambuf
D1=bop BC=mpp
D1=berti LL=decoupled
I1=fnlmma D1=decoupled
D1=sms BC=tagescl BI=btb2
I1=shipplus D1=shipplus LL=mockingjay
D1=mockingjay LL=shipplus
D1=spp
D1=tlb I1=srrip BC=loop
I1=dip D1=dip LL=dip
I1=eaf D1=eaf LL=eaf
I1=hawkeye D1=hawkeye LL=hawkeye
I1=lru D1=srrip LL=fifo AN=3c
AN=mattson
D1=fifo AN=interval
LL=nru AN=sets
AN=latency
AN=sizes'

# each SLOTS MODULE...: every module alone in every slot.
each() {
    each_slots=$1
    shift
    for each_module in "$@"; do
        for each_slot in $each_slots; do echo "$each_slot=$each_module"; done
    done
}
if [ -n "$full" ]; then
    simulators="$simulators
$(each 'I1 D1 LL' lru fifo random plru nru lfu srrip brrip drrip ship shipplus dip eaf hawkeye pdp mockingjay)
$(each D1 nowa writeback victim nextline stride fpj ghb tlb skewed zcache sectored waypred decoupled writebuf streambuf bop sms spp berti fnlmma)
D1=nextline / tagged=1
D1=victim / victim-lines=1
D1=lru I1=lru LL=exclusive
D1=writeback I1=fifo LL=inclusive
D1=lru I1=plru LL=inclusive
D1=srrip I1=srrip LL=inclusive
D1=nowa I1=lru LL=inclusive
D1=tlb I1=nru LL=inclusive
D1=fifo I1=random LL=inclusive
$(each LL victim inclusive l2 ceaser)
$(each BC taken btfn onebit bimodal local global gshare tournament yags 2bcgskew perceptron hashed loop tage tage06 tagescl mpp cachegrind)
$(each BI btb btb2 ras ittage)
$(each AN 3c mattson interval sets latency sizes)"
fi

# ---- programs ----

cd "$SCRATCH" || bail "no $SCRATCH"
seq 1 3000 >numbers
cat >data.sql <<'END'
create table a(x, y);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 300) insert into a select i, i * 7919 % 101 from n;
select sum(x), y from a group by y order by 1 limit 3;
END
cat >source.c <<'END'
struct point { int x, y; };
int dot(struct point *a, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i].x * a[i].y;
    return sum;
}
END
echo 'my %h; $h{$_ * 7 % 97} .= $_ for 1 .. 2000; print join(",", map { length $h{$_} } sort keys %h), "\n"' >hash.pl
echo 'print(sorted({i * i % 97: "w%d" % i for i in range(100)}.items())[:5])' >sort.py
python=$(python3 -c 'import sys; print(sys.executable)' 2>/dev/null) || python=python3
cc1=$($CC -print-prog-name=cc1 2>/dev/null) || cc1=cc1
programs="gzip -c numbers
sqlite3 -init /dev/null -batch :memory: '.read data.sql'
perl hash.pl
$python -S sort.py
$cc1 -quiet -fsyntax-only source.c -o /dev/null"
[ -z "$full" ] || programs="$programs
xz -c numbers
bzip2 -c numbers
sort -rn numbers
$cc1 -quiet -O2 source.c -o /dev/null"
programs=${QN_CHECK_PROGRAMS:-$programs}

# ---- the comparison ----

# run MODE: the program under the simulator; its profile, output and the modules' words in MODE.*
run() {
    mode=$1
    shift
    eval "\"\$QUERN\" run $sim --branch-sim=yes --out-file=profile $options $geometry $* -- $program" \
        >"$mode.output" 2>"$mode.log"
    status=$?
    [ $status -eq 0 ] || { echo "status $status of: quern run $* $options $geometry -- $program"; tail -n 2 "$mode.log"; return 1; }
    mv profile "$mode.profile"
    rm -f "$mode.findings"
    [ ! -f profile.findings.csv ] || mv profile.findings.csv "$mode.findings"
    sed 's/^==[0-9]*== //' "$mode.log" >"$mode.words"
}

same() {
    run checked --check || return 1
    run filtered && run unfiltered --no-filter || return 1
    for part in profile output words; do
        cmp "filtered.$part" "unfiltered.$part" || { diff "filtered.$part" "unfiltered.$part" | head -n 6; return 1; }
    done
    cmp checked.profile filtered.profile || return 1
    cmp checked.words filtered.words || return 1
    [ ! -f filtered.findings ] || { cmp checked.findings filtered.findings && cmp unfiltered.findings filtered.findings; } || return 1
    case $simulator in *AN=*) same_without_analysis && adds_up ;; esac
}

# counts FILE N: the body of a profile, and of its counts the first N of a line.
counts() {
    awk -v n="$2" '/^summary:/ || /^[0-9]/ { text = $1; for (i = 2; i <= n + 1; i++) text = text " " $i; print text; next }
        !/^(desc|cmd|events):/' "$1"
}

same_without_analysis() {
    with=$sim
    case $sim in *,AN=*) sim=${sim%,AN=*} ;; *) sim= ;; esac
    run alone
    failed=$?
    sim=$with
    [ $failed -eq 0 ] || return 1
    counts alone.profile 13 >alone.counts
    counts filtered.profile 13 | cmp - alone.counts || { echo 'the analysis changes what is counted'; return 1; }
    cmp filtered.output alone.output
}

# adds_up: every number of the analysis that is a part of a count adds up to it.  (Instructions of an interval do not: a repeated string
# instruction is fetched once, and is as many Ir as it has iterations.)
adds_up() {
    analysis=${simulator##*AN=}
    awk -v analysis="${analysis%% *}" '
        function equal(what, got, wanted) { checked++; if (got != wanted) { print what ": got " got ", wanted " wanted; bad = 1 } }
        FNR == NR { if (/^events:/) for (i = 2; i <= NF; i++) name[i] = $i; if (/^summary:/) for (i = 2; i <= NF; i++) n[name[i]] = $i; next }
        /^AN\.(compulsory|capacity|conflict) / { classes += $2 }
        /^AN: from / { for (i = 4; i <= NF; i++) sets += $i }
        /^AN: [0-9]+( [0-9]+)+$/ { for (i = 3; i <= NF; i++) column[i] += $i }
        /^AN: loads served / { d1 = $7 + 0; ll = $11 + 0; memory = $14 + 0 }
        /^D1 cache:/ { D1 = $3 + 0 }
        /^AN: [0-9]+ bytes: / { if ($2 == D1) own = $4 + $5; if (larger != "" && $4 + $5 > larger) equal("misses of a larger D1", $4 + $5, "at most " larger); larger = $4 + $5 }
        /^AN: [0-9]+ lines touched/ { touched = last = $2 }
        /^AN: [0-9]+ lines: / { if ($4 > last) equal("misses of a larger cache", $4, "at most " last); last = $4 }
        END {
            d1_misses = n["D1mr"] + n["D1mw"]
            if (analysis == "3c") equal("misses of all classes", classes, d1_misses)
            if (analysis == "sizes") equal("misses of the size that this D1 has", own, d1_misses)
            if (analysis == "sets") equal("misses of all sets", sets, d1_misses)
            if (analysis == "mattson") { equal("lines touched, if not fewer than data references", touched < n["Dr"] + n["Dw"], 0); equal("misses, at last, of any", last > 0, 1) }
            if (analysis == "latency") { equal("loads, D1", d1, n["Dr"] - n["D1mr"]); equal("LL", ll, n["D1mr"] - n["DLmr"]); equal("memory", memory, n["DLmr"]) }
            if (analysis == "interval") {
                equal("instructions, if more than Ir", column[3] > n["Ir"], 0); equal("data", column[4], n["Dr"] + n["Dw"]); equal("I1", column[5], n["I1mr"])
                equal("D1", column[6], d1_misses); equal("LL", column[7], n["ILmr"] + n["DLmr"] + n["DLmw"])
                equal("branches", column[8], n["Bc"] + n["Bi"]); equal("mispredicts", column[9], n["Bcm"] + n["Bim"])
            }
            if (!checked) { print analysis ": nothing is known of what it says"; bad = 1 }
            exit bad
        }' filtered.profile filtered.words
}

# All geometries for one program.
same_everywhere() {
    while IFS= read -r geometry; do
        same || return 1
    done <<END
$geometries
END
}

echo "$programs" >programs
echo "$simulators" >simulators
turn=0
while IFS= read -r simulator <&3; do
    options=
    case $simulator in *' / '*) for o in ${simulator#*/ }; do options="$options --sim-opt=$o"; done ;; esac
    sim=--sim=$(echo ${simulator%% /*} | tr ' ' ,) # without quotes, so that blanks at the end go
    turn=$(((turn + 1) % 8))
    case $turn in 0) other=5 ;; 4) other=4 ;; *) other=$((2 + turn % 2)) ;; esac # cc1 and python, which take longest, one time in eight each
    [ -n "$full" ] || [ -n "${QN_CHECK_PROGRAMS:-}" ] || printf '%s\n' "$programs" | sed -n "1p;${other}p" >programs
    while IFS= read -r program <&4; do
        if command -v "${program%% *}" >/dev/null; then
            ok "$simulator: $(basename "${program%% *}")" same_everywhere
        else
            skip "${program%% *} is not installed"
        fi
    done 4<programs
done 3<simulators

# A module that is not in the list above is not proven: opt runs in replay only, record is what `quern trace` is made of, values
# and conflicts see instructions, of which a filter lets none pass by, culprits is told by the filter which line leaves (observers.sh has it
# beside a slow one).
for file in "$top_srcdir"/lib/sim/policy/*.c "$top_srcdir"/lib/sim/level/*.c "$top_srcdir"/lib/sim/array/*.c "$top_srcdir"/lib/sim/prefetch/*.c "$top_srcdir"/lib/sim/bpred/*.c \
    "$top_srcdir"/lib/sim/analysis/*.c; do
    module=$(basename "$file" .c)
    case $module in opt | record | values | conflicts | culprits | sharing) continue ;; esac
    ok "$module is among them" grep -qE "=$module( |\$)" simulators
done
done_testing
