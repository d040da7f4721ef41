/* walk.c - an array, read from its begin to its end, and a list whose cells lie in no order. */
#define N 8192

int array[16 * N];
struct cell {
    struct cell *next;
    int more[14];
} cells[N];

int main(void)
{
    struct cell *cell = cells;
    int sum = 0;

    for (int i = 0; i < N; i++)
        cells[i].next = &cells[(i + 3001) % N];
    for (int i = 0; i < 16 * N; i++)
        sum += array[i];
    for (int i = 0; i < N; i++)
        cell = cell->next;
    return sum + (cell != cells);
}
