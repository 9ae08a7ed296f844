// -T cs_6_6
uint compute(uint x, uint y)
{
    switch (x % 5) {
        case 0: return y;
        case 1: BRANCH if (y > 9) return 3u; break;
        case 2: return source_at(y & 127);
        default: break;
    }
    return x + 1000;
}
