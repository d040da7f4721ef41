#!/bin/sh
# Names and lines of real programs: libraries that come and go, files that are deleted or replaced, C++ and Rust.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'

# count FILE FUNCTION LINE: Ir of that line in the profile `out`, - where there is none.
count() {
    awk -v file="$1" -v name="$2" -v number="$3" '/^fl=/ { f = substr($0, 4) } /^fn=/ { n = substr($0, 4) }
        f == file && n == name && $1 == number { sum += $2; found = 1 } END { print found ? sum : "-" }' out
}
run() { "$QUERN" run -q --cache-sim=no --out-file=out "$@" >stdout 2>stderr; }

# Two libraries with the same function on different lines; each executes its line a known number of times.
for name in one two; do
    { [ $name = one ] || printf '\n\n\n'; echo 'int work(int n) { volatile int i, s = 0; for (i = 0; i < n; i++) s += i; return s; }'; } >$name.c
    "$CC" -g -O0 -shared -fPIC -o lib$name.so $name.c || bail 'cannot compile a library'
done
cat >user.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static void *address;
static void use(const char *path, int n, int keep)
{
    void *l = dlopen(path, RTLD_NOW);
    int (*work)(int) = l ? (int (*)(int))dlsym(l, "work") : NULL;
    if (!work)
        exit(9);
    printf("%s\n", !address ? "first" : address == (void *)work ? "same place" : "elsewhere");
    address = (void *)work;
    if (keep & 2)
        unlink(path);
    work(n);
    if (!(keep & 1))
        dlclose(l);
}
int main(int argc, char **argv)
{
    for (int i = 1; i + 2 < argc; i += 3)
        if (!strcmp(argv[i], "rename"))
            rename(argv[i + 1], argv[i + 2]);
        else
            use(argv[i], atoi(argv[i + 1]), atoi(argv[i + 2]));
    return 0;
}
END
"$CC" -g -o user user.c -ldl || bail 'cannot compile'

# What one iteration costs is asked of quern itself, on a library that stays.
run ./user ./libone.so 1000 1
a=$(count "$PWD/one.c" work 1)
run ./user ./libone.so 2000 1
b=$(count "$PWD/one.c" work 1)
ok 'a library that was opened at run time has lines' test "$a" -gt 1000
each=$(((b - a) / 1000)) rest=$((2 * a - b))
expect() { echo $((each * $1 + rest)); }
run ./user ./libtwo.so 1000 1
is "$(count "$PWD/two.c" work 4)" "$(expect 1000)" 'so has the other, with the same code'
run ./user ./libone.so 300 0 ./libtwo.so 500 0 ./libone.so 7 0
is "$(count "$PWD/one.c" work 1) $(count "$PWD/two.c" work 4)" "$(($(expect 300) + $(expect 7))) $(expect 500)" \
    'libraries that follow each other at one place are told apart'

# The same with maps of their own at one fixed address: work() needs nothing but its bytes.
cat >mapper.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
int main(int argc, char **argv) /* FILE OFFSET TIMES ... */
{
    char *place = (char *)0x20000000;
    for (int i = 1; i + 2 < argc; i += 3) {
        int fd = open(argv[i], O_RDONLY);
        struct stat st;
        if (fd < 0 || fstat(fd, &st) || mmap(place, (size_t)st.st_size, PROT_READ | PROT_EXEC,
                                             MAP_PRIVATE | MAP_FIXED, fd, 0) != place)
            return 9;
        close(fd);
        ((int (*)(int))(place + strtoul(argv[i + 1], NULL, 16)))(atoi(argv[i + 2]));
        munmap(place, (size_t)st.st_size);
    }
    return 0;
}
END
"$CC" -g -o mapper mapper.c || bail 'cannot compile'
if command -v nm >/dev/null 2>&1; then
    at1=$(nm libone.so | sed -n 's/ T work//p') at2=$(nm libtwo.so | sed -n 's/ T work//p')
    run ./mapper libone.so "$at1" 100 libtwo.so "$at2" 200 libone.so "$at1" 3 libtwo.so "$at2" 4
    is "$? $(count "$PWD/one.c" work 1) $(count "$PWD/two.c" work 4)" \
        "0 $(($(expect 100) + $(expect 3))) $(($(expect 200) + $(expect 4)))" 'files mapped in turn at one address are told apart'
