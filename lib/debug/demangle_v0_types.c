/* lib/debug/demangle_v0_types.c - types in Rust's v0 names: see demangle_v0.h and demangle_v0.c.
 *
 * In:  FKCRmEu     Out: extern "C" fn(&u32)
 */
#include "debug/demangle_v0.h"

void qn_v0_lifetime(struct qn_v0 *s, uint64_t index)
{
    uint64_t depth = s->lifetimes - index;
    char letter = (char)('a' + depth);

    qn_v0_put(s, "'");
    if (index == 0) {
        qn_v0_put(s, "_");
    } else if (index > s->lifetimes) {
        s->bad = true;
    } else if (depth < 26) {
        qn_v0_put_bytes(s, &letter, 1);
    } else {
        qn_v0_put(s, "_");
        qn_v0_put_number(s, depth);
    }
}

/* Prints "for<'a, 'b> "; returns how many lifetimes were bound. */
static unsigned binder(struct qn_v0 *s)
{
    uint64_t n = qn_v0_optional62(s, 'G');

    if (n > QN_V0_DEPTH_MAX)
        s->bad = true;
    for (uint64_t i = 0; i < n && !s->bad; i++) {
        qn_v0_put(s, i ? ", " : "for<");
        s->lifetimes++;
        qn_v0_lifetime(s, 1);
    }
    if (n && !s->bad)
        qn_v0_put(s, "> ");
    return s->bad ? 0 : (unsigned)n;
}

static const char *basic_type(char tag)
{
    static const char *const names[26] = {
        ['a' - 'a'] = "i8", ['b' - 'a'] = "bool", ['c' - 'a'] = "char", ['d' - 'a'] = "f64", ['e' - 'a'] = "str",
        ['f' - 'a'] = "f32", ['h' - 'a'] = "u8", ['i' - 'a'] = "isize", ['j' - 'a'] = "usize", ['l' - 'a'] = "i32",
        ['m' - 'a'] = "u32", ['n' - 'a'] = "i128", ['o' - 'a'] = "u128", ['p' - 'a'] = "_", ['s' - 'a'] = "i16",
        ['t' - 'a'] = "u16", ['u' - 'a'] = "()", ['v' - 'a'] = "...", ['x' - 'a'] = "i64", ['y' - 'a'] = "u64",
        ['z' - 'a'] = "!",
    };

    return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void reference(struct qn_v0 *s, bool mutable)
{
    qn_v0_put(s, "&");
    if (qn_v0_eat(s, 'L')) {
        uint64_t index = qn_v0_base62(s);

        if (index) {
            qn_v0_lifetime(s, index);
            qn_v0_put(s, " ");
        }
    }
    qn_v0_put(s, mutable ? "mut " : "");
    qn_v0_type(s);
}

static void abi(struct qn_v0 *s)
{
    struct qn_v0_name n = { "C", 1, 0 };

    if (!qn_v0_eat(s, 'C'))
        n = qn_v0_identifier(s, false);
    qn_v0_put(s, "extern \"");
    for (size_t i = 0; i < n.length; i++)
        qn_v0_put_bytes(s, n.text[i] == '_' ? "-" : n.text + i, 1);
    qn_v0_put(s, "\" ");
}

static void function(struct qn_v0 *s)
{
    unsigned bound = binder(s);

    if (qn_v0_eat(s, 'U'))
        qn_v0_put(s, "unsafe ");
    if (qn_v0_eat(s, 'K'))
        abi(s);
    qn_v0_put(s, "fn(");
    qn_v0_list(s, ", ", qn_v0_type);
    qn_v0_put(s, ")");
    if (!qn_v0_eat(s, 'u')) {
        qn_v0_put(s, " -> ");
        qn_v0_type(s);
    }
    s->lifetimes -= bound;
}

/* The path of a trait; true: "<" is left open for more arguments. */
static bool open_path(struct qn_v0 *s)
{
    const char *here = s->p, *after;
    bool open;

    if (!qn_v0_enter(s))
        return false;
    if (qn_v0_eat(s, 'B')) {
        uint64_t at = qn_v0_base62(s);

        after = s->p;
        if (s->bad || at >= (uint64_t)(here - s->text)) {
            s->bad = true;
            return false;
        }
        s->p = s->text + at;
        open = open_path(s);
        s->p = after;
    } else if ((open = qn_v0_eat(s, 'I'))) {
        qn_v0_path(s, false);
        qn_v0_put(s, "<");
        qn_v0_list(s, ", ", qn_v0_generic_argument);
    } else {
        qn_v0_path(s, false);
    }
    s->depth--;
    return open;
}

static void trait(struct qn_v0 *s)
{
    bool open = open_path(s);

    while (qn_v0_eat(s, 'p')) {
        struct qn_v0_name n = qn_v0_identifier(s, false);

        qn_v0_put(s, open ? ", " : "<");
        open = true;
        qn_v0_put_bytes(s, n.text, n.length);
        qn_v0_put(s, " = ");
        qn_v0_type(s);
    }
    if (open)
        qn_v0_put(s, ">");
}

static void dynamic(struct qn_v0 *s)
{
    unsigned bound;
    uint64_t index;

    qn_v0_put(s, "dyn ");
    bound = binder(s);
    qn_v0_list(s, " + ", trait);
    s->lifetimes -= bound;
    if (!qn_v0_eat(s, 'L'))
        s->bad = true;
    index = qn_v0_base62(s);
    if (index) {
        qn_v0_put(s, " + ");
        qn_v0_lifetime(s, index);
    }
}

static void array(struct qn_v0 *s, bool sized)
{
    qn_v0_put(s, "[");
    qn_v0_type(s);
    if (sized) {
        qn_v0_put(s, "; ");
        qn_v0_constant(s);
    }
    qn_v0_put(s, "]");
}

static void tuple(struct qn_v0 *s)
{
    qn_v0_put(s, "(");
    if (qn_v0_list(s, ", ", qn_v0_type) == 1)
        qn_v0_put(s, ",");
    qn_v0_put(s, ")");
}

static void pointer(struct qn_v0 *s, bool mutable)
{
    qn_v0_put(s, mutable ? "*mut " : "*const ");
    qn_v0_type(s);
}

static void compound_type(struct qn_v0 *s, char tag)
{
    switch (tag) {
    case 'R':
    case 'Q':
        reference(s, tag == 'Q');
        break;
    case 'P':
    case 'O':
        pointer(s, tag == 'O');
        break;
    case 'A':
    case 'S':
        array(s, tag == 'A');
        break;
    case 'T':
        tuple(s);
        break;
    case 'F':
        function(s);
        break;
    case 'D':
        dynamic(s);
        break;
    case 'B':
        qn_v0_back(s, qn_v0_type);
        break;
    default:
        s->p--;
        qn_v0_path(s, false);
    }
}

void qn_v0_type(struct qn_v0 *s)
{
    char tag;

    if (!qn_v0_enter(s))
        return;
    tag = qn_v0_next(s);
    if (basic_type(tag))
        qn_v0_put(s, basic_type(tag));
    else if (!s->bad)
        compound_type(s, tag);
    s->depth--;
}
