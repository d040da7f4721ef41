#!/bin/sh
# Does a real program do under quern exactly what it does natively?
#
#   sh tests/corpus/paired.sh                   the fast set: smaller inputs (`make check`)
#   QN_CORPUS=full sh tests/corpus/paired.sh    the same cases with the sizes that the manual promises
#   QN_CORPUS=wide sh tests/corpus/paired.sh    larger programs: compilers, virtual machines, builds
#   QN_CORPUS=more sh tests/corpus/paired.sh    the programs of tests/corpus/table; QN_CORPUS=soak: all these
#   QN_CORPUS=suite sh tests/corpus/paired.sh   python3's own tests of signals, processes, memory and numbers
#   QN_CORPUS=tiny sh tests/corpus/paired.sh    what soon comes to its end where all is translated anew all the time (`make tiny`)
#   sh tests/corpus/paired.sh python3 git       these cases only
#   QN_REPEAT=20 sh tests/corpus/paired.sh git  twenty runs of each, to find failures that come and go
#   QN_LIST=1 sh tests/corpus/paired.sh         what cases there are
#
# A case is run twice, natively and under quern, each time in an empty directory of the same name.  One test point
# per case, which passes if all of this holds:
#
#   * stdout, stderr and exit status are the same byte for byte, and so is every file that was left behind;
#   * quern left a profile for each program that it was asked to run;
#   * the summary line of each profile is the sum of its body, the counts are possible (misses <= references), and the
#     summary that was printed has the same numbers;
#   * cg_annotate (where installed) reads the main profiles and prints the same totals.
#
# The cases are in tests/corpus/cases/*.sh, see intro.sh there, and, where a line is enough, in tests/corpus/table.  A case
# whose program is not installed is skipped with the reason.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/tap/tap.sh"

folder=$top_srcdir/tests/corpus
corpus=${QN_CORPUS:-fast}
repeat=${QN_REPEAT:-1}
limit=${QN_LIMIT:-86400} # seconds for one program under quern: for who tries by hand; in a test its driver sees what hangs
tiny='signals jumps spawn threads numbers memory places mixed clock dispatch fresh musl musl_threads static static_pie no_pie script gcc_plain
gcc_errors tcc strip true false ls arguments find tar diff make make_all dash lua bc rg luajit ed file curl m4'
annotated=2            # so many of the largest profiles of a case are given to cg_annotate

DATA=$SCRATCH/data
PROGRAMS=$folder/programs
mkdir -p "$DATA"

# A program behaves alike only if its surroundings are alike.
LC_ALL=C
TZ=UTC
PYTHONHASHSEED=0
PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin
HOME=$SCRATCH/home
mkdir -p "$HOME"
export DATA PROGRAMS LC_ALL TZ PYTHONHASHSEED PATH HOME
unset DISPLAY MAKEFLAGS MFLAGS MAKELEVEL MAKE_TERMOUT MAKE_TERMERR GIT_DIR DEBUGINFOD_URLS

# What the cases are written with.

# entry NAME SETS COMMANDS TEXT: declare a case.  SETS: "fast full" or "full"; COMMANDS: what must be installed.
entry() {
    entries="${entries:-}$1|$2|$3|$4
"
}

# size FAST FULL: how much work.
size() {
    if [ "$corpus" = full ]; then echo "$2"; else echo "$1"; fi
}

# under COMMAND...: run it natively or under quern, whichever turn it is.  under_all: with its children.
under() {
    if [ "$turn" = native ]; then
        "$@"
    else
        echo "$1" >>"$place/asked"
        timeout -k 5 "$limit" "$QUERN" run --branch-sim=yes --log-file="$place/logs/%p" \
            --out-file="$place/profiles/%p" ${children:-} -- "$@"
    fi
}

under_all() {
    children=--trace-children=yes
    under "$@"
    set -- $?
    children=
    return "$1"
}

