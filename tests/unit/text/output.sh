#!/bin/sh
# What happens when output cannot be written: a full disk, a closed pipe, a target that may not be made?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

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

# Everything that writes, csv where it was built; what only prints.
writers='merge
diff big.out'
"$QUERN" csv big.out >whole.csv 2>/dev/null && writers="$writers
csv
csv --to-profile whole.csv"
printers='annotate --threshold=0
annotate --style=classic --threshold=0
annotate --by=function --threshold=0'

# input COMMAND: what comes behind it
input() { case $1 in *whole.csv) ;; *) echo big.out ;; esac; }

if [ -c /dev/full ]; then
    while read -r command; do
        error= && case $command in *classic*) ;; *) error='error: ' ;; esac
        # shellcheck disable=SC2086 # words
        "$QUERN" $command big.out >/dev/full 2>got.err
        is "$? $(cat got.err)" "1 quern annotate: ${error}cannot write the report: No space left on device" "$command: full disk"
        # shellcheck disable=SC2086
        "$QUERN" $command big.out >&- 2>got.err
        is "$? $(cat got.err)" "1 quern annotate: ${error}cannot write the report: Bad file descriptor" "$command: no output at all"
    done <<END
$printers
END
    while read -r command; do
        name=${command%% *}
        # shellcheck disable=SC2046,SC2086 # words
        "$QUERN" $command $(input "$command") >/dev/full 2>got.err
        is "$? $(cat got.err)" "1 quern $name: standard output: cannot write: No space left on device" "$command: full disk"
        # shellcheck disable=SC2046,SC2086
        is "$(status "$QUERN" $command -o /dev/full $(input "$command"))" \
            "1 quern $name: /dev/full: cannot write: No space left on device" "$command -o: full disk"
        # shellcheck disable=SC2046,SC2086
        "$QUERN" $command $(input "$command") >&- 2>got.err
        is "$? $(cat got.err)" "1 quern $name: standard output: cannot write: Bad file descriptor" "$command: no output at all"
    done <<END
$writers
END
    while read -r command; do
        # shellcheck disable=SC2086 # words
        "$QUERN" $command >/dev/full 2>got.err
        is "$? $(cat got.err)" "1 quern ${command%% *}: standard output: cannot write: No space left on device" "$command: full disk"
    done <<END
sim list
run --help
csv --version
annotate --help
lab list
dis --hex 90
END
    "$QUERN" replay --help >/dev/full 2>got.err
    is "$? $(cat got.err)" '1 quern: replay: standard output: cannot write: No space left on device' 'replay --help: full disk'
    echo ' L 1000,4' >t
    "$QUERN" replay t >&- 2>got.err
    is "$? $(cat got.err)" '1 quern: replay: standard output: cannot write: Bad file descriptor' 'replay: no output at all'
    "$QUERN" --help >/dev/full 2>got.err
    is "$? $(cat got.err)" '1 quern: standard output: cannot write: No space left on device' '--help: full disk'
    "$QUERN" json big.out >/dev/full 2>got.err
    is "$? $(cat got.err)" '1 quern json: cannot write JSON: No space left on device' 'json: full disk'
    "$QUERN" json --totals big.out >/dev/full 2>got.err
    is "$? $(cat got.err)" '1 quern json: standard output: cannot write: No space left on device' 'json --totals: full disk'
else
    skip 'there is no /dev/full' 29
fi

# A limit on the size of files stands for a full disk that is noticed late: nothing is left behind.
mkdir full
(ulimit -f 8 && trap '' XFSZ && "$QUERN" merge -o full/x big.out) >said 2>&1
is "$? $(cat said) $(ls -A full)" '1 quern merge: full/x: cannot write: File too large ' 'a file that cannot grow leaves nothing'
echo old >full/x
(ulimit -f 8 && trap '' XFSZ && "$QUERN" merge -o full/x big.out) >said 2>&1
is "$? $(ls -A full) $(cat full/x)" '1 x old' 'and what was there before stays'

# A reader that goes away.
while read -r command; do
    # shellcheck disable=SC2046,SC2086 # words
    { "$QUERN" $command $(input "$command") 2>got.err; echo $? >got.status; } | head -n 1 >/dev/null
    is "$(cat got.status) $(cat got.err)" '141 ' "$command | head: ends by SIGPIPE, without a word"
    # shellcheck disable=SC2046,SC2086
    (trap '' PIPE && { "$QUERN" $command $(input "$command") 2>got.err; echo $? >got.status; } | head -n 1 >/dev/null)
    is "$(cat got.status) $(cat got.err)" '141 ' "$command | head: also where SIGPIPE was ignored"
done <<END
$printers
$writers
END

# Where the signal is blocked there is no such end, but one line.
if env --block-signal=PIPE true 2>/dev/null; then
    { env --block-signal=PIPE "$QUERN" annotate --threshold=0 big.out 2>got.err; echo $? >got.status; } | head -n 1 >/dev/null
    is "$(cat got.status) $(cat got.err)" '1 quern annotate: error: cannot write the report: Broken pipe' \
        'annotate | head, with SIGPIPE blocked: fails'
else
    skip 'env cannot block signals'
fi

# Targets.
mkdir dir
while read -r command; do
    name=${command%% *}
    # shellcheck disable=SC2046,SC2086 # words
    is "$(status "$QUERN" $command -o no/such/dir $(input "$command"))" \
        "1 quern $name: no/such/dir: cannot create: No such file or directory" "$command: a directory that is not there"
    # shellcheck disable=SC2046,SC2086
    is "$(status "$QUERN" $command -o dir $(input "$command"))" "1 quern $name: dir: cannot create: Is a directory" \
        "$command: a directory as target"
done <<END
$writers
END
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
ln -s made.later far
"$QUERN" merge -o far big.out
is "$? $(stat -c %F far) $(head -n 1 made.later)" '0 symbolic link desc: big' 'also a link to what is not there yet'
ln -s round round
is "$(status "$QUERN" merge -o round big.out)" '1 quern merge: round: cannot create: Too many levels of symbolic links' 'a link to itself'
is "$(status "$QUERN" merge -o '' big.out)" "1 quern merge: '': cannot create: No such file or directory" 'no name'
is "$(status "$QUERN" run -q --out-file= sh -c 'echo ran')" "1 quern: run: no profile: '': cannot create: No such file or directory" '... before the program runs'
long=$(head -c 255 /dev/zero | tr '\0' a)
"$QUERN" merge -o "$long" big.out
is "$? $(head -n 1 "$long")" '0 desc: big' 'a name as long as names may be'

# /dev/stdout is a link to a link to a file, which has what others wrote, or no name.
ln -s /proc/self/fd/1 stdout
for name in /dev/stdout stdout; do
    { echo before; "$QUERN" diff -o $name big.out big.out; echo after; } >shared
    is "$? $(head -n 1 shared; sed -n 2p shared; tail -n 1 shared)" "0 before
$("$QUERN" diff big.out big.out | head -n 1)
after" "$name: between what others write to the same file"
done
(exec 3>gone 4<gone && rm gone && "$QUERN" merge -o stdout big.out >&3 && head -n 1 <&4) >said
is "$? $(cat said) $(stat -c %F stdout)" '0 desc: big symbolic link' 'a file without a name, as that of a caller: written to, and the link is not replaced'

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
