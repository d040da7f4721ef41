# source.awk - a C source for the compiler workload: awk -v functions=N -f source.awk >FILE
#
# Functions of several shapes (loops over structs, switches, float arithmetic, string scanning, bit tricks),
# each a little different, so that the optimiser has something to do in all of its passes.
function shape_sum(i) {
    printf "long sum_%d(const struct item *p, size_t n)\n{\n    long a = %d, b = %d;\n", i, i % 97, i % 13 + 1
    print "    for (size_t j = 0; j < n; j++) {"
    printf "        if (p[j].key %% %d == %d) a += p[j].count * b;\n", i % 9 + 2, i % 2
    printf "        else if (p[j].flags & %du) b ^= p[j].key >> %d;\n", 2 ^ (i % 20), i % 7
    printf "        a = a * %d + (b << %d);\n    }\n", 2 * i + 3, i % 5
    print "    return a + b;\n}\n"
}
function shape_switch(i,    c) {
    printf "int choose_%d(int op, int x, int y)\n{\n    switch (op) {\n", i
    for (c = 0; c < 12; c++)
        printf "    case %d: return x %s y %s %d;\n", c * (i % 3 + 1), substr("+-*&|^", c % 6 + 1, 1),
            substr("*+-^", (c + i) % 4 + 1, 1), c * i + 1
    print "    default: return op < 0 ? -x : y;\n    }\n}\n"
}
function shape_float(i) {
    printf "double blend_%d(const double *restrict a, const double *restrict b, double *restrict c, int n)\n", i
    printf "{\n    double s = %d.25;\n    for (int j = 0; j < n; j++) {\n", i
    printf "        c[j] = a[j] * %d.5 + b[j] / (a[j] + %d.0);\n", i % 11, i % 17 + 1
    print "        s += c[j] > 0 ? c[j] : -c[j];\n    }\n    return s;\n}\n"
}
function shape_text(i) {
    printf "const char *scan_%d(const char *s, unsigned *hash)\n{\n    unsigned h = %du;\n", i, i * 2654435
    print "    while (*s == 32 || *s == 9) s++;"
    printf "    while ((*s >= 97 && *s <= 122) || *s == %d)\n", 48 + i % 10
    printf "        h = (h ^ (unsigned char)*s++) * %du;\n", 2 * i + 16777619
    print "    *hash = h;\n    return s;\n}\n"
}
function shape_tree(i) {
    printf "struct node *insert_%d(struct node *n, long key)\n{\n    if (!n) return make_node(key + %d);\n", i, i
    printf "    if (key < n->key - %d) n->left = insert_%d(n->left, key);\n", i % 4, i
    printf "    else if (key > n->key) n->right = insert_%d(n->right, key %s %d);\n", i, i % 2 ? "-" : "^", i % 8
    print "    n->weight = 1 + (n->left ? n->left->weight : 0) + (n->right ? n->right->weight : 0);\n    return n;\n}\n"
}
BEGIN {
    print "typedef unsigned long size_t;"
    print "struct item { long key, count; unsigned flags; };"
    print "struct node { struct node *left, *right; long key, weight; };"
    print "struct node *make_node(long key);\n"
    for (i = 0; i < functions; i++) {
        shape_sum(i); shape_switch(i); shape_float(i); shape_text(i); shape_tree(i)
    }
}
