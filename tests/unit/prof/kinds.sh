#!/bin/sh
# Is every file that a command can read as a profile read, packed or not, of Callgrind or not; and is every other kind named with what to do?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >c.out <<'END'
# callgrind format
version: 1
cmd: ./prog
positions: line
events: Ir Dr
fl=(1) a.c
fn=(1) main
10 3 1
cfn=(2) f
calls=2 20
12 9 3
fn=(2)
20 9 3
totals: 12 4
END
"$QUERN" convert -o p.out c.out || bail 'cannot convert'

# ---- Callgrind's files, in each command ----

# alike WORDS...: the same is written for in.out, whichever of the two it is.
alike() {
    for kind in p c; do
        cp $kind.out in.out
        "$QUERN" "$@" >$kind.got 2>$kind.err
        echo "status $?" >>$kind.got
    done
    same_file c.got p.got "Callgrind's file: $*"
    ok '... and it is not an error' grep -q 'status 0' c.got
}
alike annotate in.out
alike annotate --style=classic in.out
alike annotate --by=line in.out
alike annotate --by=calls in.out
alike merge in.out in.out
alike diff in.out in.out
alike page -o - in.out
alike convert --to=callgrind in.out
if "$QUERN" csv p.out >log 2>&1; then
    alike csv in.out
    alike csv --by=call in.out
else
    absent 'no libcsv' 4
fi
if "$QUERN" json p.out >log 2>&1; then alike json in.out; else absent 'no jansson' 2; fi
for kind in p c; do
    "$QUERN" plot top -o $kind.plot --data-only $kind.out >$kind.got 2>&1
    echo "$? $(sed "s/$kind.out/in/" $kind.plot)" >>$kind.got
    "$QUERN" report -o $kind.report $kind.out >log 2>&1
    echo $? >>$kind.got
done
same_file c.got p.got "Callgrind's file: plot, report"
cp p.out in.out
"$QUERN" annotate --by=calls in.out >p.got
cat c.out | "$QUERN" annotate --by=calls - | sed 's/ -$/ in.out/' >c.got
same_file c.got p.got 'from a pipe, read twice'
"$QUERN" page >out 2>&1
is "$? $(cat out)" '2 quern page: name one profile, or two with --diff; `quern page --help` describes it' 'page without a profile'
"$QUERN" convert p.out >out 2>&1
is "$? $(cat out)" "1 quern convert: p.out: got a profile, wanted a file of Callgrind's: it need not be converted" 'convert says what needs none'

# ---- packed ----

"$QUERN" merge p.out >p.got
# packed NAME TOOL: the same as the file itself; damage is named.
packed() {
    if ! command -v "$2" >/dev/null || "$QUERN" merge probe.$1 2>&1 | grep -q 'was built without'; then
        absent "no $1" 6
        return
    fi
    for kind in p c; do
        $2 -c <$kind.out >$kind.$1
        "$QUERN" merge $kind.$1 >got 2>&1
        same_file got p.got "$1: $kind"
    done
    "$QUERN" annotate --by=calls - <c.$1 | sed 's/ -$/ in.out/' >got
    "$QUERN" annotate --by=calls in.out >wanted
    same_file got wanted "$1 from standard input, read twice"
    { sed '/^summary/,$d' p.out | $2 -c; sed -n '/^summary/,$p' p.out | $2 -c; } >two
    "$QUERN" merge two >got 2>&1
    same_file got p.got "$1: two members, whatever the name"
    head -c $(($(wc -c <p.$1) - 6)) p.$1 >cut.$1
    "$QUERN" merge cut.$1 >got 2>&1
    is "$? $(cat got)" "1 quern merge: cut.$1: got data of $1 that are cut short, wanted a whole file" "$1: cut short"
    cp p.$1 bad.$1
    printf 'xxxx' | dd of=bad.$1 bs=1 seek=40 conv=notrunc 2>log
    "$QUERN" merge bad.$1 >got 2>&1
    is "$? $(cat got)" "1 quern merge: bad.$1: got data of $1 that are damaged, wanted a whole file" "$1: damaged"
}
printf '\037\213\010' >probe.gzip
printf '\3757zXZ\0' >probe.xz
printf '\050\265\057\375' >probe.zstd
printf 'BZh' >probe.bzip2
packed gzip gzip
packed xz xz
packed zstd zstd
packed bzip2 bzip2
if "$QUERN" csv p.out >rows.csv 2>log && command -v gzip >/dev/null && ! "$QUERN" merge probe.gzip 2>&1 | grep -q 'was built without'; then
    gzip -k rows.csv
    is "$("$QUERN" csv --to-profile rows.csv.gz)" "$("$QUERN" csv --to-profile rows.csv)" 'a packed table'