else
    absent 'nm is not installed'
fi

# Files that go away: before their code runs, and the program itself.
cp libone.so gone.so
run ./user ./gone.so 50 3
is "$? $(count "$PWD/one.c" work 1) $(cat stderr)" "0 $(expect 50) " 'a library that is deleted before its code runs'
cp libone.so here.so && cp libtwo.so new.so
run ./user ./here.so 60 0 rename new.so here.so ./here.so 70 1
is "$? $(count "$PWD/one.c" work 1) $(count "$PWD/two.c" work 4) $(cat stderr)" "0 $(expect 60) $(expect 70) " \
    'a library that another one replaces under its name'
cat >suicide.c <<'END'
#include <unistd.h>
int main(int argc, char **argv)
{
    return argc > 1 ? 1 : unlink(argv[0]);
}
END
"$CC" -g -o suicide suicide.c && run ./suicide
is "$? $(test -e suicide || echo gone) $(count "$PWD/suicide.c" main 4 | grep -c '^[1-9]')" '0 gone 1' 'a program that deletes itself'

# Sources with odd names: the profile has them, annotate finds them; what would break a line is escaped.
printf 'int main(void)\n{\n    return 0;\n}\n' >"odd: #1 'name' \"x\".c"
"$CC" -g -o odd "odd: #1 'name' \"x\".c" && run ./odd
is "$(sed -n 's/^fl=.*\/odd/odd/p' out) $("$QUERN" annotate out | grep -c '^-- Annotated source file: .*/odd: #1 .name. "x"\.c$')" \
    "odd: #1 'name' \"x\".c 0" 'a source with blanks, a colon, a hash and quotes in its name'
is "$("$QUERN" annotate --threshold=0 --show=Ir out | grep -A 12 '^-- Annotated source file: .*/odd: #1 .name. "x"\.c$' | grep -c 'return 0;')" \
    1 '  ... is found and annotated'
bytes=$(printf 'caf\351\377.c')
cp "odd: #1 'name' \"x\".c" "$bytes"
"$CC" -g -o odd "$bytes" && run ./odd
is "$(sed -n 's/^fl=.*\/caf/caf/p' out) $("$QUERN" annotate --threshold=0 out | LC_ALL=C grep -a -A 12 "^-- Annotated source file: .*/$bytes\$" | grep -a -c 'return 0;')" \
    "$bytes 1" 'a source whose name is not UTF-8'
line=$(printf 'a\nb\033.c')
cp "$bytes" "$line" && "$CC" -g -o odd "$line" && run ./odd
is "$(sed -n 's/^fl=.*\/a\\n/a\\n/p' out) $("$QUERN" annotate --threshold=0 out | grep -c 'Annotated source file: .*/a\\nb\\x1b\.c$')" \
    'a\nb\x1b.c 1' 'a source with a newline in its name: escaped'

# Names of C++, as c++filt has them; as they are with --demangle=no.
if command -v g++ >/dev/null 2>&1; then
    cat >names.cc <<'END'
