#!/bin/sh
# Does twice as much take at most little more than twice the steps?  Of a program with 100,000 variables, 100,000 functions, as many source files, 10,000
# mappings, 1,000 libraries, and one with debug information: `quern run`, and each command that reads its profile.
#
# quern counts its own instructions: `quern run --cache-sim=no quern annotate ...`.  Of a run's processes the largest counts: it makes the profile.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'
cd "$SCRATCH" || bail 'no folder'
most=2.3

# make_guest KIND N: variables, each read once; functions, each called once; files: the same with a source file for each
make_guest() {
    awk -v kind="$1" -v n="$2" 'BEGIN {
        print ".globl _start\n.type _start, @function\n_start:"
        if (kind == "variables")
            print "mov $v0, %rsi\nmov $" n ", %ecx\n1: movb (%rsi), %al\nadd $64, %rsi\ndec %ecx\njnz 1b"
        for (i = 0; i < n && kind != "variables"; i++)
            print "call f" i * 7919 % n
        print "mov $231, %eax\nxor %edi, %edi\nsyscall\n.size _start, . - _start"
        for (i = 0; i < n && kind != "variables"; i++) {
            print ".type f" i ", @function\nf" i ":"
            if (kind == "files")
                print ".file " i + 1 " \"folder/file" i ".c\"\n.loc " i + 1 " 1"
            print "movb w(%rip), %al\nret\n.size f" i ", . - f" i
        }
        print ".bss\n.balign 64\nw: .zero 64\n.type w, @object\n.size w, 64"
        for (i = 0; i < n && kind == "variables"; i++)
            print "v" i ": .zero 64\n.type v" i ", @object\n.size v" i ", 64"
    }' >guest.s
    "$CC" -nostdlib -static -no-pie -o "$1$2" guest.s 2>log || bail "cc: $(cat log)"
}

# In one compilation: types, variables of them, functions without a linkage name, calls inlined in them.
make_typed() {
    awk -v n="$1" 'BEGIN {
        for (i = 0; i < n; i++) {
            print "#line 1 \"folder/file" i ".c\"\nstruct t" i " { long a, b; char pad[48]; } g" i ";"
            print "static inline __attribute__((always_inline)) long h" i "(long x) { volatile char z[64]; z[x & 63] = 1; return g" i ".a + z[1]; }"
            print "__attribute__((noinline)) static long f" i "(long x)\n{\ng" i ".b++;\nreturn h" i "(x);\n}"
        }
        print "long (*const all[])(long) = {"
        for (i = 0; i < n; i++)
            print "f" i ","
        print "};\nint main(void) { long s = 0; for (int i = 0; i < " n "; i++) s += all[i](i); return s == 42; }"
    }' >guest.c
    "$CC" -g -O1 -o "typed$1" guest.c 2>log || bail "cc: $(cat log)"
}

# steps COMMAND...: instructions of its largest process
steps() {
    rm -f count.*
    "$QUERN" run --cache-sim=no --out-file=/dev/null --log-file=count.%p "$@" >out 2>err || bail "$*: $(tail -n 3 err)"
    cat count.* | sed -n 's/.*I *refs: *//p' | tr -d , | sort -n | tail -n 1
}

# doubles N COMMAND...: the command with N and with 2 * N in place of each @
doubles() {
    n=$1
    shift
    less=$(steps $(echo "$*" | sed "s/@/$n/g"))
    more=$(steps $(echo "$*" | sed "s/@/$((2 * n))/g"))
    ok "$n, $((2 * n)): $(echo "$*" | sed 's/^[^ ]*quern/quern/'): $less, $more" \
        awk -v less="$less" -v more="$more" -v most=$most 'BEGIN { exit !(less > 0 && more < most * less) }'
}

for kind in variables functions files; do
    make_guest $kind 50000
    make_guest $kind 100000
    if [ $kind = variables ]; then
        doubles 50000 "$QUERN" run -q --data=yes --out-file=profile@ ./$kind@
        by=data
    else
        doubles 50000 "$QUERN" run -q --calls=yes --dump-instr=yes --dump-objects=yes --out-file=profile@ ./$kind@
        by=calls
    fi
    for command in annotate "annotate --by=$by" 'annotate --style=classic' csv merge 'diff profile50000' 'page -o page.html' report; do
        doubles 50000 "$QUERN" $command profile@
    done
done
[ "$(grep -c '^fn=' profile100000)" -gt 100000 ]
is $? 0 'all functions are in the profile'

