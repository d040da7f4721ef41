/* Damaged ELF files: this program's own file, with bytes changed at random, asked about many addresses.
 * Whatever the answers are, asking must not crash, hang or read outside the file.
 *
 *   damage FILE ROUNDS     of another file, so often; doc/testing.md has what was run so */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug/debug.h"
#include "tap.h"

#define ROUNDS 150
#define QUESTIONS 400

static uint64_t state = 88172645463325252u;

static uint64_t random_below(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

static unsigned char *read_file(const char *path, size_t *size)
{
    int fd = open(path, O_RDONLY);
    struct stat st;
    unsigned char *bytes = NULL;

    if (fd < 0 || fstat(fd, &st) || !(bytes = malloc((size_t)st.st_size)))
        bail("no memory");
    *size = (size_t)st.st_size;
    if (pread(fd, bytes, *size, 0) != (ssize_t)*size)
        bail("cannot read %s", path);
    close(fd);
    return bytes;
}

/* Few changes anywhere, many changes, or changes in the headers. */
static void damage(unsigned char *image, size_t size, int round)
{
    size_t changes = round % 3 == 1 ? size / 50 : 1 + random_below(40);
    size_t area = round % 3 == 2 ? 0x400 : size;

    while (changes--) {
        size_t at = random_below(area);

        if (area == size && at < 0x40)
            continue;
        image[at] = random_below(3) ? (unsigned char)random_below(256) : 0xff;
    }
}

static unsigned ask(const unsigned char *image, size_t size)
{
    char why[100];
    struct qn_debug *d = qn_debug_open_memory(image, size, why, sizeof why);
    unsigned answers = 0;

    for (int i = 0; d && i < QUESTIONS; i++) {
        struct qn_debug_place p;
        uint64_t address;

        if (!qn_debug_address(d, random_below(size), &address))
            address = random_below(2 * size);
        qn_debug_find(d, address, &p);
        answers += p.function || p.file;
        if (p.end <= address)
            bail("an answer that ends before it begins");
        if ((p.file && strlen(p.file) > 100000) || (p.function && strlen(p.function) > 10000000))
            bail("a name without end");
    }
    qn_debug_close(d);
    return answers;
}

/* Where a segment reaches beyond the last address, the range of an answer would have no end. */
static void test_beyond(const unsigned char *sound, unsigned char *image, size_t size)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    char why[100] = "";

    memcpy(image, sound, size);
    memcpy(&header, image, sizeof header);
    for (size_t at = header.e_phoff; at < header.e_phoff + (size_t)header.e_phnum * sizeof segment; at += sizeof segment) {
        memcpy(&segment, image + at, sizeof segment);
        segment.p_vaddr = segment.p_type == PT_LOAD ? UINT64_MAX : segment.p_vaddr;
        memcpy(image + at, &segment, sizeof segment);
    }
    ok(!qn_debug_open_memory(image, size, why, sizeof why), "segments beyond the last address are refused");
    is_str(why, "damaged program headers", "with the reason");
}

int main(int argc, char **argv)
{
    size_t size;
    unsigned char *sound = read_file(argc > 1 ? argv[1] : "/proc/self/exe", &size), *image = malloc(size);
    int rounds = argc > 2 ? atoi(argv[2]) : ROUNDS;
    unsigned answers = 0;

    if (!image)
        bail("no memory");
    ok(ask(sound, size) > (argc > 1 ? 0 : QUESTIONS / 10), "the sound file has answers");
    test_beyond(sound, image, size);
    for (int round = 0; round < rounds; round++) {
        memcpy(image, sound, size);
        damage(image, size, round);
        answers += ask(image, size);
    }
    ok(answers > 0, "%d damaged files gave %u answers and no crash", rounds, answers);
    for (size_t cut = 0; cut < size; cut += 1 + size / 61)
        answers += ask(sound, cut);
    ok(true, "nor did cut ones");
    free(image);
    free(sound);
    return done_testing();
}
