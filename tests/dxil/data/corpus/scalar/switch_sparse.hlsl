// -T cs_6_6
uint compute(uint x, uint y)
{
    switch (x) {
        case 0: return y;
        case 7: return y + 1;
        case 200: return y * 3;
        case 0x80000000u: return 5u;
        default: return x ^ y;
    }
}
