#!/bin/sh
# suite.sh - the test programs of others, natively twice and once under quern.
#
#   sh tests/long/suite.sh BUILD KIND SOURCES [NAME...]
#
# KIND is what the folder SOURCES holds, the top of its repository: rr, valgrind, ltp (its testcases/kernel/syscalls), glibc, or one of the
# table below: fex and fex-asm (FEX-Emu; they want catch2 and nasm), box64, blink, libc-test (musl's), open_posix (in LTP), dynamorio, qemu.
# None of it comes with quern.
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

# compile_by NAME COMPILER WORDS...: one program, beside JOBS - 1 others
compiled=0
compile_by() {
    name=$1
    shift
    { [ -x "$work/bin/$name" ] || "$@" -o "$work/bin/$name" >"$work/build/$name.log" 2>&1 || echo "$name" >>"$work/unbuilt"; } &
    compiled=$((compiled + 1))
    [ $((compiled % JOBS)) -ne 0 ] || wait
}

compile() {
    program=$1
    shift
    compile_by "$program" ${CC:-gcc} -w -g -O1 "$@"
}

# The suites whose programs are built by one command for each source file: which files, and how.  $names is the part of a file's path that is
# not in the name of its program; $but are files that are left out.
table() {
    gnu="${CC:-gcc} -w -g -O1 -D_GNU_SOURCE -pthread" behind='-lm -ldl -lrt -lutil'
    case $kind in
    fex) files='unittests/FEXLinuxTests/tests/*/*.cpp' but='*.32.cpp' names=unittests/FEXLinuxTests/tests/
        gnu="${CXX:-g++} -w -g -O1 -std=c++20 -masm=intel -pthread -I$sources/unittests/FEXLinuxTests/tests/include -I$work/build" behind="$work/build/common.a -ldl -lrt" ;;
    fex-asm) files='unittests/ASM/*.asm unittests/ASM/*/*.asm unittests/ASM/*/*/*.asm' names=unittests/ASM/ ;;
    box64) files='tests/test*.c tests/test*.cpp' behind='-lstdc++ -lm -ldl -lrt' ;;
    blink) files='test/func/*_test.c test/asm/*.S' gnu="$gnu -I$sources" ;;
    libc-test) files='src/functional/*.c src/regression/*.c' but='*/dlopen_dso.c' gnu="$gnu -I$sources/src/common" behind="$work/build/common.a $behind" ;;
    open_posix) files='testcases/open_posix_testsuite/conformance/interfaces/*/*.c' names=testcases/open_posix_testsuite/conformance/interfaces/
        gnu="$gnu -I$sources/testcases/open_posix_testsuite/include" ;;
    dynamorio) files='suite/tests/linux/*.c suite/tests/common/*.c suite/tests/security-linux/*.c' names=suite/tests/
        gnu="$gnu -I$work/build -I$sources/suite/tests -I$sources/common -I$sources/core -I$sources/core/lib -I$sources/core/ir -I$sources/core/drlibc -I$sources/core/arch" behind="$work/build/common.a $behind" ;;
    qemu) files='tests/tcg/multiarch/*.c tests/tcg/multiarch/linux/*.c tests/tcg/x86_64/*.c tests/tcg/i386/test-*.c' names=tests/tcg/
        gnu="$gnu -I$sources/tests/tcg/multiarch -I$sources/tests/tcg/x86_64 -I$sources/tests/tcg/i386 -msse4.2" ;;
    *) return 1 ;;
    esac
}

# What the programs of a suite share.
build_common() {
    also=
    case $kind in
    fex) # Catch2's third version has these headers; its second, of Debian 12, has one for all
        mkdir -p "$work/build/catch2/generators"
        for header in catch_test_macros generators/catch_generators generators/catch_generators_range; do
            printf '#include <catch2/catch.hpp>\n#undef CATCH_TRAP\n#define CATCH_TRAP() __builtin_trap()\n' >"$work/build/catch2/$header.hpp"
        done
        printf '#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n' >"$work/build/main.cpp"
        common=$work/build/main.cpp also=-masm=att ;;
    libc-test) common="$sources/src/common/*.c" ;;
    dynamorio) # what its own build would make
        printf '#define %s 1\n' LINUX UNIX X86 X64 X86_64 ASSEMBLE_WITH_GAS >"$work/build/configure.h"
        echo '#include "mcxtx_api.h"' >"$work/build/dr_mcxtx.h"
        echo '#include <limits.h>' >"$work/build/limits_wrapper.h"
        echo 'long dynamorio_syscall(unsigned nr, unsigned n, long a, long b, long c, long d, long e, long f) {
            long r; register long r10 asm("r10") = d, r8 asm("r8") = e, r9 asm("r9") = f;
            asm volatile("syscall" : "=a"(r) : "a"((long)nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
            return r; }' >"$work/build/dr_syscall.c"
        common="$sources/suite/tests/tools.c $work/build/dr_syscall.c" ;;
    fex-asm) ${CC:-gcc} -w -O1 -o "$work/build/flat" "$top/tests/long/flat.c" && return ;;
    *) return ;;
    esac
    mkdir -p "$work/build/common"
    for file in $common; do
        $gnu $also -c -o "$work/build/common/$(basename "${file%.*}").o" "$file" >"$work/build/common.log" 2>&1
    done
    rm -f "$work/build/common.a" && ar cr "$work/build/common.a" "$work"/build/common/*.o || exit 2
}

# One of FEX's pieces of assembly: its code, and the memory that it wants (tests/long/flat.c).
assemble() {
    nasm -w-all --before 'BITS 64' -I "$(dirname "$2")/" -I "$sources/unittests/ASM/Includes/" -f bin -o "$work/build/$1.flat" "$2" >"$work/build/$1.log" 2>&1 || { echo "$1" >>"$work/unbuilt"; return; }
    sed -n '/"MemoryRegions"/,/}/s/.*"\(0x[0-9a-fA-F]*\)": *"\([0-9]*\)".*/\1 \2/p' "$2" >"$work/build/$1.regions"
    ln -sf ../build/flat "$work/bin/$1"
}

# shellcheck disable=SC2086,SC2254 # words and patterns
build_table() {
    names='' but=
    table || exit 2
    build_common
    for pattern in $files; do
        for file in "$sources"/$pattern; do
            case $file in *'*'*) continue ;; esac
            [ -z "$but" ] || case $file in $but) continue ;; esac
            name=${file#"$sources/$names"}
            name=$(printf %s "${name%.*}" | tr / .)
            case $file in
            *.asm) assemble "$name" "$file" ;;
            *.S) compile_by "$name" $gnu -nostdlib -static "$file" ;;
            *) compile_by "$name" $gnu "$file" $behind ;;
            esac
        done
    done
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
case $kind in
rr | valgrind | ltp | glibc) how=$kind ;;
*) how=table && table || { echo "suite.sh: no such kind: $kind" >&2; exit 2; } ;;
esac
ulimit -c 0
mkdir -p "$work/bin" "$work/build" "$work/run" && : >"$work/results" && : >"$work/unbuilt" || exit 2
[ -n "${BUILT:-}" ] || "build_$how"
wait
[ $# -gt 0 ] || set -- $(ls "$work/bin")
printf '%s\n' "$@" | xargs -n 1 -P "$JOBS" sh "$top/tests/long/suite.sh" "$build" "$kind" "$sources" --one
awk '{ n[$2]++; if ($2 == "differs" || $2 == "stderr") print }
     END { for (v in n) printf "%s %d, ", v, n[v]; print "of", NR }' "$work/results"
! grep -q ' differs$' "$work/results"
