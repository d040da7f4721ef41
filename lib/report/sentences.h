/* lib/report/sentences.h - every sentence of advice of report and page, each below the numbers from which it follows.
 *
 *   SAY_D1_CAPACITY, 48 KiB  ->  "Capacity misses: the data used between two uses of a line exceeds the D1 (48 KiB). ..."
 *
 * findings.c says a sentence only if these numbers say so; tests/unit/report/advice.sh has for each of them a case in which it is said,
 * and the nearest one in which it is not.  Those about objects in memory stand in out/advice.c.
 */
#ifndef QN_REPORT_SENTENCES_H
#define QN_REPORT_SENTENCES_H

/* ---- data, D1 ---- */

/* more than half of the line's D1 misses are compulsory (analysis 3c) */
#define SAY_D1_COMPULSORY \
    "Compulsory misses: these lines are used for the first time, so no larger D1 and no other layout of its sets has them. Use fewer bytes: smaller " \
    "types, only the fields that are needed, memory that was used before."
/* more than half are capacity misses; the size of the D1 */
#define SAY_D1_CAPACITY \
    "Capacity misses: the data used between two uses of a line exceeds the D1 (%s). Exchange the loops so that a line is used while it is there, " \
    "process the data in blocks that fit, or shrink the elements."
/* more than half are conflict misses */
#define SAY_D1_CONFLICT \
    "Conflict misses: a fully associative D1 of this size would have these lines, but they fall into the same sets, as addresses a power of two apart " \
    "do. Pad rows or structures by a line, or exchange the loops."
/* classes are known, and none has more than half */
#define SAY_D1_MIXED "No class of misses prevails: first use fewer bytes, then change order and layout."
/* the profile has no classes */
#define SAY_D1_UNKNOWN "quern run --analysis=3c tells whether they are compulsory, capacity or conflict misses."
/* capacity misses, and the misses by size (mattson, sizes) fall steeply at a size above the D1's */
#define SAY_KNEE " The curve by size has a knee at %s: so much is used again and again."
/* no bytes used are known; the misses are not mostly conflicts; references / D1 misses of the line, below 0.9 x line / 8 bytes */
#define SAY_FEW_REFERENCES \
    " A line that is fetched here serves %.1f references: unless these are wide, most of its %.0f bytes are fetched in vain. Walk memory in its order " \
    "(exchange the loops, lay the nodes of a list side by side), or keep the fields that are used here in an array of their own."
/* the misses are not mostly conflicts; with --data=use, less than half of the bytes filled by the line were used */
#define SAY_FEW_BYTES \
    " Of a line that is fetched here, %.1f of %.0f bytes are used before it is evicted: walk memory in its order (exchange the loops, lay the " \
    "nodes of a list side by side), or keep the fields that are used here in an array of their own."
/* the misses are on data, not mostly conflicts, and no bytes used are known */
#define SAY_USE " quern report --data=use tells on which objects these are, and which fields of a line are used."
/* the same, and the objects are known */
#define SAY_USE_OF_OBJECTS " quern report --data=use tells which fields of a line are used."
/* the place is a function or an object without line numbers */
#define SAY_NO_LINE " Which line has them is not known: compile with -g."

/* ---- data, last level ---- */

/* compulsory D1 misses of the line are more than half of its LL misses: with lines of one size, a first use misses both */
#define SAY_LL_FIRST \
    "First uses: most of these lines come from memory because nothing has used them before; a larger LL has them no sooner. Use fewer bytes: smaller " \
    "types, only the fields that are needed, memory that was used before."
/* compulsory D1 misses are at most half of its LL misses; all compulsory D1 misses and LL misses of code x line exceed the LL;
 * "the data of the run (1 MiB) exceeds" it if data do so alone, else "the data and code of the run (1 MiB) exceed" it */
#define SAY_LL_CAPACITY \
    "Most of these lines were in the LL before and were evicted: the %s of the run (%s) %s the LL (%s). Process the data in blocks that fit, " \
    "or shrink the elements."
/* compulsory D1 misses are at most half of its LL misses; all compulsory D1 misses and LL misses of code x line fit the LL */
#define SAY_LL_CONFLICT \
    "Most of these lines were in the LL before and were evicted, although data and code of the run (%s) fit the LL (%s): they fall into the same sets. " \
    "Pad rows or structures by a line, or lay the data out anew."
/* the profile has no classes, or D1 and LL have lines of different sizes */
#define SAY_LL_UNKNOWN "quern run --analysis=3c tells whether they are first uses, or lines that the LL has evicted."

/* ---- code ---- */

/* I1 misses of a function are more than twice its LL misses: it misses again; LL misses x line of all such functions, their code,
 * exceed the I1; all LL misses x line fit the LL, so that each is a first use */
#define SAY_I1_CAPACITY \
    "Capacity misses of code: the functions that miss again and again have %s of code, the I1 holds %s. Make the code smaller (-Os, less inlining and " \
    "unrolling), or do all work of one function before the next is called."
