// -T cs_6_9
// Elements of long vectors that are written one by one, where they lie and in what was computed, and static ones.
static vector<uint, 40> kept;
uint compute(uint x, uint y)
{
    vector<uint, 40> a = x, b;
    for (uint i = 0; i < 40; i++) b[i] = y + i;
    a[0] = y;
    a[39] = x + y;
    vector<uint, 40> was = a * b;
    a = was;
    a[x % 40] = 77;
    a[7] = a[y % 40] + 1;
    kept = a + b;
    kept[3] = was[x % 40];
    BRANCH if ((x & 1) != 0) kept = kept - was;
    kept[(y >> 2) % 40] = was[38];
    vector<bool, 40> less = kept < a;
    vector<uint, 40> all = y;
    vector<uint, 40> m = select(less, kept ^ a, all);
    uint r = any(less) ? 1u : 2u;
    for (uint k = 0; k < 40; k++) r = r * 3 + (m[k] ^ kept[(k + y) % 40]) + (less[k] ? k : 0u);
    return r;
}
