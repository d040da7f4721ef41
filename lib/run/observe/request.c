/* lib/run/observe/request.c - client requests: what a program asks of the tool that runs it.
 *
 *   rol $3,%rdi; rol $13,%rdi; rol $61,%rdi; rol $51,%rdi; xchg %rbx,%rbx      does nothing natively
 *   rax -> { request, argument 1 ... 5 }     rdx = the answer if nobody answers; the answer
 *
 * The sequence, the layout and most numbers are those of Valgrind's public headers (valgrind.h, cachegrind.h), whose
 * macros programs contain; those of quern.h are our own.  Requests that are not known here leave the answer as it would
 * be natively, so that a program does the same as without any tool: RUNNING_ON_VALGRIND is 0.
 */

#include "base/format.h"
#include "block/block.h"
#include "cost/messages.h"
#include "run/run.h"

/* A wrong pointer is "(?)", not a fault. */
static bool read_guest(uint64_t from, void *to, size_t n) { return qn_read_guest(from, to, n); }

/* Returns how many bytes there would have been. */
static size_t guest_printf(char *text, size_t size, uint64_t format, uint64_t va_list)
{
    uint8_t arguments[QN_VA_LIST_BYTES] = {0};
    char copy[1024];

    if (!qn_copy_string(format, copy, sizeof copy))
        copy[sizeof copy - 1] = 0;
    qn_read_guest(va_list, arguments, sizeof arguments);
    return qn_format_by(text, size, copy, arguments, read_guest);
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
