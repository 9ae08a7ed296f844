// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a[3][5];
    for (uint i = 0; i < 3; i++) for (uint j = 0; j < 5; j++) a[i][j] = i * x + j * y;
    a[x % 3][y % 5] = 12345;
    return a[y % 3][x % 5] + a[(x / 3) % 3][(y / 5) % 5];
}
