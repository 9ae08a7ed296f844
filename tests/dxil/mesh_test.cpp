// SPDX-License-Identifier: Apache-2.0
// The files of mesh/ draw to an image of 8x8 numbers, which must be what the CPU says. Each cell is one pixel.
#include <functional>
#include <optional>

#include "dxil/support/corpus.h"
#include "dxil/support/mesh_runner.h"
#include "harness/vulkan_test.h"

namespace millrace::dxil {

namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t kCells = kMeshImageSize * kMeshImageSize;

struct Case {
    std::string mesh;
    std::string amplification;  // may be empty
    std::string fragment;
    uint32_t groups = 1;
    std::function<std::optional<uint32_t>(uint32_t cell, uint32_t layer)> texel;
    bool hasTwoViewports = false;
};

Words wordsOf(const std::filesystem::path& path)
{
    const std::vector<uint8_t> bytes = readBytes(path);
    Words out(bytes.size() / 4);
    std::copy_n(bytes.begin(), out.size() * 4, reinterpret_cast<uint8_t*>(out.data()));
    return out;
}

class Mesh : public harness::VulkanTest {
protected:
    static Words translated(const std::string& name)
    {
        const Translation made = translateFile("mesh/" + name);
        return made.shaders.empty() ? Words() : made.shaders[0].words;
    }

    static harness::DeviceOptions options()
    {
        harness::DeviceOptions out;
        out.allFeatures = true;
        out.meshShaders = true;
        return out;
    }

    MeshResult draw(const Case& c)
    {
        MeshRun run;
        run.mesh = translated(c.mesh);
        if (!c.amplification.empty())
            run.amplification = translated(c.amplification);
        run.fragment = wordsOf(std::filesystem::path(MILLRACE_DXIL_GLSL) / (c.fragment + ".frag.spv"));
        run.groups = c.groups;
        run.hasTwoViewports = c.hasTwoViewports;
        return runMesh(device(options()), run);
    }

    MeshResult check(const Case& c)
    {
        MeshResult result = draw(c);
        uint32_t drawn = 0;
        for (uint32_t at = 0; at < kCells * kMeshImageLayers; ++at) {
            const auto wanted = c.texel(at % kCells, at / kCells);
            EXPECT_EQ(result.texels[at], wanted.value_or(kUntouched))
                << "cell " << at % kCells << ", layer " << at / kCells;
            drawn += wanted.has_value();
        }
        EXPECT_GT(drawn, 0u);
        return result;
    }
};

#define SKIP_WITHOUT_MESH_SHADERS()        \
    if (!device(options()).hasMeshShaders) \
        GTEST_SKIP() << "the driver has no VK_EXT_mesh_shader";

// Only the first layer is drawn to.
std::optional<uint32_t> inFirst(uint32_t layer, uint32_t value)
{
    return layer == 0 ? std::optional(value) : std::nullopt;
}

TEST_F(Mesh, CellsWithAValueAndABuffer)
{
    SKIP_WITHOUT_MESH_SHADERS();
    const MeshResult result =
        check({"cells", "", "vertex", 4, [](uint32_t cell, uint32_t layer) { return inFirst(layer, cell * 3 + 1); }});
    EXPECT_EQ(result.words[0], kCells * (kCells - 1) / 2);
}

TEST_F(Mesh, PrimitivesWithValuesAndCulling)
{
    SKIP_WITHOUT_MESH_SHADERS();
    check({"primitives", "", "both", 2, [](uint32_t cell, uint32_t layer) -> std::optional<uint32_t> {
               const bool onlyFirst = cell % 3 == 1;
               return layer == 1 || cell % 5 == 0 ? std::nullopt
                                                  : std::optional(10000 * cell + (onlyFirst ? 0 : 1000 + 400));
           }});
}

TEST_F(Mesh, ClipDistances)
{
    SKIP_WITHOUT_MESH_SHADERS();
    check({"clip_distances", "", "clipped", 2, [](uint32_t cell, uint32_t layer) -> std::optional<uint32_t> {
               return layer == 1 || cell % 5 == 0 || cell % 7 == 0 ? std::nullopt : std::optional(cell + 1);
           }});
}

TEST_F(Mesh, Layers)
{
    SKIP_WITHOUT_MESH_SHADERS();
    check({"layers", "", "primitive", 2, [](uint32_t cell, uint32_t layer) -> std::optional<uint32_t> {
               return layer == (cell % 3 == 0) ? std::optional(cell + 1) : std::nullopt;
           }});
}

TEST_F(Mesh, Lines)
{
    SKIP_WITHOUT_MESH_SHADERS();
    check({"lines", "", "primitive", 1, [](uint32_t cell, uint32_t layer) -> std::optional<uint32_t> {
               const uint32_t row = cell / kMeshImageSize;
               return layer == 1 || row % 2 != 0 ? std::nullopt : std::optional(10 + row / 2);
           }});
}

// A group for each half of the image, and two that are culled. Both halves are squeezed: rows are two of the shader's.
TEST_F(Mesh, OutputsOfManyTypes)
{
    SKIP_WITHOUT_MESH_SHADERS();
    check({"output_types", "", "types", 4,
           [](uint32_t cell, uint32_t layer) -> std::optional<uint32_t> {
               const uint32_t x = cell % kMeshImageSize;
               const uint32_t y = cell / kMeshImageSize % 4 * 2 + 1;
               const uint32_t group = cell / (kCells / 2);
               const uint32_t value = x | y << 3 | (y + 3) << 6 | (4 + x) << 10 | (5 + group) << 14 |
                                      (1 + group) << 17 | 2u << 19 | (3 + group) << 21 | group << 24 |
                                      (7 + group) << 25;
               return inFirst(layer, value);
           },
           true});
}

TEST_F(Mesh, CompactionByWaves)
{
    SKIP_WITHOUT_MESH_SHADERS();
    check({"compaction", "", "vertex", 2, [](uint32_t cell, uint32_t layer) -> std::optional<uint32_t> {
               return layer == 1 || (cell * 7 + cell / 8) % 4 == 0 ? std::nullopt : std::optional(cell + 1);
           }});
}

TEST_F(Mesh, PayloadOfAnAmplificationShader)
{
    SKIP_WITHOUT_MESH_SHADERS();
    check({"payload", "amplification", "vertex", 2, [](uint32_t cell, uint32_t layer) -> std::optional<uint32_t> {
               const uint32_t group = cell / 32;
               const uint32_t thread = (cell ^ 5) % 32;
               return layer == 1 || (group == 0 && thread >= 20) ? std::nullopt
                                                                 : std::optional(cell * 5 / 2 + 100 + group);
           }});
}

// The counts that the payload has at the end are those of each group: 21 of both.
TEST_F(Mesh, PayloadThatIsCountedIn)
{
    SKIP_WITHOUT_MESH_SHADERS();
    check(
        {"payload", "amplification_atomics", "vertex", 3, [](uint32_t cell, uint32_t layer) -> std::optional<uint32_t> {
             const uint32_t first = cell / 32 * 32;
             uint32_t count = 0;
             for (uint32_t other = first; other < first + 32; ++other)
                 count += other % 3 != 1;
             return layer == 1 || cell % 3 == 1 ? std::nullopt : std::optional(cell * 3 + count);
         }});
}

}  // namespace

}  // namespace millrace::dxil
