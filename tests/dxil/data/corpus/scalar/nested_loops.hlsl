// -T cs_6_6
uint compute(uint x, uint y)
{
    uint sum = y;
    LOOP for (uint i = 0; i < (x & 7); i++) {
        LOOP for (uint j = 0; j <= i; j++) {
            if (((i + j) & 3) == (y & 3)) break;
            sum = sum * 5 + j;
        }
        sum ^= i;
    }
    return sum;
}
