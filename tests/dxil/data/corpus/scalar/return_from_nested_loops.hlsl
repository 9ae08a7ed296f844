// -T cs_6_6
uint compute(uint x, uint y)
{
    uint sum = 0;
    LOOP for (uint i = 0; i < (x & 15); i++) {
        LOOP for (uint j = 0; j < (y & 7); j++) {
            sum += i * j + 1;
            if (sum == 23) return 5000 + i;
            if (sum > 60) { LOOP while (sum > 10) { sum -= 7; if (sum == 13) return 6000 + j; } }
        }
    }
    return sum;
}
