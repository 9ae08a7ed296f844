// -T lib_6_8
struct Work { uint depth; uint path; };
RWStructuredBuffer<uint> words : register(u0);
[Shader("node")] [NodeLaunch("thread")] [NodeMaxRecursionDepth(5)]
void split(ThreadNodeInputRecord<Work> input, [MaxRecords(2)] [NodeID("split")] NodeOutput<Work> again)
{
    Work w = input.Get();
    InterlockedAdd(words[w.depth], w.path + 1);
    bool more = GetRemainingRecursionLevels() != 0;
    ThreadNodeOutputRecords<Work> r = again.GetThreadNodeOutputRecords(more ? 2 : 0);
    if (more) {
        for (uint i = 0; i < 2; i++) { r[i].depth = w.depth + 1; r[i].path = 2 * w.path + i; }
    }
    r.OutputComplete();
}
