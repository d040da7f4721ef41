#!/bin/sh
# fuzz.sh - build the fuzzers with clang's libFuzzer, AddressSanitizer and UndefinedBehaviorSanitizer, and run them.
#
#   sh tests/fuzz/fuzz.sh BUILD                    build them all into BUILD/fuzz, and the first inputs
#   sh tests/fuzz/fuzz.sh BUILD profile 1000000    run one of them so many times (profile, csv, regex, options, demangle, decode)
#
# `make fuzz` runs each for FUZZ_RUNS executions. Inputs that found something new stay in BUILD/fuzz/NAME.corpus, so a later
# run goes on from there; one that fails is written to BUILD/fuzz as crash-..., and `BUILD/fuzz/NAME FILE` runs it again.
# The libraries are compiled with -DQN_TINY: buffers and tables so small that everything grows and wraps all the time.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd) || exit 2
build=$1/fuzz
mkdir -p "$build" && cd "$build" || exit 2
CLANG=${CLANG:-clang}
flags="-std=gnu11 -g -O1 -DQN_TINY -DHAVE_LIBCSV=1 -I$top/lib -I$top/tools -fsanitize=address,undefined
    -fno-sanitize-recover=all"

compile() {
    rm -rf objects && mkdir objects || exit 2
    for file in "$top"/lib/prof/*.c "$top"/lib/out/*.c "$top"/lib/decode/*.c "$top/lib/base/format.c" \
        "$top/lib/debug/demangle.c" "$top/tools/run_options.c" "$top/tools/run_geometry.c" "$top/tools/run_log.c" "$top/tools/run_name.c" "$top/tools/complain.c"; do
        name=$(echo "${file#"$top/"}" | tr / _)
        # shellcheck disable=SC2086 # words
        "$CLANG" $flags -fsanitize=fuzzer-no-link -c -o "objects/${name%.c}.o" "$file" || exit 1
    done
    rm -f fuzz.a && ar cr fuzz.a objects/*.o || exit 1
    for name in profile csv regex options demangle decode; do
        # shellcheck disable=SC2086 # words
        "$CLANG" $flags -fsanitize=fuzzer -o "$name" "$top/tests/fuzz/$name.c" fuzz.a -lcsv -lpcre2-8 -liberty || exit 1
    done
}

# One file for each form of input that is known to be good, or bad in an interesting way.
first_inputs() {
    golden=$top/tests/golden/annotate
    mkdir -p profile.corpus csv.corpus regex.corpus options.corpus demangle.corpus decode.corpus
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
    printf 'profile,command,D1 cache,events,summary,object,file,function,line,Ir,Dr\r\np,"c ""x""",8 B,Ir Dr,3 1,???,"a,b",f,1,3,1\r\n' \
        >csv.corpus/line
    printf 'profile,command,events,summary,object,file,function,line,address,bytes,instruction,Ir\np,c,Ir,3,/o,a,f,1,0x10,90,nop,3\n' \
        >csv.corpus/instruction
    printf '\357\273\277command,desc,desc,events,summary,object,file,function,line,A,B\nc,,x,A B,0 0,,,,,0,0\n' >csv.corpus/empty
    printf NvMs_NtCs4fqI2P2rA04_5alloc6stringNtB4_6String4push >demangle.corpus/path
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
}

run() {
    case $1 in
    profile) extra='-max_len=700' ;;
    csv) extra='-max_len=600' ;;
    regex) extra='-max_len=260' ;;
    options) extra='-max_len=400 -close_fd_mask=3' ;;
    demangle) extra='-max_len=120' ;;
    decode) extra='-max_len=19' ;;
    esac
    [ ! -f "$top/tests/fuzz/$1.dict" ] || extra="$extra -dict=$top/tests/fuzz/$1.dict"
    # shellcheck disable=SC2086 # words
    "./$1" "-runs=$2" $extra -timeout=30 -rss_limit_mb=3000 -print_final_stats=1 "$1.corpus"
}

if [ $# -eq 1 ]; then
    command -v "$CLANG" >/dev/null 2>&1 || { echo "fuzz.sh: $CLANG is not installed" >&2; exit 2; }
    compile
    first_inputs
else
    run "$2" "$3"
fi