else
    absent 'no libcsv or no gzip'
fi

# ---- other kinds ----

# other WHAT ADVICE BYTES: refused in one line by each command.
other() {
    # shellcheck disable=SC2059 # it is a format
    printf "$3" >x
    for command in annotate 'annotate --by=calls' merge 'diff p.out' 'page -o x.html' 'convert --to=folded'; do
        # shellcheck disable=SC2086 # a command and its option
        "$QUERN" $command x 2>&1 >out | sed -n 's/^quern [a-z]*: \(error: \)\{0,1\}//p'
    done | sort -u >said
    is "$(cat said)" "x:1: got $1, wanted a profile of quern, Cachegrind or Callgrind: $2" "$1"
}
other 'an empty file' 'was the run that wrote it killed?' ''
other 'a program or library' '`quern run` makes a profile of a program' '\177ELF\002\001\001'
other 'samples of perf' '`perf report` shows them' 'PERFILE2\150\0\0'
other 'a profile of gprof' '`gprof PROGRAM FILE` shows it' 'gmon\001\0\0'
other 'coverage of lcov' '`genhtml` shows it' 'TN:\nSF:/src/a.c\nDA:1,2\n'
other 'a heap profile of Massif' '`ms_print` shows it' 'desc: --massif-out-file=x\ncmd: ./prog\ntime_unit: i\n#-----------\nsnapshot=0\n'
other 'a heap profile of DHAT' 'dh_view.html shows it' '{"dhatFileVersion":2\n,"mode":"heap"'
other 'a log of messages' 'name the profile (cachegrind.out.N), not the log' '==123== Memcheck, a memory error detector\n==123== \n'
other 'a trace of quern' '`quern replay` reads it' 'QNTRACE3'
other 'JSON' 'name the profile that it was made of' ' {"schema":"quern-profile"}'
other 'an HTML page' 'name the profile that it was made of' '<!DOCTYPE html>\n<html>'
other 'comma-separated values' '`quern csv --to-profile` makes a profile of those that `quern csv` wrote' 'file,function,line,Ir\na.c,main,1,2\n'
other 'a trace of addresses' 'name a profile (cachegrind.out.N)' 'I  04000ae0,3\n S 1ffeffe7e,8\n'
other 'a zip archive' 'unpack it first' 'PK\003\004xx'
other 'a raw profile of clang' '`llvm-profdata merge` reads it' '\201rforpl\377'
if command -v valgrind >/dev/null; then
    valgrind -q --tool=massif --massif-out-file=x "$top_builddir/tests/guest/recursion" >log 2>&1
    "$QUERN" annotate x >out 2>&1
    is "$(sed -n '$s/.*: got/got/p' out)" 'got a heap profile of Massif, wanted a profile of quern, Cachegrind or Callgrind: `ms_print` shows it' 'a file of Massif itself'
else
    absent 'no valgrind'
fi
mkdir folder
"$QUERN" merge folder >out 2>&1
is "$? $(cat out)" '1 quern merge: folder: got a folder, wanted a file: name one of those in it' 'a folder'
done_testing
