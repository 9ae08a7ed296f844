// -T cs_6_6
static uint kept;
void keep(uint v) { kept = kept * 3 + v; }
uint compute(uint x, uint y)
{
    kept = 7;
    keep(x);
    keep(y);
    return kept;
}
