#!/bin/sh
# What happens when output cannot be written: a full disk, a closed pipe, a target that may not be made?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

case $QUERN in /*) ;; *) QUERN=$PWD/$QUERN ;; esac
cd "$SCRATCH" || bail 'no scratch directory'
awk 'BEGIN {
    print "desc: big\ncmd: big\nevents: Ir Dr"
    for (i = 0; i < 20000; i++) { print "fl=file" i ".c\nfn=function" i "\n" i + 1 " 1 2" }
    print "summary: 20000 40000"
}' >big.out

# status COMMAND: its status and all that it said.
status() {
    "$@" >said 2>&1
    echo "$? $(cat said)"
}

if [ -c /dev/full ]; then
    "$QUERN" annotate --threshold=0 big.out >/dev/full 2>got.err
    is "$? $(cat got.err)" '1 quern annotate: error: cannot write the report: No space left on device' 'annotate: full disk'
    "$QUERN" annotate --style=classic --threshold=0 big.out >/dev/full 2>got.err
    is "$? $(cat got.err)" '1 quern annotate: cannot write the report: No space left on device' \
        'annotate, classic: full disk'
    "$QUERN" merge big.out >/dev/full 2>got.err
    is "$? $(cat got.err)" '1 quern merge: standard output: cannot write: No space left on device' 'merge: full disk'
    is "$(status "$QUERN" merge -o /dev/full big.out)" \
        '1 quern merge: /dev/full: cannot write: No space left on device' 'merge -o: full disk'
    is "$(status "$QUERN" diff -o /dev/full big.out big.out)" \
        '1 quern diff: /dev/full: cannot write: No space left on device' 'diff -o: full disk'
else
    skip 'there is no /dev/full' 5
fi

# A limit on the size of files stands for a full disk that is noticed late: nothing is left behind.
mkdir full
(ulimit -f 8 && trap '' XFSZ && "$QUERN" merge -o full/x big.out) >said 2>&1
is "$? $(cat said) $(ls -A full)" '1 quern merge: full/x: cannot write: File too large ' 'a file that cannot grow leaves nothing'
echo old >full/x
(ulimit -f 8 && trap '' XFSZ && "$QUERN" merge -o full/x big.out) >said 2>&1
is "$? $(ls -A full) $(cat full/x)" '1 x old' 'and what was there before stays'

# A reader that goes away.
for command in 'annotate --threshold=0' 'annotate --style=classic --threshold=0' merge 'diff big.out'; do
    # shellcheck disable=SC2086 # words
    { "$QUERN" $command big.out 2>got.err; echo $? >got.status; } | head -n 1 >/dev/null
    is "$(cat got.status) $(cat got.err)" '141 ' "$command | head: ends by SIGPIPE, without a word"
    # shellcheck disable=SC2086 # words
    (trap '' PIPE && { "$QUERN" $command big.out 2>got.err; echo $? >got.status; } | head -n 1 >/dev/null)
    is "$(cat got.status) $(cat got.err)" '141 ' "$command | head: also where SIGPIPE was ignored"
done

# Targets.
is "$(status "$QUERN" merge -o no/such/dir big.out)" \
    '1 quern merge: no/such/dir: cannot create: No such file or directory' 'a directory that is not there'
mkdir dir
is "$(status "$QUERN" merge -o dir big.out)" '1 quern merge: dir: cannot create: Is a directory' 'a directory as target'
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    chmod 555 locked
    is "$(status "$QUERN" merge -o locked/x big.out)" \
        '1 quern merge: locked/x: cannot create: Permission denied' 'a directory that may not be written'
    chmod 755 locked
else
    is "$(status "$QUERN" merge -o /proc/x big.out)" \
        '1 quern merge: /proc/x: cannot create: No such file or directory' 'a directory that may not be written'
fi

"$QUERN" merge -o new big.out
is "$? $(stat -c %a new) $(ls -A | grep -c '^\.')" '0 600 0' 'a new file is for its owner only; no temporary file stays'
umask 077
echo old >target
ln -s target link
"$QUERN" merge -o link big.out
is "$? $(stat -c %F link) $(head -n 1 target)" '0 symbolic link desc: big' 'a link is followed'
"$QUERN" merge -o new new new && "$QUERN" merge -o new.2 big.out big.out big.out big.out
"$QUERN" merge -o new new new
same_file new new.2 'an input may be the target as well'
mkfifo pipe
cat pipe >from.pipe &
"$QUERN" merge -o pipe big.out
wait
"$QUERN" merge big.out >wanted
same_file from.pipe wanted 'a FIFO is written to, not replaced'
done_testing
