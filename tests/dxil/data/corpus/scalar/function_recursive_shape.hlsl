// -T cs_6_6
uint step3(uint v) { return v % 3 == 0 ? v / 3 : v * 2 + 1; }
uint step2(uint v, uint n)
{
    LOOP for (uint i = 0; i < n; i++) v = step3(v);
    return v;
}
uint compute(uint x, uint y) { return step2(x & 1023, y & 7) + step2(y & 1023, x & 3); }
