#!/bin/sh
# Does `quern sim compare` print what each module alone counts, in one execution where they can share one, and draw it?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

caches='--I1=2048,2,32 --D1=4096,4,64 --LL=65536,8,64'
seq 1 3000 >numbers
# shellcheck disable=SC2086 # caches are words
"$QUERN" sim compare lru srrip tage06 nextline $caches --sim-opt=degree=2 --plot=d1.svg -- gzip -c numbers >table 2>said
is "$? $(cat said)" '0 ' 'it says nothing but the table'
# shellcheck disable=SC2086
"$QUERN" sweep -q -j 1 --share=no --branch-sim=yes $caches --sim-opt=degree=2 -L sim=lru,srrip,tage06,nextline -o alone.csv -- gzip -c numbers
for module in lru srrip tage06 nextline; do
    is "$(awk -v m=$module '$NF == m { gsub(",", ""); print $1, $4, $7 }' table)" \
        "$(awk -F , -v m=$module 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
            $at["sim"] == m { print $at["D1mr"] + $at["D1mw"], $at["DLmr"] + $at["DLmw"], $at["Bcm"] }' alone.csv)" \
        "$module: D1 and LL misses, mispredicts as alone"
done
is "$(sed -n 1p table | tr -s ' ')" ' D1 misses % mpki LL misses of data % mpki branches mispredicted % mpki module' 'what is the same for all is left out'
is "$(cut -d , -f 1 d1.csv | tr '\n' ' ')" 'sim lru srrip tage06 nextline ' 'the picture has a bar for each'
ok '... and is there' grep -q '<svg' d1.svg
"$QUERN" sim compare LL=lru LL=fifo --LL=8388608,16,64 -- true >table
is "$(sed 's/ *\([^ ].*[^ ]\) *% .*/\1/; q' table) $(wc -l <table)" 'LL misses of data 3' 'where all miss the same, what modules of their slot miss'
is "$("$QUERN" sim compare lru -- true 2>&1; echo $?)" 'quern: sim: compare wants two modules or more; `quern sim --help` describes it
2' 'one module'
is "$("$QUERN" sim compare lru fifo 2>&1; echo $?)" 'quern: sim: compare wants a program behind --; `quern sim --help` describes it
2' 'no program'
# refused WORDS MESSAGE DESCRIPTION: the words of the command that was given, not of the sweep behind it
refused() {
    # shellcheck disable=SC2086 # words
    is "$("$QUERN" sim compare $1 2>&1; echo $?)" "quern: sim compare: $2
2" "$3"
}
refused 'lru nobody -- true' 'sim=nobody: no such simulator beside quern or in its libexec, and no module' 'a module that is not there'
refused 'lru fifo lru -- true' "sim: got 'lru', wanted each value once" 'a module twice'
refused 'lru fifo -- ./nothing' "the command line: program './nothing': not a program" 'a program that is not there'
is "$("$QUERN" sim compare LL=lru D1=fifo,LL=srrip --LL=65536,8,64 -- true | awk 'NR > 1 { print $NF }' | tr '\n' ' ')" 'LL=lru D1=fifo,LL=srrip ' 'modules of two slots, as run --sim takes them'
"$QUERN" sim compare lru fifo -- false >table 2>said
is "$? $(wc -l <table) $(cat said)" '1 3 quern: sim compare: lru: exit status 1
quern: sim compare: fifo: exit status 1' 'a program that fails: the table, and its status'
is "$("$QUERN" sim compare lru fifo --plot=x.gif -- ./none 2>&1; echo $?)" 'quern: sim: --plot: wanted a name that ends in .svg, .png or .pdf; `quern sim --help` describes it
2' 'a picture of another kind is refused before the runs'
is "$("$QUERN" sim list --plot=x.svg 2>&1; echo $?)" 'quern: sim: --plot: is for compare; `quern sim --help` describes it
2' 'an option that is for compare'
done_testing
