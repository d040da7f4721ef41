/* scripts.c - first lines of scripts, scripts of scripts, names that are too long, programs without arguments or environment.
 *
 * Each script is executed with this program as its interpreter, which prints its arguments. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LINE = 600, DEEP = 8 };

static void write_file(const char *name, const char *text, size_t bytes)
{
    int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0700);

    if (fd < 0 || write(fd, text, bytes) != (ssize_t)bytes || close(fd))
        exit(77);
}

/* What the interpreter prints. */
static int show(int argc, char **argv)
{
    char line[LINE];
    FILE *f = fopen("/proc/self/cmdline", "r");
    size_t n = f ? fread(line, 1, sizeof line, f) : 0;

    for (int i = 0; i < argc; i++)
        printf(" <%s>", argv[i]);
    printf(" cmdline ");
    for (size_t i = 0; i < n; i++)
        putchar(line[i] ? line[i] : '|');
    printf("\n");
    return 0;
}

static void execute(const char *what, const char *path, char **argv, char **envp)
{
    printf("%s:", what);
    fflush(stdout);
    if (fork() == 0) {
        execve(path, argv, envp);
        printf(" %s\n", strerror(errno));
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
}

/* A script of `blanks` blanks, `self` and `rest`. */
static void script(const char *what, size_t blanks, const char *self, const char *rest, size_t bytes)
{
    char line[2 * LINE] = "#!", *given[] = {"zero", "one two", "", NULL}, *none[] = {NULL};

    memset(line + 2, ' ', blanks);
    strcpy(line + 2 + blanks, self);
    memcpy(line + 2 + blanks + strlen(self), rest, bytes);
    write_file("script", line, 2 + blanks + strlen(self) + bytes);
    execute(what, "./script", given, none);
}

static void first_lines(void)
{
    static const char *const rests[] = {"\n", "", "   a b  c \t \n", " -a\t-b\n", "\r\n", " \xff\xfe\n"};
    char what[40], many[LINE];

    for (unsigned i = 0; i < sizeof rests / sizeof *rests; i++) {
        sprintf(what, "line %u", i);
        script(what, i, "./show", rests[i], strlen(rests[i]));
    }
    script("a zero in the name", 0, "./show", "\0zz\n", 4);
    script("a zero in the argument", 0, "./show", " a\0b\n", 5);
    script("no name", 3, "", "\n", 1);
    script("blanks only", 300, "", "\n", 1);
    for (size_t n = 236; n < 256; n++) { /* the kernel looks at 256 bytes */
        sprintf(what, "%zu blanks", n);
        script(what, n, "./show", " zzzzzzzzzz\n", 12);
        script(what, n, "./show", "\n", 1);
        script(what, n, "./show", "", 0);
    }
    memset(many, 'n', sizeof many);
    script("a long name", 0, "./", many, 300);
    script("a long argument", 0, "./show ", many, 300);
}

/* deep1 is a script of show, deep2 of deep1, ... */
static void chain(void)
{
    char *given[] = {"zero", NULL}, *none[] = {NULL}, name[20], line[40];

    for (int i = 1; i < DEEP; i++) {
        sprintf(name, "./deep%d", i);
        sprintf(line, i == 1 ? "#!./show\n" : "#!./deep%d %d\n", i - 1, i);
        write_file(name, line, strlen(line));
        execute(name, name, given, none);
    }
}

static void odd_calls(void)
{
    char *given[] = {"zero", NULL}, *none[] = {NULL}, *wrong = (char *)8, name[5001];

    memset(name, 'a', sizeof name);
    name[5000] = 0;
    execute("a name of 5000 bytes", name, given, none);
    name[4096] = 0;
    execute("of 4096", name, given, none);
    name[4095] = 0;
    execute("of 4095", name, given, none);
    execute("a name that lies nowhere", wrong, given, none);
    execute("no arguments", "./show", none, none);
    execute("no lists", "./show", NULL, NULL);
}

int main(int argc, char **argv)
{
    if (strcmp(argv[0], "./scripts"))
        return show(argc, argv);
    if (mkdir("of_scripts", 0700) && errno != EEXIST)
        return 77;
    unlink("of_scripts/show");
    if (link(argv[0], "of_scripts/show") || chdir("of_scripts"))
        return 77;
    first_lines();
    chain();
    odd_calls();
    return 0;
}