doubles 50000 "$QUERN" run -q --calls=yes --profile-format=callgrind --out-file=callgrind@ ./functions@
doubles 50000 "$QUERN" convert callgrind@ -o converted@

for n in 1000 2000; do
    make_typed $n
done
doubles 1000 "$QUERN" run -q --data=use --inline=chains --out-file=profile@ ./typed@
for command in 'annotate --by=data' csv merge 'page -o page.html'; do
    doubles 1000 "$QUERN" $command profile@
done

# Libraries, each a file of its own.
echo 'char room[4096]; long f(void) { long s = 0; for (int i = 0; i < 4096; i += 64) s += room[i]; return s; }' >library.c
cat >libraries.c <<'END_OF_C'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    long sum = 0;
    for (int i = 0; i < atoi(argv[argc - 1]); i++) {
        char path[100];
        void *library;
        sprintf(path, "./libraries.d/%d.so", i);
        library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        sum += library ? ((long (*)(void))dlsym(library, "f"))() : 1;
    }
    return sum != 0;
}
END_OF_C
{ "$CC" -g -O1 -shared -fPIC -o library.so library.c && "$CC" -O1 -o libraries libraries.c -ldl; } 2>log || bail "cc: $(cat log)"
mkdir libraries.d && for i in $(seq 0 999); do cp library.so libraries.d/$i.so; done
most=2.5 # n is small: n log n is 2.22 times as much for twice n, and the profile of 1,000 libraries has 2.17 times the lines of that of 500
doubles 500 "$QUERN" run -q --data=yes --calls=yes --dump-objects=yes --out-file=profile@ ./libraries @
for command in annotate 'annotate --by=data' 'annotate --by=calls' csv 'page -o page.html'; do
    doubles 500 "$QUERN" $command profile@
done
is "$(grep -c '^#object: symbol .* room$' profile1000)" 1000 "all libraries' variables are in the profile"
most=2.3

# Mappings, of data or of code, with a gap between each two.  What the engine does about them cannot be counted so; it ends, at least.
cat >mappings.c <<'END_OF_C'
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    long n = atol(argv[1]), code = argc > 2, sum = 0;
    char **at = malloc(n * sizeof *at);
    for (long i = 0; i < n; i++) {
        at[i] = (char *)syscall(SYS_mmap, 0, 3 * 4096L, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1L, 0L) + 4096;
        if (mprotect(at[i], 4096, PROT_READ | PROT_WRITE))
            return 1;
        *at[i] = (char)0xc3;
        if (code && mprotect(at[i], 4096, PROT_READ | PROT_EXEC))
            return 1;
    }
    for (long i = 0; i < n; i++)
        if (code)
            ((void (*)(void))at[i])();
        else
            sum += *at[i];
    return sum == 42;
}
END_OF_C
"$CC" -O1 -o mappings mappings.c 2>log || bail "cc: $(cat log)"
for code in '' code; do
    doubles 5000 "$QUERN" run -q --data=yes --calls=yes --out-file=profile@ ./mappings @ $code
    doubles 5000 "$QUERN" annotate --by=data profile@
    is "$(grep -c '^#object: anonymous' profile10000)" 10000 "an object for each${code:+, of code}"
done

# The engine's own tables of ranges.
cat >ranges.c <<'END_OF_C'
#include <stdlib.h>
#include "base/tree.h"
static void *zeros(uint64_t bytes) { return calloc(1, bytes); }
int main(int argc, char **argv)
{
    struct qn_tree t = {.alloc = zeros};
    uint64_t n = strtoul(argv[1], NULL, 10);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t k = argc > 2 && argv[2][0] == 'r' ? n - i : argc > 2 ? i * 7919 % n : i;
        qn_tree_add(&t, 64 * k, 64 * k + 60, (uint32_t)i);
    }
    for (uint64_t i = 0; i < n; i++)
        if (!qn_tree_find(&t, 64 * i + 64))
            return i != n - 1;
    for (uint64_t i = 0; i < n; i += 2)
        qn_tree_forget(&t, 64 * i + 10, 64 * i + 20);
    return 0;
}
END_OF_C
"$CC" -O2 -I "$top_srcdir/lib" -o ranges ranges.c "$top_srcdir/lib/base/tree.c" 2>log || bail "cc: $(cat log)"
for order in '' reverse mixed; do
    doubles 50000 ./ranges @ $order
done

done_testing
