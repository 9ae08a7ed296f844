// -T lib_6_8
// Letters come in one by one or in sacks and are sorted into boxes by their code; each box counts what it gets, many
// letters at a time.
struct Letter { uint code; uint weight; };
struct Sack { uint letters; uint first; };

static const uint BOXES = 4;
struct Box { uint letters; uint weight; uint largestCode; };
RWStructuredBuffer<Box> boxes : register(u0);

[Shader("node")] [NodeLaunch("thread")] [NodeIsProgramEntry]
void letter(ThreadNodeInputRecord<Letter> input,
    [MaxRecords(1)] [NodeArraySize(4)] [NodeID("box")] NodeOutputArray<Letter> box)
{
    Letter found = input.Get();
    ThreadNodeOutputRecords<Letter> sorted = box[found.code % BOXES].GetThreadNodeOutputRecords(1);
    sorted.Get() = found;
    sorted.OutputComplete();
}

// Sends its letters to the node above, which cannot tell them from those that the host sends.
[Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(32, 1, 1)]
void sack(DispatchNodeInputRecord<Sack> input, uint i : SV_GroupIndex,
    [MaxRecords(32)] [NodeID("letter")] NodeOutput<Letter> letters)
{
    uint count = min(input.Get().letters, 32);
    GroupNodeOutputRecords<Letter> sent = letters.GetGroupNodeOutputRecords(count);
    if (i < count) {
        sent[i].code = input.Get().first + i * i;
        sent[i].weight = i + 1;
    }
    sent.OutputComplete();
}

groupshared uint weights;
groupshared uint largest;

void take(GroupNodeInputRecords<Letter> letters, uint box, uint i)
{
    if (i == 0) { weights = 0; largest = 0; }
    GroupMemoryBarrierWithGroupSync();
    if (i < letters.Count()) {
        InterlockedAdd(weights, letters[i].weight);
        InterlockedMax(largest, letters[i].code);
    }
    GroupMemoryBarrierWithGroupSync();
    if (i == 0) {
        InterlockedAdd(boxes[box].letters, letters.Count());
        InterlockedAdd(boxes[box].weight, weights);
        InterlockedMax(boxes[box].largestCode, largest);
    }
}

#define BOX(n)                                                                                                  \
    [Shader("node")] [NodeLaunch("coalescing")] [NumThreads(32, 1, 1)] [NodeID("box", n)]                       \
    void box##n([MaxRecords(32)] GroupNodeInputRecords<Letter> letters, uint i : SV_GroupIndex)                 \
    {                                                                                                           \
        take(letters, n, i);                                                                                    \
    }
BOX(0)
BOX(1)
BOX(2)
BOX(3)
