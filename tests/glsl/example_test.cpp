// SPDX-License-Identifier: Apache-2.0
// The examples of examples, against what the host computes.
#include <array>
#include <bit>
#include <fstream>
#include <iterator>

#include "conformance/graph_test.h"
#include "glsl/compile.h"

namespace millrace::glsl {

namespace {

class GlslExamples : public conformance::GraphTest {
protected:
    static harness::Stage stage(const std::string& path)
    {
        const std::string file = std::string(MILLRACE_GLSL_EXAMPLES) + "/" + path;
        std::ifstream stream(file, std::ios::binary);
        EXPECT_TRUE(stream.is_open()) << file;
        const std::string source(std::istreambuf_iterator<char>(stream), {});
        const auto compiled = compile(source, file, {});
        harness::Stage out;
        if (!compiled) {
            ADD_FAILURE() << compiled.error().text();
            return out;
        }
        out.words = compiled->words;
        out.entry = compiled->entryPoint;
        return out;
    }
};

TEST_F(GlslExamples, FanOut_DrawsSierpinskisTriangle)
{
    constexpr uint32_t kSize = 32;
    std::vector<uint32_t> wanted;
    for (uint32_t y = 0; y < kSize; y++)
        for (uint32_t x = 0; x < kSize; x++)
            wanted.push_back((x & y) == 0 ? 1 : 0);
    Options options;
    options.words = kSize * kSize;
    EXPECT_EQ(run({stage("fan_out/start.comp"), stage("fan_out/row.comp")},
                  {harness::launchWords("start", 0, 1, {kSize})}, options),
              wanted);
}

using Point = std::array<float, 2>;

void addKoch(Point from, Point to, int depth, std::vector<uint32_t>& out)
{
    if (depth == 0) {
        for (const float f : {from[0], from[1], to[0], to[1]})
            out.push_back(std::bit_cast<uint32_t>(f));
        return;
    }
    const float dx = (to[0] - from[0]) * (1.0f / 3.0f);
    const float dy = (to[1] - from[1]) * (1.0f / 3.0f);
    // Volatile, because the host's compiler may contract as well.
    volatile float hx = -dy * 0.8660254f, hy = dx * 0.8660254f;
    volatile float mx = dx * 1.5f, my = dy * 1.5f;
    volatile float tx = from[0] + mx, ty = from[1] + my;
    const std::array<Point, 5> points = {
        {from, {from[0] + dx, from[1] + dy}, {tx + hx, ty + hy}, {to[0] - dx, to[1] - dy}, to}};
    for (size_t k = 0; k < 4; k++)
        addKoch(points[k], points[k + 1], depth - 1, out);
}

TEST_F(GlslExamples, Koch_EverySegmentIsWhereTheHostHasIt)
{
    for (uint32_t depth : {0, 1, 3}) {
        SCOPED_TRACE(depth);
        const std::array<Point, 3> corners = {{{0, 0}, {0.5f, 0.875f}, {1, 0}}};
        std::vector<uint32_t> payloads;
        std::vector<uint32_t> wanted;
        for (uint32_t side = 0; side < 3; side++) {
            const Point from = corners[side], to = corners[(side + 1) % 3];
            for (const float f : {from[0], from[1], to[0], to[1]})
                payloads.push_back(std::bit_cast<uint32_t>(f));
            payloads.push_back(side);
            addKoch(from, to, static_cast<int>(depth), wanted);
        }
        harness::Stage segment = stage("koch/segment.comp");
        segment.specialization[0] = depth;
        Options options;
        options.words = static_cast<uint32_t>(wanted.size());
        EXPECT_EQ(run({segment}, {harness::launchWords("segment", 0, 3, payloads)}, options), wanted);
    }
}

}  // namespace

}  // namespace millrace::glsl
