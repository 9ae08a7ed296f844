// Operations on floats of which the result is exact. c has infinities and NaNs.
PUT(a + b);
PUT(a - b);
PUT(a * b);
PUT(-a);
PUT(abs(a));
PUT(saturate(a));
PUT(min(a, b));
PUT(max(a, b));
PUT(floor(a));
PUT(ceil(a));
PUT(trunc(a));
PUT(round(a));
PUT(frac(a));
PUT(mad(a, b, a));
PUTB(a < b);
PUTB(a >= b);
PUTB(a == b);
PUTB(isnan(c));
PUTB(isinf(c));
PUTB(isfinite(c));
PUTB(isnormal(c));
PUTB(AND(a < b, isfinite(c)));
PUT(select(a < b, a, b));
PUTI(TO_INT(a));
PUTU(TO_UINT(abs(a)));
PUT1(all(a < CONST(100)));
PUT1(any(a == b));
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
VEC several[3];
several[0] = a;
several[1] = b;
several[2] = a + b;
several[k % 3][k % N] = CONST(7);
PUT(several[(k + 1) % 3]);
PUT(several[k % 3]);
