PUT(WaveActiveBitAnd(a));
PUT(WaveActiveBitOr(a));
PUT(WaveActiveBitXor(a));
PUT(WaveMultiPrefixBitAnd(a, mask));
PUT(WaveMultiPrefixBitOr(a, mask));
PUT(WaveMultiPrefixBitXor(a, mask));
