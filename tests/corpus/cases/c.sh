# c.sh - programs of our own, tests/corpus/programs/*.c: what the other programs do rarely or only by chance.

# own NAME FLAGS TEXT: a program that needs nothing but a compiler.
own() {
    entry "$1" 'fast full' "$CC" "$3"
    eval "$1_prepare() { compile $1 $2; }
        $1_run() { under \"\$DATA/$1\"; }"
}

own signals '' 'alarm, SIGSEGV and siglongjmp, sigaltstack, SIGCHLD, siginfo, masks'
own jumps '' 'setjmp and longjmp, nested; ucontext'
own spawn '' 'fork, vfork, posix_spawn, popen, system, execve'
own threads '-pthread' 'pthreads: mutex, condition, barrier, thread-local, once, cancel'
own numbers '-lm' 'printf and math in float, double and long double, rounding modes'
own memory '' 'mmap, mremap, mprotect, brk, madvise, files mapped'
own places '' 'memory at places wished for'
own mixed '-pthread' 'vfork and threads in turns'
own clock '' 'a process that forbids itself the time stamp counter'
own dispatch '' 'system calls that come back as SIGSYS; instructions that are too long'
own fresh '' 'code written at run time, run, changed and run again'

entry musl 'fast full' musl-gcc 'a static musl program'
musl_prepare() { [ -x musl ] || musl-gcc -static -O1 -g -o musl "$PROGRAMS/numbers.c" -lm; }
musl_run() { under "$DATA/musl"; }

entry musl_threads 'fast full' musl-gcc 'a static musl program with threads'
musl_threads_prepare() { [ -x musl-threads ] || musl-gcc -static -pthread -O1 -g -o musl-threads "$PROGRAMS/threads.c"; }
musl_threads_run() { under "$DATA/musl-threads"; }

entry static 'fast full' "$CC" 'a static glibc program (IFUNC resolvers, TLS of its own)'
static_prepare() { [ -x static ] || $CC -static -O1 -g -o static "$PROGRAMS/numbers.c" -lm; }
static_run() { under "$DATA/static"; }

entry static_pie 'fast full' "$CC" 'a static PIE'
static_pie_prepare() { [ -x static-pie ] || $CC -static-pie -O1 -g -o static-pie "$PROGRAMS/numbers.c" -lm; }
static_pie_run() { under "$DATA/static-pie"; }

entry no_pie 'fast full' "$CC" 'a dynamic program at a fixed address'
no_pie_prepare() { [ -x no-pie ] || $CC -no-pie -O1 -g -o no-pie "$PROGRAMS/jumps.c"; }
no_pie_run() { under "$DATA/no-pie"; }

entry script 'fast full' 'sh' 'scripts with #!: one argument, an interpreter that is a script'
script_prepare() {
    printf '#!/bin/sh -u\necho "$0 $*"; echo $$ >/dev/null; exit 3\n' >script.sh
    printf '#!%s/script.sh an argument\nnot read\n' "$DATA" >script.2
    chmod +x script.sh script.2
}
script_run() { under "$DATA/script.sh" one 'two words'; echo $?; under "$DATA/script.2" x; }
