// -T cs_6_6
static uint kept[6];
uint compute(uint x, uint y)
{
    for (uint i = 0; i < 6; i++) kept[i] = x + i;
    kept[y % 6] = 99;
    LOOP for (uint j = 0; j < (x & 7); j++) kept[j % 6] += kept[(j + y) % 6];
    return kept[x % 6] + kept[(y / 6) % 6] * 5;
}
