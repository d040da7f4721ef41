/* Does debug information that was kept say what the packed one says, and is a kept file that is not sound left alone? */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "debug/kept.h"
#include "debug/memory.h"
#include "tap.h"

#define VARIABLES 4500 /* more than 512 KiB of debug information */
#define FLIPS 40

static char directory[PATH_MAX + 20], program[PATH_MAX + 20], kept[PATH_MAX + 200];
static uint64_t wanted; /* all answers of the program, as libdw unpacks it */

static uint64_t add_text(uint64_t hash, const char *text) { return text ? qn_hash_bytes(hash, text, strlen(text)) : qn_hash_add(hash, 1); }

/* Each variable, its type and where it is declared; and the same in the middle of it. */
static uint64_t ask(struct qn_debug *d, unsigned *found)
{
    size_t count;
    const struct qn_debug_object *list = qn_debug_list_objects(d, &count);
    uint64_t hash = QN_HASH_NONE;
    struct qn_debug_variable v;

    *found = 0;
    for (size_t i = 0; i < count; i++)
        for (uint64_t at = list[i].start; at < list[i].end; at += 24) {
            if (!qn_debug_find_variable(d, at, &v))
                continue;
            hash = add_text(add_text(hash, v.name), v.file);
            hash = qn_hash_add(qn_hash_add(qn_hash_add(hash, v.start), v.size), v.line);
            hash = add_text(hash, v.type ? qn_debug_type_name(v.type) : NULL);
            (*found)++;
        }
    return hash;
}

/* 1: by what was kept, 0: without, -1: with other answers than wanted. */
static int used(void)
{
    char why[100];
    struct qn_debug *d = qn_debug_open(program, why, sizeof why);
    unsigned found;
    int result;

    if (!d)
        return -1;
    result = ask(d, &found) == wanted && found > VARIABLES && !d->damaged ? d->image.mapped != NULL : -1;
    qn_debug_close(d);
    return result;
}

/* Is the kept file used?  What is there is not asked. */
static bool is_used(void)
{
    char why[100];
    struct qn_debug *d = qn_debug_open(program, why, sizeof why);
    bool result = d && qn_debug_open_dwarf(d) && d->image.mapped;

    qn_debug_close(d);
    return result;
}

/* The second time. */
static int used_twice(void)
{
    used();
    return used();
}

static char *read_all(size_t *size)
{
    FILE *f = fopen(kept, "re");
    struct stat st;
    char *bytes = NULL;

    if (!f || fstat(fileno(f), &st) || !(bytes = malloc((size_t)st.st_size)))
        bail("cannot read %s", kept);
    *size = fread(bytes, 1, (size_t)st.st_size, f);
    fclose(f);
    return bytes;
}

