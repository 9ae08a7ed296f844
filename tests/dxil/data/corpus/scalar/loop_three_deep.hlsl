// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0;
    LOOP for (uint i = 0; i < (x & 3) + 1; i++)
        LOOP for (uint j = 0; j < (y & 3) + 1; j++)
            LOOP for (uint k = i; k < j + 3; k++) { r = r * 5 + source_at((i * 9 + j * 3 + k) & 127) + k; }
    return r;
}
