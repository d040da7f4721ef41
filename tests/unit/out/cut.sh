#!/bin/sh
# Tables that quern writes and reads back, cut off at thirty places, the last of them byte by byte: refused with the file and the line, or whole.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

LC_ALL=C
export LC_ALL
mkdir in
printf '%s\n' '.globl _start' '_start: mov $30, %ecx' '1: push %rcx' 'pop %rax' 'dec %ecx' 'jne 1b' 'xor %edi, %edi' 'mov $60, %eax' \
    'syscall' >prog.S
$CC -nostdlib -static -g -o prog prog.S || bail 'cannot assemble'

# cut FILE COMMAND...: what the command makes of each beginning of the file, which is called in/FILE then
cut_off() {
    file=$1 bad=0
    shift
    size=$(wc -c <"$file")
    "$@" >whole 2>&1 || { echo "the whole is refused: $(cat whole)"; return 1; }
    [ ! -f out.p ] || cp out.p whole.p
    for n in $(seq 0 $((size / 20)) $((size - 12))) $(seq $((size - 11)) $((size - 2))); do
        head -c $n "$file" >"in/$file"
        "$@" >out 2>err
        status=$?
        [ $status = 0 ] && cmp -s out.p whole.p && continue # what was cut off is a ratio, or the newline
        [ $status -gt 0 ] && [ $status -lt 3 ] && head -n 1 err | grep -q "in/$file:" ||
            { echo "$n of $size bytes: status $status: $(cat err)"; bad=1; }
    done
    return $bad
}
"$QUERN" run -q --out-file=p --interval=20 --interval-file=i "$PWD/prog" || bail 'cannot run'
"$QUERN" sweep -q -o s.csv -L D1.size=1K,2K -- "$PWD/prog" || bail 'no sweep'
"$QUERN" csv -o c.csv p || bail 'no CSV'
cp i s.csv c.csv p in/

ok 'a profile' cut_off p "$QUERN" csv -o out.csv in/p
ok 'CSV of a profile' cut_off c.csv "$QUERN" csv --to-profile -o out.p in/c.csv
mkdir bin
printf '#!/bin/sh\necho "<title>Gnuplot</title></svg>" >"$(sed -n "s/^set output .\\(.*\\).$/\\1/p" "$2")"\n' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH
ok 'intervals' cut_off i "$QUERN" plot -o times.svg time in/i
# A sweep that finds rows goes on; that what is there is complete is all it has to know.
resumes() {
    cp s.csv in/
    "$QUERN" sweep -q -o in/s.csv -L D1.size=1K,2K -- "$PWD/prog" && cmp in/s.csv s.csv
}
first=$(head -n 2 s.csv | wc -c) size=$(wc -c <s.csv) bad=
for n in $(seq 1 $((size / 20)) $((size - 1))) $((size - 1)); do
    [ "$n" = "$first" ] && continue # one row is there
    head -c "$n" s.csv >in/s.csv
    "$QUERN" sweep -q -o in/s.csv -L D1.size=1K,2K -- "$PWD/prog" >out 2>err && bad="$bad $n"
    grep -q 'in/s.csv:[0-9]*: ' err || bad="$bad $n"
done
is "$bad" '' 'rows of a sweep that are cut off within a row'
head -n 2 s.csv >in/s.csv
"$QUERN" sweep -q -o in/s.csv -L D1.size=1K,2K -- "$PWD/prog"
ok 'a sweep that has one of its rows makes the other' cmp s.csv in/s.csv
ok 'one that has all is as it was' resumes
done_testing
