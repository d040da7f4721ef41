/* lib/base/format.c - see format.h. */
#include "base/format.h"

#include "base/base.h"

struct sink {
    char *buf;
    size_t len, size;
};

static void put(struct sink *s, char c)
{
    if (s->len + 1 < s->size)
        s->buf[s->len++] = c;
}

static void put_string(struct sink *s, const char *text)
{
    for (text = text ? text : "(null)"; *text; text++)
        put(s, *text);
}

static void put_number(struct sink *s, uint64_t value, unsigned base)
{
    char digits[20];
    int n = 0;

    do
        digits[n++] = "0123456789abcdef"[value % base];
    while ((value /= base) != 0);
    while (n > 0)
        put(s, digits[--n]);
}

static void put_signed(struct sink *s, int64_t value)
{
    if (value < 0)
        put(s, '-');
    put_number(s, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10);
}

static void put_byte(struct sink *s, unsigned byte)
{
    put(s, "0123456789abcdef"[(byte >> 4) & 15]);
    put(s, "0123456789abcdef"[byte & 15]);
}

static void convert(struct sink *s, char kind, va_list *args)
{
    switch (kind) {
    case 's': put_string(s, va_arg(*args, const char *)); break;
    case 'c': put(s, (char)va_arg(*args, int)); break;
    case 'd': put_signed(s, va_arg(*args, int)); break;
    case 'u': put_number(s, va_arg(*args, unsigned), 10); break;
    case 'D': put_signed(s, va_arg(*args, int64_t)); break;
    case 'U': put_number(s, va_arg(*args, uint64_t), 10); break;
    case 'x': put_number(s, va_arg(*args, uint64_t), 16); break;
    case 'X': put_byte(s, va_arg(*args, unsigned)); break;
    default: put(s, kind); break;
    }
}

size_t qn_format_v(char *buf, size_t size, const char *format, va_list args)
{
    struct sink s = {buf, 0, size};
    va_list copy;

    va_copy(copy, args);
    for (; *format; format++) {
        if (*format == '%' && format[1])
            convert(&s, *++format, &copy);
        else
            put(&s, *format);
    }
    va_end(copy);
    if (size)
        buf[s.len] = 0;
    return s.len;
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
