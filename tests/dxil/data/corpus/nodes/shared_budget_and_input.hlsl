// -T lib_6_8
struct Item { uint value; };
RWStructuredBuffer<uint> words : register(u0);
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(1, 1, 1)]
void start([MaxRecords(3)] NodeOutput<Item> left, [MaxRecordsSharedWith(left)] NodeOutput<Item> right)
{
    GroupNodeOutputRecords<Item> l = left.GetGroupNodeOutputRecords(2);
    GroupNodeOutputRecords<Item> r = right.GetGroupNodeOutputRecords(1);
    l[0].value = 5; l[1].value = 6; r.Get().value = l[0].value + 2;
    r.OutputComplete();
    l.OutputComplete();
}
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(1, 1, 1)]
void left(DispatchNodeInputRecord<Item> input) { InterlockedAdd(words[0], input.Get().value); }
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(2, 1, 1)] [NumThreads(1, 1, 1)]
void right(DispatchNodeInputRecord<Item> input) { InterlockedAdd(words[1], input.Get().value); }
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(3, 1, 1)] [NumThreads(1, 1, 1)] [NodeShareInputOf("right")]
void twin(DispatchNodeInputRecord<Item> input) { InterlockedAdd(words[2], input.Get().value); }
