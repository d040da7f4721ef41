/* tests/fuzz/fuzz.h - what the fuzzers share: files in memory, and a way to say what must not be.
 *
 *   path = fuzz_file(0, data, size);       /proc/self/fd/N: a file with these bytes, the first of a few
 *   must(result == 0, "what was read can be read again");
 */
#ifndef FUZZ_H
#define FUZZ_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "text/error.h"
#include "prof/write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_FILES = 3 };

struct fuzz_file {
    int fd; /* 0: not made yet */
    char path[32];
};

static struct fuzz_file fuzz_files[FUZZ_FILES] __attribute__((unused));

#define must(condition, what)                                                                       \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            dprintf(2, "%s:%d: not so: %s\n", __FILE__, __LINE__, what);                            \
            abort();                                                                                \
        }                                                                                           \
    } while (0)

/* The path of one of the files, emptied, then filled with `size` bytes. */
static inline const char *fuzz_file(int which, const void *data, size_t size)
{
    struct fuzz_file *f = &fuzz_files[which];
    if (!f->fd) {
        f->fd = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(f->path, sizeof f->path, "/proc/self/fd/%d", f->fd);
    }
    must(ftruncate(f->fd, 0) == 0 && pwrite(f->fd, data, size, 0) == (ssize_t)size, "memory for a file");
    return f->path;
}

/* A writer to one of the files, which has been emptied. */
static inline struct qn_prof_writer *fuzz_writer(int which)
{
    const char *path = fuzz_file(which, "", 0);
    must(lseek(fuzz_files[which].fd, 0, SEEK_SET) == 0, "a start of the file");
    return qn_prof_open_writer_fd(fuzz_files[which].fd, path);
}

/* The content of one of the files; free() it. */
static inline char *fuzz_content(int which, size_t *size)
{
    off_t end = lseek(fuzz_files[which].fd, 0, SEEK_END);
    char *text = malloc((size_t)end + 1);
    must(text && pread(fuzz_files[which].fd, text, (size_t)end, 0) == end, "memory for a file");
    *size = (size_t)end;
    return text;
}

/* A failure has a message, a success has none. */
static inline void fuzz_check_error(enum qn_text_status status, const struct qn_text_error *err)
{
    must(status == err->status, "status and error agree");
    must((err->status != QN_TEXT_OK) == (err->text[0] != '\0'), "a failure has a message");
}

#endif
