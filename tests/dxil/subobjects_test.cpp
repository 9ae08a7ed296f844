// SPDX-License-Identifier: Apache-2.0
// Root signatures that libraries declare, and overrides by API.
#include "dxil/subobjects.h"

#include "dxil/container.h"
#include "dxil/overrides.h"
#include "dxil/support/corpus.h"

namespace millrace::dxil {

namespace {

std::vector<uint8_t> rdat()
{
    const std::vector<uint8_t> bytes = readBytes(dataPath("graphs/local_root.dxil"));
    const auto container = readContainer(bytes);
    const Bytes part = container->findPart("RDAT")->bytes;
    return {part.begin(), part.end()};
}

TEST(Subobjects, SignaturesAndAssociations_AreRead)
{
    const std::vector<uint8_t> bytes = rdat();
    const auto found = readSubobjects(bytes);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->signatures.size(), 4u);
    ASSERT_EQ(found->associations.size(), 3u);
    EXPECT_EQ(found->associations[0].exports.size(), 1u);
    const auto nameOf = [&](bool isLocal, const char* entry) {
        const DeclaredSignature* signature = found->findSignature(isLocal, entry);
        return signature ? signature->name : "";
    };
    EXPECT_EQ(nameOf(true, "first"), "plain");
    EXPECT_EQ(nameOf(true, "second"), "mixed");
    EXPECT_EQ(nameOf(true, "start"), "");
    EXPECT_EQ(nameOf(false, "start"), "everywhere");
}

TEST(Subobjects, EveryPrefixAndEveryFlippedWord_IsReadOrRefused)
{
    const std::vector<uint8_t> whole = rdat();
    for (size_t size = 0; size < whole.size(); ++size)
        (void)readSubobjects(Bytes(whole).first(size));
    size_t refused = 0;
    for (size_t at = 0; at < whole.size(); ++at) {
        for (const uint8_t value : {0x00, 0x7f, 0xff}) {
            std::vector<uint8_t> bytes = whole;
            bytes[at] = value;
            const auto found = readSubobjects(bytes);
            refused += found ? 0 : 1;
            EXPECT_TRUE(!found || found->signatures.size() <= 4096);
        }
    }
    EXPECT_GT(refused, 0u);
}

EntryPoint node(const std::string& name)
{
    EntryPoint out;
    out.name = name;
    out.kind = ShaderKind::Node;
    out.node.launch = LaunchType::Broadcasting;
    out.node.id.name = name;
    out.node.grid = {1, 1, 1};
    return out;
}

TEST(Overrides, FunctionListedTwice_IsTwoNodes)
{
    std::vector<EntryPoint> entries = {node("a"), node("b")};
    NodeOverride first, second;
    first.entry = second.entry = "a";
    second.index = 3;
    second.grid = {4, 5, 6};
    ASSERT_TRUE(applyOverrides({first, second}, false, entries));
    ASSERT_EQ(entries.size(), 3u);
    EXPECT_EQ(entries[0].node.id.index, 0u);
    EXPECT_EQ(entries[1].node.id.index, 3u);
    EXPECT_EQ((*entries[1].node.grid)[2], 6u);
    EXPECT_EQ(entries[2].name, "b");
}

TEST(Overrides, EachOne_ReachesTheNode)
{
    EntryPoint sender = node("a");
    NodeIo several, single;
    several.flags = kNodeOutput | kNodeArray;
    several.id = {"x", 0};
    several.arraySize = 2;
    single.flags = kNodeOutput;
    single.id = {"y", 0};
    single.maxRecords = 4;
    sender.node.outputs = {several, single};
    NodeIo input;
    input.flags = kNodeInput;
    input.grid = GridMember{};
    sender.node.inputs = {input};
    sender.node.sharesInputOf = NodeId{"other", 1};

    NodeOverride change;
    change.entry = "a";
    change.name = "b";
    change.index = 7;
    change.isProgramEntry = true;
    change.localArgumentsIndex = 5;
    change.maxGrid = {3, 2, 1};
    change.sharesInputOf = NodeId{"third", 2};
    change.outputs = {{0, "far", 9, 16, true, {}, 1}, {1, {}, {}, {}, {}, 12, {}}};
    std::vector<EntryPoint> entries = {sender};
    ASSERT_TRUE(applyOverrides({change}, false, entries));
    const Node& got = entries.at(0).node;
    EXPECT_EQ(got.id.name, "b");
    EXPECT_EQ(got.id.index, 7u);
    EXPECT_TRUE(got.isProgramEntry);
    EXPECT_EQ(got.localArgumentsIndex, 5);
    EXPECT_FALSE(got.grid);
    EXPECT_EQ(got.maxGrid, (std::array<uint32_t, 3>{3, 2, 1}));
    EXPECT_EQ(got.sharesInputOf->name, "third");
    EXPECT_EQ(got.sharesInputOf->index, 2u);
    EXPECT_EQ(got.outputs[0].id.name, "far");
    EXPECT_EQ(got.outputs[0].id.index, 9u);
    EXPECT_EQ(got.outputs[0].arraySize, 16u);
    EXPECT_TRUE(got.outputs[0].sparse);
    EXPECT_EQ(got.outputs[0].sharesBudgetWith, 1u);
    EXPECT_EQ(got.outputs[1].maxRecords, 12u);

    change.sharesInputOf = NodeId{};
    entries = {sender};
    ASSERT_TRUE(applyOverrides({change}, false, entries));
    EXPECT_FALSE(entries[0].node.sharesInputOf);
}

TEST(Overrides, GridsOfBothKinds_AreSeparated)
{
    EntryPoint fixed = node("work"), open = node("work"), sender = node("sender");
    fixed.node.id.index = 1;
    open.node.grid.reset();
    open.node.maxGrid = {8, 1, 1};
    NodeIo output;
    output.flags = kNodeOutput | kNodeArray;
    output.id.name = "work";
    output.arraySize = 2;
    sender.node.outputs = {output};
    std::vector<EntryPoint*> entries = {&fixed, &open, &sender};
    separateGrids(entries);
    EXPECT_EQ(fixed.node.id.name, "work.static");
    EXPECT_EQ(open.node.id.name, "work");
    ASSERT_EQ(sender.node.outputs.size(), 2u);
    EXPECT_EQ(sender.node.outputs[0].staticIndices, std::vector<uint32_t>{1});
    EXPECT_EQ(sender.node.outputs[1].id.name, "work.static");
    EXPECT_EQ(sender.node.outputs[1].sharesBudgetWith, 0u);
}

TEST(Overrides, NodesWithoutConflict_StayAsTheyAre)
{
    EntryPoint fixed = node("work"), other = node("other");
    other.node.grid.reset();
    std::vector<EntryPoint*> entries = {&fixed, &other};
    separateGrids(entries);
    EXPECT_EQ(fixed.node.id.name, "work");
}

}  // namespace

}  // namespace millrace::dxil
