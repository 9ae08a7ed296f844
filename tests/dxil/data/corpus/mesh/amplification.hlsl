// -T as_6_5
// A payload that is written by all, and as many mesh workgroups as cells are left.
struct Payload
{
    uint cells[32];
    float scale;
    uint2 offset;
};
groupshared Payload payload;
[numthreads(32, 1, 1)]
void main(uint thread : SV_GroupThreadID, uint group : SV_GroupID)
{
    uint cell = group * 32 + thread;
    payload.cells[thread] = cell ^ 5;
    if (thread == 7) {
        payload.scale = 2.5;
        payload.offset = uint2(100, group);
    }
    DispatchMesh(group == 0 ? 20 : 32, 1, 1, payload);
}
