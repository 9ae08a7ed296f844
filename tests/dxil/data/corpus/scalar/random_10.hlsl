// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x * 3, b = y + 1;
    BRANCH if (((30u) & 15) < 5) {
        b ^= x;
    } else {
        uint i0 = 0;
        LOOP while (i0 < 5) {
            i0++;
            switch ((b) & 3) {
                case 0:
                    BRANCH if (((((y + a) << (source_at((b) & 63) & 7))) & 15) > 3) {
                        b += (b >> (source_at(((y - a)) & 63) & 7));
                    } else {
                        a ^= ((y & (b & 12u)) >> (a & 7));
                    }
                    if (((y) & 1) < 3) {
                        b *= (((b << (y & 7)) & (b | x)) ^ ((x + x) >> ((28u << (a & 7)) & 7)));
                        b *= source_at((((b | 37u) * (b + b))) & 63);
                    } else {
                        a ^= y;
                    }
                    BRANCH if (((y) & 1) != 3) {
                        b *= ((x ^ (27u + x)) >> (((b | b) - (b << (a & 7))) & 7));
                    }
                    break;
                case 1:
                    if (((((26u | b) - (x - x))) & 15) < 2) { b ^= (a ^ (b + b)); continue; }
                    if ((((y >> ((x | 24u) & 7))) & 15) < 4) { b ^= (y * a); continue; }
                    break;
                default:
                    b ^= b;
                    BRANCH if ((((source_at((a) & 63) * (b >> (b & 7)))) & 3) > 2) {
                        a = x;
                        a ^= ((source_at((a) & 63) + (26u << (30u & 7))) & source_at((a) & 63));
                        a *= ((b - (a & a)) >> (((b + b) ^ (a - x)) & 7));
                    }
                    break;
            }
            a = (a + ((31u | y) * y));
        }
    }
    if (((((x + x) >> ((b - x) & 7))) & 3) == 5) return source_at(((b | (a | b))) & 63);
    b = (a & 22u);
    b *= (((y ^ y) + (b | y)) * (y * (y * b)));
    return a * 31 + b;
}
