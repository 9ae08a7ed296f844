// SPDX-License-Identifier: Apache-2.0
// Push constants of a stage of a draw, if it is built with PUSH.
#ifdef PUSH
layout(push_constant) uniform Push
{
    uint words[32];
};
#endif

uint pushed(uint h, uint index)
{
#ifdef PUSH
    h = mixed(h, words[index % 32u]);
    for (uint i = 0u; i < 32u; ++i)
        h = mixed(h, words[i]);
    h = mixed(h, words[7]);
#endif
    return h;
}
