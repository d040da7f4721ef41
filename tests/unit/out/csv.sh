#!/bin/sh
# Does `quern csv` write what RFC 4180 wants, and does --to-profile give the same profile back?
#
# The expected text of the first part was written by hand from lib/out/csv/csv.h; the rest is decided by round trips, by sums,
# and by the csv module of Python where that is there.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

here=$top_srcdir/tests/golden/annotate
LC_ALL=C
export LC_ALL
"$QUERN" csv "$here/modern/a.cgout" 2>&1 | grep -q 'without libcsv' && absent_all 'quern was built without libcsv' 143

cat >small <<'END'
desc: D1 cache:         32768 B, 64 B, 8-way associative
desc: no key here
cmd: ./p "a b", c
events: Ir Dr D1mr
#positions: object line instruction
#ob=/bin/p
fl=a,b.c
fn=f "x"
3 8 4 1
#0x401136 488b45f8 5 4 1
#0x40113a 90 3 0 0
9 0 0 0
fn= g
1 2 0 0
#0x40113b c3 2 0 0
summary: 10 4 1
END
head='small,"./p ""a b"", c","32768 B, 64 B, 8-way associative",no key here,Ir Dr D1mr,10 4 1'
names='profile,command,D1 cache,desc,events,summary'
is "$("$QUERN" csv small | tr -d '\r')" "$names,object,file,function,line,Ir,Dr,D1mr,D1mr%
$head,/bin/p,\"a,b.c\",\" g\",1,2,0,0,
$head,/bin/p,\"a,b.c\",\"f \"\"x\"\"\",3,8,4,1,25
$head,/bin/p,\"a,b.c\",\"f \"\"x\"\"\",9,0,0,0," 'by line: places in order, cells quoted where they must be'
is "$("$QUERN" csv --by=instruction --crlf=no small)" \
    "$names,object,file,function,line,address,bytes,instruction,Ir,Dr,D1mr,D1mr%
$head,/bin/p,\"a,b.c\",\" g\",1,0x40113b,c3,ret,2,0,0,
$head,/bin/p,\"a,b.c\",\"f \"\"x\"\"\",3,0x401136,488b45f8,\"mov    -0x8(%rbp),%rax\",5,4,1,25
$head,/bin/p,\"a,b.c\",\"f \"\"x\"\"\",3,0x40113a,90,nop,3,0,0,
$head,/bin/p,\"a,b.c\",\"f \"\"x\"\"\",9,,,,0,0,0," 'by instruction'
is "$("$QUERN" csv --by=function --metadata=no --crlf=no small)" 'profile,object,file,function,Ir,Dr,D1mr,D1mr%
small,/bin/p,"a,b.c"," g",2,0,0,
small,/bin/p,"a,b.c","f ""x""",8,4,1,25' 'by function, without metadata'
is "$("$QUERN" csv --by=file --metadata=no --crlf=no small)" 'profile,file,Ir,Dr,D1mr,D1mr%
small,"a,b.c",10,4,1,25' 'by file'
is "$("$QUERN" csv --by object --metadata no --crlf no small)" 'profile,object,Ir,Dr,D1mr,D1mr%
small,/bin/p,10,4,1,25' 'by object'
is "$("$QUERN" csv --by=program --show='Dr,cpi=(Ir+10*D1mr)/Ir,x=Ir/(Dr-Dr)' --crlf=no small)" \
    "$names,I1 size,I1 ways,I1 line,D1 size,D1 ways,D1 line,LL size,LL ways,LL line,Dr,cpi,x
$head,,,,32768,8,64,,,,4,2," 'by program: the geometry as numbers, columns as asked for'
is "$("$QUERN" csv --by=program --metadata=no --show='a=Ir*1234567,b=Ir*12345.678901,c=Ir/3,d=Ir*3e300' --crlf=no small)" \
    "profile,a,b,c,d
