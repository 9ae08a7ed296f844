// SPDX-License-Identifier: Apache-2.0
// The part PSV0: what it says, and what becomes of one that is damaged or says something else than the program.
#include "dxil/pipeline_state.h"

#include "dxil/support/corpus.h"

namespace millrace::dxil {

namespace {

std::vector<uint8_t> sample()
{
    return readBytes(corpusFile("compute/vector_memory"));
}

// Where the part is in the file.
size_t partAt(const std::vector<uint8_t>& bytes)
{
    const auto container = readContainer(bytes);
    return static_cast<size_t>(container->findPart("PSV0")->bytes.data() - bytes.data());
}

std::vector<uint8_t> part(const std::string& name)
{
    const std::vector<uint8_t> bytes = readBytes(corpusFile(name));
    const auto container = readContainer(bytes);
    const Bytes found = container->findPart("PSV0")->bytes;
    return {found.begin(), found.end()};
}

void put(std::vector<uint8_t>& bytes, size_t at, uint32_t value)
{
    for (size_t b = 0; b < 4; ++b)
        bytes.at(at + b) = static_cast<uint8_t>(value >> (8 * b));
}

// Words of the part, behind its first.
constexpr size_t kMinWave = 4 + 16, kKind = 4 + 24, kThreads = 4 + 36, kName = 4 + 48;

TEST(PipelineStatePart, ComputeShader_IsRead)
{
    const auto state = readPipelineState(part("compute/vector_memory"));
    ASSERT_TRUE(state) << state.error().text();
    EXPECT_EQ(state->kind, ShaderKind::Compute);
    EXPECT_EQ(state->threads, (std::array<uint32_t, 3>{16, 1, 1}));
    EXPECT_EQ(state->entry, "main");
    EXPECT_EQ(state->groupSharedBytes, 448u);
    EXPECT_EQ(state->minWaveLanes, 0u);
    EXPECT_EQ(state->maxWaveLanes, ~0u);
    const std::vector<PipelineResource> wanted = {{ResourceClass::Srv, 0, 0, 0},
                                                  {ResourceClass::Srv, 0, 1, 1},
                                                  {ResourceClass::Uav, 0, 0, 0},
                                                  {ResourceClass::Uav, 0, 1, 1}};
    EXPECT_EQ(state->resources, wanted);
}

TEST(PipelineStatePart, MeshShader_IsRead)
{
    const auto state = readPipelineState(part("mesh/compaction"));
    ASSERT_TRUE(state) << state.error().text();
    EXPECT_EQ(state->kind, ShaderKind::Mesh);
    EXPECT_EQ(state->threads, (std::array<uint32_t, 3>{32, 1, 1}));
    EXPECT_EQ(state->outputs, 2u);
    EXPECT_EQ(state->entry, "main");
}

TEST(PipelineStatePart, EveryPrefixAndEveryChangedWord_IsReadOrRefused)
{
    for (const std::string name : {"compute/vector_memory", "mesh/compaction"}) {
        const std::vector<uint8_t> whole = part(name);
        for (size_t size = 0; size < whole.size() - 64; ++size) {
            const auto state = readPipelineState(Bytes(whole).first(size));
            EXPECT_TRUE(!state || state->resources.size() <= 4) << size;
        }
        for (size_t size = 0; size < 100; ++size) {
            const auto state = readPipelineState(Bytes(whole).first(size));
            ASSERT_FALSE(state) << size;
            EXPECT_NE(state.error().text().find("(part PSV0)"), std::string::npos) << state.error().text();
        }
        for (size_t at = 0; at + 4 <= whole.size(); at += 4) {
            for (const uint32_t value : {0u, 0xffffffffu, 0x7fffffffu, 0xfffffffcu, 25u}) {
                std::vector<uint8_t> bytes = whole;
                put(bytes, at, value);
                const auto state = readPipelineState(bytes);
                EXPECT_TRUE(!state || state->resources.size() <= whole.size() / 16);
            }
        }
    }
}

// What translate() says if a word of the part is another.
std::string refusal(size_t at, uint32_t value)
{
    std::vector<uint8_t> bytes = sample();
    put(bytes, partAt(bytes) + at, value);
    const auto made = translate(bytes, {});
    return made ? "" : made.error().text();
}

TEST(PipelineStatePart, OtherThanTheProgram_IsRefused)
{
    const auto unchanged = translate(sample(), {});
    ASSERT_TRUE(unchanged) << unchanged.error().text();
    const auto expect = [](size_t at, uint32_t value, const std::string& wanted) {
        const std::string said = refusal(at, value);
        EXPECT_NE(said.find(wanted), std::string::npos) << said << ", not " << wanted;
        EXPECT_NE(said.find("part PSV0"), std::string::npos) << said;
    };
    expect(kThreads, 8, "it says 8 x 1 x 1 of the size of a group, the program 16 x 1 x 1");
    expect(kMinWave, 16, "it says 16 to 4294967295 of the lanes of a wave, the program any");
    expect(kKind, 13, "it says mesh of the kind of shader, the program compute");
    expect(kName, 0, "it says \"\" of the entry point, the program \"main\"");
    expect(kName, 3, "it says \"in\" of the entry point, the program \"main\"");
    expect(kName, 700, "the name of the entry point lies outside of its strings");
    // The first resource: its type, space and registers, behind the sizes of the first part, of the table and of a row.
    const std::vector<uint8_t> bytes = part("compute/vector_memory");
    const size_t first = 4 + *numberAt<uint32_t>(bytes, 0) + 8;
    expect(first, 11, "resource 0 is of the unknown type 11");
    expect(first, 7, "it does not name the resource t0 to 0, space0 of the program");
    expect(first + 4, 2, "it does not name the resource t0 to 0, space0 of the program");
    expect(first + 12, ~0u, "it does not name the resource t0 to 0, space0 of the program");
    expect(first - 4, 15, "its resources are cut off");
    expect(first - 4, 4096, "lies outside of it");
    expect(first - 8, 5, "resource 4");
}

}  // namespace

}  // namespace millrace::dxil
