// SPDX-License-Identifier: Apache-2.0
// The scene that the shader is compiled for.
#if defined(MR_MESHLETS)
#include "meshlets.glsl"
#elif defined(MR_GRASS)
#include "grass.glsl"
#else
#include "tiny.glsl"
#endif
