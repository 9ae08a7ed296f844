// SPDX-License-Identifier: Apache-2.0
#include "bench/mesh/rock.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace millrace::bench {

namespace {

constexpr uint32_t kCornerWords = 4;

using Vector = std::array<float, 3>;

Vector operator+(const Vector& a, const Vector& b)
{
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
Vector operator-(const Vector& a, const Vector& b)
{
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
Vector operator*(float s, const Vector& v)
{
    return {s * v[0], s * v[1], s * v[2]};
}
float dot(const Vector& a, const Vector& b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vector cross(const Vector& a, const Vector& b)
{
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vector normalized(const Vector& v)
{
    return 1 / std::sqrt(dot(v, v)) * v;
}

// Of a place on a face of the cube: u and v from -1 to 1.
Vector surface(uint32_t face, float u, float v)
{
    const float sign = face % 2 == 0 ? 1.0f : -1.0f;
    Vector cube;
    cube[face / 2] = sign;
    cube[(face / 2 + 1) % 3] = u * sign;
    cube[(face / 2 + 2) % 3] = v;
    const Vector way = normalized(cube);
    const float bumps = std::sin(9 * way[0] + 1) * std::sin(7 * way[1]) * std::sin(8 * way[2] + 2) +
                        0.3f * std::sin(23 * way[0]) * std::sin(29 * way[1] + 1) * std::sin(26 * way[2]);
    return (1 + 0.12f * bumps) * way;
}

Vector normalAt(uint32_t face, float u, float v)
{
    constexpr float kStep = 1e-3f;
    return normalized(cross(surface(face, u + kStep, v) - surface(face, u - kStep, v),
                            surface(face, u, v + kStep) - surface(face, u, v - kStep)));
}

uint32_t packNormal(const Vector& normal)
{
    uint32_t word = 0;
    for (uint32_t i = 0; i < 3; ++i)
        word |= (static_cast<uint32_t>(std::lround(normal[i] * 127)) & 0xff) << 8 * i;
    return word;
}

struct Patch {
    std::vector<Vector> places;
    std::vector<Vector> normals;  // of triangles

    void addTriangle(uint32_t a, uint32_t b, uint32_t c)
    {
        normals.push_back(normalized(cross(places[b] - places[a], places[c] - places[a])));
    }
};

void putVector(std::vector<uint32_t>& out, const Vector& v)
{
    for (const float component : v)
        out.push_back(std::bit_cast<uint32_t>(component));
}

void putBounds(std::vector<uint32_t>& out, const Patch& part)
{
    Vector center{}, axis{};
    for (const Vector& place : part.places)
        center = center + 1.0f / static_cast<float>(part.places.size()) * place;
    for (const Vector& normal : part.normals)
        axis = axis + normal;
    axis = normalized(axis);
    float radius = 0, least = 1;
    for (const Vector& place : part.places)
        radius = std::max(radius, std::sqrt(dot(place - center, place - center)));
    for (const Vector& normal : part.normals)
        least = std::min(least, dot(normal, axis));
    // A cone of normals that is too wide is never seen from behind only.
    const float cutoff = least <= 0.1f ? 2 : std::sqrt(1 - least * least);
    putVector(out, center);
    out.push_back(std::bit_cast<uint32_t>(radius));
    putVector(out, axis);
    out.push_back(std::bit_cast<uint32_t>(cutoff));
}

// The part of a face that begins at a quad of it.
void addMeshlet(Rock& rock, uint32_t face, uint32_t firstQuadU, uint32_t firstQuadV, uint32_t quads)
{
    const auto firstVertex = static_cast<uint32_t>(rock.corners.size() / kCornerWords);
    const auto firstTriangle = static_cast<uint32_t>(rock.triangles.size());
    constexpr uint32_t kRow = kPatchQuads + 1;
    Patch part;
    const auto toFace = [&](uint32_t quad) { return 2 * static_cast<float>(quad) / static_cast<float>(quads) - 1; };
    for (uint32_t i = 0; i < kRow * kRow; ++i) {
        const float u = toFace(firstQuadU + i % kRow), v = toFace(firstQuadV + i / kRow);
        part.places.push_back(surface(face, u, v));
        putVector(rock.corners, part.places.back());
        rock.corners.push_back(packNormal(normalAt(face, u, v)));
    }
    const auto add = [&](uint32_t a, uint32_t b, uint32_t c) {
        part.addTriangle(a, b, c);
        rock.triangles.push_back(a | b << 8 | c << 16);
    };
    for (uint32_t quad = 0; quad < kPatchQuads * kPatchQuads; ++quad) {
        const uint32_t at = quad % kPatchQuads + kRow * (quad / kPatchQuads);
        add(at, at + 1, at + kRow);
        add(at + kRow, at + 1, at + kRow + 1);
    }
    putBounds(rock.meshlets, part);
    rock.meshlets.insert(rock.meshlets.end(), {firstVertex, kRow * kRow, firstTriangle, kPatchTriangles});
}

}  // namespace

Rock createRock(uint32_t side)
{
    Rock rock;
    for (uint32_t face = 0; face < 6; ++face)
        for (uint32_t i = 0; i < side * side; ++i)
            addMeshlet(rock, face, i % side * kPatchQuads, i / side * kPatchQuads, side * kPatchQuads);
    return rock;
}

}  // namespace millrace::bench
