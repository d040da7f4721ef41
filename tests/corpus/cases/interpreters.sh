# interpreters.sh - bash, dash, python3, perl, lua, luajit, awk, bc.

entry bash 'fast full' bash 'a loop of 1,000 command substitutions'
bash_run() {
    under bash -c '
        total=0
        for ((i = 0; i < $1; i++)); do
            x=$(echo $((i * 3)))
            total=$((total + x))
        done
        echo "$total"
        y=$(printf %s "$BASH_VERSION" | tr -d 0-9); echo "$y"
        exit 7' bash "$(size 100 1000)"
}

entry dash 'fast full' 'dash seq sort' 'pipes, functions, traps, a subshell'
dash_run() {
    under dash -c '
        f() { [ "$1" -le 1 ] && echo 1 && return; echo $(($1 * $(f $(($1 - 1))))); }
        f 8
        trap "echo trapped" EXIT USR1
        kill -USR1 $$
        seq 50 | sort -rn | while read -r x; do echo "$x"; done | tail -n 2
        (exit 3); echo "$?"
        echo to stderr >&2'
}

entry python3 'fast full' /usr/bin/python3 'json, re, hashlib and a computation'
python3_prepare() {
    cat >computation.py <<'END'
import hashlib, json, re, sys, collections, struct, math, random
rounds = int(sys.argv[1])
text = "\n".join("key%d=%d;" % (i, i * i) for i in range(20 * rounds))
pairs = dict(re.findall(r"(key\d+)=(\d+);", text))
again = json.loads(json.dumps(pairs, sort_keys=True))
assert again == pairs
print(hashlib.sha256(json.dumps(again).encode()).hexdigest(), hashlib.md5(text.encode()).hexdigest())
print(hashlib.blake2b(text.encode()).hexdigest()[:32], hashlib.sha3_256(text.encode()).hexdigest()[:32])
random.seed(5)
values = [random.random() for _ in range(50 * rounds)]
print(repr(math.fsum(math.sin(v) * math.exp(v) for v in values)), repr(sum(sorted(values))))
def sieve(n):
    flags = bytearray([1]) * n
    for i in range(2, int(n ** 0.5) + 1):
        if flags[i]:
            flags[i * i::i] = bytes(len(range(i * i, n, i)))
    return sum(flags) - 2
print(sieve(3000 * rounds))
counter = collections.Counter()
x = 12345
for i in range(2500 * rounds):
    x = (x * 1103515245 + 12345) & 0x7fffffff
    counter[x >> 24] += 1
print(counter.most_common(3), 3 ** 2000 % 10 ** 9 + 7, struct.pack("<dIq", 1.5, 7, -9))
try:
    {}["missing"]
except KeyError as error:
    print("caught", error, file=sys.stderr)
sys.exit(5)
END
}
python3_run() {
    # 3 seconds natively: --rounds 2500
    under /usr/bin/python3 -S "$DATA/computation.py" "$(size 500 2500)"
}

entry python3_threads 'fast full' /usr/bin/python3 'python3 with threads, a queue and a lock'
python3_threads_prepare() {
    cat >threads.py <<'END'
import threading, queue, sys
jobs, done, lock, total = queue.Queue(), [], threading.Lock(), 0
def work():
    global total
    while True:
        n = jobs.get()
        if n is None:
            return
        value = sum(i * i % 7 for i in range(n))
        with lock:
            total += value
threads = [threading.Thread(target=work) for _ in range(4)]
for t in threads: t.start()
for n in range(int(sys.argv[1])): jobs.put(n)
for t in threads: jobs.put(None)
for t in threads: t.join()
print(total)
END
}
python3_threads_run() { under /usr/bin/python3 "$DATA/threads.py" "$(size 300 1500)"; }

entry python3_process 'fast full' /usr/bin/python3 'python3: subprocess, os.fork, signals, mmap, ctypes callbacks'
python3_process_prepare() {
    cat >process.py <<'END'
import ctypes, mmap, os, signal, subprocess, sys
print(subprocess.run(["sort", "-r"], input=b"a\nc\nb\n", capture_output=True).stdout, flush=True)
pid = os.fork()
if pid == 0:
    os._exit(9)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
seen = []
signal.signal(signal.SIGUSR1, lambda n, f: seen.append(n))
os.kill(os.getpid(), signal.SIGUSR1)
signal.signal(signal.SIGALRM, lambda n, f: seen.append(n))
signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01) # again and again: where all is slow, the first comes before pause()
signal.pause()
signal.setitimer(signal.ITIMER_REAL, 0)
print(seen[:2])
with mmap.mmap(-1, 65536) as m:
    m[100:105] = b"hello"
    print(m.find(b"hello"))
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))
array = (ctypes.c_int * 6)(5, 3, 9, 1, 7, 2)
ctypes.CDLL(None).qsort(array, 6, 4, compare(lambda a, b: a[0] - b[0]))
print(list(array))
END
}
python3_process_run() { under /usr/bin/python3 "$DATA/process.py"; }

