// -T as_6_5
// A payload that is counted in by atomic operations; groups with nothing to do dispatch nothing.
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
    if (thread == 0) {
        payload.offset = 0;
        payload.scale = 3;
    }
    GroupMemoryBarrierWithGroupSync();
    uint cell = group * 32 + thread;
    if (cell % 3 != 1 && group < 2) {
        uint place;
        InterlockedAdd(payload.offset.x, 1, place);
        payload.cells[place] = cell;
    }
    GroupMemoryBarrierWithGroupSync();
    DispatchMesh(payload.offset.x, 1, 1, payload);
}