# compile PROGRAM [FLAGS...]: tests/corpus/programs/PROGRAM.c -> $DATA/PROGRAM, once.
compile() {
    [ -x "$DATA/$1" ] || (source=$1 && shift &&
        ${COMPILER:-$CC} -O1 -g -o "$DATA/$source" "$PROGRAMS/$source.c" "$@")
}

for file in "$folder"/cases/*.sh; do
    . "$file"
done

# The table: each line of it becomes NAME|SETS|PACKAGE|NEEDS|FILES|COMMAND without the spaces around.
awk '
/^(#|$)/ { next }
/\\$/ { line = line substr($0, 1, length($0) - 1); next }
{
    line = line $0
    for (i = 0; i < 5; i++) sub(/ *[|] */, "\001", line)
    gsub(/\001/, "|", line)
    print line
    line = ""
}' "$folder/table" >"$SCRATCH/table"
while IFS='|' read -r name sets package needs rest; do
    entry "$name" "$sets" "$needs" "$package"
done <"$SCRATCH/table"

# field NAME N: of the table; the last one may have bars in it.
field() {
    awk -F'|' -v name="$1" -v n="$2" '$1 == name {
        if (n < 6) $0 = $n; else for (i = 1; i < n; i++) sub(/^[^|]*[|]/, "")
        print
    }' "$SCRATCH/table"
}

# run_line NAME: a case of the table.  For what its command is written with see there.
run_line() {
    kept=$DATA/kept.$1
    mkdir -p "$kept"
    files=$(field "$1" 5)
    for file in $files; do
        cp "$folder/files/$file" . || return
    done
    eval "$(field "$1" 6)"
}

once() {
    mark=$kept/.made.$(echo "$*" | cksum | tr -d ' ')
    [ -f "$mark" ] && return
    for file in $files; do
        cp "$folder/files/$file" "$kept" || return
    done
    (cd "$kept" && "$@") >"$kept/.said" 2>&1 && : >"$mark" || cp "$kept/.said" "$place/failed"
}

quiet() { rm -rf "$@"; }

# do_turn native|quern NAME: run the case in $place/run; what it leaves behind goes to $place/native or $place/quern.
do_turn() {
    turn=$1
    rm -rf "$place/run" "${place:?}/$turn"
    mkdir -p "$place/run" "$place/$turn" "$place/profiles" "$place/logs"
    if type "$2_run" >/dev/null 2>&1; then action=$2_run; else action="run_line $2"; fi
    (cd "$place/run" && $action) </dev/null >"$place/$turn/stdout" 2>"$place/$turn/stderr"
    echo $? >"$place/$turn/status"
    # What bash says of a program that a signal ended: the signal is enough.
    sed -E -i 's/^[^ ]*paired\.sh: line [0-9]+: +[0-9]+ ([A-Za-z]+( [a-z]+)*)  .*/\1/' "$place/$turn/stderr"
    mv "$place/run" "$place/$turn/files"
}

# check_profiles: is each profile the sum of its parts?
check_profiles() {
    asked=$(wc -l <"$place/asked")
    found=$(ls "$place/profiles" | wc -l)
    [ "$found" -ge "$asked" ] || { echo "$found profiles, $asked wanted"; return 1; }
    [ "$found" -gt 0 ] || return 0
    (cd "$place/profiles" && awk -f "$folder/totals.awk" * && awk -f "$folder/printed.awk" ../logs/* *) || return 1
    [ "$turns" -eq 1 ] && command -v cg_annotate >/dev/null || return 0
    for profile in $(ls -S "$place/profiles" | head -n "$annotated"); do
        check_annotated "$place/profiles/$profile" || return 1
    done
}

check_annotated() {
    cg_annotate --auto=no "$1" >"$place/annotated" 2>"$place/annotate.err" ||
        { echo "cg_annotate cannot read $1:"; head -n 5 "$place/annotate.err"; return 1; }
    [ ! -s "$place/annotate.err" ] || { echo "cg_annotate: $(head -n 3 "$place/annotate.err")"; return 1; }
    theirs=$(awk '/PROGRAM TOTALS/ {
        gsub(/,|\([^)]*\)/, "")
        sub(/ *PROGRAM TOTALS.*/, "")
        $1 = $1
        print
    }' "$place/annotated")
    ours=$(awk '/^summary:/ { $1 = ""; sub(/^ /, ""); print }' "$1")
    [ "$theirs" = "$ours" ] || { echo "cg_annotate has $theirs"; echo "the summary has $ours"; return 1; }
}

