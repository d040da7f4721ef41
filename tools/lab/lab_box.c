/* tools/lab/lab_box.c - `quern lab box DIR PROGRAM`: a program of the student's asks the student's own black box.
 *
 *   program's standard output -> box -> program's standard input; its standard error is its own
 *
 * The box stays in this process.  No sandbox: it is the student's own machine.  Exit status: that of the program, 1
 * without an answer that reads like one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lab/models/models.h"
#include "../tools.h"
#include "lab_tool.h"

#define CHUNK 65536

static pid_t start(char **argv, int *from, int *to)
{
    int said[2], heard[2];
    pid_t child;

    if (pipe2(said, 0) || pipe2(heard, 0))
        return -1;
    child = fork();
    if (child == 0) {
        dup2(heard[0], 0);
        dup2(said[1], 1);
        for (int i = 0; i < 2; i++)
            close(said[i]), close(heard[i]);
        execvp(argv[0], argv);
        qn_lab_complain(argv[0]);
        _exit(127);
    }
    close(heard[0]);
    close(said[1]);
    *from = said[0];
    *to = heard[1];
    return child;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);

        if (n <= 0)
            return false;
        bytes += n;
        size -= (size_t)n;
    }
    return true;
}

static void converse(struct qn_lab_box *box, int from, int to)
{
    static char bytes[CHUNK];
    bool more = true;
    ssize_t n;

    while (more && (n = read(from, bytes, sizeof bytes)) > 0) {
        char *reply;
        size_t size;

        more = qn_lab_box_talk(box, bytes, (size_t)n, &reply, &size);
        more = write_all(to, reply, size) && more;
        free(reply);
    }
    close(to);
    while (read(from, bytes, sizeof bytes) > 0)
        ;
    close(from);
}

static int tell(const struct qn_lab_box *box, int status)
{
    struct qn_lab_box_shape a;

    if (qn_lab_box_nonsense(box))
        qn_text_complain("quern: lab: the box did not understand '%s'", qn_lab_box_nonsense(box));
    if (qn_lab_box_answer(box, &a))
        printf("after %lu questions: size %u ways %u line %u policy %s history %u\n", qn_lab_box_questions(box),
               a.size, a.ways, a.line, a.policy, a.history);
    else
        printf("%lu questions, no answer\n", qn_lab_box_questions(box));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int run(uint64_t seed, char **argv)
{
    struct qn_lab_box_shape shape = qn_lab_draw_box(seed);
    struct qn_lab_box *box = qn_lab_new_box(&shape);
    int from, to, status = 0;
    pid_t child;

    signal(SIGPIPE, SIG_IGN);
    child = start(argv, &from, &to);
    if (child < 0)
        return !qn_lab_complain(argv[0]);
    converse(box, from, to);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    status = tell(box, status);
    qn_lab_free_box(box);
    return status;
}

int qn_lab_tool_box(char **argv)
{
    struct qn_lab_request r = { .lab = NULL };
    struct qn_lab_folder folder;
    char **words;
    int status = qn_options_take(&qn_lab_box_options, &r, argv, &words);

    if (status >= 0)
        return status;
    if (!words[0] || !words[1])
        return qn_options_wrong(&qn_lab_box_options, "box", "wanted a folder and a program");
    if (!r.knows_student && !qn_lab_read_folder(words[0], &folder))
        return qn_options_wrong(&qn_lab_box_options, words[0], "there is no seed in it");
    return run(r.knows_student ? r.student : folder.seed, words + 1);
}
