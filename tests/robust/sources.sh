#!/bin/sh
# What if a source file is not what it was: a FIFO, a device, a folder, 5 GB with or without text, one endless line?
#
# Each command reads it without waiting, in little memory, and says why it shows no lines.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/scratch.sh"

printf '%s\n' 'int main(void)' '{' '    static volatile int x[4096];' '    int sum = 0;' '    for (int i = 0; i < 4096; i++)' '        sum += x[i];' \
    '    return sum;' '}' >prog.c
cp prog.c good.c
"$CC" -g -O0 prog.c -o prog || bail 'cannot compile'
"$QUERN" run -q --out-file=profile ./prog || bail 'cannot run'
source=$SCRATCH/prog.c

# make KIND: in place of prog.c
make() {
    rm -rf "$source"
    case $1 in
    fifo) mkfifo "$source" ;;
    device) ln -s /dev/zero "$source" ;;
    folder) mkdir "$source" ;;
    sparse) truncate -s 5G "$source" ;;
    tail) cp good.c "$source" && truncate -s 5G "$source" ;;
    line) { head -c 20000000 /dev/zero | tr '\0' x && cat good.c; } >"$source" ;;
    esac && touch -d '-1 day' "$source" 2>/dev/null
}
# little COMMAND...: with 500 MB of addresses; a sanitizer needs terabytes, and has no limit here
most=500000
(ulimit -v $most && "$QUERN" --version) >out 2>&1 || most=unlimited
little() { (ulimit -v $most && exec timeout 300 "$@") >out 2>&1; }
why() { case $1 in folder) echo 'Is a directory' ;; fifo | device) echo 'Not a regular file' ;; *) echo 'Its text is larger than sources are' ;; esac; }

for kind in fifo device folder sparse tail line; do
    make $kind || bail "cannot make a $kind"
    shown=0
    [ $kind != tail ] || shown=1
    little "$QUERN" annotate profile
    is "$? $(grep -c 'sum += x' out)" "0 $shown" "$kind: annotate"
    case $kind in
    sparse | line) ok '... says why' grep -q "read up to a limit: $(why $kind)" out ;;
    tail) ;;
    *) ok '... says that it cannot be read' grep -qE 'unreadable' out ;;
    esac
    little "$QUERN" annotate --style=classic --auto=yes profile
    is "$? $(grep -c 'sum += x' out)" "0 $shown" '... in the classic style'
    little "$QUERN" page -o page.html profile
    is "$? $(grep -c '"why":"'"$(why $kind)" page.html) $(grep -c 'sum += x' page.html)" "0 1 $shown" '... page'
    timeout 300 "$QUERN" run -q --explain=prog.c:6 --explain-file=explained --out-file=p ./prog >out 2>&1
    is "$? $(grep -c 'sum += x' explained)" "0 $shown" '... explain'
    timeout 300 "$QUERN" watch -q --cache=lru:1024,2,64 --line=prog.c:6 --references=100 -o watch.html ./prog >out 2>&1
    is "$? $(grep -c 'sum += x' watch.html)" "0 $shown" '... watch'
    timeout 300 "$QUERN" report -q -o report ./prog >out 2>&1
    is $? 0 '... report'
    [ $shown = 1 ] || ok '... which says why' grep -q "is not here: $(why $kind)" report/index.html
    rm -rf report
done
done_testing
