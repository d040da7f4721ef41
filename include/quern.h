/* quern.h - what a program can ask of quern while it runs.
 *
 *   #include <quern.h>
 *
 *   QUERN_REGION_BEGIN("setup");              name parts of the run: quern annotate --region=setup
 *   ...
 *   QUERN_REGION_END("setup");
 *
 *   QUERN_START();                            count only from here ...   (quern run --instr-at-start=no)
 *   ...
 *   QUERN_STOP();                             ... to here
 *
 * Without quern these do nothing: seven instructions, no call, no library.  Compile with -DQUERN_DISABLE and
 * nothing is left.  quern does not count the five instructions that it recognises (with the rules of
 * Cachegrind, --counting=cachegrind, it counts them as one, as Cachegrind does), only those before them, which load the request.
 *
 * Regions may be nested, across functions, too; each thread has its own.  Counts belong to the innermost one and
 * are shown with all around it: what is counted in "step" inside "solve" is in --region=step, --region=solve and
 * --region=solve/step.  To begin a region that is open already changes nothing; it has to be ended as often as it
 * was begun.  A region that is not ended goes on.  Names have at most 63 bytes and no slash.  A new thread begins in
 * the region in which it was made.
 *
 * START and STOP are for the whole process and do not nest.  While stopped nothing is counted, the simulated caches
 * and predictors stay as they are, and the program runs nearly as fast as without quern.
 *
 * The sequence that is recognised is Valgrind's, so programs that contain valgrind.h or cachegrind.h work as well.
 *
 * x86-64, GCC and Clang, C and C++.  MIT licence; this file may be copied into any program.
 */
#ifndef QUERN_H
#define QUERN_H

#if defined(__x86_64__) && !defined(__ILP32__) && defined(__GNUC__) && !defined(QUERN_DISABLE)

#define QUERN_REQUEST_START 0x43470000ul /* as CACHEGRIND_START_INSTRUMENTATION */
#define QUERN_REQUEST_STOP 0x43470001ul
#define QUERN_REQUEST_BEGIN 0x514e0000ul
#define QUERN_REQUEST_END 0x514e0001ul

struct quern_request {
    unsigned long what;
    const char *name;
    unsigned long rest[4];
};

/* rax = the request; rdx = the answer.  rdi is turned by 128 bits in all, and comes out as it was. */
static __inline__ __attribute__((always_inline, unused)) unsigned long
quern_ask(const struct quern_request *request)
{
    unsigned long answer = 0;

    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi; rolq $61, %%rdi; rolq $51, %%rdi; xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(request)
                     : "cc", "memory");
    return answer;
}

#define QUERN_ASK(what, name)                                                              \
    do {                                                                                   \
        static const struct quern_request quern_request_ = { what, name, { 0, 0, 0, 0 } }; \
        (void)quern_ask(&quern_request_);                                                  \
    } while (0)

static __inline__ __attribute__((unused)) void quern_ask_name(unsigned long what, const char *name)
{
    struct quern_request request;

    request.what = what;
    request.name = name;
    request.rest[0] = request.rest[1] = request.rest[2] = request.rest[3] = 0;
    (void)quern_ask(&request);
}

#else

#define QUERN_REQUEST_BEGIN 0ul
#define QUERN_REQUEST_END 0ul
#define QUERN_ASK(what, name) ((void)0)

static __inline__ __attribute__((unused)) void quern_ask_name(unsigned long what, const char *name)
{
    (void)what, (void)name;
}

#endif

#define QUERN_START() QUERN_ASK(QUERN_REQUEST_START, 0)
#define QUERN_STOP() QUERN_ASK(QUERN_REQUEST_STOP, 0)
#define QUERN_REGION_BEGIN(name) QUERN_ASK(QUERN_REQUEST_BEGIN, name)
#define QUERN_REGION_END(name) QUERN_ASK(QUERN_REQUEST_END, name)

/* For names that are not literals. */
static __inline__ __attribute__((unused)) void quern_region_begin(const char *name)
{
    quern_ask_name(QUERN_REQUEST_BEGIN, name);
}

static __inline__ __attribute__((unused)) void quern_region_end(const char *name)
{
    quern_ask_name(QUERN_REQUEST_END, name);
}

#endif
