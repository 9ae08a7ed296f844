// -T lib_6_8
// Four groups share a record: one of them exchanges the floats that the others then find exchanged.
RWStructuredBuffer<float> words : register(u0);
struct [NodeTrackRWInputSharing] Shared { float value; float2 pair; uint count; };

[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(4, 1, 1)] [NumThreads(1, 1, 1)]
void top(RWDispatchNodeInputRecord<Shared> input)
{
    InterlockedCompareStoreFloatBitwise(input.Get().value, 1.0f, 6.0f);
    float old;
    InterlockedExchange(input.Get().pair.y, 8.0f, old);
    Barrier(NODE_INPUT_MEMORY, DEVICE_SCOPE | GROUP_SYNC);
    if (input.FinishedCrossGroupSharing())
    {
        words[0] = input.Get().value;
        words[1] = input.Get().pair.x;
        words[2] = input.Get().pair.y;
    }
}
