/* tests/unit/decode/decode_fuzzed.c - the inputs that the decoder's fuzzer has found and kept.
 *
 * Question: does everything that tests/fuzz/decode.c demands hold for each of them, in the ordinary build, too?  The
 * inputs are lines of hexadecimal in tests/fuzz/decode.inputs.  A demand that is not met aborts. */
#include "../../fuzz/decode.c"

int main(void)
{
    char path[4096], hex[256];
    const char *top = getenv("top_srcdir");
    FILE *in;
    unsigned count = 0;

    snprintf(path, sizeof path, "%s/tests/fuzz/decode.inputs", top ? top : ".");
    in = fopen(path, "r");
    if (!in) {
        printf("Bail out! %s cannot be read\n", path);
        return 1;
    }
    printf("1..1\n");
    while (fgets(hex, sizeof hex, in)) {
        uint8_t data[sizeof hex / 2];
        size_t size = 0;
        unsigned value;

        for (const char *at = hex; sscanf(at, "%2x", &value) == 1; at += 2)
            data[size++] = value;
        LLVMFuzzerTestOneInput(data, size);
        count++;
    }
    fclose(in);
    printf("%s 1 - %u inputs of the fuzzer\n", count > 100 ? "ok" : "not ok", count);
    return count <= 100;
}