#include <string>
#include <vector>
namespace outer { namespace {
template <typename T, int N> struct box {
    T value;
    __attribute__((noinline)) T operator()(const std::vector<T> &v, int (*f)(T)) const { return v[0] + value + f(value) + N; }
};
} }
static int plus(int x) { return x + 1; }
extern "C" __attribute__((noinline)) int plain(int x) { return x; }
int main()
{
    outer::box<int, 3> b{4};
    return plain(b(std::vector<int>{1, 2}, plus)) == 13 ? 0 : 1;
}
END
    g++ -g -O1 -o names names.cc || bail 'cannot compile C++'
    run ./names
    is $? 0 'a program in C++'
    awk '/^fl=/ { f = $0 } /^fn=/ && f ~ /names.cc/' out | sed 's/^fn=//' | sort -u >got
    ok 'a template operator in an anonymous namespace' grep -q -x \
        'outer::(anonymous namespace)::box<int, 3>::operator()(std::vector<int, std::allocator<int> > const&, int (\*)(int)) const' got
    ok 'a function with C linkage' grep -q -x plain got
    run --demangle=no ./names
    awk '/^fl=/ { f = $0 } /^fn=/ && f ~ /names.cc/' out | sed 's/^fn=//' | sort -u >mangled
    ok '--demangle=no: as the linker has it' grep -q '^_ZNK5outer12_GLOBAL__N_13boxIiLi3EEclE' mangled
    # Without symbols names come from DWARF: the same, but without arguments where there is no linkage name (what only one
    # file knows).
    if command -v objcopy >/dev/null 2>&1; then
        sed 's/namespace {/inline namespace inner {/; s/static int plus/int plus/' names.cc >public.cc
        for flags in -gdwarf-4 '-gdwarf-5 -gsplit-dwarf' '-g -gz'; do
            # bare SOURCE: names of its functions, from symbols and from DWARF alone
            bare() {
                # shellcheck disable=SC2086 # words
                g++ -O1 $flags -o bare "$1" || bail 'cannot compile C++'
                run ./bare
                awk '/^fl=/ { f = $0 } /^fn=/ && f ~ /(names|public).cc/' out | sed 's/^fn=//' | sort -u >wanted
                objcopy --strip-all --keep-section='.debug*' bare && run ./bare
                awk '/^fl=/ { f = $0 } /^fn=/ && f ~ /(names|public).cc/' out | sed 's/^fn=//' | sort -u >bare.names
            }
            bare public.cc
            ok "names of C++ from symbols ($flags)" grep -q -F 'outer::inner::box<int, 3>::operator()(std' wanted
            same_file bare.names wanted "without symbols all names are the same, from DWARF ($flags)"
            bare names.cc
            is "$(tr '\n' ' ' <bare.names)" 'main outer::(anonymous namespace)::box<int, 3>::operator() plain plus ' \
                '  ... without arguments where they are local'
        done
        cat >names.cc <<'END'
struct S { int g() { auto l = [](int x) { return x * 2; }; int s = 0; for (int i = 0; i < 9; i++) s += l(i); return s; } };
namespace { struct T { static int h(int a) { return a + 1; } }; }
int main() { S s; struct L { int m(int q) { return q + 3; } } q; return s.g() + T::h(3) + q.m(4) == 1; }
END
        flags='-g -O0' && bare names.cc
        is "$(tr '\n' ' ' <bare.names)" \
            '(anonymous namespace)::T::h S::g() S::g()::{lambda(int)#1}::operator()(int) const main main::L::m ' \
            'functions inside functions'
        bare public.cc
        run --demangle=no ./bare
        ok '--demangle=no, without symbols, too' grep -q '^fn=_ZNK5outer5inner3boxIiLi3EEclE' out
    else
        absent 'objcopy is not installed' 11
    fi
    if command -v c++filt >/dev/null 2>&1; then
        c++filt <mangled | sort -u >wanted
        same_file got wanted 'all names are those of c++filt'
    else
        absent 'c++filt is not installed'
    fi
else
    absent 'g++ is not installed' 16
fi

# Names of Rust, in both manglings.
if command -v rustc >/dev/null 2>&1 && echo 'fn main() {}' >t.rs && rustc -o t t.rs 2>/dev/null; then
    cat >names.rs <<'END'
