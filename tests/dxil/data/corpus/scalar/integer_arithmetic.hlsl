// -T cs_6_6
uint compute(uint x, uint y)
{
    uint d = (y & 15) + 1;
    int s = (int)x - (int)(y * 2);
    int q = s / (int)d, m = s % (int)d;
    return (x / d) ^ (x % d) ^ (uint)q ^ (uint)(m * 31) ^ (uint)(s >> 3) ^ (x << (y & 31)) ^ (x >> (y & 31)) ^ (uint)min(s, -5) ^ max(x, y) ^ (uint)abs(s);
}
