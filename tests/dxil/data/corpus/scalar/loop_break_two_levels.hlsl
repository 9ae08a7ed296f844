// -T cs_6_6
uint compute(uint x, uint y)
{
    uint r = 0;
    bool done = false;
    LOOP for (uint i = 0; i < 8 && !done; i++) {
        LOOP for (uint j = 0; j < 8; j++) {
            r += source_at((i * 8 + j) & 127) & 15;
            BRANCH if (r > (x & 127)) { done = true; break; }
        }
        r += y & 1;
    }
    return r;
}
