// What there is for doubles; comparisons with NaNs are left out, since DXC may assume that there are none.
PUT(a + b);
PUT(a - b);
PUT(a * b);
PUT(-a);
PUT(a / (abs(b) + CONST(1)));
PUT(abs(a));
PUT(saturate(a));
PUT(min(a, b));
PUT(max(a, b));
PUT(mad(a, b, a));
PUT(fma(a, b, b));
PUTB(a < b);
PUT(select(a < b, a, b));
PUTI(TO_INT(a));
PUTU(TO_UINT(abs(a)));
VEC chosen = a;
if ((k & 1) != 0) {
    chosen = b * CONST(2);
}
PUT(chosen);
VEC turned = a;
for (uint i = 0; i < N; i++) {
    turned[i] = a[(i + k) % N];
}
PUT(turned);
