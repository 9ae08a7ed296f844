// -T cs_6_9
static vector<uint, 10> kept;
uint compute(uint x, uint y)
{
    for (uint i = 0; i < 10; i++) kept[i] = x + i;
    LOOP for (uint j = 0; j < (y & 15); j++) kept[j % 10] = kept[(j + y) % 10] * 3 + j;
    return kept[y % 10] + kept[x % 10] * 7;
}
