// -T rootsig_1_0 -E RS, and rootsig_1_1
#define RS "RootConstants(num32BitConstants=4, b0), UAV(u0, space=2), SRV(t3), CBV(b1), DescriptorTable(UAV(u1, numDescriptors=8), SRV(t5, numDescriptors=unbounded, offset=12)), DescriptorTable(Sampler(s2, numDescriptors=2)), StaticSampler(s0, filter=FILTER_MIN_MAG_MIP_POINT), StaticSampler(s1, space=1)"
