// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0;
    BRANCH if (x > 100 && source_at(x & 63) > 50) r += 1;
    BRANCH if (x < 20 || source_at(y & 63) < 9) r += 2;
    BRANCH if ((x & 1) != 0 && (source_at(1) > y || source_at(2) == x)) { r += 4; } else { r += 8; }
    return r;
}
