/* Sum.java - the JVM: compiled loops, implicit null checks, division by zero, stack overflow, exceptions, lambdas. */
import java.util.*;
import java.util.stream.*;

public class Sum {
    static Object nothing;
    static int deep(int n) { return 1 + deep(n + 1); }
    public static void main(String[] a) {
        long x = 1, sum = 0;
        Map<Long, Long> m = new TreeMap<>();
        for (int i = 0; i < 60000; i++) { x = x * 16807 % 2147483647; m.merge(x % 1000, 1L, Long::sum); sum += x; }
        int caught = 0;
        for (int i = 0; i < 300; i++) {
            try { nothing.hashCode(); } catch (NullPointerException e) { caught++; }
            try { caught += 1 / (i - i); } catch (ArithmeticException e) { caught++; }
        }
        try { deep(0); } catch (StackOverflowError e) { System.out.println("overflow"); }
        System.out.println(m.size() + " " + sum + " " + caught);
        System.out.println(IntStream.range(0, 500).filter(i -> i % 3 == 0).mapToObj(Integer::toString).collect(Collectors.joining()).hashCode());
        System.out.printf("%.12f %s%n", Math.sin(1) + Math.pow(2, 0.5), String.format("%08x", "text".hashCode()));
        System.exit(3);
    }
}
