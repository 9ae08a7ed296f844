// Bits of unsigned integers.
PUT(reversebits(a));
PUTU(countbits(a));
PUTU(firstbitlow(a & b));
PUTU(firstbithigh(a & b));
PUTU(firstbitlow(a & CONST(0)));
PUTU(firstbithigh(a & CONST(0)));
