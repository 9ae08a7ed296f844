// -T lib_6_8
// Matrices as arguments and results, by value and by reference.
export float3x3 scaled(float3x3 m, float by) { return m * by; }
export float2x4 chosen(float2x4 a, float2x4 b, uint which) { if (which & 1) return a; return b + 1; }
export void turn(inout float2x2 m) { m = float2x2(m._m01, m._m00, m._m11, m._m10); }
export int2x3 negated(row_major int2x3 m) { return -m; }
