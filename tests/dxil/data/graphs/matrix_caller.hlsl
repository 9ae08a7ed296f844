// -T lib_6_8
RWStructuredBuffer<float> words : register(u0);
float3x3 scaled(float3x3 m, float by);
float2x4 chosen(float2x4 a, float2x4 b, uint which);
void turn(inout float2x2 m);
int2x3 negated(row_major int2x3 m);

struct Numbers { float base; uint which; };

[Shader("node")]
[NodeLaunch("broadcasting")]
[NodeDispatchGrid(1, 1, 1)]
[NumThreads(1, 1, 1)]
void call(DispatchNodeInputRecord<Numbers> input)
{
    float base = input.Get().base;
    uint which = input.Get().which;
    float3x3 m = float3x3(base, 1, 2, 3, 4, 5, 6, 7, 8);
    float3x3 n = scaled(m, 3);
    for (uint e = 0; e < 9; e++)
        words[e] = n[e / 3][e % 3];
    float2x4 c = chosen(float2x4(1, 2, 3, 4, 5, 6, 7, base), float2x4(10, 20, 30, 40, 50, 60, 70, base), which);
    for (uint f = 0; f < 8; f++)
        words[9 + f] = c[f / 4][f % 4];
    float2x2 t = float2x2(base, 2, 3, 4);
    turn(t);
    words[17] = t._m00 * 1000 + t._m01 * 100 + t._m10 * 10 + t._m11;
    int2x3 negative = negated(int2x3(1, 2, 3, 4, 5, (int)which));
    words[18] = negative._m00 + 10 * negative._m02 + 100 * negative._m10 + 1000 * negative._m12;
}
