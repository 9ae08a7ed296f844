// -T lib_6_8
// A node that reads nothing of its record, which has its grid; another runs inside it.
RWStructuredBuffer<uint> o : register(u0);
struct G { uint2 grid : SV_DispatchGrid; };
struct P { uint v; };
[Shader("node")][NodeLaunch("thread")]
void top([MaxRecords(1)] NodeOutput<G> mid) { ThreadNodeOutputRecords<G> r = mid.GetThreadNodeOutputRecords(1); r.Get().grid = uint2(3, 2); r.OutputComplete(); }
[Shader("node")][NodeLaunch("broadcasting")][NodeMaxDispatchGrid(8,8,1)][NumThreads(4,1,1)]
void mid(DispatchNodeInputRecord<G> unread, [MaxRecords(4)] NodeOutput<P> leaf, uint3 id : SV_DispatchThreadID)
{
  ThreadNodeOutputRecords<P> r = leaf.GetThreadNodeOutputRecords(1); r.Get().v = id.x + 100 * id.y; r.OutputComplete();
}
[Shader("node")][NodeLaunch("thread")] void leaf(ThreadNodeInputRecord<P> r) { InterlockedAdd(o[0], r.Get().v); InterlockedAdd(o[1], 1); }
