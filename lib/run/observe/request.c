/* lib/run/observe/request.c - client requests: what a program asks of the tool that runs it.
 *
 *   rol $3,%rdi; rol $13,%rdi; rol $61,%rdi; rol $51,%rdi; xchg %rbx,%rbx      does nothing natively
 *   rax -> { request, argument 1 ... 5 }     rdx = the answer if nobody answers; the answer
 *
 * The sequence, the layout and most numbers are those of Valgrind's public headers (valgrind.h, cachegrind.h), whose
 * macros programs contain; those of quern.h are our own.  Requests that are not known here leave the answer as it would
 * be natively, so that a program does the same as without any tool: RUNNING_ON_VALGRIND is 0.
 */

#include "block/block.h"
#include "cost/messages.h"
#include "run/run.h"

/* ---- printf with the guest's format and the guest's va_list, for VALGRIND_PRINTF ----
 *
 *   "%s: %5.2f of %lu\n"   ->   text
 *
 * Conversions d i u x X o c s p f F % with flags, width, precision and length; e, g and a are written as f.  What is
 * not a conversion is copied.  Memory is read with process_vm_readv: a wrong pointer gives "(?)", not a fault.
 */

struct arguments { /* va_list of the System V ABI */
    uint32_t gp, fp;
    uint64_t overflow, saved;
};
#define GP_END 48u
#define FP_END 176u

struct output {
    char *text;
    size_t size, n; /* n: would have been */
};

struct conversion {
    bool left, zero, alternate, plus, blank, has_precision;
    unsigned width, precision, length; /* length: bytes of an integer */
};

static void put(struct output *o, char c)
{
    if (o->n + 1 < o->size)
        o->text[o->n] = c;
    o->n++;
}

static uint64_t take(struct arguments *a, bool fp)
{
    uint32_t *at = fp ? &a->fp : &a->gp;
    bool in_register = *at < (fp ? FP_END : GP_END);
    uint64_t from = in_register ? a->saved + *at : a->overflow, value = 0;

    if (in_register)
        *at += fp ? 16 : 8;
    else
        a->overflow += 8;
    qn_read_guest(from, &value, sizeof value);
    return value;
}

static void put_padded(struct output *o, const struct conversion *c, const char *sign, const char *body, size_t n)
{
    size_t signs = qn_strlen(sign), pad = c->width > n + signs ? c->width - n - signs : 0;
    bool zeros = c->zero && !c->left;

    for (size_t i = 0; i < pad && !c->left && !zeros; i++)
        put(o, ' ');
    while (*sign)
        put(o, *sign++);
    for (size_t i = 0; i < pad && zeros; i++)
        put(o, '0');
    for (size_t i = 0; i < n; i++)
        put(o, body[i]);
    for (size_t i = 0; i < pad && c->left; i++)
        put(o, ' ');
}

#define DIGITS_MAX 400

static void put_unsigned(struct output *o, struct conversion *c, uint64_t v, unsigned base, bool upper,
                         const char *sign)
{
    char digits[DIGITS_MAX];
    size_t at = DIGITS_MAX, least = c->has_precision ? c->precision : 1;

    for (; v; v /= base)
        digits[--at] = (upper ? "0123456789ABCDEF" : "0123456789abcdef")[v % base];
    while (DIGITS_MAX - at < least && at > 0)
        digits[--at] = '0';
    c->zero = c->zero && !c->has_precision;
    put_padded(o, c, sign, digits + at, DIGITS_MAX - at);
}

static const char *sign_of(const struct conversion *c, bool negative)
{
    return negative ? "-" : c->plus ? "+" : c->blank ? " " : "";
}

static void put_integer(struct output *o, struct conversion *c, char kind, uint64_t v)
{
    unsigned shift = 64 - 8 * c->length;
    int64_t s = (int64_t)(v << shift) >> shift;

    if (kind == 'd' || kind == 'i') {
        put_unsigned(o, c, s < 0 ? 0 - (uint64_t)s : (uint64_t)s, 10, false, sign_of(c, s < 0));
        return;
    }
    v = v << shift >> shift;
    put_unsigned(o, c, v, kind == 'u' ? 10 : kind == 'o' ? 8 : 16, kind == 'X',
                 c->alternate && v ? kind == 'o' ? "0" : kind == 'X' ? "0X" : "0x" : "");
}

