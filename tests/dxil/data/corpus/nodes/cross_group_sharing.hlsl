// -T lib_6_8
struct [NodeTrackRWInputSharing] Task { uint grid : SV_DispatchGrid; uint parts[8]; };
RWStructuredBuffer<uint> words : register(u0);
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(1, 1, 1)]
void start([MaxRecords(1)] NodeOutput<Task> work)
{
    GroupNodeOutputRecords<Task> r = work.GetGroupNodeOutputRecords(1);
    r.Get().grid = 8;
    for (uint i = 0; i < 8; i++) r.Get().parts[i] = 0;
    r.OutputComplete();
}
[Shader("node")] [NodeLaunch("broadcasting")] [NodeMaxDispatchGrid(8, 1, 1)] [NumThreads(1, 1, 1)]
void work(globallycoherent RWDispatchNodeInputRecord<Task> input, uint3 g : SV_GroupID)
{
    input.Get().parts[g.x] = g.x + 1;
    Barrier(NODE_INPUT_MEMORY, DEVICE_SCOPE | GROUP_SYNC);
    if (input.FinishedCrossGroupSharing()) {
        uint sum = 0;
        for (uint i = 0; i < 8; i++) sum += input.Get().parts[i];
        InterlockedAdd(words[0], sum);
        InterlockedAdd(words[1], 1);
    }
}
