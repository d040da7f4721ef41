/* lib/base/format.c - see format.h. */
#include "base/format.h"

#include "base/base.h"

struct arguments { /* va_list: System V ABI, AMD64 supplement, 3.5.7 */
    uint32_t gp, fp;
    uint64_t overflow, saved;
};
#define GP_END 48u
#define FP_END 176u
_Static_assert(sizeof(struct arguments) == QN_VA_LIST_BYTES, "format.h");

struct output {
    char *text;
    size_t size, n; /* n: would have been */
    struct arguments arguments;
    qn_format_read *read;
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

static uint64_t take(struct output *o, bool fp)
{
    struct arguments *a = &o->arguments;
    uint32_t *at = fp ? &a->fp : &a->gp;
    bool in_register = *at < (fp ? FP_END : GP_END);
    uint64_t from = in_register ? a->saved + *at : a->overflow, value = 0;

    if (in_register)
        *at += fp ? 16 : 8;
    else
        a->overflow += 8;
    o->read(from, &value, sizeof value);
    return value;
}

static size_t length_of(const char *text)
{
    size_t n = 0;

    while (text[n])
        n++;
    return n;
}

static void put_padded(struct output *o, const struct conversion *c, const char *sign, const char *body, size_t n)
{
    size_t signs = length_of(sign), pad = c->width > n + signs ? c->width - n - signs : 0;
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
#define PRECISION_MAX 300u
#define STRING_MAX 65536u

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
    char text[DIGITS_MAX], digits[24], decimals[PRECISION_MAX];
    size_t at = sizeof digits, n = 0;
    bool up;

    if (biased == 2047) {
        c->zero = false;
        put_padded(o, c, sign_of(c, bits >> 63), mantissa ? "nan" : "inf", 3);
        return;
    }
    split(biased ? mantissa | 1ull << 52 : mantissa, (int)(biased ? biased : 1) - 1075, &whole, &fraction);
    for (unsigned i = 0; i < precision; i++) {
        fraction = (fraction & ((1ull << 60) - 1)) * 10;
        decimals[i] = (char)(fraction >> 60);
    }
    fraction &= (1ull << 60) - 1;
    up = fraction > half || (fraction == half && ((precision ? (uint64_t)decimals[precision - 1] : whole) & 1)); /* a half to the even digit */
    for (unsigned i = precision; up && i-- > 0; up = !decimals[i])
        decimals[i] = (char)(decimals[i] == 9 ? 0 : decimals[i] + 1);
    whole += up;
    do
        digits[--at] = (char)('0' + whole % 10);
    while (whole /= 10);
    while (at < sizeof digits)
        text[n++] = digits[at++];
    if (precision)
        text[n++] = '.';
    for (unsigned i = 0; i < precision; i++)
        text[n++] = (char)('0' + decimals[i]);
    put_padded(o, c, sign_of(c, bits >> 63), text, n);
}

static void put_string(struct output *o, struct conversion *c, uint64_t from)
{
    size_t n = 0, most = c->has_precision ? c->precision : STRING_MAX, pad;
    char byte = 0;

    c->zero = false;
    if (!from || (most && !o->read(from, &byte, 1))) {
        put_padded(o, c, "", from ? "(?)" : "(null)", from ? 3 : most < 6 ? most : 6);
        return;
    }
    while (n < most && o->read(from + n, &byte, 1) && byte)
        n++;
    pad = c->width > n ? c->width - n : 0;
    for (; pad && !c->left; pad--)
        put(o, ' ');
    for (size_t i = 0; i < n; i++) {
        o->read(from + i, &byte, 1);
        put(o, byte);
    }
    for (; pad; pad--)
        put(o, ' ');
}

static unsigned read_count(const char **p, struct output *o)
{
    unsigned n = 0;

    if (**p == '*') {
        ++*p;
        return (unsigned)take(o, false);
    }
    for (; **p >= '0' && **p <= '9'; ++*p)
        n = n < 100000 ? n * 10 + (unsigned)(**p - '0') : n;
    return n;
}

static const char *read_conversion(const char *p, struct output *o, struct conversion *c)
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
    c->width = read_count(&p, o);
    if ((int)c->width < 0) {
        c->left = true;
        c->width = 0 - c->width;
    }
    if (*p == '.') {
        p++;
        c->precision = read_count(&p, o);
        c->has_precision = (int)c->precision >= 0;
    }
    for (; *p == 'h' || *p == 'l' || *p == 'z' || *p == 'j' || *p == 't'; p++)
        c->length = *p == 'h' ? c->length / 2 : 8;
    return p;
}

