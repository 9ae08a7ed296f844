// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x * 3, b = y + 1;
    BRANCH if (((b) & 7) != 5) {
        b ^= (a & 10u);
    }
    uint i0 = 0;
    LOOP while (i0 < 5) {
        i0++;
        uint i1 = 0;
        LOOP while (i1 < 3) {
            i1++;
            BRANCH if (((source_at(((a * 6u)) & 63)) & 1) < 1) {
                b ^= (b - ((b << (30u & 7)) << ((b << (a & 7)) & 7)));
                a *= ((b - y) << (3u & 7));
            } else {
                b += (x & x);
                a ^= source_at((b) & 63);
                BRANCH if (((b) & 7) > 0 && (((y & (b ^ b))) & 3) < 5 || ((((a + 5u) ^ (a & a))) & 15) != 3) {
                    a ^= 6u;
                    a ^= ((y >> (b & 7)) - y);
                    a = b;
                }
            }
            a += (((b << (x & 7)) ^ a) & (a - (a - x)));
        }
        a *= a;
        a += (b | a);
    }
    b ^= (y | ((27u + a) >> (a & 7)));
    a *= y;
    return a * 31 + b;
}
