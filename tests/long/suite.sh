#!/bin/sh
# suite.sh - the test programs of others, natively twice and once under quern.
#
#   sh tests/long/suite.sh BUILD KIND SOURCES [NAME...]
#
# KIND is what the folder SOURCES holds: rr, valgrind, ltp (its testcases/kernel/syscalls), glibc; none of it comes with quern.
# Its programs are built in BUILD/suite/KIND/bin (ltp: where their own makefiles put them), those that cannot be built here are
# listed in BUILD/suite/KIND/unbuilt.  NAMEs choose some.  Each runs as an ordinary user who is root of a name space of his own:
# processes, network, messages and mounts, so that nothing stays behind and nothing of the machine is changed.
#
# BUILD/suite/KIND/results gets a line for each:
#   same       stdout and exit status are the same three times, stderr too, but for numbers
#   numbers    stdout differs natively in numbers and names of temporary files, and under quern in nothing else
#   stderr     only stderr differs
#   differs    stdout or exit status do; the outputs stay in BUILD/suite/KIND/NAME.differs
#   unsteady   the two native runs differ by themselves
#   slow       a native run took longer than LIMIT seconds (20)
# It prints how many of each, and those that differ; the status says whether there are any.  JOBS (2) run at a time.
set -u
self=$0
build=$(cd "${1:?usage: suite.sh BUILD KIND SOURCES [NAME...]}" && pwd) || exit 2
kind=${2:?} sources=$(cd "${3:?}" && pwd) || exit 2
shift 3
top=$(cd "$(dirname "$self")/../.." && pwd) || exit 2
work=$build/suite/$kind
LIMIT=${LIMIT:-20} JOBS=${JOBS:-2}
export LIMIT JOBS

# compile NAME SOURCE WORDS...: one program, beside JOBS - 1 others
compiled=0
compile() {
    name=$1
    shift
    { [ -x "$work/bin/$name" ] || ${CC:-gcc} -w -g -O1 -o "$work/bin/$name" "$@" >"$work/build/$name.log" 2>&1 || echo "$name" >>"$work/unbuilt"; } &
    compiled=$((compiled + 1))
    [ $((compiled % JOBS)) -ne 0 ] || wait
}

