
[numthreads(64, 1, 1)]
void main(uint3 id : SV_DispatchThreadID)
{
    words.Store(4 * id.x, compute(source_at(id.x), source_at(id.x + 64)));
}
