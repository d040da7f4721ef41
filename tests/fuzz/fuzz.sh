#!/bin/sh
# fuzz.sh - build the fuzzers with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, and run them.
#
#   sh tests/fuzz/fuzz.sh BUILD                    build them all into BUILD/fuzz, and the first inputs
#   sh tests/fuzz/fuzz.sh BUILD profile 1000000    run one of them so many times (names below)
#   sh tests/fuzz/fuzz.sh BUILD profile 600s       ... so many seconds
#
# `make fuzz` runs each for FUZZ_RUNS executions. Inputs that found something new stay in BUILD/fuzz/NAME.corpus, so a later
# run goes on from there; one that fails is written to BUILD/fuzz as crash-..., and `BUILD/fuzz/NAME FILE` runs it again.
# The libraries are compiled with -DQN_TINY: buffers and tables so small that everything grows and wraps all the time.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
build=$1/fuzz
mkdir -p "$build" && cd "$build" || exit 2
CLANG=${CLANG:-clang}
libraries='-lcsv -lconfuse -ljansson -ldw -lelf -lzstd -ldeflate -llzma -lbz2 -lz -lpcre2-8 -liberty -lm'
names='profile calls data csv tables regex options demangle trace experiment debug decode jit'
flags="-std=gnu11 -g -O1 -DQN_TINY -I$top/lib -I$top/tools -I$top -fsanitize=address,undefined,float-cast-overflow
    -fno-sanitize-recover=all"
# Paths of a build, which no fuzzer uses.
for word in PKGLIBEXECDIR ENGINE_CFLAGS REPLAY_FILES ENGINE_BASE TOP_SRCDIR PKGDATADIR; do flags="$flags -DQN_$word=\"/\""; done

