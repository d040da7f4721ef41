/* lib/page/profile.h - a profile as JSON for the page: rows by function and by line; of too many, the most costly.
 *
 *   profile  ->  {"path":"a.out","command":"./prog","descs":[["Seed","1"]],"events":["Ir"],"weights":[1],"timing":"...","totals":[0,9],
 *                 "functions":[[0,1,2,9]],                      function, object, file, counts
 *                 "files":[{"name":"a.c","lines":[[12,0,1,9]],  line, function, object, counts
 *                           "insns":[[12,0,1,"0x401136","nop",9]],
 *                           "size":31,"text":[[1,["int main(void)", ...]]]}],
 *                 "names":["main","???","a.c"],                 functions, objects and files above are numbers of this list
 *                 "data":{"events":["D1mr"],                    only if the profile has objects
 *                         "objects":[["heap","malloc","double","a.c",20,"main",64,1000,64000,8]],
 *                                     kind, name, type, file, line, function, size, blocks, bytes, bytes of the type
 *                         "advice":[["struct item: 128 bytes, 42% of the D1 misses","95% of its D1 misses are on x ..."]],
 *                         "parts":[[0,"+8"]],"members":[[0,"key",8,4]],"misses":[[2,0,12,0,0,9]],"lost":[0,0]},
 *                                     members: object, name, offset, size; misses: file, function, line, object, part or -1, counts;
 *                                     also "pairs" (object, by or -1, misses, conflicts), "line" (bytes) and "uses" (object, part, filled, used);
 *                                     an object of kind "others" stands for those without room; its line is their number
 *                 "calls":{"events":["Ir"],                     only if the profile has calls
 *                          "functions":[[0,2,1,3,900]],          name, file, object, times entered, inclusive counts
 *                          "edges":[[0,17,-1,1,3,600]],          caller, line, its file or -1, callee, calls, inclusive counts
 *                          "nodes":[[-1,0,1,300]],               parent or -1, function, calls, counts of its own
 *                          "left":[0,0,0],"lost":[["edges",7]]},
 *                 "culprits":{"columns":["count",...],"rows":[[91,95,2,0,9,2,0,9]],"left":0}
 *                 "left":{"functions":0,"lines":0}}             numbers of rows without room
 *
 * The cost of a row is the sum of lib/report/facts.h, as in the report.
 */
#ifndef QN_PAGE_PROFILE_H
#define QN_PAGE_PROFILE_H

#include "text/memory.h"
#include "page/page.h"
#include "text/csv.h"
#include "prof/tables/calls.h"
#include "prof/merge.h"
#include "prof/tables/data.h"
#include "text/names.h"
#include "prof/read.h"
#include "prof/table/table.h"

struct qn_plot_profile;

struct qn_page_file {
    const char *name;
    size_t first, end; /* its rows in the table, those of instructions included */
    double cost;
    bool more;         /* its source stands in the second file */
};

struct qn_page_profile {
    const char *path, *shown; /* shown: its name on the page */
    struct qn_prof_reader *reader; /* owns the header */
    struct qn_prof_merge *merge;   /* owns the lines */
    struct qn_prof_table *lines, *functions;
    bool owns;                     /* these four; else the request does */
    int events;
    double *weights;             /* by event: cycles that one costs */
    double least_line, least_insn, least_function; /* rows that cost less are left out */
    size_t more_bytes;           /* of sources in the second file */
    struct qn_page_file *files;  /* the most costly first */
    size_t file_count;
    struct qn_prof_data data;    /* objects and the misses on them */
    struct qn_prof_calls calls;
    struct qn_text_names names;
    struct qn_text_memory memory;
};

/* Call qn_page_free_profile even if it fails.  `read`: has the rows of the profile if they were read before, else NULL. */
enum qn_text_status qn_page_read_profile(struct qn_page_profile *p, const char *path, const struct qn_plot_profile *read, struct qn_text_error *err);
void qn_page_free_profile(struct qn_page_profile *p);

/* The cost of a row in cycles; of a difference, without its sign. */
double qn_page_cost(const struct qn_page_profile *p, const int64_t *counts);

/* The number of a name of functions, objects and files; NULL: that of "". */
uint32_t qn_page_name(struct qn_page_profile *p, const char *name);

/* Its parts: "data":{...}, "calls":{...} and "culprits":{...}, with a comma behind; nothing if the profile has none. */
void qn_page_put_objects(struct qn_page_profile *p, FILE *out);
#define QN_PAGE_OTHERS UINT32_MAX /* in `by`: others, no object in particular; -1 on the page */
void qn_page_put_calls(struct qn_page_profile *p, FILE *out);
void qn_page_put_culprits(struct qn_page_profile *p, const struct qn_text_table *t, FILE *out);
/* Cache lines that threads share: PROFILE.sharing.csv, and if they lie beside it, who takes lines from whom, by lines of source and by cores;
 * those have no columns if they are missing. */
struct qn_page_sharing {
    struct qn_text_table lines, takers, cores;
};
enum qn_text_status qn_page_read_sharing(struct qn_page_sharing *s, const char *path, struct qn_text_error *err);
void qn_page_put_sharing(const struct qn_page_sharing *s, FILE *out); /* ,"sharing":{...},"takers":{...},"cores":{...} */
void qn_page_put_threads(const char *path, FILE *out); /* ,"byThread":[[0,3,1],...]: a number, counts; nothing if the profile has none */
void qn_page_free_sharing(struct qn_page_sharing *s);
enum qn_text_status qn_page_check_culprits(const struct qn_text_table *t, const char *path, struct qn_text_error *err);

#endif
