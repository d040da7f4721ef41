/* tests/fuzz/demangle.c - any bytes as a Rust name (v0): NULL, or a text that is not too long.
 *
 * Older Rust and C++ names end in the C++ library's demangler, which is not ours to test.
 */
#include "fuzz.h"

#include "debug/demangle_v0.h"
#include "debug/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = malloc(size + 3), *shown;
    must(name, "memory");
    memcpy(name, "_R", 2);
    memcpy(name + 2, data, size);
    name[size + 2] = '\0';
    shown = qn_debug_demangle_v0(name);
    must(!shown || strlen(shown) <= QN_V0_OUTPUT_MAX, "a text that is not too long");
    free(shown);
    free(name);
    return 0;
}
