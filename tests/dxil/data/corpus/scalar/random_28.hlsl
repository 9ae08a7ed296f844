// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x * 3, b = y + 1;
    a += 30u;
    if (((a) & 3) != 0 || ((b) & 3) != 4 || (((1u << (x & 7))) & 7) == 4) {
        if (((28u) & 15) < 1 || ((((20u * b) >> ((a ^ x) & 7))) & 15) != 5) return (((b * b) << (x & 7)) ^ ((a + y) & (b - a)));
        LOOP for (uint i0 = 0; i0 < 3 + (y & 3); i0++) {
            switch ((((b << (a & 7)) << (a & 7))) & 3) {
                case 0:
                    if (((22u) & 1) > 2) continue;
                    BRANCH if (((b) & 3) == 1) {
                        a = (((x << (x & 7)) << (b & 7)) * (source_at((3u) & 63) | (x | x)));
                        a = (((y << (b & 7)) << ((18u ^ a) & 7)) * source_at((a) & 63));
                    }
                    if (((21u) & 3) < 4) continue;
                    break;
                case 1:
                    if ((((source_at((b) & 63) * source_at((a) & 63))) & 1) > 2 || ((((b & b) & (y & b))) & 7) > 0) { b ^= ((a >> (b & 7)) >> ((a ^ y) & 7)); continue; }
                    LOOP for (uint i1 = 0; i1 < 4 + (y & 3); i1++) {
                        b *= (source_at(((a ^ a)) & 63) >> (source_at((18u) & 63) & 7));
                        a = (((y ^ a) ^ a) & y);
                        a ^= (b + ((b << (23u & 7)) & (a << (b & 7))));
                    }
                    break;
                case 2:
                    a *= ((a ^ (b | a)) + ((a + y) + (b - b)));
                    break;
                default:
                    switch (((25u ^ b)) & 3) {
                        case 0:
                            a = (((b - b) & (a - a)) * (a + (x + a)));
                            break;
                        case 1:
                            a *= b;
                            a += (a >> (source_at(((30u | 6u)) & 63) & 7));
                            a ^= (source_at((source_at((x) & 63)) & 63) + (source_at((y) & 63) * 5u));
                            break;
                        default:
                            b += (4u * (y >> ((28u + a) & 7)));
                            break;
                    }
                    a ^= y;
                    a += ((source_at((a) & 63) ^ source_at((x) & 63)) - source_at(((a + x)) & 63));
                    break;
            }
        }
    }
    LOOP for (uint i2 = 0; i2 < 4 + (a & 3); i2++) {
        b *= ((source_at((b) & 63) + (x * b)) + a);
    }
    if (((b) & 15) > 3) return (((a | a) * (b << (y & 7))) ^ (y & a));
    return a * 31 + b;
}