small,12345670,123457,3.33333,$(awk 'BEGIN { printf "%.0f", 10 * 3e300 }')" 'expressions: six digits, and all before the point'
"$QUERN" csv small >crlf
is "$(tr -d '\n' <crlf | tr '\r' '\n' | wc -l) $(wc -l <crlf)" '4 4' 'lines end with CR LF'

# Several profiles: columns are united.
printf 'desc: D1 cache:         1 B\ndesc: Seed:             7\ncmd: q\nevents: Ir Dr D1mr\nfl=z\nfn=y\n1 1 1 1\nsummary: 1 1 1\n' >other
is "$("$QUERN" csv --by=program --show=Ir --crlf=no other small | sed 's/,Ir Dr D1mr.*//;s/,desc,.*/,desc/')" \
    'profile,command,D1 cache,Seed,desc
other,q,1 B,7,
small,"./p ""a b"", c","32768 B, 64 B, 8-way associative",,no key here' 'two profiles: a column for each description of either'
is "$("$QUERN" csv - <other | "$QUERN" csv --to-profile -)" "$(cat other)" 'standard input, and back'

# Round trips. What a profile says beyond the normal form (blanks, order, remarks) is not kept.
normal() {
    "$QUERN" merge --style=classic "$1" | awk '
        body { print; next }
        /^events:/ { $1 = $1; print cmd; print; body = 1; next }
        { sub(/^[a-z]+: */, substr($0, 1, index($0, ":")) " ") }
        /^cmd:/ { cmd = $0; next }
        $0 != "desc: "'
}
# round_trip PROFILE WHAT
round_trip() {
    failed=
    for by in line instruction; do
        grep -q '^#positions:.*instruction' "$1" || [ $by = line ] || continue
        "$QUERN" csv --by=$by "$1" >t.csv && "$QUERN" csv --to-profile -o t.out t.csv || failed="$failed $by"
        if [ $by = line ]; then
            sed '/^#0x/d;s/^#positions: object line instruction/#positions: object line/' "$1" >t.in
            # Without objects or instructions there is nothing to announce.
            grep -q '^#ob=' t.in || sed -i '/^#positions/d' t.in
        else
            cp "$1" t.in
        fi
        normal t.in >t.wanted
        normal t.out >t.got
        { [ -s t.got ] && cmp -s t.got t.wanted; } || failed="$failed $by:$(diff t.wanted t.got | head -n 4)"
    done
    is "$failed" '' "$2 comes back"
}

