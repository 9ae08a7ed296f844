// -T cs_6_6
uint compute(uint x, uint y)
{
    precise float a = (float)(x & 255) * 0.25f - 8.0f;
    precise float b = (float)(int)(y & 127) + 0.5f;
    precise float c = a * b + 3.0f;
    precise float d = c / b - a;
    float e = floor(a) + ceil(b) + trunc(a) + abs(a) + max(a, b) + min(a, b) + saturate(a);
    bool less = a < b, eq = a == b;
    return asuint(d) ^ asuint(e) ^ (less ? 5u : 9u) ^ (eq ? 64u : 0u) ^ (uint)(int)(a * 2.0f);
}
