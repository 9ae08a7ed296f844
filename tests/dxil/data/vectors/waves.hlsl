// Over all lanes, and over those in front.
PUT(WaveActiveSum(a));
PUT(WaveActiveProduct(a));
PUT(WaveActiveMin(a));
PUT(WaveActiveMax(a));
PUT(WavePrefixSum(a));
PUT(WavePrefixProduct(a));
PUT(WaveReadLaneAt(a, 1));
PUT(WaveReadLaneFirst(a));
PUTB(WaveActiveAllEqual(a));
PUT4(WaveMatch(a));
PUT(WaveMultiPrefixSum(a, mask));
PUT(WaveMultiPrefixProduct(a, mask));
