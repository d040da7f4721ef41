/* Which of two names of one address is shown. */
#include "debug/internal.h"
#include "tap.h"

static void prefers(const char *a, const char *b, const char *why)
{
    ok(qn_debug_prefer_name(a, b) && !qn_debug_prefer_name(b, a), "%s before %s: %s", a, b, why);
}

int main(void)
{
    prefers("malloc", "__libc_malloc", "shorter");
    prefers("malloc@@GLIBC_2.2.5", "__malloc", "shorter without its version");
    prefers("read@@GLIBC_2.2.5", "read", "versioned");
    prefers("abc", "abd", "in order of bytes");
    prefers("PMPI_Send", "MPI_Send", "the entry point of MPI");
    prefers("a", "", "not empty");
    prefers("abc", "  ", "not blank");
    ok(qn_debug_prefer_name("x", "x"), "a name is as good as itself");
    return done_testing();
}
