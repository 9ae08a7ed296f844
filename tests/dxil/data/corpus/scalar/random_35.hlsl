// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x * 3, b = y + 1;
    if (((((34u & b) & source_at((38u) & 63))) & 1) < 0) {
        b ^= ((x + a) | x);
        a += ((source_at((a) & 63) << ((3u << (a & 7)) & 7)) << ((source_at((b) & 63) - (y & x)) & 7));
        if (((x) & 3) > 4 && ((((26u & 25u) * (a & b))) & 1) < 4) return 37u;
    } else {
        if (((source_at(((b << (b & 7))) & 63)) & 1) != 5) return source_at((b) & 63);
        if (((((y - b) - (b ^ b))) & 15) > 1 && ((35u) & 3) == 4) {
            uint i0 = 0;
            LOOP do {
                i0++;
                LOOP for (uint i1 = 0; i1 < 4 + (a & 3); i1++) {
                    a *= source_at(((37u - (b + x))) & 63);
                }
            } while (i0 < 4 && (((((b & a) << (a & 7))) & 7) == 1 || (((source_at((x) & 63) | (b | a))) & 1) < 4));
            a ^= (b & source_at(((a * y)) & 63));
        }
    }
    a += y;
    a = (((32u | a) & a) & source_at(((y * 14u)) & 63));
    a = source_at((a) & 63);
    return a * 31 + b;
}
