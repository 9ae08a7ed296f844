// -T cs_6_6
struct Item { uint key; uint value[2]; };
uint compute(uint x, uint y)
{
    Item items[4];
    for (uint i = 0; i < 4; i++) { items[i].key = x * i; items[i].value[0] = y + i; items[i].value[1] = i; }
    items[x & 3].value[y & 1] = 1000;
    return items[y & 3].key + items[(x >> 2) & 3].value[(y >> 2) & 1] * 3;
}
