// -T ms_6_5
// Lines through the rows of the image, every second of them, with a value for each line. They end in front of the
// sides: the software driver of Mesa 25.0 clips lines of mesh shaders to one pixel, out of GLSL too.
struct Primitive
{
    nointerpolation uint value : VALUE;
};
[numthreads(8, 1, 1)]
[outputtopology("line")]
void main(uint thread : SV_GroupIndex, out vertices float4 v[16] : SV_Position, out indices uint2 t[8],
          out primitives Primitive p[8])
{
    SetMeshOutputCounts(8, 4);
    if (thread < 4) {
        float y = (2 * thread + 0.5) / 4 - 1;
        v[2 * thread] = float4(-0.9, y, 0, 1);
        v[2 * thread + 1] = float4(0.9, y, 0, 1);
        t[thread] = uint2(2 * thread, 2 * thread + 1);
        p[thread].value = 10 + thread;
    }
}