/* Whole part and fraction of mantissa * 2^exponent, the fraction in units of 2^-60, cut off; from 2^64 on UINT64_MAX. */
static void split(uint64_t mantissa, int exponent, uint64_t *whole, uint64_t *fraction)
{
    unsigned down = exponent < 0 ? (unsigned)-exponent : 0;

    *fraction = 0;
    if (exponent >= 0) {
        *whole = exponent < 11 ? mantissa << exponent : UINT64_MAX;
        return;
    }
    *whole = down < 64 ? mantissa >> down : 0;
    if (down < 64)
        mantissa &= (1ull << down) - 1;
    if (down <= 60)
        *fraction = mantissa << (60 - down);
    else if (down < 124)
        *fraction = mantissa >> (down - 60);
}

static void put_double(struct output *o, struct conversion *c, uint64_t bits)
{
    uint64_t mantissa = bits & ((1ull << 52) - 1), whole, fraction, half = 1ull << 59;
    unsigned biased = bits >> 52 & 2047, precision = c->has_precision ? c->precision : 6;
    char text[DIGITS_MAX], digits[24];
    size_t at = sizeof digits, n = 0;

    if (biased == 2047) {
        c->zero = false;
        put_padded(o, c, sign_of(c, bits >> 63), mantissa ? "nan" : "inf", 3);
        return;
    }
    split(biased ? mantissa | 1ull << 52 : mantissa, (int)(biased ? biased : 1) - 1075, &whole, &fraction);
    for (unsigned i = 0; i < precision && i < 18; i++)
        half /= 10;
    fraction += half;
    whole += fraction >> 60;
    do
        digits[--at] = (char)('0' + whole % 10);
    while (whole /= 10);
    while (at < sizeof digits)
        text[n++] = digits[at++];
    if (precision)
        text[n++] = '.';
    for (unsigned i = 0; i < precision && n < sizeof text; i++) {
        fraction = (fraction & ((1ull << 60) - 1)) * 10;
        text[n++] = (char)('0' + (fraction >> 60));
    }
    put_padded(o, c, sign_of(c, bits >> 63), text, n);
}

static void put_string(struct output *o, struct conversion *c, uint64_t from)
{
    size_t n = 0, most = c->has_precision ? c->precision : SIZE_MAX;
    char text[512] = "(?)";

    if (!from)
        n = qn_strlen(__builtin_memcpy(text, "(null)", 7));
    else
        while (n < most && n < sizeof text - 1 && qn_read_guest(from + n, text + n, 1) && text[n])
            n++;
    if (from && !n && most && !qn_read_guest(from, text + 4, 1))
        n = 3;
    c->zero = false;
    put_padded(o, c, "", text, n < most ? n : most);
}

static unsigned read_count(const char **p, struct arguments *a)
{
    unsigned n = 0;

    if (**p == '*') {
        ++*p;
        return (unsigned)take(a, false);
    }
    for (; **p >= '0' && **p <= '9'; ++*p)
        n = n < 100000 ? n * 10 + (unsigned)(**p - '0') : n;
    return n;
}

static const char *read_conversion(const char *p, struct arguments *a, struct conversion *c)
{
    *c = (struct conversion){.length = 4};
    for (;; p++) {
        if (*p == '-') c->left = true;
        else if (*p == '0') c->zero = true;
        else if (*p == '#') c->alternate = true;
        else if (*p == '+') c->plus = true;
        else if (*p == ' ') c->blank = true;
        else break;
    }
    c->width = read_count(&p, a);
    if ((int)c->width < 0) {
        c->left = true;
        c->width = 0 - c->width;
    }
    if (*p == '.') {
        p++;
        c->precision = read_count(&p, a);
        c->has_precision = (int)c->precision >= 0;
    }
    for (; *p == 'h' || *p == 'l' || *p == 'z' || *p == 'j' || *p == 't'; p++)
        c->length = *p == 'h' ? c->length / 2 : 8;
    return p;
}

static void convert(struct output *o, struct arguments *a, struct conversion *c, char kind)
{
    char one;

    c->width = c->width < 1000 ? c->width : 1000;
    c->precision = c->precision < 300 ? c->precision : 300;
    switch (kind) {
    case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': put_integer(o, c, kind, take(a, false)); break;
    case 'p': c->length = 8; c->alternate = true; put_integer(o, c, 'x', take(a, false)); break;
    case 'c': one = (char)take(a, false); c->zero = false; put_padded(o, c, "", &one, 1); break;
    case 's': put_string(o, c, take(a, false)); break;
    case 'f': case 'F':
    case 'e': case 'E':
    case 'g': case 'G':
    case 'a': case 'A': put_double(o, c, take(a, true)); break;
    default: put(o, '%'); if (kind != '%') put(o, kind); break;
    }
}

