/* Threads.java - four threads, locks, an executor, garbage collections. */
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

public class Threads {
    static int plain;
    public static void main(String[] a) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        AtomicLong total = new AtomicLong();
        List<Future<Integer>> parts = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            final int id = t;
            parts.add(pool.submit(() -> {
                List<int[]> keep = new ArrayList<>();
                for (int i = 0; i < 4000; i++) {
                    keep.add(new int[50]);
                    if (keep.size() > 100) keep.clear();
                    total.addAndGet(i ^ id);
                    synchronized (Threads.class) { plain++; }
                }
                System.gc();
                return keep.size();
            }));
        }
        int size = 0;
        for (Future<Integer> f : parts) size += f.get();
        pool.shutdown();
        System.out.println(total.get() + " " + plain + " " + size);
    }
}
