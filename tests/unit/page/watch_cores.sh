#!/bin/sh
# quern watch --cores: are the states of lines that each core's D1 shows, before each reference, those of a model of MESI that knows references and
# victims only?  And the page with all cores.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"
. "$top_srcdir/tests/tap/browser.sh"
. "$top_srcdir/tests/unit/page/watch.inc"
browser_test 13

cat >prog.c <<'END_C'
#include <pthread.h>
static struct { volatile long n; } counter[2] __attribute__((aligned(64)));
static volatile long read_mostly;
static volatile int started;
static void *count(void *p)
{
    __sync_fetch_and_add(&started, 1);
    while (started < 2)
        __builtin_ia32_pause();
    for (long i = 0; i < 400; i++)
        counter[(long)p].n += read_mostly + 1;
    return p;
}
int main(void)
{
    pthread_t t[2];
    for (long k = 0; k < 2; k++)
        pthread_create(&t[k], 0, count, (void *)k);
    for (long k = 0; k < 2; k++)
        pthread_join(t[k], 0);
    return 0;
}
END_C
"$CC" -g -O1 -pthread -static -o prog prog.c || bail 'cannot compile'

# All of the run, from empty caches: --watch-core=0 and 1 beside each other.
for core in 0 1; do
    "$QUERN" run -q --out-file=/dev/null --cores=2 --quantum=20 --D1=1024,2,64 --sim-opt=watch-core=$core --watch=60000 --watch-from=1 --watch-file=$core.csv ./prog
done
cat >model.awk <<'END_AWK'
function letter(row,   lines, states, n, i) { # of the row's line before the reference, as it is shown
    n = split(row[20], lines, " "); split(row[21], states, " ")
    for (i = 1; i <= n; i++) if (lines[i] == row[16]) return substr("ISEM", states[i] + 1, 1)
    return "I"
}
function held(core, line) { return (core, line) in state ? state[core, line] : "I" }
BEGIN {
    FS = ","
    getline <"0.csv"; getline <"1.csv"
    while ((getline first <"0.csv") > 0 && (getline second <"1.csv") > 0) {
        split(first, a, ","); split(second, b, ",")
        rows++
        core = a[25]; other = 1 - core; line = a[16]
        bad += a[1] != b[1] || a[7] != b[7] || a[25] != b[25]
        bad += letter(a) != held(0, line) || letter(b) != held(1, line)
        seen[letter(a)]++; seen[letter(b)]++
        victim = core ? b[19] : a[19]
        if (victim != "") state[core, victim] = "I"
        if (a[6] != "read") {
            taken += held(other, line) != "I"; state[other, line] = "I"; state[core, line] = "M"
        } else if (held(core, line) == "I") {
            if (held(other, line) != "I") state[other, line] = "S"
            state[core, line] = held(other, line) == "I" ? "E" : "S"
        }
    }
    print bad + 0, (rows > 5000), (taken > 20), (seen["M"] > 20 && seen["E"] > 20 && seen["S"] > 20)
}
END_AWK
is "$(awk -f model.awk)" '0 1 1 1' 'each state before each reference is that of a model'

"$QUERN" watch -q --cores=2 --line=prog.c:11 --references=1000 -o page.html ./prog || bail 'no page'
"$QUERN" watch -q --cores=2 --line=prog.c:11 --references=1000 -o again.html ./prog
same_file page.html again.html 'the same page each time'
is "$(data '[.cores, (.caches | length), .caches[1].name, (.steps | length)]' page.html)" '[true,2,"core 1",1000]' 'a D1 for each core'
is "$(data '[.steps[][7]] | unique' page.html)" '[0,1]' '... with references of both'
"$QUERN" watch -q --cores=2 --references=50 -o start.html ./prog
is "$(data '.steps[0][7]' start.html)" 1 'without a line it begins when a thread runs on another core'
"$QUERN" watch -q --cores=2 --coherence=dragon --line=prog.c:11 --references=1000 -o dragon.html ./prog
is "$(data '.caches[0].way' dragon.html)" 'state of IcmEM' 'another protocol'

browser_start
browser_size 1600 1000
browser_open "file://$PWD/page.html"
js 'goTo(play.bus.find(e => e.text.includes("counter") && e.text.includes("S > I")).step)' >/dev/null
is "$(js 'return document.querySelectorAll("#picture svg").length')" 1 'a picture'
ok '... one core takes the line of another' test "$(js 'return [...document.querySelectorAll("#picture text")].filter(t => /^core [01] takes the line: S > I$/.test(t.textContent)).length')" = 1
ok '... which the bus log has' test "$(js 'return [...document.querySelectorAll("#picture text")].filter(t => /^> step .*upgrade 0x[0-9a-f]* counter .*core [01] S > I/.test(t.textContent)).length')" = 1
ok 'a still has it, too' test "$(js 'return /takes the line: S/.test(stillText())')" = true

for options in '--cores=5' '--cores=2 --cache=lru:1024,2,64 --cache=lru:2048,2,64' '--coherence=msi'; do
    # shellcheck disable=SC2086
    "$QUERN" watch -q $options -o x.html ./prog 2>err
    is $? 2 "$options is refused"
done
done_testing
