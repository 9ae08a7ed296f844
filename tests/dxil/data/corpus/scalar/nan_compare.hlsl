// -T cs_6_6 -Gis
uint compute(uint x, uint y)
{
    float zero = (float)(x - x);
    float nan = asfloat(0x7fc00000u | (x & 1u));
    float inf = asfloat(0x7f800000u + (y - y));
    uint r = 0;
    if (nan == nan) r |= 1; if (nan != nan) r |= 2; if (nan < 1.0f) r |= 4; if (!(nan < 1.0f)) r |= 8;
    if (isnan(nan)) r |= 16; if (isinf(inf)) r |= 32; if (isfinite(inf)) r |= 64; if (isfinite(zero)) r |= 128;
    if (inf > 3.0f) r |= 256; if (isnan(zero)) r |= 512;
    return r;
}
