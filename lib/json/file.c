/* lib/json/file.c - a file as JSON, by what its first line says it is.  See json.h. */
#include <string.h>

#include "json/json.h"

/* The first line, as far as `first` goes. */
static void read_first(const char *path, char *first, int size)
{
    FILE *f = strcmp(path, "-") ? fopen(path, "r") : NULL;

    first[0] = 0;
    if (f && !fgets(first, size, f))
        first[0] = 0;
    if (f)
        fclose(f);
}

/* A sweep's CSV begins with the column "quern". */
static bool is_sweep(const char *path)
{
    static const char head[] = "quern,";
    char first[sizeof head];

    read_first(path, first, sizeof first);
    return !strcmp(first, head);
}

/* Profiles begin with a word and a colon, or a comment; names of columns have a comma. */
static bool is_table(const char *path)
{
    char first[512];
    size_t word;

    read_first(path, first, sizeof first);
    word = strcspn(first, ",:#= \n");
    return first[word] == ',' || (word && first[word] == ' ' && strchr(first, ',') && !strchr(first, ':'));
}

enum qn_text_status qn_json_write_file(FILE *out, const char *path, bool totals, struct qn_text_error *err)
{
    return is_sweep(path) ? qn_json_write_sweep(out, path, err) : is_table(path) ? qn_json_write_table(out, path, err)
                                                                                        : qn_json_write_profile(out, path, totals, err);
}
