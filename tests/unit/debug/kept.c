/* Do line tables that were kept say what the debug information says, and is a kept file that is not sound left alone? */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/hash.h"
#include "debug/internal.h"
#include "tap.h"

#define CHECKSUM_AT 16 /* in a kept file */
#define FLIPS 400
#define MANY 100 /* functions: more than 64 KiB of lines */
#define DAY (24 * 3600)
#define MARK "quern lines 0\n"

static char scratch[PATH_MAX], directory[PATH_MAX + 20], program[PATH_MAX + 20], kept[PATH_MAX + 200];
static uint64_t wanted; /* all answers of the program, read from its debug information */

static void use(const char *kept_directory)
{
    qn_debug_configure(&(struct qn_debug_settings){ .kept = kept_directory });
}

/* All answers of a module. */
static uint64_t ask(struct qn_debug *d)
{
    uint64_t hash = QN_HASH_NONE;
    struct qn_debug_place place;

    for (size_t i = 0; i < d->nsegments; i++)
        for (uint64_t a = d->segments[i].address; d->segments[i].executable && a < d->segments[i].address + d->segments[i].file_size;
             a = place.end) {
            qn_debug_find(d, a, &place);
            hash = qn_hash_add(qn_hash_add(hash, place.line), place.end);
            if (place.file)
                hash = qn_hash_bytes(hash, place.file, strlen(place.file));
        }
    return hash;
}

/* Opens the program and asks: 1 by kept tables, 0 without, -1 with other answers than wanted.  `keep`: keeps what was read. */
static int used(bool keep)
{
    char why[100];
    struct qn_debug *d = qn_debug_open(program, why, sizeof why);
    int result;

    if (!d)
        return -1;
    qn_debug_read_ahead(d);
    result = ask(d) == wanted && !d->damaged ? d->lines.mapped != NULL : -1;
    if (keep)
        qn_debug_keep_lines(d);
    qn_debug_close(d);
    return result;
}

static char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "re");
    char *bytes = malloc(1 << 22);

    *size = f ? fread(bytes, 1, 1 << 22, f) : 0;
    if (f)
        fclose(f);
    return bytes;
}

static void write_all(const char *path, const char *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (write(fd, bytes, size) != (ssize_t)size)
        bail("cannot write %s", path);
    close(fd);
}

static void put_checksum(char *bytes, size_t size)
{
    uint64_t hash = QN_HASH_NONE, word;

    for (size_t i = CHECKSUM_AT + sizeof hash; i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        hash = qn_hash_add(hash, word);
    }
    memcpy(bytes + CHECKSUM_AT, &hash, sizeof hash);
}

/* Every damage is seen, and a file that lies about itself does no harm. */
static void check_damage(void)
{
    size_t size;
    char *bytes = read_all(kept, &size), why[100];
    unsigned wrong = 0, sound = 0;

    srand(1);
    for (int i = 0; i < FLIPS; i++) {
        size_t at = i < 80 ? (size_t)i : (size_t)rand() % size;
        char before = bytes[at];

        bytes[at] = (char)(before ^ (1 << rand() % 8));
        write_all(kept, bytes, size);
        wrong += used(false) != 0;
        put_checksum(bytes, size);
        write_all(kept, bytes, size);
        struct qn_debug *d = qn_debug_open(program, why, sizeof why);
        sound += d && ask(d);
        qn_debug_close(d);
        bytes[at] = before;
        put_checksum(bytes, size);
    }
    is_int(wrong, 0, "of %d damaged files none is used", FLIPS);
    is_int(sound, FLIPS, "with the right checksum they do no harm");
    wrong = 0;
    for (size_t n = 0; n < size; n += size / 50 + 1) {
        write_all(kept, bytes, n);
        wrong += used(false) != 0;
    }
    is_int(wrong, 0, "nor is one that is cut");
    write_all(kept, bytes, size);
    is_int(used(false), 1, "the undamaged one is");
    free(bytes);
}

static void check_owner(void)
{
    char other[PATH_MAX + 300];

    chmod(kept, 0620);
    is_int(used(false), 0, "a file that others may write is not used");
    chmod(kept, 0600);
    snprintf(other, sizeof other, "%s.other", kept);
    rename(kept, other);
    if (symlink(other, kept))
        bail("no symbolic links here");
    is_int(used(false), 0, "nor one behind a symbolic link");
    unlink(kept);
    mkdir(kept, 0700);
    is_int(used(true), 0, "nor a directory");
    rmdir(kept);
    rename(other, kept);
    is_int(used(false), 1, "and then it is again");
}

