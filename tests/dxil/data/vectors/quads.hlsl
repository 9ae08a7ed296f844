PUT(QuadReadAcrossX(a));
PUT(QuadReadAcrossY(a));
PUT(QuadReadAcrossDiagonal(a));
PUT(QuadReadLaneAt(a, 2));