static void write_all(const char *bytes, size_t size)
{
    int fd = open(kept, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (write(fd, bytes, size) != (ssize_t)size)
        bail("cannot write %s", kept);
    close(fd);
}

/* What is not sound is made anew. */
static void check_damage(void)
{
    size_t size;
    char *bytes = read_all(&size);
    unsigned wrong = 0;

    srand(1);
    for (int i = 0; i < FLIPS; i++) {
        size_t at = i < 20 ? (size_t)i * 4 : (size_t)rand() % size;
        char before = bytes[at];

        bytes[at] = (char)(before ^ (1 << rand() % 8));
        write_all(bytes, size);
        wrong += is_used() || !is_used();
        bytes[at] = before;
    }
    is_int(wrong, 0, "of %d damaged files none is used, and each is made anew", FLIPS);
    wrong = 0;
    for (size_t n = 0; n < size; n += size / 20 + 1) {
        write_all(bytes, n);
        wrong += is_used();
    }
    is_int(wrong, 0, "nor is one that is cut");
    free(bytes);
}

static bool compile_with(const char *compiler, const char *flags, int variables)
{
    char command[1200];

    snprintf(command, sizeof command, "cd \"$SCRATCH\" && awk -v n=%d 'BEGIN { for (i = 0; i < n; i++) "
             "print \"struct s\" i \" { long key; struct s\" i \" *next; int list[\" i %% 7 + 1 \"]; } v\" i \"[\" i %% 3 + 1 \"];\\n"
             "int f\" i \"(void) { static short count\" i \"; return ++count\" i \"; }\" }' >source.c && "
             "%s -g -O0 -shared -fPIC %s -o packed source.c 2>cc", variables, compiler, flags);
    return system(command) == 0;
}

static bool compile(const char *flags, int variables) { return compile_with("${CC:-gcc}", flags, variables); }

static bool is_there(void) { return access(kept, F_OK) == 0; }

/* clang's DWARF 5 has strings and addresses by number: .debug_str_offsets, .debug_addr. */
static void check_clang(void)
{
    unsigned found;
    char why[100];
    struct qn_debug *d;

    if (!compile_with("clang", "-gdwarf-5 -gz=zlib -Wl,--build-id=0x1234abcd", VARIABLES)) {
        skip(3, "no clang that packs debug information");
        return;
    }
    qn_debug_configure(&(struct qn_debug_settings){ .kept = NULL });
    d = qn_debug_open(program, why, sizeof why);
    wanted = d ? ask(d, &found) : 0;
    qn_debug_close(d);
    qn_debug_configure(&(struct qn_debug_settings){ .kept = directory });
    is_int(used(), 0, "what clang wrote: at first nothing is kept");
    is_int(used(), 1, "then it is, and says the same");
    unlink(kept);
    if (system("cd \"$SCRATCH\" && echo 'int other;' >other.c && clang -gdwarf-5 -gsplit-dwarf -fPIC -c other.c 2>cc")
        || !compile_with("clang", "-gdwarf-5 -gz=zlib -Wl,--build-id=0x1234abcd other.o", VARIABLES))
        bail("clang does not split debug information");
    used();
    ok(!is_there(), "with a .dwo file beside it nothing is kept");
}

int main(void)
{
    struct timespec now[2] = { { 0, UTIME_NOW }, { 1000000000, 5 } };
    unsigned found;
    char why[100];
    struct qn_debug *d;

    if (!getenv("SCRATCH") || !getenv("top_srcdir")) {
        skip(1, "SCRATCH and top_srcdir are not set");
        return done_testing();
    }
    snprintf(directory, sizeof directory, "%s/cache/quern", getenv("SCRATCH"));
    snprintf(program, sizeof program, "%s/packed", getenv("SCRATCH"));
    snprintf(kept, sizeof kept, "%s/1234abcd.dwarf", directory);
    if (!compile("-gz=zlib -Wl,--build-id=0x1234abcd", VARIABLES)) {
        skip(1, "this compiler does not pack debug information");
        return done_testing();
    }
    qn_debug_configure(&(struct qn_debug_settings){ .kept = NULL });
    d = qn_debug_open(program, why, sizeof why);
    wanted = d ? ask(d, &found) : 0;
    qn_debug_close(d);
    ok(!is_there(), "without a directory nothing is kept");
    qn_debug_configure(&(struct qn_debug_settings){ .kept = "/dev/null/nowhere" });
    is_int(used_twice(), 0, "nor where there can be none");

    qn_debug_configure(&(struct qn_debug_settings){ .kept = directory });
    is_int(used(), 0, "at first nothing is kept");
    ok(is_there(), "then it is");
    is_int(used(), 1, "and used");
    check_damage();
    is_int(used_twice(), 1, "an undamaged one is");
    utimensat(AT_FDCWD, program, now, 0);
    is_int(used(), 0, "a program of another time: it may be another one");
    is_int(used(), 1, "it is kept anew");

    unlink(kept);
    if (!compile("-gz=none -Wl,--build-id=0x1234abcd", VARIABLES))
        return 1;
    ok(used() == 0 && !is_there(), "what is not packed is not kept");
    if (!compile("-gz=zlib -Wl,--build-id=none", VARIABLES))
        return 1;
    is_int(used_twice(), 0, "nor what has no build-id");
    if (!compile("-gz=zlib -Wl,--build-id=0x1234abcd", 10))
        return 1;
    ok(used() != 1 && !is_there(), "nor what is quickly read");
    check_clang();
    return done_testing();
}
