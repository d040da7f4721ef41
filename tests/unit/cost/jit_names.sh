#!/bin/sh
# Is code that a program makes while it runs named by /tmp/perf-PID.map or jit-PID.dump, and is what they do not name shown by where it lies?
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/tap/scratch.sh"

cat >makes.c <<'END'
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned char one[] = {0xb8, 1, 0, 0, 0, 0xc3}; /* mov $1, %eax; ret */

/* One function, as perf's specification of the format says. */
static void write_dump(const char *path, unsigned long code)
{
    const unsigned head[10] = {0x4a695444, 1, 40, 62}, load[4] = {0, 16 + 40 + 10 + 6};
    const unsigned long thread = 0, rest[4] = {code, code, 6, 1};
    FILE *f = fopen(path, "w");

    fwrite(head, sizeof head, 1, f);
    fwrite(load, sizeof load, 1, f);
    fwrite(&thread, sizeof thread, 1, f);
    fwrite(rest, sizeof rest, 1, f);
    fwrite("from dump", 10, 1, f);
    fwrite(one, 6, 1, f);
    fclose(f);
}

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
    if (argc > 2) {
        snprintf(name, sizeof name, "jit-%d.dump", (int)getpid());
        write_dump(name, (unsigned long)code);
    } else if (argc > 1) {
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
ok 'without a map it is ???' sh -c '! grep -q "^fn=code in\|^fn=first" "$1" && grep -qx "fn=???" "$1"' - profile
# In the program's folder, as node --perf-prof and others write it.
"$QUERN" run -q --out-file=profile ./makes a dump >/dev/null
ok 'a function of jit-PID.dump' sh -c 'echo "$1" | grep -qx "??? from dump 0"' - "$(rows profile)"
ok '... and what it does not name, by its address' grep -q '^fn=code in 0x[0-9a-f]*-0x[0-9a-f]*$' profile
done_testing
