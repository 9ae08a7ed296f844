// -T lib_6_8
// Nodes that want waves of one size, or one of several.
RWStructuredBuffer<uint> words : register(u0);
#define NODE(NAME, SIZES) \
    [Shader("node")] [NodeLaunch("broadcasting")] [NodeDispatchGrid(1, 1, 1)] [NumThreads(128, 1, 1)] [WaveSize SIZES] \
    void NAME(uint i : SV_GroupIndex) { if (i == 0) { words[0] = WaveGetLaneCount(); } }
NODE(lanes4, (4))
NODE(lanes8, (8))
NODE(lanes16, (16))
NODE(lanes32, (32))
NODE(lanes64, (64))
NODE(lanes128, (128))
NODE(any, (4, 128))
NODE(some, (4, 128, 32))