static void convert(struct output *o, struct conversion *c, char kind)
{
    char one;

    c->width = c->width < 1000 ? c->width : 1000;
    c->precision = c->precision < PRECISION_MAX ? c->precision : PRECISION_MAX;
    switch (kind) {
    case 'd': case 'i': case 'u': case 'x': case 'X': case 'o': put_integer(o, c, kind, take(o, false)); break;
    case 'p': c->length = 8; c->alternate = true; put_integer(o, c, 'x', take(o, false)); break;
    case 'c': one = (char)take(o, false); c->zero = false; put_padded(o, c, "", &one, 1); break;
    case 's': put_string(o, c, take(o, false)); break;
    case 'f': case 'F':
    case 'e': case 'E':
    case 'g': case 'G':
    case 'a': case 'A': put_double(o, c, take(o, true)); break;
    default: put(o, '%'); if (kind != '%') put(o, kind); break;
    }
}

size_t qn_format_by(char *text, size_t size, const char *format, const void *arguments, qn_format_read *read)
{
    struct output o = {.text = text, .size = size, .read = read};
    struct conversion c;

    __builtin_memcpy(&o.arguments, arguments, sizeof o.arguments);
    for (const char *p = format; *p; p++) {
        if (*p != '%') {
            put(&o, *p);
            continue;
        }
        p = read_conversion(p + 1, &o, &c);
        if (!*p)
            break;
        convert(&o, &c, *p);
    }
    if (size)
        text[o.n < size ? o.n : size - 1] = 0;
    return o.n;
}

static bool read_own(uint64_t from, void *to, size_t n)
{
    __builtin_memcpy(to, (const void *)(uintptr_t)from, n);
    return true;
}

size_t qn_format_v(char *buf, size_t size, const char *format, va_list args)
{
    size_t n = qn_format_by(buf, size, format, args, read_own);

    return n < size ? n : size ? size - 1 : 0;
}

size_t qn_format(char *buf, size_t size, const char *format, ...)
{
    va_list args;
    size_t len;

    va_start(args, format);
    len = qn_format_v(buf, size, format, args);
    va_end(args);
    return len;
}

const char *qn_parse_decimal(const char *text, uint64_t *value)
{
    for (*value = 0; *text >= '0' && *text <= '9'; text++)
        *value = *value * 10 + (uint64_t)(*text - '0');
    return text;
}

const char *qn_parse_hex(const char *text, uint64_t *value)
{
    for (*value = 0;; text++) {
        unsigned digit = *text >= '0' && *text <= '9'   ? (unsigned)(*text - '0')
                         : *text >= 'a' && *text <= 'f' ? (unsigned)(*text - 'a' + 10)
                                                        : 16;

        if (digit > 15)
            return text;
        *value = *value << 4 | digit;
    }
}

void qn_normalise_path(char *path)
{
    char *to = path;
    const char *from = path;

    while (*from) {
        size_t n = 0;

        while (*from == '/')
            from++;
        while (from[n] && from[n] != '/')
            n++;
        if (n == 2 && from[0] == '.' && from[1] == '.') {
            while (to > path && *--to != '/')
                ;
        } else if (n && !(n == 1 && from[0] == '.')) {
            *to++ = '/';
            __builtin_memmove(to, from, n);
            to += n;
        }
        from += n;
    }
    *to = 0;
}
