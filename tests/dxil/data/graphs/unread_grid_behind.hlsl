// -T lib_6_8
// The same with the grid behind another member, in a record as large as a grid that nobody declares.
RWStructuredBuffer<uint> o : register(u0);
struct G { uint tag; uint2 grid : SV_DispatchGrid; };
struct P { uint v; };
[Shader("node")][NodeLaunch("thread")]
void top([MaxRecords(1)] NodeOutput<G> mid) { ThreadNodeOutputRecords<G> r = mid.GetThreadNodeOutputRecords(1); r.Get().tag = 1; r.Get().grid = uint2(3, 2); r.OutputComplete(); }
[Shader("node")][NodeLaunch("broadcasting")][NodeMaxDispatchGrid(8,8,8)][NumThreads(4,1,1)]
void mid(DispatchNodeInputRecord<G> unread, [MaxRecords(4)] NodeOutput<P> leaf, uint3 id : SV_DispatchThreadID)
{
  ThreadNodeOutputRecords<P> r = leaf.GetThreadNodeOutputRecords(1); r.Get().v = id.x + 100 * id.y + 10000 * id.z; r.OutputComplete();
}
[Shader("node")][NodeLaunch("thread")] void leaf(ThreadNodeInputRecord<P> r) { InterlockedAdd(o[0], r.Get().v); InterlockedAdd(o[1], 1); }
