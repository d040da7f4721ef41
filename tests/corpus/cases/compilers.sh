# compilers.sh - programs that compile, and what they need.

# c_file NAME FUNCTIONS: ten lines for each.
c_file() {
    [ -f "$1" ] || awk -v functions="$2" 'BEGIN {
        print "#include <stddef.h>\nstruct node { struct node *next; long key; double weight; };"
        print "extern int take(const char *, ...);"
        for (i = 0; i < functions; i++) {
            printf "long function_%d(struct node *list, const char *text, size_t n)\n{\n    long sum = %d;\n", i, i
            printf "    for (size_t i = 0; i < n; i++)\n"
            printf "        sum = sum * %d + (text[i] ^ (sum >> %d));\n", 2 * i + 1, i % 31 + 1
            printf "    for (; list; list = list->next)\n"
            printf "        if (list->key %% %d == %d) sum += (long)(list->weight * %d.5);\n", i % 7 + 2, i % 2, i
            printf "    return sum %s take(\"%d\", n);\n}\n", i % 3 ? "+" : "^", i
        }
    }' >"$1"
}

entry gcc 'fast full' gcc 'gcc -O2 -c; a profile for gcc, cc1 and as'
gcc_prepare() { c_file "generated.$(size 60 640).c" "$(size 60 640)"; }
gcc_run() {
    cp "$DATA/generated.$(size 60 640).c" source.c
    under_all gcc -O2 -g -c source.c || return
    [ "$turn" = native ] && return
    for program in gcc cc1 as; do
        grep -lE "^cmd: +[^ ]*$program( |\$)" "$place"/profiles/* >/dev/null || echo "no profile of $program"
    done
}

entry gcc_plain 'fast full' gcc 'gcc -O1 with children not profiled, then a link'
gcc_plain_prepare() { c_file generated.10.c 10; }
gcc_plain_run() {
    printf '%s\n' '#include <stdio.h>' 'int main(void) { puts("linked"); return 3; }' >main.c
    under gcc -O1 -c "$DATA/generated.10.c" && under gcc main.c -o linked && ./linked
}

entry gcc_errors 'fast full' gcc 'messages and the status of a compiler that fails'
gcc_errors_run() {
    printf '%s\n' 'int f(void) { return undeclared + ; }' >bad.c
    under_all gcc -c bad.c
}

entry tcc 'fast full' tcc 'tcc -run: compiles into memory and runs it'
tcc_prepare() {
    cat >run.c <<'END'
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(int argc, char **argv)
{
    static int v[5000];
    unsigned x = 1;
    for (int i = 0; i < 5000; i++) v[i] = (int)((x = x * 1103515245 + 12345) >> 8);
    qsort(v, 5000, sizeof v[0], compare);
    printf("%s %d %d %f\n", argv[1], v[0], v[4999], v[2500] / 3.0);
    return argc + 5;
}
END
}
tcc_run() { under tcc -run "$DATA/run.c" argument; }

entry strip 'fast full' 'strip nm objdump' 'binutils on an object of their own'
strip_run() { under nm -D /bin/true && cp /bin/true copy && under strip copy && under objdump -d copy | head -n 2000; }