compile() {
    rm -rf objects && mkdir objects || exit 2
    # What libquern.a has, but for pages, which need files of a build; and what tests/fuzz/options.c includes or calls of tools.
    (cd "$top" && sh build-aux/sources.sh --update && sed -n '/^hosted_sources = /,/[^\\]$/s/^\t\([^ ]*\).*/\1/p' sources.mk | grep -v '^lib/\(page\|lab\)/' &&
        printf 'tools/%s.c\n' prof_args annotate csv valgrind machine) >list || exit 1
    export CLANG top flags
    xargs -P "$(nproc)" -n 4 sh -c 'for file; do
        object=objects/$(echo "${file%.c}" | tr / _).o less=
        # <obstack.h> aligns by an offset to a null pointer
        [ "$file" != lib/text/memory.c ] || less=-fno-sanitize=pointer-overflow
        "$CLANG" $flags $less -fsanitize=fuzzer-no-link -c -o "$object" "$top/$file" || exit 255
    done' sh <list || exit 1
    rm -f fuzz.a && ar cr fuzz.a objects/*.o || exit 1
    for name in $names; do
        # shellcheck disable=SC2086 # words
        "$CLANG" $flags -fsanitize=fuzzer -o "$name" "$top/tests/fuzz/$name.c" fuzz.a $libraries || exit 1
    done
}

# One file for each form of input that is known to be good, or bad in an interesting way.
first_inputs() {
    golden=$top/tests/golden/annotate
    for name in $names; do mkdir -p "$name.corpus"; done
    # dash's printf knows octal escapes only
    awk 'function value(c) { return index("0123456789abcdef", c) - 1 }
         { text = ""
           for (i = 1; i < length($1); i += 2)
               text = text sprintf("\\%03o", 16 * value(substr($1, i, 1)) + value(substr($1, i + 1, 1)))
           printf "printf \047%s\047 >decode.corpus/kept%d\n", text, NR }' "$top/tests/fuzz/decode.inputs" | sh
    for file in "$golden"/own/*.cgout "$golden"/modern/[be]*.cgout; do
        [ "$(wc -c <"$file")" -lt 5000 ] || continue
        for mode in 0 1 4 A P '
' '!'; do
            { cat "$file" && printf '#%s' "$mode"; } >"profile.corpus/$(basename "$file").$(printf %s "$mode" | od -An -tx1 | tr -d ' \n')"
        done
    done
    regions='desc: d\ncmd: c\nevents: Ir\n#positions: object line instruction\n#ob=/b\nfl=f\nfn=g\n1 3\n#0x1 90 3\nsummary: 3\n'
    regions="$regions"'#regions: 2\n#region: a\n#fl=f\n#fn=g\n#1 1\n#summary: 1\n#region: b/a\n#fl=f\n#fn=g\n#1 1\n#summary: 1\n'
    for mode in 0 1 2 4 A; do
        # shellcheck disable=SC2059 # it is a format
        printf "$regions#@$mode" >"profile.corpus/regions.$mode"
        # shellcheck disable=SC2059
        printf "$regions#$mode" >"profile.corpus/whole.$mode"
    done
    printf 'cmd: p\nevents: Ir Dr\nfl=a\nfn=f\n1 3 1\nsummary: 3 1\n#calls: 2 1 2\n#call-events: Ir Dr\n#ob: /o\n#fn: a\tf\n#inclusive: 1 3 1\n%s\n' \
        "$(printf '#fn: b\tg\n#inclusive: 1 1 0\n#call-file: c\n#edge: 0 4 1 1 1 0\n#node: -1 0 1 2 1\n#node: 0 1 1 1 0\n#calls-lost: edges 1')" >calls.corpus/tables
    printf 'cmd: p\nevents: Ir Dr\nfl=a\nfn=f\n1 3 1\nsummary: 3 1\n#data: 2 3\n#data-events: D1mr D1mw DLmr DLmw compulsory capacity conflict filled used\n#line: 64\n%s\n' \
        "$(printf '#object: symbol 96 0 0 b\n#from: 2 /d.c\n#type: 24 struct s\n#member: 8 4 n\n#part: .n\n#object: heap 64 2 128 malloc\n#in: f\n#part: +8\n%s' \
            "$(printf '#pair: 0 1 9 8\n#use: 0 0 640 80\n#file: /d.c\n#function: f\n#miss: 5 0 0 7 0 2 0 1 2 4 640 80\n#miss: 6 1 1 1 2 0 0 0 3 0 0 0\n#miss: 7 1 - 1 0 0 0 1 0 0 64 8')")" >data.corpus/tables
    printf 'version: 1\npositions: line\nevents: Ir\nob=(1) o\nfl=(1) a\nfn=(1) f\n1 3\ncfi=(2) b\ncfn=(2) g\ncalls=1 4\n+1 2\n\nfn=(2)\n4 2\ntotals: 5\n' \
        >calls.corpus/callgrind
    printf 'profile,command,D1 cache,events,summary,object,file,function,line,Ir,Dr\r\np,"c ""x""",8 B,Ir Dr,3 1,???,"a,b",f,1,3,1\r\n' \
        >csv.corpus/line
    printf 'profile,command,events,summary,object,file,function,line,address,bytes,instruction,Ir\np,c,Ir,3,/o,a,f,1,0x10,90,nop,3\n' \
        >csv.corpus/instruction
    printf '\357\273\277command,desc,desc,events,summary,object,file,function,line,A,B\nc,,x,A B,0 0,,,,,0,0\n' >csv.corpus/empty
    printf NvMs_NtCs4fqI2P2rA04_5alloc6stringNtB4_6String4push >demangle.corpus/path
    printf '1000 100 JS:*sum /home/me/sum.js:3:13\n1080 40 x file:///x.js:7:1\n0x2000 0x80 Builtin:Call\n' >jit.corpus/map
    printf INvC3foo3barAhj10_TlEFKCuEuDNtC3std3AnyEL_E >demangle.corpus/types
    i=0
    for text in '/a(b|c)*d/x\1/gi' '|^(./)?|$1|' '/[[:alpha:]_-]+\d{2,3}?\b/$&/' '{(?:in)?(line)}{<${1}>}' '/(?=a)(?!b)\w*?$/\//g' \
        '/((a)|b)+\2/x/' '/[^]a-]\x41\./y/'; do
        i=$((i + 1))
        printf '%s\000dir/words2.c' "$text" >"regex.corpus/$i"
    done
    printf ' --show=Ir,x=(Ir+1.5e3*-Dr)/D1mr,D1mr%%\000--sort=Dr,Ir\000--thresh\0001e-1\000-I\000d\000f' >options.corpus/modern
    printf ' --style=classic\000--sort=Ir:1,Dr:2%%\000--context=3\000--auto=no\000-Id\000f\000g' >options.corpus/classic
    printf ' --diff\000--mod-filename=s/a/b/\000--mod-funcname\000s|a|b|g\000--by=line\000--asm\000--no-asm\000--\000-f\000g' \
        >options.corpus/diff
    printf '!--D1=32768,8,64\000--no-aslr\000--trace=block,emit\000--sim-opt\000a=1\000--tcache-size=4M\000--\000p' >options.corpus/run
    first_traces
    first_tables
    first_elf_files
    sed -n '1,$p' "$top"/doc/examples/*.exp >experiment.corpus/all
    for file in "$top"/doc/examples/*.exp; do cp "$file" experiment.corpus; done
    printf 'seed = 3\ncounting = cachegrind\ntimeout = 5\naxis n { values = {1..3} }\naxis D1 { values = {"1K,2,64"; "2K,2,64"} }\n%s' \
        'simulator m { D1 = "m.c" options = {"D1.d={n}"} }
program p { command = {"a{n}", b} input = "{n}" }' >experiment.corpus/words
}

first_traces() {
    printf 'I  04001000,3\n L 1ffe,8\n S 1ffe,8\n M 1ffe,8\n==1== x\n' >trace.corpus/lackey
    printf '2 4001000\n0 1ffe\n1 1ffe\n' >trace.corpus/din
    printf 'i 4001000 3\nr 1ffe 8\nw 1ffe 8\n# x\n' >trace.corpus/xdin
    printf 'i 0x401000 0x401000 5 hit -\nr 0x401000 0x1ffe 8 miss hit\nb 0x401005 backward taken right\nj 0x401007 0x401000 taken wrong\n' >trace.corpus/text
    zstd -q -f -o trace.corpus/packed trace.corpus/text 2>/dev/null
}

first_tables() {
    printf 'object,address,file,function,line,what,rank,value,other,count,of,share\n%s\n%sA' \
        '/b,0x401136,/a.c,main,12,rax,1,0x7,0x401120,950,1000,95.00' '/b,0x401136,/a.c,main,12,D,1,0x7,,950,1000,95.00' >tables.corpus/findings
    printf 'a,b\n1,"x ""y"""\n2.5,\n\001' >tables.corpus/rows
    printf 'interval,start,end,Ir,I1mr%%,status\n1,0,1000,1000,0.1,ok\n2,1000,2000,1000,,exit status 3\n\002' >tables.corpus/intervals
    printf 'a,b\n1,2\n\006' >tables.corpus/where
    printf 'cache,interval,start,end,set,sets,misses\nD1,1,0,9,0,2,3\nD1,1,0,9,2,2,5\n\003' >tables.corpus/sets
}

# A program of two functions, small enough to be changed everywhere, in all the forms that are read.
first_elf_files() {
    printf '%s\n' 'static int g(int x)' '{' '    return 3 * x;' '}' 'int main(int n, char **v)' '{' '    return g(n) + **v;' '}' >a.c
    for form in '-gdwarf-2' '-gdwarf-3' '-gdwarf-4' '-gdwarf-5' '-gdwarf-5 -gz=zlib' '-gdwarf-4 -gz=zlib' '-gdwarf-5 -s' '-g0'; do
        # shellcheck disable=SC2086 # words
        "$CLANG" $form -O0 -nostdlib -static -Wl,-emain -Wl,-zmax-page-size=512 -Wl,-zcommon-page-size=512 -Wl,--build-id -o elf a.c &&
            cp elf "debug.corpus/$(echo "$form" | tr -d ' =')"
    done
    rm -f elf a.c
}

run() {
    case $1 in
    profile | calls | data) extra='-max_len=700' ;;
    csv) extra='-max_len=600' ;;
    jit) extra='-max_len=400' ;;
    regex) extra='-max_len=260' ;;
    options) extra='-max_len=400 -close_fd_mask=3' ;;
    demangle) extra='-max_len=120 -detect_leaks=0' ;; # libiberty is left in its midst where a name becomes too long, and so loses a few bytes
    decode) extra='-max_len=19' ;;
    tables | trace | experiment) extra='-max_len=500' ;;
    debug) extra='-max_len=6000' ;;
    esac
    [ ! -f "$top/tests/fuzz/$1.dict" ] || extra="$extra -dict=$top/tests/fuzz/$1.dict"
    case $2 in *s) limit=-max_total_time=${2%s} ;; *) limit=-runs=$2 ;; esac
    # shellcheck disable=SC2086 # words
    "./$1" "$limit" $extra -timeout=30 -rss_limit_mb=3000 -print_final_stats=1 "$1.corpus"
}

if [ $# -eq 1 ]; then
    command -v "$CLANG" >/dev/null 2>&1 || { echo "fuzz.sh: $CLANG is not installed" >&2; exit 2; }
    compile
    first_inputs
else
    run "$2" "$3"
fi
