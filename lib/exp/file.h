/* lib/exp/file.h - reads an experiment from a file, which can be kept under version control.
 *
 *   LL = "1048576,16,64"                       fixed: I1 D1 LL seed counting cache-sim branch-sim timeout
 *   options = {"bits=12"}                      for simulator modules
 *   environment = {"LC_ALL=C", "HOME"}         for the programs; a name alone takes our own value
 *
 *   axis sim     { values = {lru, fifo, mine} }
 *   axis D1.size { from = 1K  to = 256K }      powers of two
 *   axis n       { values = {1..10} }          {n} below
 *
 *   simulator mine { D1 = "mine.c"  options = {"D1.degree=4"} }
 *   program gzip   { command = {gzip, "-{n}", "-c", "corpus.txt"} }
 *   program sort   { command = {sort}  input = "corpus.txt" }
 *
 * Comments begin with # or //.  exp.h defines the words.  The parser is libConfuse: of Debian's libraries it is the one
 * that has named sections, lists and quoting, and that reports an unknown word with its line.
 */
#ifndef QN_EXP_FILE_H
#define QN_EXP_FILE_H

#include "exp/exp.h"

/* Adds the contents of the file to `e`.  false: `err` is FILE:LINE: what.  Not reentrant. */
bool qn_exp_read_file(struct qn_exp *e, const char *path, struct qn_text_error *err);

#endif