mod inner {
    pub struct Pair<T>(pub T, pub T);
    impl<T: Copy + std::ops::Add<Output = T>> Pair<T> {
        #[inline(never)]
        pub fn sum(&self) -> T { self.0 + self.1 }
    }
}
fn main() {
    std::process::exit(if inner::Pair(3, 4).sum() == 7 { 0 } else { 1 });
}
END
    # rust SYMBOL FUNCTION WHAT: with the mangling whose symbols begin so
    rust() {
        ./names && nm names | grep -q " t $1.*Pair" || { skip "this rustc does not mangle so: $1"; return; }
        run ./names
        is "$? $(awk '/^fl=/ { f = $0 } /^fn=/ && f ~ /names.rs/' out | grep -x "fn=$2")" "0 fn=$2" "$3"
    }
    rustc -g -o names names.rs 2>/dev/null
    rust _ZN 'names::inner::Pair<T>::sum' 'Rust, the older mangling'
    rustc -g -C symbol-mangling-version=v0 -o names names.rs 2>/dev/null
    rust _R '<names::inner::Pair<i32>>::sum' 'Rust, the newer one'
else
    absent 'rustc is not installed' 2
fi

# Damaged debug information costs names and one warning: the counts stay.
cat >whole.c <<'END'
static volatile int sum;
static void __attribute__((noinline)) one(int i) { sum += i; }
int main(void)
{
    for (int i = 0; i < 1000; i++)
        one(i);
    return 0;
}
END
"$CC" -g -o whole whole.c && cp whole right || bail 'cannot compile'
run ./right
wanted=$(tail -n 1 out)
is "$(cat stderr)" '' 'no warning of what is whole'
if command -v objcopy >/dev/null 2>&1; then
    # damage SECTION BYTE FILE: a copy of the program with the section full of this byte (in decimal)
    damage() {
        objcopy -O binary --only-section="$1" --set-section-flags "$1=alloc" whole section.bin
        head -c "$(wc -c <section.bin)" /dev/zero | tr '\000' "\\$(printf %03o "$2")" >noise.bin
        objcopy --update-section "$1=noise.bin" whole "$3"
    }
    for noise in 255 1 4 120; do
        damage .debug_line "$noise" wrong
        run -v ./wrong
        is "$? $(tail -n 1 out) $(grep -c 'damaged debug information; some of its code is shown without names' stderr)" \
            "0 $wanted 1" "line tables full of $noise: one warning, the same counts"
        is "$(count '???' main 0 | sed 's/[1-9].*/some/')" some '  ... and the name of the function from the symbol'
    done
    printf '\377\377\377\377' >noise.bin
    objcopy --update-section .debug_info=noise.bin --update-section .debug_abbrev=noise.bin whole wrong 2>/dev/null
    run ./wrong
    is "$? $(tail -n 1 out) $(count "$PWD/whole.c" one 2 | sed 's/[1-9].*/some/')" "0 $wanted some" \
        'damage in .debug_info does not matter for lines'
    "$CC" -g -gz -o packed whole.c && objcopy -O binary --only-section=.debug_line --set-section-flags .debug_line=alloc packed section.bin
    cp packed right && run ./right
    is "$(count "$PWD/whole.c" one 2 | sed 's/[1-9].*/some/')" some 'packed sections are read'
    # A section that claims to unpack to a terabyte, and one that is no packed data.
    offset=$(readelf -SW packed | sed -n 's/.* \.debug_line  *PROGBITS  *[0-9a-f]*  *\([0-9a-f]*\) .*/\1/p')
    for claim in '\000\000\000\000\000\001\000\000' '\001\000\000\000\000\000\000\000'; do
        cp packed wrong
        # shellcheck disable=SC2059
        printf "$claim" | dd of=wrong bs=1 seek=$((0x$offset + 8)) conv=notrunc 2>/dev/null
        run ./wrong
        is "$? $(tail -n 1 out) $(grep -c 'wrong: damaged debug information' stderr)" "0 $wanted 1" \
            'a packed section that lies about its size: one warning, the same counts'
    done
else
    absent 'objcopy is not installed' 12
fi
done_testing