build_rr() {
    python3 "$sources/src/generate_syscalls.py" "$work/build/SyscallEnumsForTestsX64.generated" || exit 2
    for file in "$sources"/src/test/*.c "$sources"/src/test/x86/*.c; do
        compile "$(basename "$file" .c)" -std=gnu11 -O0 -pthread -I"$work/build" -I"$sources/include" -I"$sources/src" -I"$sources/src/preload" \
            -I"$sources/src/test" "$file" -lrt -ldl -lm -lutil
    done
}

build_valgrind() {
    printf '#include <unistd.h>\n' >"$work/build/config.h"
    grep -rhoE '\bHAVE_[A-Z0-9_]+' --include=*.c "$sources"/none "$sources"/memcheck "$sources"/helgrind "$sources"/drd | sort -u |
        grep -v 'SYSNVL\|LGRP\|PPC\|_H$\|SYS_ENDIAN' | sed 's/.*/#define & 1/' >>"$work/build/config.h"
    cp "$work/build/config.h" "$sources/config.h"
    [ -e "$sources/include/valgrind.h" ] || sed 's/@[A-Z_]*@/3/' "$sources/include/valgrind.h.in" >"$sources/include/valgrind.h"
    for file in "$sources"/none/tests/*.c "$sources"/none/tests/*/*.c "$sources"/memcheck/tests/*.c "$sources"/memcheck/tests/*/*.c \
        "$sources"/helgrind/tests/*.c "$sources"/drd/tests/*.c; do
        case $file in */amd64/* | */linux/* | */amd64-linux/* | */common/* | */tests/*.c) ;; *) continue ;; esac
        case $file in */tests/[!/]*/*) [ -z "${file##*/amd64*}" ] || [ -z "${file##*/linux/*}" ] || [ -z "${file##*/common/*}" ] || continue ;; esac
        tool=${file#"$sources/"}
        compile "${tool%%/*}.$(basename "$file" .c)" -pthread -mavx2 -mfma -mssse3 -maes -D_GNU_SOURCE -DVGO_linux -DVGA_amd64 -DVGP_amd64_linux -DVGPV_amd64_linux_vanilla \
            -I"$sources" -I"$sources/include" -I"$sources/coregrind" -I"$sources/VEX/pub" -I"$(dirname "$file")" "$file" -lm -ldl -lrt -lutil
    done
}

# The tests of the C library, with the installed one: what needs the library's own headers cannot be built.
build_glibc() {
    mkdir -p "$work/build/include" "$work/build/support"
    ln -sfn "$sources/support" "$work/build/include/support"
    for header in array_length intprops intprops-internal libc-pointer-arith allocate_once scratch_buffer libc-diag file_change_detection; do
        ln -sfn "$sources/include/$header.h" "$work/build/include/$header.h"
    done
    words="-std=gnu11 -D_GNU_SOURCE -DTIMEOUTFACTOR=4 -D__COLD= -include stdbool.h -include limits.h -I$work/build/include -I$sources/support -idirafter $sources -pthread"
    for path in SRCDIR OBJDIR INSTDIR LIBDIR BINDIR SBINDIR ROOTSBINDIR COMPLOCALEDIR SYSCONFDIR SLIBDIR OBJDIR_ELF_LDSO; do
        echo "#define ${path}_PATH \"/nowhere\""
    done >"$work/build/paths.h"
    words="$words -include $work/build/paths.h"
    for file in "$sources"/support/*.c; do
        object=$work/build/support/$(basename "$file" .c).o
        # shellcheck disable=SC2086 # words
        [ -e "$object" ] || ${CC:-gcc} $words -w -g -O1 -c -o "$object" "$file" >"$object.log" 2>&1
    done
    rm -f "$work/build/libsupport.a" && ar cr "$work/build/libsupport.a" "$work"/build/support/*.o || exit 2
    for part in nptl sysdeps/pthread signal posix setjmp malloc stdlib math; do
        case ${PARTS:-$part} in *"$part"*) ;; *) continue ;; esac
        for file in "$sources/$part"/tst-*.c "$sources/$part"/bug-*.c "$sources/$part"/test-*.c; do
            [ -e "$file" ] || continue
            # shellcheck disable=SC2086 # words
            compile "$(basename "$part").$(basename "$file" .c)" $words -I"$sources/$part" -I"$sources/nptl" "$file" "$work/build/libsupport.a" -lm -ldl -lrt -lutil
        done
    done
}

build_ltp() {
    (cd "$sources" && { [ -e configure ] || make autotools; } && { [ -e include/mk/config.mk ] || ./configure; } &&
        make -C lib && make -C libs && make -k -C testcases/lib) >"$work/build/lib.log" 2>&1
    make -k -C "$sources/testcases/kernel/syscalls" >"$work/build/syscalls.log" 2>&1
    find "$sources/testcases/kernel/syscalls" -type f -perm -100 ! -name '*.sh' ! -name '*.py' | while read -r file; do
        ln -sf "$file" "$work/bin/$(basename "$file")"
    done
}

# in_a_space DIRECTORY WHICH COMMAND...: as an ordinary user, root there, and killed with all that it started.
# The second run begins with other numbers of processes than the first, as the one under quern does.
in_a_space() {
    space=$1
    shift
    user='setpriv --reuid=65534 --regid=65534 --clear-groups'
    [ "$(id -u)" = 0 ] || user=
    # shellcheck disable=SC2086 # words
    (cd "$space" && exec $user unshare -Urpfinmu --mount-proc --kill-child \
        sh -c 'ip link set lo up 2>/dev/null; [ "$1" != second ] || { /bin/true; /bin/true; }; shift; "$@" & wait $!; exit $?' sh "$@")
}

# once WHICH LIMIT COMMAND...: one run in a directory of its own, the same name each time; leaves WHICH.out, .err and .status
once() {
    which=$1 limit=$2
    shift 2
    rm -rf "$scratch/in" && mkdir -p "$scratch/in/d" && chmod 1777 "$scratch/in" "$scratch/in/d" || exit 2
    in_a_space "$scratch/in/d" "$which" timeout -s KILL "$limit" "$@" </dev/null >"$scratch/$which.out" 2>"$scratch/$which.err"
    echo $? >"$scratch/$which.status"
}

plain() { sed -e 's/LTP_[A-Za-z0-9]*/T/g' -e 's/0x[0-9a-fA-F]*/N/g' -e 's/[0-9][0-9]*/N/g' "$1"; }

# alike A B: stdout and status
alike() { cmp -s "$scratch/$1.out" "$scratch/$2.out" && cmp -s "$scratch/$1.status" "$scratch/$2.status"; }

# alike_but_numbers A B out|err
alike_but_numbers() {
    plain "$scratch/$1.$3" >"$scratch/1.plain"
    plain "$scratch/$2.$3" >"$scratch/2.plain"
    cmp -s "$scratch/1.plain" "$scratch/2.plain" && cmp -s "$scratch/$1.status" "$scratch/$2.status"
}

judge() {
    begun=$(date +%s)
    once first "$LIMIT" "$@"
    [ $(($(date +%s) - begun)) -lt "$LIMIT" ] || { echo slow; return; }
    once second "$LIMIT" "$@"
    once quern $((LIMIT * 10)) "$build/quern" run -q --trace-children=yes --out-file="$scratch/in/%p" -- "$@"
    if ! alike_but_numbers first second out; then echo unsteady
    elif ! alike first second; then
        if alike_but_numbers first quern out; then echo numbers; else echo differs; fi
    elif ! alike first quern; then echo differs
    elif ! alike_but_numbers first second err || alike_but_numbers first quern err; then echo same
    else echo stderr; fi
}

one() {
    name=$1
    [ -x "$work/bin/$name" ] || { echo "$name is not built" >&2; return; }
    scratch=$work/run/$name
    mkdir -p "$scratch" && chmod 755 "$scratch" || exit 2
    set -- "$work/bin/$name"
    if [ "$kind" = ltp ]; then
        program=$(readlink "$work/bin/$name")
        PATH=$PATH:$(dirname "$program"):$sources/testcases/lib LTPROOT=$sources LTP_TIMEOUT_MUL=20 LTP_COLORIZE_OUTPUT=n
        TMPDIR=$scratch/in/d
        export PATH LTPROOT LTP_TIMEOUT_MUL LTP_COLORIZE_OUTPUT TMPDIR
        set -- "$program"
    fi
    verdict=$(judge "$@")
    echo "$name $verdict" >>"$work/results"
    rm -rf "$work/$name.differs" "$scratch/in"
    case $verdict in differs | stderr) mv "$scratch" "$work/$name.differs" ;; *) rm -rf "$scratch" ;; esac
}

if [ "${1:-}" = --one ]; then
    one "$2"
    exit 0
fi
case $kind in rr | valgrind | ltp | glibc) ;; *) echo "suite.sh: no such kind: $kind" >&2; exit 2 ;; esac
ulimit -c 0
mkdir -p "$work/bin" "$work/build" "$work/run" && : >"$work/results" && : >"$work/unbuilt" || exit 2
[ -n "${BUILT:-}" ] || "build_$kind"
wait
[ $# -gt 0 ] || set -- $(ls "$work/bin")
printf '%s\n' "$@" | xargs -n 1 -P "$JOBS" sh "$top/tests/long/suite.sh" "$build" "$kind" "$sources" --one
awk '{ n[$2]++; if ($2 == "differs" || $2 == "stderr") print }
     END { for (v in n) printf "%s %d, ", v, n[v]; print "of", NR }' "$work/results"
! grep -q ' differs$' "$work/results"
