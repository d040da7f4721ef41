/* layout.c - 10,000 particles, of which only the mass is wanted: as structs in an array, and as arrays. */
#define N 10000

struct particle {
    double x, y, z, vx, vy, vz, mass, charge;
};

struct particle particles[N];
double mass[N];

int main(void)
{
    double structs = 0, arrays = 0;

    for (int i = 0; i < N; i++)
        structs += particles[i].mass;
    for (int i = 0; i < N; i++)
        arrays += mass[i];
    return structs == arrays ? 0 : 1;
}
