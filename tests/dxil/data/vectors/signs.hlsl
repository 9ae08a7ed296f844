// The highest bit that is not the sign.
PUTU(firstbithigh(a));
PUTU(firstbithigh(~(a & CONST(0))));
