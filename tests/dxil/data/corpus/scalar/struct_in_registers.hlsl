// -T cs_6_6
struct Pair { uint a; uint b; };
Pair swapped(Pair p) { Pair q; q.a = p.b; q.b = p.a + 1; return q; }
uint compute(uint x, uint y)
{
    Pair p;
    p.a = x;
    p.b = y;
    LOOP for (uint i = 0; i < (x & 7); i++) p = swapped(p);
    return p.a * 3 + p.b;
}