static void make_old(const char *name, const char *bytes, time_t age, off_t size)
{
    char path[PATH_MAX + 100];
    struct timespec times[2] = { { time(NULL) - age, 0 }, { time(NULL) - age, 0 } };

    snprintf(path, sizeof path, "%s/%s", directory, name);
    write_all(path, bytes, strlen(bytes));
    if (truncate(path, size))
        bail("cannot make %s larger", path);
    utimensat(AT_FDCWD, path, times, 0);
}

static bool is_there(const char *name)
{
    char path[PATH_MAX + 100];

    snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

static void check_age(void)
{
    static const char *const others[] = { "my.lines", "01.lines.c", "01.lines.old", "0x01.lines", "01.lines AbCdEf", "01x.dwarf", "01.text" };
    struct timespec now[2] = { { 0, UTIME_NOW }, { 1000000000, 5 } };

    make_old("01.lines", MARK, 100 * DAY, 100);
    make_old("01.lines.AbCdEf", MARK, 100 * DAY, 100);
    make_old("02.dwarf", MARK, DAY, 100);
    make_old("03.lines", MARK, DAY / 3, 200 << 20);
    make_old("04.lines", MARK, DAY / 2, 100 << 20);
    make_old("05.lines", "not a word of quern's", 100 * DAY, 300);
    for (size_t i = 0; i < QN_ARRAY_LEN(others); i++)
        make_old(others[i], MARK, 100 * DAY, 100);
    utimensat(AT_FDCWD, program, now, 0);
    is_int(used(true), 0, "a program of another time: it may be another one");
    is_int(used(false), 1, "it is kept anew");
    ok(!is_there("01.lines") && !is_there("01.lines.AbCdEf"), "what nobody has used for long is removed");
    ok(is_there("03.lines") && !is_there("04.lines") && !is_there("02.dwarf"), "and so is what was used before 256 MB of others");
    ok(is_there("05.lines"), "but no file that quern has not marked");
    for (size_t i = 0; i < QN_ARRAY_LEN(others); i++)
        ok(is_there(others[i]), "nor one that quern has not named: %s", others[i]);
}

/* A program of many lines, or of few. */
static bool compile(const char *flags, int functions)
{
    char command[1000];

    snprintf(command, sizeof command, "cd \"$SCRATCH\" && "
             "awk -v functions=%d -f \"$top_srcdir/tests/unit/debug/many_lines.awk\" >source.c && "
             "${CC:-gcc} -g -O0 -shared -fPIC %s -o packed source.c 2>cc", functions, flags);
    return system(command) == 0;
}

int main(void)
{
    char why[100];
    struct qn_debug *d;

    if (!getenv("SCRATCH") || !getenv("top_srcdir")) {
        skip(1, "SCRATCH and top_srcdir are not set");
        return done_testing();
    }
    snprintf(scratch, sizeof scratch, "%s", getenv("SCRATCH"));
    snprintf(directory, sizeof directory, "%s/cache/quern", scratch);
    snprintf(program, sizeof program, "%s/packed", scratch);
    if (!compile("-gz=zlib -Wl,--build-id=0x1234abcd", MANY)) {
        skip(1, "this compiler does not pack debug information");
        return done_testing();
    }
    snprintf(kept, sizeof kept, "%s/1234abcd.lines", directory);
    use(NULL);
    d = qn_debug_open(program, why, sizeof why);
    wanted = ask(d);
    qn_debug_keep_lines(d);
    qn_debug_close(d);
    ok(!is_there("."), "without a directory nothing is kept");
    use("/dev/null/nowhere");
    is_int(used(true) | used(true), 0, "nor where there can be none");

    use(directory);
    is_int(used(true), 0, "at first nothing is kept");
    ok(is_there("1234abcd.lines"), "then it is, in a directory that is made");
    is_int(used(false), 1, "and used");
    check_damage();
    check_owner();
    check_age();

    unlink(kept);
    if (!compile("-gz=none -Wl,--build-id=0x1234abcd", MANY))
        return 1;
    ok(used(true) == 0 && !is_there("1234abcd.lines"), "what is not packed is not kept");
    if (!compile("-gz=zlib -Wl,--build-id=none", MANY))
        return 1;
    is_int(used(true) | used(true), 0, "nor what has no build-id");
    if (!compile("-gz=zlib -Wl,--build-id=0x1234abcd", 1))
        return 1;
    ok(used(true) != 1 && !is_there("1234abcd.lines"), "nor what is quickly read");
    return done_testing();
}
