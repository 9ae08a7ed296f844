// -T cs_6_9
uint compute(uint x, uint y)
{
    vector<uint, 11> a, b;
    for (uint i = 0; i < 11; i++) { a[i] = (x + i) & 15; b[i] = y & 15; }
    return (any(a == b) ? 1u : 0u) | (all(a < b) ? 2u : 0u);
}
