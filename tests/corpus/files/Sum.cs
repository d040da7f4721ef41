// Sum.cs - Mono: compiled loops, null and division faults, threads, generics, garbage.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
class Sum {
    class Node { public Node next; public long key; }
    static Node nothing;
    static int shared;
    static int Main() {
        long x = 1, sum = 0; int caught = 0;
        var m = new SortedDictionary<long, int>();
        for (int i = 0; i < 30000; i++) { x = x * 16807 % 2147483647; m.TryGetValue(x % 1000, out int c); m[x % 1000] = c + 1; sum += x; }
        for (int i = 0; i < 50; i++) {
            try { sum += nothing.key; } catch (NullReferenceException) { caught++; }
            try { sum += 1 / (i - i); } catch (DivideByZeroException) { caught++; }
        }
        Node list = null;
        for (int i = 0; i < 20000; i++) { list = new Node { next = i % 100 == 0 ? null : list, key = i }; }
        GC.Collect();
        var threads = Enumerable.Range(0, 3).Select(_ => new Thread(() => { for (int i = 0; i < 3000; i++) Interlocked.Increment(ref shared); })).ToList();
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
        Console.WriteLine("{0} {1} {2} {3} {4}", m.Count, sum, caught, shared, list.key);
        Console.WriteLine("{0:F10} {1}", Math.Sin(1), string.Join(",", Enumerable.Range(1, 50).Where(i => i % 7 == 0)));
        return 6;
    }
}
