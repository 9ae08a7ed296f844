// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x * 3, b = y + 1;
    uint i0 = 0;
    LOOP while (i0 < 2) {
        i0++;
        BRANCH if (((((a | 31u) * (a ^ a))) & 3) == 3) {
            uint i1 = 0;
            LOOP do {
                i1++;
                b = b;
                b ^= (((b & x) >> (y & 7)) | source_at(((y * x)) & 63));
                if (((((b + y) | (y + 34u))) & 7) != 0) { a += source_at((2u) & 63); break; }
            } while (i1 < 6 && ((((b ^ a)) & 3) > 0 && ((((b << (a & 7)) - (y << (a & 7)))) & 7) < 1));
            a += ((source_at((a) & 63) - (y ^ x)) - a);
        }
    }
    a = b;
    b ^= (b >> ((b << (source_at((b) & 63) & 7)) & 7));
    if (((b) & 1) == 2) return (((a + y) * (5u & b)) & ((a * a) ^ y));
    return a * 31 + b;
}