round_trip small 'the small profile'
for p in "$here"/modern/?.cgout "$here"/modern/e?.cgout "$here"/own/*.cgout; do
    round_trip "$p" "$(basename "$p")"
done
number=0
while read -r settings; do
    number=$((number + 1))
    # shellcheck disable=SC2046 # words
    awk -v seed=$number $(printf -- '-v %s ' $settings) -f "$here/profile.awk" -v \
        events="$([ $((number % 2)) = 0 ] && echo 'Ir I1mr ILmr Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim' || echo 'Ir Dr')" \
        </dev/null >generated
    round_trip generated "a generated profile ($settings)"
done <<'END'
files=3 functions=4 lines=6 max=1000
files=8 functions=3 lines=9 max=100000
files=4 functions=5 lines=7 max=500 dots=1
files=6 functions=6 lines=5 max=30000 short=1
files=7 functions=4 lines=8 max=2000 negative=1
files=12 functions=9 lines=12 max=4000 ties=1
files=5 functions=4 lines=6 max=300 zero=1
files=1 functions=1 lines=1 max=100
files=2 functions=30 lines=2 max=100000 negative=1 dots=1 short=1
files=10 functions=12 lines=3 max=60000
END

# named FILE FUNCTION WHAT: names are printf formats.
named() {
    # shellcheck disable=SC2059
    { printf 'desc: d\ncmd: c\nevents: I\nfl='; printf "$1"; printf '\nfn='; printf "$2"; printf '\n1 5\nsummary: 5\n'; } >odd
    "$QUERN" csv odd >odd.csv
    "$QUERN" csv --to-profile odd.csv >got
    same_file got odd "names with $3"
}
named 'a b.c' 'operator new(unsigned long)' 'blanks'
named ' a ' ' f ' 'blanks at both ends'
named 'a,b;c' 'f(int, char)' 'commas and semicolons'
named 'a"b' '"f"' 'quotes'
named '""' '"' 'nothing but quotes'
named "it's" "'f'" 'apostrophes'
named 'a:b' '#f' 'colons and a hash'
named '=1+1' '@f' 'what a spreadsheet takes for a formula'
named 'a\\nb' 'f\\n' 'escaped newlines'
named 'caf\303\251' '\316\273' 'UTF-8'
named 'caf\351' '\377\376' 'bytes that are not UTF-8'
named '\357\273\277a' '\357\273\277' 'a byte order mark'
named 'profile' 'events' 'the names of columns'
printf 'desc: d\ncmd: c\nevents: I\nfl=a\033\tb\nfn=f\001\n1 5\nsummary: 5\n' >odd
is "$("$QUERN" csv odd | "$QUERN" csv --to-profile - | sed -n 's/^f[ln]=//p')" 'a\x1b\tb
f\x01' 'control bytes are escaped, as quern merge does'

# Odd headers: descriptions without a key, twice the same, with the name of a column; events with the names of columns.
cat >odd <<'END'
desc: no key
desc: no key either
desc: Key:              one
desc: Key:              two
desc: Key: with too few blanks
desc: command:          not the command
desc: desc:             no
desc: Empty:
desc: A much too long key, with a comma: value
cmd: events: ,"x"
events: line Ir file line MPKI D1mr% instruction bytes address
fl=a
fn=f
1 1 2 3 4 5 6 7 8 9
2 9223372036854775806 -9223372036854775807 0 0 -1 0 0 0 0
summary: 9223372036854775807 -9223372036854775805 3 4 4 6 7 8 9
END
"$QUERN" csv odd | "$QUERN" csv --to-profile - >got
same_file got odd 'odd descriptions, odd events, the largest counts'
printf 'desc: d\ncmd: nothing\nevents: Ir Dr\nsummary: 0 0\n' >odd
"$QUERN" csv odd | "$QUERN" csv --to-profile - >got
same_file got odd 'a profile without counts'

# A profile of our own comes back byte for byte.
if [ -x "$top_builddir/quern-engine" ]; then
    "$QUERN" run -q --branch-sim=yes --out-file=own true
    "$QUERN" csv own | "$QUERN" csv --to-profile - >got
    same_file got own 'a profile of quern run, byte for byte'
    for by in program object file function line; do
        "$QUERN" csv --by=$by --metadata=no --crlf=no --show=Bcm,Ir own >by.csv
        is "$(awk -F, 'NR > 1 { b += $(NF - 1); i += $NF } END { print i, b }' by.csv)" \
            "$(awk '/^summary:/ { print $2, $12 }' own)" "by $by: the rows add up to the program"
    done
else
    bail 'there is no engine in this build'
fi

# What spreadsheets and people do to a file without harm.
"$QUERN" csv --crlf=no "$here/modern/e1.cgout" >in.csv
"$QUERN" csv --to-profile in.csv >wanted
# edited WHAT: edited.csv means the same as in.csv.
edited() {
    "$QUERN" csv --to-profile edited.csv >got
    same_file got wanted "after editing: $1"
}
awk 'NR == 1 { print; next } { row[NR] = $0 } END { for (i = NR; i > 1; i--) print row[i] }' in.csv >edited.csv
edited 'rows in another order'
{ printf '\357\273\277' && cat in.csv; } >edited.csv
edited 'a byte order mark'
sed 's/$/,,/' in.csv >edited.csv
edited 'empty columns at the end'
{ cat in.csv && head -n 1 in.csv | sed 's/[^,]//g' && echo; } >edited.csv
edited 'empty rows at the end'
awk 'NR == 1 { print $0 ",Remark" } NR > 1 { print $0 ",\"my \"\"remark\"\"\nin two lines\"" }' in.csv >edited.csv
edited 'a column of remarks'
printf '%s' "$(cat in.csv)" >edited.csv
edited 'no newline at the end'
sed 's/$/\r/' in.csv >edited.csv
edited 'CRLF'
"$QUERN" csv --crlf=no other | awk -F, 'BEGIN { OFS = FS } { t = $7; $7 = $8; $8 = t } NR > 1 { $1 = "elsewhere" } { print }' >edited.csv
"$QUERN" csv --to-profile edited.csv >got
is "$(head -n 1 edited.csv | cut -d, -f6-10)" 'summary,file,object,function,line' 'two columns change places'
same_file got other 'after editing: another path, columns in another order'
"$QUERN" csv --crlf=no other | awk -F, 'BEGIN { OFS = FS } { t = $5; $5 = $6; $6 = t } { print }' >edited.csv
"$QUERN" csv --to-profile edited.csv >got
same_file got other 'after editing: totals before events'

# Damage: FILE:LINE, what, got, wanted; nothing on stdout.
cat >base.csv <<'END'
profile,command,events,summary,object,file,function,line,Ir,Dr
p,c,Ir Dr,8 4,???,a.c,f,1,5,4
p,c,Ir Dr,8 4,???,a.c,f,2,3,0
END
# refuses MESSAGE SED-SCRIPT
refuses() {
    sed "$2" base.csv >x.csv
    "$QUERN" csv --to-profile x.csv >got 2>got.err
    is "$? $(cat got)$(cat got.err)" "1 quern csv: x.csv:$1" "refused: $1"
}
refuses '3: the rows do not add up to `summary`, got 7 Ir, wanted 8' '3s/3,0$/2,0/'
refuses '2: the rows do not add up to `summary`, got 5 Ir, wanted 8' '3d'
refuses '4: the rows do not add up to `summary`, got 11 Ir, wanted 8' '3p'
refuses '3: malformed count, got `3.0`, wanted a 64-bit number' '3s/3,0$/3.0,0/'
refuses '3: malformed count, got `3E+00`, wanted a 64-bit number' '3s/3,0$/3E+00,0/'
refuses '3: malformed count, got ``, wanted a 64-bit number' '3s/0$//'
refuses '3: malformed count, got ` 3`, wanted a 64-bit number' '3s/3,0$/ 3,0/'
refuses '3: malformed count, got `9223372036854775808`, wanted a 64-bit number' '3s/3,0$/9223372036854775808,0/'
refuses '3: sum out of range, got `2`, wanted sums within 64 bits' '3s/3,0$/9223372036854775807,0/'
refuses '3: malformed line number, got `4294967296`, wanted a number below 2^32' '3s/,2,3/,4294967296,3/'
refuses '3: malformed line number, got `-1`, wanted a number below 2^32' '3s/,2,3/,-1,3/'
refuses '3: malformed line number, got ``, wanted a number below 2^32' '3s/,2,3/,,3/'
refuses '3: a name is missing, got `function`, wanted a name in that column, or ???' '3s/,f,/,,/'
refuses '3: wrong number of cells, got 9, wanted 10' '3s/,0$//'
refuses '2: wrong number of cells, got 11, wanted 10' '2s/f/f,g/'
refuses '3: another profile in column `command`, got `d`, wanted `c` as in line 2' '3s/c/d/'
refuses '3: another profile in column `summary`, got `8 5`, wanted `8 4` as in line 2' '3s/8 4/8 5/'
refuses '2: malformed summary, got `8`, wanted a number for each event, with blanks between them' '2,3s/8 4/8/'
refuses '2: malformed summary, got `8 4 1`, wanted a number for each event, with blanks between them' '2,3s/8 4/8 4 1/'
refuses '2: no events, got ``, wanted names of 1 to 1024 events, with blanks between them' '2,3s/Ir Dr//'
refuses '1: no column `Dw`, got 10 others, wanted what `quern csv --by=line` or `--by=instruction` writes' '2,3s/Ir Dr/Ir Dw/'
refuses '1: no column `line`, got 10 others, wanted what `quern csv --by=line` or `--by=instruction` writes' '1s/line/lines/'
refuses '1: no column `command`, got 1 others, wanted what `quern csv --by=line` or `--by=instruction` writes' 's/,/;/g'
refuses '2: malformed row, got a quote inside a cell, wanted quotes around the cell, and doubled in it' '2s/a.c/a"b/'
refuses '2: malformed row, got a quote inside a cell, wanted quotes around the cell, and doubled in it' '2s/a.c/"a"b/'
refuses '3: malformed row, got the end of the file in a quoted cell, wanted a closing quote' '3s/a.c/"a/'
refuses '2: malformed row, got a carriage return inside, wanted lines that end with CRLF or LF' "2s/a.c/a\\r/"
refuses '2: no rows, got the end of the file, wanted a profile' '2,3d'
refuses '1: no rows, got the end of the file, wanted a profile' 'd'
printf 'pro\000file,command\n' >x.csv
is "$("$QUERN" csv --to-profile x.csv 2>&1)" 'quern csv: x.csv:1: malformed row, got a NUL byte, wanted text' 'a NUL byte'
"$QUERN" csv --by=instruction --crlf=no small >base.csv
refuses '3: malformed address, got `401136`, wanted 0x and hexadecimal digits' '3s/0x401136/401136/'
refuses '3: malformed bytes, got `488b45f`, wanted at most 15 in hexadecimal, or -' '3s/488b45f8/488b45f/'
refuses '3: malformed address, got ``, wanted 0x and hexadecimal digits' '3s/0x401136,488b45f8/,/'
"$QUERN" csv small >x.csv
is "$("$QUERN" csv --to-profile nothing.csv 2>&1; echo $?)" 'quern csv: nothing.csv: cannot open: No such file or directory
1' 'a file that is not there'
is "$("$QUERN" csv --by=instruction other 2>&1; echo $?)" 'quern csv: other: no counts of instructions, got counts by line, wanted a profile of `quern run --dump-instr=yes`
1' 'no instructions to show'
is "$("$QUERN" csv other small 2>/dev/null | wc -l) $("$QUERN" csv other "$here/modern/e1.cgout" 2>&1)" \
    "5 quern csv: $here/modern/e1.cgout: events don't match, got \`Ir Bc\`, wanted \`Ir Dr D1mr\`" \
    'events must be the same'

# Usage.
for wrong in --by=module --metadata=maybe --crlf --nonsense '--to-profile a b' ''; do
    # shellcheck disable=SC2086 # words
    "$QUERN" csv $wrong >got 2>got.err
    is "$? $(cat got) $(wc -l <got.err)" '2  1' "wrong usage: $wrong"
done
"$QUERN" csv --help >got
ok '--help' grep -q 'to-profile' got

# Output that cannot be written.
if [ -c /dev/full ]; then
    "$QUERN" csv small 2>got.err >/dev/full
    is "$? $(cat got.err)" '1 quern csv: standard output: cannot write: No space left on device' 'full disk'
    "$QUERN" csv --to-profile x.csv 2>got.err >/dev/full
    is "$? $(cat got.err)" '1 quern csv: standard output: cannot write: No space left on device' 'full disk, to a profile'
else
    skip 'there is no /dev/full' 2
fi
awk 'BEGIN { print "desc: big\ncmd: big\nevents: Ir Dr"
    for (i = 0; i < 20000; i++) print "fl=file" i ".c\nfn=function" i "\n" i + 1 " 1 2"
    print "summary: 20000 40000" }' >big
{ "$QUERN" csv big 2>got.err; echo $? >got.status; } | head -n 1 >/dev/null
is "$(cat got.status) $(cat got.err)" '141 ' 'a reader that goes away'
is "$("$QUERN" csv -o no/such/dir small 2>&1; echo $?)" 'quern csv: no/such/dir: cannot create: No such file or directory
1' 'a directory that is not there'
echo old >target
"$QUERN" csv --to-profile -o target base.csv 2>/dev/null && sed 3d base.csv >x.csv
"$QUERN" csv --to-profile -o target x.csv 2>/dev/null
is "$? $(head -n 1 target)" '1 desc: D1 cache:         32768 B, 64 B, 8-way associative' 'a failure leaves the target as it was'

# A locale with a decimal comma changes nothing.
if command -v localedef >/dev/null 2>&1 && localedef -i de_DE -f UTF-8 ./de_DE.UTF-8 >/dev/null 2>&1; then
    "$QUERN" csv small >wanted
    LOCPATH=$PWD LC_ALL=de_DE.UTF-8 "$QUERN" csv small >got
    is "$(LOCPATH=$PWD LC_ALL=de_DE.UTF-8 bash -c 'printf %.1f 0,5' 2>/dev/null)" 0,5 'the locale has a decimal comma'
    same_file got wanted 'csv in it'
    LOCPATH=$PWD LC_ALL=de_DE.UTF-8 "$QUERN" csv --to-profile base.csv >got
    "$QUERN" csv --to-profile base.csv >wanted
    same_file got wanted 'and back'
else
    skip 'no locale with a decimal comma can be made' 3
fi

# Another reader of CSV: the same cells, and what it writes can be read.
python=$(command -v python3 || :)
if [ -n "$python" ] && "$python" -c 'import csv' 2>/dev/null; then
    cat >check.py <<'END'
import csv, sys
rows = list(csv.reader(open(sys.argv[1], newline="", encoding="latin-1"), strict=True))
assert all(len(row) == len(rows[0]) for row in rows), "a row has another length"
with open(sys.argv[2], "w", newline="", encoding="latin-1") as out:
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([rows[0]] + rows[:0:-1])
at = rows[0].index("line") + 1
for i, event in enumerate(rows[1][rows[0].index("events")].split()):
    assert rows[0][at + i] == event, event
    assert sum(int(row[at + i]) for row in rows[1:]) == int(rows[1][rows[0].index("summary")].split()[i]), event
END
    for p in small odd other big "$here"/modern/[abce1].cgout "$here"/own/names.cgout "$here"/own/wide.cgout; do
        [ -f "$p" ] || continue
        "$QUERN" csv "$p" >t.csv
        ok "Python reads $(basename "$p")" "$python" check.py t.csv t2.csv
        "$QUERN" csv --to-profile t.csv >wanted
        "$QUERN" csv --to-profile t2.csv >got
        same_file got wanted '  ... and what it writes, all quoted, the other way round, is the same profile'
    done
else
    skip 'Python is not installed' 2
fi

# ---- a profile through a pipe has the same rows ----

seen=0
for p in small odd other big "$here"/*/*.cgout; do
    [ -f "$p" ] || continue
    "$QUERN" csv "$p" >file.csv 2>file.err
    file=$?
    cat "$p" | "$QUERN" csv - >pipe.csv 2>pipe.err
    pipe=$?
    sed -e '1!s/^-,/NAME,/' pipe.csv >pipe.same
    awk -v name="$p" 'NR > 1 && index($0, name ",") == 1 { $0 = "NAME" substr($0, length(name) + 1) } 1' file.csv >file.same
    [ "$file" = "$pipe" ] && cmp -s file.same pipe.same && { seen=$((seen + 1)); continue; }
    is "$p: $file" "same rows: $pipe" 'a profile is the same as a file and through a pipe'
done
ok 'profiles are the same as files and through pipes' test "$seen" -ge 37
printf '%s\n' 'desc: d' 'cmd: c' 'events: Ir' 'fl=a' 'fn=f' '1 1' 'fl=b' 'fn=f' '1 2' 'fl=a' 'fn=f' '2 3' 'summary: 6' >behind
"$QUERN" csv --metadata=no behind | tr -d '\r' >got
is "$(cat got)" 'profile,object,file,function,line,Ir
behind,???,a,f,1,1
behind,???,a,f,2,3
behind,???,b,f,1,2' 'one that is not in order at its end is sorted'
done_testing
