// -T cs_6_6
struct Item { uint a, b, c; };
ByteAddressBuffer bytes : register(t0);
StructuredBuffer<Item> items : register(t1);
RWStructuredBuffer<uint> words : register(u0);
[numthreads(1, 1, 1)]
void main()
{
    uint size, count, stride;
    bytes.GetDimensions(size);
    items.GetDimensions(count, stride);
    words[0] = size;
    words[1] = count;
    words[2] = stride;
}
