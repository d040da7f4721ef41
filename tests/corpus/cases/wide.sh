# wide.sh - the set "wide": larger programs that `make check` does not ask for.  QN_CORPUS=wide

entry clang wide clang 'clang -O2 -c'
clang_prepare() { c_file generated.60.c 60; }
clang_run() { under_all clang -O2 -g -c "$DATA/generated.60.c" -o out.o; }

entry asan wide "$CC" 'a program with the address sanitizer: terabytes reserved'
asan_prepare() { [ -x asan ] || $CC -fsanitize=address -O1 -g -o asan "$PROGRAMS/numbers.c" -lm; }
asan_run() { ASAN_OPTIONS=detect_leaks=0 under "$DATA/asan"; }

entry asan_leaks wide "$CC" 'the same with the leak checker, which stops its threads from a process that shares memory'
asan_leaks_prepare() { asan_prepare; }
asan_leaks_run() { under "$DATA/asan"; }

entry rustc wide "rustc cc" 'rustc, then what it made'
rustc_run() {
    echo 'fn main() {
        let v: Vec<u64> = (1..2000).map(|x| x * x % 97).collect();
        println!("{}", v.iter().sum::<u64>());
    }' >a.rs
    under_all rustc -O a.rs && under ./a && rm -f a
}

entry node wide node 'V8: code made, thrown away and moved'
node_prepare() {
    cat >node.js <<'END'
let x = 1, sum = 0; const map = new Map();
for (let i = 0; i < 300000; i++) {
    x = (x * 16807) % 2147483647;
    map.set(x % 1000, (map.get(x % 1000) || 0) + 1);
    sum += Math.sqrt(x);
}
console.log(map.size, sum, JSON.stringify([...map].slice(0, 5)), "abc".replace(/b/g, "xyz"));
process.exitCode = 4;
END
}
node_run() { under node "$DATA/node.js"; }

entry java wide java 'the JVM: implicit null checks, safepoints'
java_prepare() {
    cat >Sum.java <<'END'
public class Sum {
    static Object nothing;
    public static void main(String[] a) {
        long x = 1, sum = 0; java.util.HashMap<Long, Long> m = new java.util.HashMap<>();
        for (int i = 0; i < 300000; i++) { x = x * 16807 % 2147483647; m.merge(x % 1000, 1L, Long::sum); sum += x; }
        try { nothing.hashCode(); } catch (NullPointerException e) { System.out.println("caught"); }
        System.out.println(m.size() + " " + sum);
        System.exit(3);
    }
}
END
    command -v javac >/dev/null && javac Sum.java
}
java_run() {
    if [ -f "$DATA/Sum.class" ]; then set -- -cp "$DATA" Sum; else set -- "$DATA/Sum.java"; fi
    under java -XX:+UseSerialGC "$@"
}

entry tclsh wide tclsh 'bytecode, strings, lists'
tclsh_run() {
    echo 'set s 0
        for {set i 0} {$i < 30000} {incr i} { lappend l [expr {$i * 7919 % 1009}]; incr s [lindex $l end] }
        puts "$s [llength [lsort -unique -integer $l]] [regsub -all {(\d)1} [join $l ,] {<\1>} x] [string length $x]"; exit 2' >a.tcl
    under tclsh a.tcl
}

entry cmake wide 'cmake ninja' 'cmake configures, ninja builds'
cmake_run() {
    mkdir src && printf '%s\n' 'cmake_minimum_required(VERSION 3.10)' 'project(p C)' 'add_executable(a a.c)' >src/CMakeLists.txt
    echo 'int main(void) { return 3; }' >src/a.c
    under cmake -G Ninja -S src -B build >/dev/null && under ninja -C build >/dev/null && ./build/a
    status=$?
    rm -rf build
    return $status
}

entry m4 wide m4 'recursive macros'
m4_run() {
    cat >in <<'END'
define(`f', `ifelse($1, 0, 1, `eval($1 * f(decr($1)))')')f(10) len(format(`%0200d', 7)) esyscmd(`echo child')
END
    under m4 in
}

entry groff wide groff 'text to PostScript through a pipe of programs'
groff_run() { printf '.TH A 1\n.SH NAME\na \\- b\n.PP\nSome \\fItext\\fP.\n' >a.1 && under_all groff -man -Tutf8 a.1; }

entry gs wide gs 'a page to pixels'
gs_run() {
    printf '%%!\n/Times-Roman findfont 40 scalefont setfont 100 100 moveto (quern) show\n%s\n' \
        '3 setlinewidth 50 50 200 200 rectstroke showpage' >a.ps
    under gs -q -dNOPAUSE -dBATCH -sDEVICE=ppmraw -r40 -sOutputFile=a.ppm a.ps && cksum a.ppm
}

entry curl wide curl 'a file: URL'
curl_run() { echo text >a && under curl -s "file://$PWD/a"; under curl -s http://127.0.0.1:1/; }

entry file wide file 'magic'
file_run() { under file -b /bin/true "$DATA"; }

entry vim wide vim 'a batch edit'
vim_run() { printf 'one\ntwo\n' >a && under vim -u NONE -es -c '%s/o/0/g' -c 'g/^t/m0' -c wq a; cat a; }

entry ed wide ed 'a batch edit'
ed_run() { printf 'one\ntwo\n' >a; printf '1s/o/0/\n2m0\nw\nq\n' >script; under ed -s a <script; cat a; }
