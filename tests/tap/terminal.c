/* A terminal for tests: runs a command on a pseudo-terminal, types when something is on the screen, and shows the screen at the end.
 *
 *   terminal ROWSxCOLUMNS [await=TEXT] [send=KEYS] [size=ROWSxCOLUMNS] ... -- COMMAND...
 *
 * The steps are done one after the other: await goes on when TEXT is in a line of the screen (and waits for ever else: the harness ends it), send
 * types, size changes the size, on which the command gets SIGWINCH.  The exit status is the command's.  The screen knows what the terminfo entry
 * in terminal.ti uses: cursor addressing, clearing, and colours, which it ignores; RAW=FILE in the environment gets all bytes. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 100, COLUMNS = 300 };

static char screen[ROWS][COLUMNS + 1];
static struct winsize size;
static int row, column;

static void clear_from(int r, int c)
{
    memset(screen[r] + c, ' ', (size_t)(COLUMNS - c));
    for (r++; r < ROWS; r++)
        memset(screen[r], ' ', COLUMNS);
}

static void next_row(void)
{
    if (++row < size.ws_row)
        return;
    row = size.ws_row - 1;
    memmove(screen[0], screen[1], (size_t)row * sizeof *screen);
    memset(screen[row], ' ', COLUMNS);
}

static void escape(char final, const char *numbers)
{
    int a = 1, b = 1;

    sscanf(numbers, "%d;%d", &a, &b);
    if (final == 'H') {
        row = a < 1 ? 0 : a > size.ws_row ? size.ws_row - 1 : a - 1;
        column = b < 1 ? 0 : b > size.ws_col ? size.ws_col - 1 : b - 1;
    } else if (final == 'J') {
        clear_from(row, column);
    }
}

static void show_byte(char c)
{
    static char numbers[32];
    static int state; /* 1: behind ESC; 2: in its numbers */

    if (c == '\x1b') {
        state = 1;
        *numbers = '\0';
    } else if (state == 1) {
        state = c == '[' ? 2 : 0;
    } else if (state == 2) {
        size_t n = strlen(numbers);

        if (c >= '@')
            state = 0, escape(c, numbers);
        else if (n + 1 < sizeof numbers)
            numbers[n] = c, numbers[n + 1] = '\0';
    } else if (c == '\n') {
        next_row();
    } else if (c == '\r') {
        column = 0;
    } else if (c == '\b') {
        column -= column > 0;
    } else if ((unsigned char)c >= ' ' && ((unsigned char)c & 0xc0) != 0x80) {
        if (column >= size.ws_col)
            column = 0, next_row();
        screen[row][column++] = c;
    }
}

static bool is_shown(const char *text)
{
    for (int r = 0; r < size.ws_row; r++)
        if (strstr(screen[r], text))
            return true;
    return false;
}

static void resize(int terminal, const char *text)
{
    unsigned rows, columns;

    if (sscanf(text, "%ux%u", &rows, &columns) != 2 || rows > ROWS || columns > COLUMNS)
        exit(99);
    size.ws_row = (unsigned short)rows;
    size.ws_col = (unsigned short)columns;
    ioctl(terminal, TIOCSWINSZ, &size);
}

/* "\n", "\e" and "\x1b" cannot be typed in a shell's word without trouble: printf does it. */
static void do_steps(char **steps, int *next, int terminal)
{
    for (; strcmp(steps[*next], "--"); ++*next) {
        const char *step = steps[*next], *value = strchr(step, '=');

        if (!value)
            exit(99);
        value++;
        if (!strncmp(step, "await", 5) && !is_shown(value))
            return;
        if (!strncmp(step, "send", 4) && write(terminal, value, strlen(value)) < 0)
            exit(99);
        if (!strncmp(step, "size", 4))
            resize(terminal, value);
    }
}

int main(int argc, char **argv)
{
    int terminal = posix_openpt(O_RDWR | O_NOCTTY), next = 2, command = 2, status, raw = -1;
    char bytes[4096];
    ssize_t n;
    pid_t pid;

    if (terminal < 0 || grantpt(terminal) || unlockpt(terminal) || argc < 4)
        return 99;
    if (getenv("RAW"))
        raw = open(getenv("RAW"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    while (strcmp(argv[command], "--"))
        command++;
    memset(screen, 0, sizeof screen);
    clear_from(0, 0);
    resize(terminal, argv[1]);
    pid = fork();
    if (pid == 0) {
        setsid();
        int side = open(ptsname(terminal), O_RDWR);

        if (side < 0 || ioctl(side, TIOCSCTTY, 0) < 0)
            _exit(99);
        dup2(side, 0), dup2(side, 1), dup2(side, 2);
        close(side), close(terminal);
        execvp(argv[command + 1], argv + command + 1);
        _exit(98);
    }
    while ((n = read(terminal, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)) {
        for (ssize_t i = 0; i < n; i++)
            show_byte(bytes[i]);
        if (raw >= 0 && n > 0 && write(raw, bytes, (size_t)n) != n)
            return 99;
        do_steps(argv, &next, terminal);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    for (int r = 0; r < size.ws_row; r++) {
        int end = size.ws_col;

        while (end && screen[r][end - 1] == ' ')
            end--;
        printf("%.*s\n", end, screen[r]);
    }
    if (strcmp(argv[next], "--"))
        fprintf(stderr, "terminal: never came to: %s\n", argv[next]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 97;
}
