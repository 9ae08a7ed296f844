// In front of each file of scalar/: the inputs, and the words of C++ that HLSL lacks.
#define LOOP [loop]
#define BRANCH [branch]
#define NOINLINE [noinline]
ByteAddressBuffer source : register(t0);
RWByteAddressBuffer words : register(u0);
uint source_at(uint index) { return source.Load(4 * index); }
