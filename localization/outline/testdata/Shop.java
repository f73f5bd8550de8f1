package a.b;

import java.util.*;

/** Docs with class Fake { */
@Service(value = {"a", "b"})
public final class Shop<T extends Comparable<T>> extends Base implements A, B {
    private static final Map<String, List<Integer>> CACHE = new HashMap<>();
    int[] sizes = {1, 2}, more;
    private final Runnable task = new Runnable() {
        @Override
        public void run() { work(); }
    };

    static { CACHE.clear(); }

    public Shop(int x) throws IOException { this.x = x; }

    /**
     * Sums.
     */
    @Override
    @SuppressWarnings({"unchecked"})
    protected <U> List<U> total(final Map<String, U> in, char c) {
        if (c == '{') { return null; }
        String s = """
            } class Fake {
            """;
        list.forEach(i -> { use(i); });
        return new ArrayList<>(in.values());
    }

    abstract int area(int w);

    enum Colour { RED("r") { void f() {} }, GREEN; Colour(String s) {} }

    record Point(int x, int y) { Point { check(); } }

    interface Visitor { void visit(Node n); default int depth() { return 0; } }

    @interface Marker { String value() default "x"; }
}
