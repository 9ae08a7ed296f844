// -T lib_6_8 -enable-16bit-types
// The same with a grid of one number of 16 bits.
RWStructuredBuffer<uint> o : register(u0);
struct G { uint16_t4 a; uint16_t grid : SV_DispatchGrid; uint16_t z; };
struct P { uint v; };
[Shader("node")][NodeLaunch("thread")]
void top([MaxRecords(1)] NodeOutput<G> mid) { ThreadNodeOutputRecords<G> r = mid.GetThreadNodeOutputRecords(1); r.Get().a = 1; r.Get().grid = 3; r.Get().z = 0; r.OutputComplete(); }
[Shader("node")][NodeLaunch("broadcasting")][NodeMaxDispatchGrid(8,8,8)][NumThreads(4,1,1)]
void mid(DispatchNodeInputRecord<G> unread, [MaxRecords(4)] NodeOutput<P> leaf, uint3 id : SV_DispatchThreadID)
{
  ThreadNodeOutputRecords<P> r = leaf.GetThreadNodeOutputRecords(1); r.Get().v = id.x + 100 * id.y + 10000 * id.z; r.OutputComplete();
}
[Shader("node")][NodeLaunch("thread")] void leaf(ThreadNodeInputRecord<P> r) { InterlockedAdd(o[0], r.Get().v); InterlockedAdd(o[1], 1); }
