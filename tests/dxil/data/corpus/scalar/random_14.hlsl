// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x * 3, b = y + 1;
    a ^= ((source_at((b) & 63) << ((a - 24u) & 7)) & (y * x));
    LOOP for (uint i0 = 0; i0 < 2 + (a & 3); i0++) {
        switch ((source_at(((7u << (a & 7))) & 63)) & 3) {
            case 0:
                LOOP for (uint i1 = 0; i1 < 2 + (b & 3); i1++) {
                    uint i2 = 0;
                    LOOP while (i2 < 5) {
                        i2++;
                        b ^= a;
                        a += (((a * b) - (y - x)) - ((b << (a & 7)) << ((y & b) & 7)));
                        a *= a;
                    }
                    a ^= ((10u - a) | (a & (x | b)));
                    if ((((source_at((a) & 63) ^ (y | b))) & 7) == 2) continue;
                }
                switch ((b) & 3) {
                    case 0:
                        b += (a >> (((10u << (x & 7)) >> ((a ^ b) & 7)) & 7));
                        break;
                    default:
                        BRANCH if (((((35u + b) - (x - x))) & 3) > 4) {
                            b *= ((y + b) << (((8u + b) ^ x) & 7));
                        } else {
                            b += (b << (source_at((source_at((b) & 63)) & 63) & 7));
                            b += ((x << ((y ^ 30u) & 7)) >> ((b + b) & 7));
                        }
                        break;
                }
                a = (((b >> (a & 7)) << ((y & b) & 7)) * (x + (a << (y & 7))));
                break;
            case 1:
                a += (((y << (b & 7)) & source_at((x) & 63)) ^ 20u);
                break;
            case 2:
                a += b;
                b = source_at((39u) & 63);
                break;
            default:
                uint i3 = 0;
                LOOP do {
                    i3++;
                    LOOP for (uint i4 = 0; i4 < 6 + (b & 3); i4++) {
                        a ^= (((y - y) - (x << (x & 7))) << (((b * b) | source_at((b) & 63)) & 7));
                    }
                } while (i3 < 3 && (((((x * b) | (b << (y & 7)))) & 15) < 5 && ((a) & 3) == 1));
                break;
        }
    }
    b ^= x;
    b = (y ^ 18u);
    return a * 31 + b;
}
