// -T lib_6_8
// Mandelbrot's set by Mariani and Silver: a square whose border has one colour is filled, another is cut into four.
// In fixed-point numbers, so that every machine draws the same.
struct Square { uint2 corner; uint size; };
struct Area { uint2 grid : SV_DispatchGrid; uint2 corner; uint count; };

static const uint MOST = 60;   // iterations
static const uint LEAST = 8;   // the size of a square that is not cut any more

cbuffer View : register(b0) { int2 origin; int step; };  // 1 is 4096
RWTexture2D<unorm float4> picture : register(u0);
RWStructuredBuffer<uint> squares : register(u1);  // that were filled, and that were computed

uint iterate(uint2 pixel)
{
    int2 c = origin + int2(pixel) * step;
    int2 z = 0;
    for (uint i = 0; i < MOST; i++) {
        int xx = z.x * z.x >> 12, yy = z.y * z.y >> 12;
        if (xx + yy > 4 * 4096) { return i; }
        z = int2(xx - yy, 2 * (z.x * z.y >> 12)) + c;
    }
    return MOST;
}

void draw(uint2 pixel, uint count)
{
    float shade = count == MOST ? 0 : (255 - 4 * count) / 255.0;
    picture[pixel] = float4(shade, shade, count == MOST ? 0.25 : 1, 1);
}

groupshared uint lowest, highest;

[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(64, 1, 1)]
[NodeMaxRecursionDepth(6)]
void square(DispatchNodeInputRecord<Square> input, uint i : SV_GroupIndex,
    [MaxRecords(4)] [NodeID("square")] NodeOutput<Square> parts,
    [MaxRecords(1)] [NodeArraySize(2)] [NodeID("paint")] NodeOutputArray<Area> areas)
{
    Square s = input.Get();
    if (i == 0) { lowest = ~0u; highest = 0; }
    GroupMemoryBarrierWithGroupSync();
    for (uint p = i; p < 4 * (s.size - 1); p += 64) {
        uint along = p % (s.size - 1), side = p / (s.size - 1), far = s.size - 1;
        uint2 at = side == 0 ? uint2(along, 0) : side == 1 ? uint2(far, along)
                 : side == 2 ? uint2(far - along, far) : uint2(0, far - along);
        uint count = iterate(s.corner + at);
        InterlockedMin(lowest, count);
        InterlockedMax(highest, count);
    }
    GroupMemoryBarrierWithGroupSync();
    bool isPlain = lowest == highest;
    bool isCut = !isPlain && s.size > LEAST && parts.IsValid();

    GroupNodeOutputRecords<Square> quarters = parts.GetGroupNodeOutputRecords(isCut ? 4 : 0);
    if (isCut && i < 4) {
        quarters[i].size = s.size / 2;
        quarters[i].corner = s.corner + uint2(i & 1, i >> 1) * (s.size / 2);
    }
    quarters.OutputComplete();

    // Which of the two nodes paints it is an index.
    GroupNodeOutputRecords<Area> area = areas[isPlain ? 0 : 1].GetGroupNodeOutputRecords(isCut ? 0 : 1);
    if (!isCut && i == 0) {
        area[0].grid = (s.size + 7) / 8;
        area[0].corner = s.corner;
        area[0].count = lowest;
    }
    area.OutputComplete();
}

[Shader("node")] [NodeLaunch("broadcasting")] [NodeMaxDispatchGrid(32, 32, 1)] [NumThreads(8, 8, 1)]
[NodeID("paint", 0)]
void fill(DispatchNodeInputRecord<Area> input, uint2 t : SV_DispatchThreadID)
{
    draw(input.Get().corner + t, input.Get().count);
    if (all(t == 0)) { InterlockedAdd(squares[0], 1); }
}

[Shader("node")] [NodeLaunch("broadcasting")] [NodeMaxDispatchGrid(32, 32, 1)] [NumThreads(8, 8, 1)]
[NodeID("paint", 1)]
void compute(DispatchNodeInputRecord<Area> input, uint2 t : SV_DispatchThreadID)
{
    draw(input.Get().corner + t, iterate(input.Get().corner + t));
    if (all(t == 0)) { InterlockedAdd(squares[1], 1); }
}