entry perl 'fast full' perl 'hashes, regular expressions, sprintf, sort'
perl_run() {
    under perl -e '
        use strict; use warnings;
        my ($n, %h, $x) = (shift, (), 1);
        for my $i (1 .. $n) { $x = ($x * 16807) % 2147483647; $h{$x % 1000} .= chr(97 + $x % 26); }
        my $s = join ",", map { "$_=" . length $h{$_} } sort { $a <=> $b } keys %h;
        my $count = () = $s =~ /(\d+)=(\d)\2/g;
        (my $t = $s) =~ s/(\d+)=(\d+)/$2*$1/ge;
        print "$count ", length $t, " ", substr($t, 0, 60), "\n";
        printf "%.12f %e %s\n", sqrt($n) * atan2(1, 3), exp(12.5), scalar reverse "quern";
        print join(" ", `echo from a child`), system("exit 3") >> 8, "\n";
        warn "a warning\n"; exit 4' "$(size 60000 1000000)"
}

entry lua 'fast full' lua5.4 'tables, closures, coroutines, strings'
lua_run() {
    under lua5.4 -e '
        local n = tonumber(arg[1])
        local function fib(k) if k < 2 then return k end return fib(k - 1) + fib(k - 2) end
        print(fib(n))
        local t = {}
        for i = 1, n * 1000 do t[i] = (i * 7919) % 10007 end
        table.sort(t)
        local co = coroutine.wrap(function() for i = 1, 10 do coroutine.yield(i * t[i]) end end)
        local sum = 0
        for i = 1, 10 do sum = sum + co() end
        print(sum, t[#t], ("%5.3f"):format(math.sin(n)), ("quern"):rep(3, "-"):upper():gsub("E", "3"))
        print(pcall(error, "raised"))
        os.exit(6)' "$(size 20 29)"
}

entry luajit 'fast full' luajit 'code made at run time'
luajit_prepare() {
    cat >jit.lua <<'END'
local n = tonumber(arg[1])
local x, sum = 1, 0
for i = 1, n do x = (x * 16807) % 2147483647; if x % 3 == 0 then sum = sum + i else sum = sum - 1 end end
print(sum)
local ffi = require("ffi")
ffi.cdef [[int abs(int); typedef struct { double x, y; } pair;]]
local p = ffi.new("pair[100]")
for j = 1, 100 do for i = 0, 99 do p[i].x = p[i].x + i * j; p[i].y = p[i].x / 3 end end
print(p[99].y, ffi.C.abs(-5))
local parts = {}
for i = 1, 2000 do parts[#parts + 1] = tostring(i):reverse() end
print(#table.concat(parts))
END
}
luajit_run() { under luajit "$DATA/jit.lua" "$(size 1000000 20000000)"; }

for awk in gawk mawk; do
    entry $awk 'fast full' $awk 'fields, arrays, printf'
done
awk_program='{ for (i = 1; i <= NF; i++) count[$i]++ }
    length($0) > 50 { long++ }
    /miss.*set/ { sub(/set/, "SET"); n += index($0, "SET") }
    END { for (w in count) if (w !~ /^[0-9]/) total += count[w]
          printf "%d %d %d %.6f\n", total, long, n, exp(log(total) / 3)
          "echo piped" | getline line; print line; exit 3 }'
gawk_prepare() { text_file "text.$(size 4000 60000)" "$(size 4000 60000)"; }
mawk_prepare() { gawk_prepare; }
gawk_run() { under gawk "$awk_program" "$DATA/text.$(size 4000 60000)"; }
mawk_run() { under mawk "$awk_program" "$DATA/text.$(size 4000 60000)"; }

entry bc 'fast full' bc 'pi to many places'
bc_run() {
    echo "scale=$(size 120 700); 4*a(1); sqrt(2); 2^$(size 300 3000)" >in
    BC_LINE_LENGTH=0 under bc -lq in <in
}
