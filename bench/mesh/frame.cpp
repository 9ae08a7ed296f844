// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/frame.h"

#include <cmath>

namespace millrace::bench {

namespace {

constexpr float kNear = 0.5f;
constexpr float kFocus = 1.6f;  // of half the height of the picture

std::array<float, 4> planeThrough(const std::array<float, 3>& eye, float x, float y, float z)
{
    const float length = std::sqrt(x * x + y * y + z * z);
    x /= length;
    y /= length;
    z /= length;
    return {x, y, z, -(x * eye[0] + y * eye[1] + z * eye[2])};
}

}  // namespace

void look(Frame& frame, std::array<float, 3> place, float farthest, float widthToHeight)
{
    frame.eye = place;
    frame.farthest = farthest;
    const float across = kFocus / widthToHeight, up = -kFocus;
    const float most = 2 * farthest, depth = most / (most - kNear);
    // clip = (across * x, up * y, depth * (z - near), z), of what is seen from the eye
    frame.project = {across, 0, 0, 0, 0, up, 0, 0, 0, 0, depth, 1};
    frame.project[12] = -across * place[0];
    frame.project[13] = -up * place[1];
    frame.project[14] = -depth * (kNear + place[2]);
    frame.project[15] = -place[2];
    frame.planes = {planeThrough(place, across, 0, 1), planeThrough(place, -across, 0, 1),
                    planeThrough(place, 0, kFocus, 1), planeThrough(place, 0, -kFocus, 1),
                    planeThrough(place, 0, 0, 1)};
}

}  // namespace millrace::bench
