/* Symbols of this program, some of which overlap: which one an address belongs to. */
#define _GNU_SOURCE
#include "debug/debug.h"

#include <link.h>
#include <unistd.h>

#include "tap.h"

/*  0 outer..........................10    nested 4..6, tail of outer shown by nobody
 * 16 short..18  long.......24             begin together: the longer goes on behind the shorter
 * 24 alias_of_x = x                       the shorter name
 * 32 sizeless                             not a symbol for us
 */
__asm__(".pushsection .text\n .p2align 4\n .globl qn_area\n"
        "qn_area:\n"
        ".macro sym name, at, size\n .type \\name, @function\n .set \\name, qn_area + \\at\n .size \\name, \\size\n .endm\n"
        "sym outer, 0, 10\n sym nested, 4, 2\n"
        "sym long, 16, 8\n sym short, 16, 2\n"
        "sym alias_of_x, 24, 4\n sym x, 24, 4\n"
        "sym sizeless, 32, 0\n"
        ".fill 48, 1, 0x90\n .popsection\n");
extern const char qn_area[];

static struct qn_debug *self;
static uint64_t area;

static int find_bias(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)size;
    *(uint64_t *)data = info->dlpi_addr;
    return 1;
}

static void is_at(uint64_t offset, const char *name, uint64_t end)
{
    struct qn_debug_place p;

    qn_debug_find(self, area + offset, &p);
    is_str(p.function, name, "offset %d is %s", (int)offset, name ? name : "nobody's");
    if (end)
        is_int(p.end - area, (int64_t)end, "up to %d", (int)end);
}

int main(void)
{
    char why[100];
    uint64_t bias, address;

    dl_iterate_phdr(find_bias, &bias);
    area = (uintptr_t)qn_area - bias;
    self = qn_debug_open("/proc/self/exe", why, sizeof why);
    if (!self)
        bail("%s", why);
    is_at(0, "outer", 4);
    is_at(3, "outer", 4);
    is_at(4, "nested", 6);
    is_at(6, NULL, 16);
    is_at(12, NULL, 16);
    is_at(16, "short", 18);
    is_at(18, "long", 24);
    is_at(23, "long", 24);
    is_at(24, "x", 28);
    is_at(32, NULL, 0);
    ok(!qn_debug_address(self, 1ull << 40, &address), "an offset behind the file has no address");
    qn_debug_close(self);
    ok(!qn_debug_open("/etc/passwd", why, sizeof why), "a text file cannot be opened");
    is_str(why, "not an ELF file", "and why");
    ok(!qn_debug_open("/nosuch", why, sizeof why), "nor a missing one");
    is_str(why, "No such file or directory", "and why");
    ok(!qn_debug_open("/dev/null", why, sizeof why), "nor a device");
    return done_testing();
}
