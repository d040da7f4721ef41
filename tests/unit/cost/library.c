/* Is a file that another one replaced read from the descriptor that is handed over, also if its map was seen before that? */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cost/places/places.h"
#include "tap.h"

static uint64_t inode(const char *path)
{
    struct stat st;

    return stat(path, &st) ? 0 : st.st_ino;
}

int main(void)
{
    struct qn_cost_library *l = qn_cost_new_library();
    uint32_t number = qn_cost_number_file(l, "/bin/sh", inode("/bin/true")); /* the name belongs to another file by now */
    struct qn_cost_file *f = &l->files[number - 1];

    qn_cost_open_file(l, f);
    ok(!f->debug, "a file that was replaced is not read by its name");
    is_str(f->why, "replaced since the program used it", "which is said");
    qn_cost_give_file(l, open("/bin/true", O_RDONLY | O_CLOEXEC));
    qn_cost_open_file(l, f);
    ok(f->debug != NULL, "it is read from a descriptor that comes later");
    is_str(f->why, "", "and nothing is said");
    qn_cost_free_library(l);
    return done_testing();
}
