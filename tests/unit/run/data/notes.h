/* notes.h - a program that says what it allocates, so that a model can know it at each reference of a trace.
 *
 *   note("+ %p %zu heap:by_malloc", block, size)    the text is kept, and one byte of `mark` is written: the place in the trace
 *
 * At its end write_notes() makes events.txt: "mark ADDRESS", then a line for each note.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile char mark[64] __attribute__((aligned(64), used));
static char notes[1 << 20];
static size_t notes_used;

static void __attribute__((noinline, unused)) note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    notes_used += (size_t)vsnprintf(notes + notes_used, sizeof notes - notes_used, format, args);
    va_end(args);
    notes[notes_used++] = '\n';
    mark[0] = 1;
}

static void __attribute__((unused)) write_notes(void)
{
    FILE *f = fopen("events.txt", "w");

    fprintf(f, "mark %p\n", (void *)mark);
    fwrite(notes, 1, notes_used, f);
    fclose(f);
}

static unsigned seed = 1;

/* Reads and writes here and there, so that some of it misses.  Where does not depend on what is read: what lies on a stack may differ from run to run. */
static void __attribute__((noinline, unused)) touch(void *block, size_t size)
{
    volatile unsigned char *p = (volatile unsigned char *)block;

    for (size_t i = 0; i < size; i += 1 + (seed >> 20) % 100) {
        seed = seed * 1103515245u + 12345u;
        if (seed >> 16 & 1)
            p[i] = (unsigned char)seed;
        else
            (void)p[i];
    }
}

#define ADD(block, size, key) note("+ %p %zu " key, (void *)(block), (size_t)(size))
#define GONE(block) note("- %p", (void *)(block))
#define IS(variable, key) note("= %p %zu " key, (void *)&(variable), sizeof(variable))
