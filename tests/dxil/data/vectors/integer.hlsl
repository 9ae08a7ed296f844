// Operations on integers, signed and not.
PUT(a + b);
PUT(a - b);
PUT(a * b);
PUT(a / (b | CONST(1)));
PUT(a % (b | CONST(3)));
PUT(a << (b & CONST(7)));
PUT(a >> (b & CONST(7)));
PUT(a & b);
PUT(a | b);
PUT(a ^ b);
PUT(~a);
PUT(min(a, b));
PUT(max(a, b));
PUT(mad(a, b, c));
PUT(abs(a));
PUTB(a < b);
PUTB(a >= b);
PUTB(a == b);
PUTB(a != c);
PUTB(AND(a != c, a < b));
PUT(select(a < b, a, c));
PUTI(TO_INT(a));
PUTU(TO_UINT(b));
PUT1(all(a));
PUT1(any(a & CONST(1)));
PUT1(all(a == b));
VEC chosen = a;
if ((k & 1) != 0) {
    chosen = b ^ c;
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
