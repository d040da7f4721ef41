/* tests/fuzz/demangle.c - any bytes as a Rust name: NULL, or a text that is not too long. */
#include "fuzz.h"

#include "debug/internal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *name = malloc(size + 3), *shown;
    must(name, "memory");
    memcpy(name, "_R", 2);
    memcpy(name + 2, data, size);
    name[size + 2] = '\0';
    shown = qn_debug_demangle(name);
    must(!shown || strlen(shown) <= QN_DEBUG_SHOWN_MAX, "a text that is not too long");
    free(shown);
    free(name);
    return 0;
}
