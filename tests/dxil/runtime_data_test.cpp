// SPDX-License-Identifier: Apache-2.0
// The part RDAT: what it says of functions, nodes and resources, and what becomes of one that is damaged or says
// something else than the program.
#include "dxil/runtime_data.h"

#include "dxil/support/corpus.h"

namespace millrace::dxil {

namespace {

constexpr const char* kSample = "nodes/coalescing_counts";

size_t partAt(const std::vector<uint8_t>& bytes)
{
    const auto container = readContainer(bytes);
    return static_cast<size_t>(container->findPart("RDAT")->bytes.data() - bytes.data());
}

std::vector<uint8_t> part(const std::string& name)
{
    const std::vector<uint8_t> bytes = readBytes(corpusFile(name));
    const auto container = readContainer(bytes);
    const Bytes found = container->findPart("RDAT")->bytes;
    return {found.begin(), found.end()};
}

// Where in the part the rows of a table begin.
size_t rowsAt(const std::vector<uint8_t>& bytes, RuntimeTables::Kind kind)
{
    const auto tables = readRuntimeTables(bytes);
    return static_cast<size_t>(tables->content[kind].data() - bytes.data()) + 8;
}

void put(std::vector<uint8_t>& bytes, size_t at, uint32_t value)
{
    for (size_t b = 0; b < 4; ++b)
        bytes.at(at + b) = static_cast<uint8_t>(value >> (8 * b));
}

TEST(RuntimeDataPart, NodesAndResources_AreRead)
{
    const auto data = readRuntimeData(part(kSample));
    ASSERT_TRUE(data) << data.error().text();
    ASSERT_EQ(data->functions.size(), 2u);
    const auto find = [&](const char* name) {
        return std::ranges::find(data->functions, name, &RuntimeFunction::name)->node.value();
    };
    EXPECT_EQ(find("gather").launch, LaunchType::Coalescing);
    EXPECT_EQ(find("gather").threads, (std::array<uint32_t, 3>{8, 1, 1}));
    EXPECT_EQ(find("gather").inputs, 1u);
    EXPECT_EQ(data->resources.at(0).resourceClass, ResourceClass::Uav);
}

TEST(RuntimeDataPart, EveryPrefixAndEveryChangedByte_IsReadOrRefused)
{
    const std::vector<uint8_t> whole = part(kSample);
    for (size_t size = 0; size < whole.size(); ++size)
        (void)readRuntimeData(Bytes(whole).first(size));
    size_t refused = 0;
    for (size_t at = 0; at < whole.size(); ++at) {
        for (const uint8_t value : {0x00, 0x7f, 0xff}) {
            std::vector<uint8_t> bytes = whole;
            bytes[at] = value;
            const auto data = readRuntimeData(bytes);
            refused += data ? 0 : 1;
            EXPECT_TRUE(!data || data->functions.size() <= kMaxRuntimeRows);
        }
    }
    EXPECT_GT(refused, 100u);
}

// What translate() says if a word of a table's first row is another.
std::string refusal(RuntimeTables::Kind kind, size_t word, uint32_t value)
{
    std::vector<uint8_t> bytes = readBytes(corpusFile(kSample));
    put(bytes, partAt(bytes) + rowsAt(part(kSample), kind) + 4 * word, value);
    const auto made = translate(bytes, {});
    return made ? "" : made.error().text();
}

TEST(RuntimeDataPart, OtherThanTheProgram_IsRefused)
{
    const auto unchanged = translate(readBytes(corpusFile(kSample)), {});
    ASSERT_TRUE(unchanged) << unchanged.error().text();
    const auto expect = [](RuntimeTables::Kind kind, size_t word, uint32_t value, const std::string& wanted) {
        const std::string said = refusal(kind, word, value);
        EXPECT_NE(said.find(wanted), std::string::npos) << said << ", not " << wanted;
        EXPECT_NE(said.find("part RDAT"), std::string::npos) << said;
    };
    expect(RuntimeTables::Functions, 0, 0, "it does not name the function scatter of the program");
    expect(RuntimeTables::Functions, 0, 100000, "function 0 is malformed");
    expect(RuntimeTables::Functions, 4, 5, "it says compute of the kind of function scatter, the program node");
    expect(RuntimeTables::Functions, 12, 100, "function 0 is malformed");
    expect(RuntimeTables::Nodes, 0, 3, "it says thread of the launch mode of node scatter, the program broadcasting");
    expect(RuntimeTables::Nodes, 3, ~0u, "it says 0 of the number of outputs of node scatter, the program 1");
    expect(RuntimeTables::NodeIds, 1, 9,
           "it says \"scatter\"[9] of the ID of node scatter, the program \"scatter\"[0]");
    expect(RuntimeTables::Resources, 0, 0,
           "it names the resource t0 to 0, space0, kind 12, which the program does not");
    expect(RuntimeTables::Resources, 4, 8, "it does not name the resource u0 to 0, space0, kind 12 of the program");
    expect(RuntimeTables::Resources, 0, 4, "resource 0 is malformed");
}

}  // namespace

}  // namespace millrace::dxil
