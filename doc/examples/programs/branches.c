/* branches.c - two branches that every lecture has: that of a loop of four, and one that alternates.
 *
 * A two-bit counter says taken of the loop's each time, and is wrong once a loop; the alternating one moves its counter to and fro.  With
 * history both are known after a while: see branches.html, and run.sh.
 */
static volatile int odd, steps;

int main(void)
{
    for (int i = 0; i < 40; i++) {
        if (i & 1) /* every second time */
            odd = i;
        for (int k = 0; k < 4; k++) { /* back three times, then on */
            __asm__ volatile("" : "+r"(k)); /* it stays a loop */
            steps = k;
        }
    }
    return 0;
}
