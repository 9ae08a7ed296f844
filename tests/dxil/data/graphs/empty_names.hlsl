// -T lib_6_8
// An output to a node without a name. The compiler gives functions their own name in place of an empty one.
RWStructuredBuffer<uint> words : register(u0);
struct Work { uint value; };

[Shader("node")] [NodeLaunch("thread")]
void top([NodeID("")] [MaxRecords(1)] NodeOutput<Work> next)
{
    ThreadNodeOutputRecords<Work> work = next.GetThreadNodeOutputRecords(1);
    work.Get().value = 5;
    work.OutputComplete();
}

[Shader("node")] [NodeLaunch("thread")] [NodeID("")]
void leaf(ThreadNodeInputRecord<Work> work)
{
    words[0] = work.Get().value;
}
