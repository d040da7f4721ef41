#!/bin/sh
# Is code that a program makes while it runs named by /tmp/perf-PID.map, and is what that does not name shown by where it lies?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/tap.sh"

cd "$SCRATCH" || bail "no $SCRATCH"
cat >makes.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned char one[] = {0xb8, 1, 0, 0, 0, 0xc3}; /* mov $1, %eax; ret */

int main(int argc, char **argv)
{
    unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char name[64];
    int sum = 0;

    (void)argv;
    for (int i = 0; i < 3; i++)
        memcpy(code + 64 * i, one, sizeof one);
    snprintf(name, sizeof name, "/tmp/perf-%d.map", (int)getpid());
    puts(name);
    if (argc > 1) {
        FILE *f = fopen(name, "w");

        fprintf(f, "%lx 6 first /src/made.js:3:1\n%lx 6 second\n", (long)code, (long)code + 64);
        fclose(f);
    }
    for (int i = 0; i < 300; i++)
        sum += ((int (*)(void))(code + 64 * (i % 3)))();
    return sum != 300;
}
END
$CC -O1 -o makes makes.c || bail 'makes.c cannot be compiled'

# rows: "FILE FUNCTION LINE Ir" of made code, 200 instructions each
rows() { awk '/^fl=/ { file = substr($0, 4) } /^fn=/ { name = substr($0, 4) } /^[0-9]/ && $2 == 200 { print file, name, $1 }' "$1"; }

map=$("$QUERN" run -q --out-file=profile ./makes with)
rm -f "$map"
ok 'a function with a file and a line' sh -c 'echo "$1" | grep -qx "/src/made.js first 3"' - "$(rows profile)"
ok '... with a name only' sh -c 'echo "$1" | grep -qx "??? second 0"' - "$(rows profile)"
ok '... and what has no name, by its address' sh -c 'echo "$1" | grep -q "^??? code in 0x[0-9a-f]*-0x[0-9a-f]* 0$"' - "$(rows profile)"
"$QUERN" run -q --out-file=profile ./makes >/dev/null
ok 'without a map it is ???' sh -c '! grep -q "code in\|first" "$1" && grep -qx "fn=???" "$1"' - profile
done_testing
