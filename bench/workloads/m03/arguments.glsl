// SPDX-License-Identifier: Apache-2.0
#include "record.glsl"
layout(push_constant, scalar) uniform Arguments { Words sums; Words records; Words extra; uint count; };

// Where word j of record i is.
#ifdef PLANAR
#define PLACE(i, j) (((i) / 64 * WORDS + (j)) * 64 + (i) % 64)
#else
#define PLACE(i, j) ((i) * WORDS + (j))
#endif