# compare: what differs, in the order of what tells most.
compare() {
    [ "$(cat "$place/quern/status")" = "$(cat "$place/native/status")" ] ||
        echo "status $(cat "$place/quern/status"), natively $(cat "$place/native/status")"
    for stream in stderr stdout; do
        cmp -s "$place/native/$stream" "$place/quern/$stream" || {
            echo "$stream differs (- native, + quern):"
            diff -a -u "$place/native/$stream" "$place/quern/$stream" | sed 1,2d | cut -c 1-200 | head -n 20
        }
    done
    diff -r "$place/native/files" "$place/quern/files" 2>&1 | cut -c 1-200 | head -n 20
    check_profiles
}

# again NAME: 0 if all is well; else the differences on stdout.
again() {
    rm -rf "$place/profiles" "$place/logs" "$place/asked"
    : >"$place/asked"
    do_turn quern "$1"
    compare >"$place/differences" 2>&1
    [ ! -s "$place/differences" ]
}

# missing COMMANDS: the first one that is not installed.
missing() {
    for command in $1; do
        command -v "$command" >/dev/null || { echo "$command"; return 0; }
    done
    return 1
}

# prepare NAME: input files, made natively and once.
prepare() {
    turn=native
    if type "$1_prepare" >/dev/null 2>&1; then
        (cd "$DATA" && "$1_prepare") >"$place/prepare.log" 2>&1 </dev/null || return 1
    fi
    do_turn native "$1"
    [ ! -f "$place/failed" ] || { cp "$place/failed" "$place/prepare.log"; return 1; }
}

# pair NAME COMMANDS TEXT: one test point.
pair() {
    place=$SCRATCH/$1
    mkdir -p "$place"
    if absent=$(missing "$2"); then
        skip "$1: $absent is not installed"
        return
    fi
    if ! prepare "$1"; then
        diag "$(head -n 20 "$place/prepare.log")"
        fail "$1: what it needs cannot be made"
        return
    fi
    failures=0
    for turns in $(seq "$repeat"); do
        again "$1" && continue
        failures=$((failures + 1))
        diag "$1, run $turns of $repeat:"
        diag "$(cat "$place/differences")"
    done
    [ "$repeat" = 1 ] || diag "$1: $failures of $repeat runs failed"
    tap_point $((failures > 0)) "$1: $3"
    [ $failures -gt 0 ] || rm -rf "$place"
}

wanted() {
    if [ $# -gt 2 ]; then
        name=$1
        shift 2
        case " $* " in *" $name "*) return 0 ;; esac
        return 1
    fi
    [ "$corpus" = soak ] && [ "$2" != suite ] && return 0
    if [ "$corpus" = tiny ]; then
        echo "$tiny" | tr ' ' '\n' | grep -qx "$1"
        return
    fi
    case " $2 " in *" $corpus "*) return 0 ;; esac
    return 1
}

[ -x "$QUERN" ] || bail "there is no $QUERN"
if [ "${QN_LIST:-}" ]; then
    printf '%s' "$entries" | awk -F'|' '{ printf "%-16s %-10s %s\n", $1, $2, $4 }'
    exit 0
fi
while IFS='|' read -r name sets commands text; do
    wanted "$name" "$sets" "$@" && pair "$name" "$commands" "$text"
done <<END
${entries%?}
END
done_testing