/* the same, and their code is at most half of the I1 */
#define SAY_I1_CONFLICT \
    "Conflict misses of code: the functions that miss again and again have %s of code, which the I1 (%s) could hold, but they fall into the same sets. " \
    "Change the order or the alignment of the functions."
/* the same, and their code is between these; or the LL evicts lines, so that the size of the code is not known */
#define SAY_I1_AGAIN \
    "Code was evicted from the I1 (%s) before it was executed again: it exceeds the I1, or falls into the same sets. Make the code smaller (-Os, less " \
    "inlining and unrolling), or put functions that call each other side by side."
/* all LL misses x line fit the LL */
#define SAY_LLI_FIRST \
    "First uses: all lines that came from memory fit the LL at the same time, so none of them had to be evicted. They weigh much only because the run is " \
    "short."
/* all LL misses x line exceed the LL */
#define SAY_LLI_MUCH "Code and data that came from memory exceed the LL (%s): execute less code, or work on less data at a time."

/* ---- branches ---- */

/* more than a tenth of the executions of the line's conditional branches were mispredicted */
#define SAY_BRANCH_HARD \
    "The predictor finds no pattern in what the branch depends on. Sort or partition the data, or do without the branch: a conditional move, a table, " \
    "arithmetic."
/* a tenth or less */
#define SAY_BRANCH_MANY "It is predicted mostly, and costs much because it runs so often. Fewer tests (unrolling, a test outside of the loop) help."
/* more than a tenth of the executions of the line's indirect branches were mispredicted */
#define SAY_INDIRECT_HARD "The target changes from one execution to the next: group the work by target, or test for the most frequent one first."
/* a tenth or less */
#define SAY_INDIRECT_MANY "It is predicted mostly, and costs much because it runs so often. A direct call, where the target is known, costs less."
/* no line has a tenth of the event */
#define SAY_SPREAD " No line stands out: begin with the functions that are named."

/* ---- the whole run ---- */

/* the dynamic linker (an object ld-*.so) has half of the estimated cycles or more */
#define SAY_START "The run is too short to tell much about the program: give it more work."
/* the place lies in the dynamic linker */
#define SAY_LOADER "This is the dynamic linker at the start of the program: a longer run has no more of it."
/* a tenth of the sets or less has half of the D1 misses, and more than half of all are conflict misses */
#define SAY_SETS "Lines that fall into these sets evict each other: pad rows or structures by a line, or lay the data out anew."
/* a tenth of the sets or less has half of the D1 misses, and the profile has no classes */
#define SAY_SETS_UNKNOWN "If these are lines that come back (quern run --analysis=3c), another layout of the data spreads them over all sets."
/* a D1 at most 8 times as large misses half as often, and more than half of the D1 misses are conflict misses */
#define SAY_SIZE_CONFLICT "Most of the misses are conflict misses: what the larger cache has is more sets. More ways, or another layout of the data, do the same."
/* the same, and more than half are capacity misses */
#define SAY_SIZE_CAPACITY "Most of the misses are capacity misses: if the program works on less at a time (blocks, smaller elements), this D1 is large enough."
/* the same, and neither */
#define SAY_SIZE "So much less would be missed if the program worked on less data at a time."
/* a tenth of the intervals has four tenths of the D1 misses */
#define SAY_PHASE "Look at what the program does then; regions (quern.h) count it by itself."
/* analysis sharing: two threads wrote or used different bytes of a line, and none that the other wrote; at least 1000 writes */
#define SAY_FALSE_SHARING \
    "False sharing: the threads use different bytes of the same line, and each write takes the line from the others. Give each thread a line of its own " \
    "(alignas(%.0f), padding), or let it write to a local variable and store the sum at the end."

/* the same, if the analysis says which bytes of which objects: the type or object, bytes now and then; the two places, how far apart */
#define SAY_PAD "Pad %s from %s to %s bytes: %s and %s are %s bytes apart in one line, and each write takes it from the other thread."
#define SAY_ALIGN "Give %s and %s a line of their own (alignas(%s)): they are %s bytes apart in one line, and each write takes it from the other thread."

/* D1.true: lines that another core had taken, of which this one used bytes that the other had written */
#define SAY_TRUE_SHARING \
    "True sharing: the threads pass data to each other, and each miss brings what another core has written. Pass it less often: work on local copies and " \
    "merge them, hand over several elements at a time, or let one thread own the data."

/* ---- hints ---- */

/* the profile counts threads, and the analysis sharing was not made */
#define SAY_THREADS \
    "The program has %s threads; one cache serves them all here, so misses by sharing are not among these. quern report --cores=4 " \
    "gives each thread a core, and finds lines that threads share, truly or falsely."
/* no code of the program has a line */
#define SAY_NO_LINES "The program has no line numbers: compile it with -g to see lines in place of functions."

#endif
