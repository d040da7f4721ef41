#!/bin/sh
# Debug information that says it is larger than it can be, or that goes in circles: a line says so, and the profile is written without it.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

[ -x "$top_builddir/quern-engine" ] || bail 'there is no engine in this build'
command -v objcopy >/dev/null || absent_all 'objcopy is not installed' 12
cd "$SCRATCH" || bail 'no folder'
cat >plain.c <<'END_OF_C'
struct pair { struct pair *left, *right; } shared[4096];
int main(void)
{
    long sum = 0;
    for (int i = 0; i < 4096; i++)
        sum += shared[i].left == shared[i].right;
    return sum == 0;
}
END_OF_C
"$CC" -g -O1 -Wl,--build-id -o plain plain.c || bail 'plain.c cannot be compiled'
cat >most.c <<'END_OF_C'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    struct rusage u;
    int status;
    if (fork() == 0) {
        execv(argv[1], argv + 1);
        _exit(127);
    }
    wait(&status);
    getrusage(RUSAGE_CHILDREN, &u);
    printf("%ld\n", u.ru_maxrss);
    return argc > 1 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
END_OF_C
"$CC" -O1 -o most most.c || bail 'most.c cannot be compiled'

# run PROGRAM: its profile is made; prints the KiB that the largest process has
run() { ./most "$QUERN" run --data=yes --inline=chains --out-file=profile "./$1" 2>err; }
usual=$(run plain) || bail "quern run: $(cat err)"
said() { sed -n 's/^--[0-9]*-- //p' err; }
is "$(said)" '' 'nothing to say'

truncate -s 300M zeros
for section in .debug_line .debug_info .debug_str; do
    objcopy --update-section $section=zeros plain large
    for way in zlib zlib-gnu zstd; do
        objcopy --compress-debug-sections=$way large packed.$way 2>log || { absent "objcopy has no $way" 2; continue; }
        most=$(run packed.$way)
        is "$?$(said | sed 's/section \.z/section ./')" \
            "0$PWD/packed.$way: its section $section unpacks to more than debug information can have; some of its code is shown without names" "$section, $way"
        ok "... which is not unpacked: $most KiB, $usual without it" test "$most" -lt $((usual + 100000))
    done
done
objcopy --update-section .debug_line=zeros plain large
most=$(run large)
ok "zeros that are not packed: $most KiB" test "$most" -lt $((usual + 400000))

objcopy --only-keep-debug plain plain.debug && objcopy --update-section .debug_line=zeros plain.debug && objcopy --compress-debug-sections plain.debug
strip plain -o stripped && objcopy --add-gnu-debuglink=plain.debug stripped
run stripped >/dev/null
is "$?$(said)" "0$PWD/stripped: its section .debug_line unpacks to more than debug information can have; some of its code is shown without names" 'a separate file'

# Structures that hold each other, and each both members at one place.
"$CC" -g -O1 -dA -S -o circle.s plain.c
structure=$(sed -n 's/.*(DIE (\(0x[0-9a-f]*\)) DW_TAG_structure_type).*/\1/p' circle.s | head -n 1)
awk -v to="$structure" '/\(DIE / { member = /DW_TAG_member/ } member && /DW_AT_type/ { sub(/0x[0-9a-f]+/, to) }
    member && /DW_AT_data_member_location/ { sub(/[ \t](0x)?[0-9a-f]+/, " 0") } { print }' circle.s >circled.s
"$CC" -o circle circled.s || bail 'circled.s cannot be assembled'
is "$(cmp -s circle.s circled.s && echo same)" '' 'structures that hold themselves'
run circle >/dev/null
is "$?$(said)" 0 '... end'
ok '... with all counts' grep -q '^#object: symbol 65536 0 0 shared$' profile

# An array of itself, without a dimension that could end it.
array=$(sed -n 's/.*(DIE (\(0x[0-9a-f]*\)) DW_TAG_array_type).*/\1/p' circle.s | head -n 1)
awk -v to="$array" '/\(DIE / { array = /DW_TAG_array_type/ } array && /DW_AT_type/ { sub(/0x[0-9a-f]+/, to) }
    /TAG: DW_TAG_subrange_type/ { sub(/0x21/, "0x22") } { print }' circle.s >itself.s
"$CC" -o itself itself.s || bail 'itself.s cannot be assembled'
is "$(cmp -s circle.s itself.s && echo same)" '' 'an array of itself'
run itself >/dev/null
is "$?$(said)" 0 '... ends'
ok '... with all counts' grep -q '^#object: symbol 65536 0 0 shared$' profile

# A process that is stopped reads debug information for ever.  `quern run` is told to end until it has ended: the first time ends the program.
cat >waits.c <<'END_OF_C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
long *shared;
int main(int argc, char **argv)
{
    signal(SIGTERM, argc > 1 ? SIG_IGN : SIG_DFL);
    puts("here");
    fclose(stdout);
    if (getchar() == EOF && argc == 1)
        return 0;
    shared = calloc(100000, sizeof *shared);
    for (int i = 0; i < 100000; i += 8)
        shared[i]++;
    for (signal(SIGTERM, SIG_DFL); argv[0];)
        pause();
    return 0;
}
END_OF_C
"$CC" -g -O0 -o waits waits.c || bail 'waits.c cannot be compiled'
mkfifo in out
# begin OPTION... PROGRAM...: starts it; $quern and $readers, the processes that read
begin() {
    rm -f profile
    "$QUERN" run --out-file=profile "$@" <in >out 2>err &
    quern=$!
    exec 8>in 9<out
    read -r line <&9
    readers=
    for child in $(cat /proc/$quern/task/$quern/children); do
        [ "$(cut -d' ' -f5 /proc/$child/stat)" = "$child" ] && readers="$readers $child"
    done
}
# finish: tells it to end until it has; its status
finish() {
    while kill -TERM $quern 2>/dev/null && [ -e /proc/$quern/exe ]; do
        :
    done
    wait $quern
    status=$?
    exec 8>&- 9<&-
}
hurried='a signal has ended the reading of debug information: all code is shown without names'

begin ./waits
bytes=4294967296
! grep -q __asan_init "$QUERN" || bytes=unlimited # AddressSanitizer reserves terabytes
is "$(sed -n 's/^Max \(cpu time\|data size\)  *\([0-9a-z]*\) .*/\2/p' /proc/${readers# }/limits | paste -s -d' ')" "120 $bytes" 'a reader has limits'
kill -TERM $quern
wait $quern
is "$? $(said)" '143 ' 'a program that TERM ends'
exec 8>&- 9<&-
ok '... has its names' grep -q '^fn=main$' profile

begin ./waits
kill -STOP $readers
finish
is "$status $(said)" "143 $hurried" 'TERM ends its reader, too'
ok '... and no name is known' test "$(grep -c '^fn=' profile)" = 1
ok '... but all is counted' grep -q '^summary: [1-9]' profile
is "$(for r in $readers; do [ -e /proc/$r/exe ] && echo $r; done)" '' '... no process is left'

begin --data=yes ./waits waits
kill -STOP $readers
echo >&8
finish
is "$status $(said | grep -c "$hurried")" '143 1' 'TERM ends the process that finds types, while the program waits for it'
ok '... and all is counted' grep -q '^summary: [1-9]' profile

done_testing
