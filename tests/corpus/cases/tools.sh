# tools.sh - the small programs: coreutils, findutils, grep, sed, tar, diff, make.

entry true 'fast full' /bin/true 'start-up and nothing else'
true_run() { under /bin/true; }

entry false 'fast full' /bin/false 'an exit status of 1'
false_run() { under /bin/false; }

entry ls 'fast full' ls 'ls -lR /usr/share/doc'
ls_run() { under ls -lR "$(size /usr/share/doc/bash /usr/share/doc)"; }

entry arguments 'fast full' sh 'arguments and environment arrive'
arguments_run() {
    A=1 B="two words" under sh -c 'echo "$0|$A|$B|$#|$1|$2"; export C=3; env | grep -c "^[ABC]="; exit 9' \
        name "" "an argument"
}

entry sort 'fast full' sort 'sort a million lines'
sort_prepare() { number_file "numbers.$(size 50000 1000000)" "$(size 50000 1000000)"; }
sort_run() { under sort --parallel=1 "$DATA/numbers.$(size 50000 1000000)"; }

entry sort_parallel 'fast full' sort 'sort --parallel=2'
sort_parallel_prepare() { number_file "numbers.$(size 150000 1000000)" "$(size 150000 1000000)"; }
sort_parallel_run() { under sort --parallel=2 -n -S 64M "$DATA/numbers.$(size 150000 1000000)"; }

entry grep 'fast full' grep 'backreferences and a count'
grep_prepare() { text_file "text.$(size 4000 60000)" "$(size 4000 60000)"; }
grep_run() {
    under grep -c 'the cache' "$DATA/text.$(size 4000 60000)"
    under grep -E '([a-z]+) \1 .*([a-z]+) \2' "$DATA/text.$(size 4000 60000)" | tail -n 3
    under grep nothing-like-it "$DATA/text.$(size 4000 60000)"
}

entry sed 'fast full' sed 'substitutions and the hold space'
sed_prepare() { grep_prepare; }
sed_run() {
    under sed -n 's/\(the\) \([a-z]*\)/\2 \1/g; /miss/{H;x;s/\n//g;s/^.*\(.\{20\}\)$/\1/;x}; $!d; x; p' \
        "$DATA/text.$(size 4000 60000)"
}

entry rg 'fast full' rg 'ripgrep, a Rust program, on a tree'
rg_prepare() {
    mkdir -p tree && for i in $(seq 60); do mkdir -p "tree/d$((i % 7))"; text_file "tree/d$((i % 7))/f$i" 200; done
}
rg_run() {
    under rg --no-config -j1 --sort path -n '(cache|tag) (line|miss) \w+ read' "$DATA/tree"
    under rg --no-config -c --no-heading nothing-like-it "$DATA/tree"
}

entry rg_threads 'fast full' rg 'ripgrep with two threads'
rg_threads_prepare() { rg_prepare; }
rg_threads_run() {
    under rg --no-config -j2 -c 'write through' "$DATA/tree" >found
    status=$?
    sort found
    rm found
    return $status
}

entry find 'fast full' find 'a tree, -exec, -printf'
find_prepare() { rg_prepare; }
find_run() {
    under find "$DATA/tree" -type f -size -9 -newermt 2000-01-01 -printf '%P %s\n' | sort
    under find "$DATA/tree" -name f1 -exec wc {} +
}

entry tar 'fast full' tar 'create, list, extract'
tar_prepare() { rg_prepare; }
tar_run() {
    under tar --sort=name --owner=0 --group=0 --mtime=@0 -C "$DATA" -cf t.tar tree && under tar -tf t.tar &&
        under tar -xf t.tar && diff -r tree "$DATA/tree"
}

entry diff 'fast full' diff 'two files that differ here and there'
diff_prepare() {
    grep_prepare
    awk 'NR % 97 { print } NR % 89 == 0 { print "more" }' "text.$(size 4000 60000)" >text.changed
}
diff_run() { under diff -u --label a --label b "$DATA/text.$(size 4000 60000)" "$DATA/text.changed"; }

entry make 'fast full' make 'rules, a pattern, a failing recipe'
make_run() {
    printf '%s\n' 'all: a.out b.out' '	@echo built $^' '%.out: %.in' '	tr a-z A-Z <$< >$@' \
        'a.in b.in:' '	echo $@ >$@' 'bad: ; exit 3' >Makefile
    under make -s && under make && under make bad
}

entry make_all 'fast full' make 'the same with children profiled, two jobs'
make_all_run() {
    printf '%s\n' 'all: 1.out 2.out 3.out 4.out' '	@cat $^' '%.out:' '	@echo $@ | tr o 0 >$@' >Makefile
    under_all make -s -j2
}
