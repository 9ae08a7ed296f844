// -T cs_6_6
uint compute(uint x, uint y)
{
    uint a = x * 3, b = y + 1;
    if (((a) & 3) < 2) return (((a >> (a & 7)) * 3u) + a);
    if (((((a ^ a) * source_at((y) & 63))) & 15) > 5) return ((source_at((y) & 63) | (b >> (a & 7))) | ((a << (b & 7)) | (a ^ a)));
    b ^= (((b | b) - y) << (((16u * b) - (y + x)) & 7));
    a = a;
    return a * 31 + b;
}