/* Returns how many bytes there would have been. */
static size_t guest_printf(char *text, size_t size, uint64_t format, uint64_t va_list)
{
    struct output o = {text, size, 0};
    struct arguments a = {0};
    struct conversion c;
    char copy[1024];

    if (!qn_copy_string(format, copy, sizeof copy))
        copy[sizeof copy - 1] = 0;
    qn_read_guest(va_list, &a, sizeof a);
    for (const char *p = copy; *p; p++) {
        if (*p != '%') {
            put(&o, *p);
            continue;
        }
        p = read_conversion(p + 1, &a, &c);
        if (!*p)
            break;
        convert(&o, &a, &c, *p);
    }
    text[o.n < size ? o.n : size - 1] = 0;
    return o.n;
}

/* ---- requests ---- */

enum { RAX = 0, RDX = 2 };

#define PART_NAME_MAX 200 /* bytes */

/* A tool's requests begin at its two letters. */
#define TOOL(a, b) ((uint64_t)(a) << 24 | (uint64_t)(b) << 16)

enum qn_request_code {
    DISCARD_TRANSLATIONS = 0x1002,            /* address, bytes */
    PRINTF_BY_REF = 0x1403, PRINTF_BACKTRACE_BY_REF = 0x1404, /* format, va_list */
    CACHEGRIND_START = TOOL('C', 'G'), CACHEGRIND_STOP,
    CALLGRIND_DUMP = TOOL('C', 'T'), CALLGRIND_ZERO, CALLGRIND_TOGGLE, CALLGRIND_DUMP_AT, CALLGRIND_START, CALLGRIND_STOP,
    REGION_BEGIN = TOOL('Q', 'N'), REGION_END /* name */
};

static void region(uint64_t name, void (*change)(const char *))
{
    char text[QN_REGION_NAME];

    if (!qn_copy_string(name, text, sizeof text))
        text[sizeof text - 1] = 0; /* cut, or as much as could be read */
    if (text[0])
        change(text);
}

/* Lines for the user; a last one without its newline gets one. */
static uint64_t print(uint64_t format, uint64_t arguments)
{
    char text[1024], *line = text;
    size_t n = guest_printf(text, sizeof text, format, arguments);

    while (*line) {
        char *end = line;

        while (*end && *end != '\n')
            end++;
        if (*end)
            *end++ = 0;
        qn_message_note(QN_MESSAGE_PRINT, line);
        line = end;
    }
    return n;
}

static uint64_t part(enum qn_part what, uint64_t name)
{
    char text[PART_NAME_MAX] = "";

    if (name && !qn_copy_string(name, text, sizeof text))
        text[sizeof text - 1] = 0;
    qn_message_part(what, text);
    return 0;
}

/* Does the tool that quern stands for know this request? */
static bool is_known(uint64_t request)
{
    uint64_t other = qn_cfg()->requests == QN_REQUESTS_CACHEGRIND ? CALLGRIND_DUMP : qn_cfg()->requests == QN_REQUESTS_CALLGRIND ? CACHEGRIND_START : 0;

    return !other || request >> 16 != other >> 16;
}

static void serve(const uint64_t *a, uint64_t *answer)
{
    switch (a[0]) {
    case CACHEGRIND_START:
    case CALLGRIND_START: qn_region_collect(true); *answer = 0; break;
    case CACHEGRIND_STOP:
    case CALLGRIND_STOP: qn_region_collect(false); *answer = 0; break;
    case CALLGRIND_TOGGLE: qn_region_collect(!qn_region_collects()); *answer = 0; break;
    case CALLGRIND_DUMP: *answer = part(QN_PART_DUMP, 0); break;
    case CALLGRIND_DUMP_AT: *answer = part(QN_PART_DUMP, a[1]); break;
    case CALLGRIND_ZERO: *answer = part(QN_PART_ZERO, 0); break;
    case REGION_BEGIN: region(a[1], qn_region_begin); break;
    case REGION_END: region(a[1], qn_region_end); break;
    case DISCARD_TRANSLATIONS: qn_code_changed(a[1], a[1] + a[2]); break;
    case PRINTF_BY_REF:
    case PRINTF_BACKTRACE_BY_REF: *answer = print(a[1], a[2]); break;
    default: break;
    }
}

void qn_request(void)
{
    uint64_t a[6];

    qn_ctx.rip += QN_MARKER_BYTES;
    if (qn_read_guest(qn_ctx.gpr[RAX], a, sizeof a) && is_known(a[0]))
        serve(a, &qn_ctx.gpr[RDX]);
}
