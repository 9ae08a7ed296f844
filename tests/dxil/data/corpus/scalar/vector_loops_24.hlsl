// -T cs_6_9
// Long vectors that go around loops: two that change places, one that is only continued with, and nests.
uint compute(uint x, uint y)
{
    vector<uint, 24> a, b, sum;
    for (uint i = 0; i < 24; i++) { a[i] = x * i + 1; b[i] = y ^ (i * 5); sum[i] = 0; }
    LOOP for (uint j = 0; j < (x & 7) + 2; j++) {
        vector<uint, 24> was = a;
        a = b;
        b = was;
        BRANCH if (((j + y) & 3) == 1) {
            sum = sum + b;
            continue;
        }
        LOOP for (uint k = 0; k < (y & 3); k++) {
            BRANCH if ((k + j) == 4) break;
            b = b * a + k;
            b[(k + x) % 24] = j;
        }
        BRANCH if (j == 6) { sum = sum ^ a; break; }
        sum = max(sum, b);
    }
    uint r = 0;
    LOOP for (uint l = 0; l < 24; l++) r = r * 3 + a[l] + (b[l] ^ sum[(l * 5) % 24]);
    return r;
}
