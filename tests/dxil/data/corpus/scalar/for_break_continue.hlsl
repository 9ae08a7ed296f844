// -T cs_6_6
uint compute(uint x, uint y)
{
    uint sum = 0;
    LOOP for (uint i = 0; i < (x & 31); i++) {
        if ((i ^ y) % 7 == 3) continue;
        if (sum > 1000) break;
        sum += i * 3 + 1;
    }
    return sum;
}
