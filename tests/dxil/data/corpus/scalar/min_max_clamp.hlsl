// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = min(max(x, 20u), 200u);
    int b = min(max((int)y - 100, -5), 90);
    return a * 1000 + (uint)(b + 5);
}
