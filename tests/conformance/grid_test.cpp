// SPDX-License-Identifier: Apache-2.0
// Section 4: how many workgroups a payload starts.
#include "conformance/graph_test.h"

namespace millrace::conformance {

namespace {

class Grid : public GraphTest {
protected:
    void runDynamicGrids(const std::vector<uint32_t>& widths);
};

// Adds 1 to out[first + x + 4 * (y + 4 * z)] for workgroup (x, y, z).
void countWorkgroup(NodeWriter& node, uint32_t first = 0)
{
    const Id row = node.plus(node.builtIn("WorkgroupId", 1), node.times(node.c(4), node.builtIn("WorkgroupId", 2)));
    const Id cell = node.plus(node.builtIn("WorkgroupId", 0), node.times(node.c(4), row));
    node.add(node.plus(node.c(first), cell), node.c(1));
}

std::vector<uint32_t> cells(uint32_t x, uint32_t y, uint32_t z, uint32_t times = 1)
{
    std::vector<uint32_t> out(64);
    for (uint32_t k = 0; k < z; ++k)
        for (uint32_t j = 0; j < y; ++j)
            for (uint32_t i = 0; i < x; ++i)
                out[i + 4 * (j + 4 * k)] = times;
    return out;
}

TEST_F(Grid, Coalescing_OneWorkgroupWithIdZero)
{
    const Stage node = writeNode("node",
                                 [](NodeWriter& writer) {
                                     writer.coalescing();
                                     const Id input = writer.inputArray({writer.word()}, 4);
                                     writer.onFirstLane([&] {
                                         for (uint32_t i = 0; i < 3; ++i)
                                             writer.add(i, writer.builtIn("WorkgroupId", i));
                                         writer.add(3, writer.length(input));
                                     });
                                 },
                                 {4, 1, 1});
    const auto result = run({node}, {launchWords("node", 0, 10, std::vector<uint32_t>(10))});
    EXPECT_EQ(first(result, 4), (std::vector<uint32_t>{0, 0, 0, 10}));
}

TEST_F(Grid, Static_IsTheConstants)
{
    const Stage node = writeNode("node", [](NodeWriter& writer) {
        writer.staticGrid(2, 3, 4);
        countWorkgroup(writer);
    });
    EXPECT_EQ(run({node}, {launchWords("node", 0, 5, {})}), cells(2, 3, 4, 5));
}

// Numbers, vectors of two and of three, of all widths, behind another member: nodes grid8x1, ..., grid32x3.
// Grids that are numbers and vectors of integers of so many bits.
void Grid::runDynamicGrids(const std::vector<uint32_t>& widths)
{
    std::vector<Stage> stages;
    std::vector<Launch> launches;
    Options options;
    uint32_t first = 0;
    std::vector<uint32_t> wanted;
    for (uint32_t bits : widths) {
        for (uint32_t count = 1; count <= 3; ++count) {
            const std::string name = "grid" + std::to_string(bits) + "x" + std::to_string(count);
            stages.push_back(writeNode(name, [&](NodeWriter& node) {
                const Id number = node.module().uintType(bits);
                const Id type = count == 1 ? number : node.module().vectorType(number, count);
                node.inputArray({node.word(), {type, 4, "PayloadDispatchIndirectAMDX"}});
                countWorkgroup(node, first);
            }));
            std::vector<uint8_t> bytes(4 + bits / 8 * count);
            for (uint32_t i = 0; i < count; ++i)
                bytes[4 + bits / 8 * i] = static_cast<uint8_t>(2 + i);  // 2, 3, 4
            // A grid that is read from the wrong place or with the wrong width shows.
            bytes[0] = 1;
            launches.push_back({name, 0, 1, bytes, bytes.size()});
            const auto part = cells(2, count > 1 ? 3 : 1, count > 2 ? 4 : 1);
            wanted.insert(wanted.end(), part.begin(), part.end());
            first += 64;
        }
    }
    options.words = first;
    EXPECT_EQ(run(stages, launches, options), wanted);
}

TEST_F(Grid, Dynamic_FromAnyMemberOfThePayload)
{
    runDynamicGrids({32});
}

TEST_F(Grid, Dynamic_FromSmallMembersOfThePayload)
{
    if (!hasIntegers({8, 16}))
        GTEST_SKIP() << "the device has no integers of 8 and 16 bits";
    runDynamicGrids({8, 16, 32});
}

TEST_F(Grid, Dynamic_OnlyTheReceiversDecorationCounts)
{
    for (const char* decoration : {"", "PayloadDispatchIndirectAMDX"}) {
        const Stage from = writeNode("from", [&](NodeWriter& node) {
            node.staticGrid(1);
            // The producer decorates nothing, or another member.
            const Id array =
                node.allocate(node.output("to", {node.word(0, decoration), node.word(4)}), node.c(1), node.c(0));
            node.writePayload(array, node.c(0), 0, node.c(2));
            node.writePayload(array, node.c(0), 1, node.c(3));
            node.enqueue(array);
        });
        const Stage to = writeNode("to", [](NodeWriter& node) {
            node.inputArray({node.word(), node.word(4, "PayloadDispatchIndirectAMDX")});
            countWorkgroup(node);
        });
        EXPECT_EQ(run({from, to}, {launchWords("from", 0, 1, {})}), cells(3, 1, 1));
    }
}

Stage dynamicNode(const std::string& name, const std::string& max = "")
{
    return writeNode(name, [&](NodeWriter& node) {
        if (!max.empty())
            node.mode("MaxNumWorkgroupsAMDX " + node.c(4) + " " + node.c(2) + " " + node.c(3));
        node.inputArray({{node.uintVector(3), 0, "PayloadDispatchIndirectAMDX"}});
        countWorkgroup(node);
    });
}

// Sends one payload for each grid.
Stage gridSender(const std::vector<std::array<uint32_t, 3>>& grids)
{
    return writeNode("from", [&](NodeWriter& node) {
        node.staticGrid(1);
        OutputOptions options;
        options.budget = static_cast<uint32_t>(grids.size());
        const PayloadArrayType type = node.output("to", {node.word(0), node.word(4), node.word(8)}, options);
        const Id array = node.allocate(type, node.c(*options.budget), node.c(0));
        for (uint32_t i = 0; i < *options.budget; ++i)
            for (uint32_t side = 0; side < 3; ++side)
                node.writePayload(array, node.c(i), side, node.c(grids[i][side]));
        node.enqueue(array);
    });
}

TEST_F(Grid, ZeroInAnyDimension_RunsNothing)
{
    EXPECT_EQ(run({dynamicNode("to")}, {launchWords("to", 0, 4, {0, 3, 4, 2, 0, 4, 2, 3, 0, 0, 0, 0})}),
              std::vector<uint32_t>(64));
    EXPECT_EQ(run({gridSender({{0, 3, 4}, {2, 1, 1}, {2, 0, 4}, {2, 3, 0}}), dynamicNode("to")},
                  {launchWords("from", 0, 1, {})}),
              cells(2, 1, 1));
}

TEST_F(Grid, MaxNumWorkgroups_CanBeReached)
{
    EXPECT_EQ(run({gridSender({{4, 2, 3}, {4, 2, 3}}), dynamicNode("to", "4 2 3")}, {launchWords("from", 0, 1, {})}),
              cells(4, 2, 3, 2));
}

TEST_F(Grid, GridModes_ExcludeEachOther)
{
    const auto node = [](bool coalescing, bool isStatic, bool max) {
        return writeNode("node", [&](NodeWriter& writer) {
            writer.inputArray({writer.word(0, "PayloadDispatchIndirectAMDX")});
            if (coalescing)
                writer.coalescing();
            if (isStatic)
                writer.staticGrid(1);
            if (max)
                writer.mode("MaxNumWorkgroupsAMDX " + writer.c(1) + " " + writer.c(1) + " " + writer.c(1));
        });
    };
    expectRefused({node(true, true, false)}, "StaticNumWorkgroupsAMDX");
    expectRefused({node(true, false, true)}, "MaxNumWorkgroupsAMDX");
    expectRefused({node(false, true, true)}, "MaxNumWorkgroupsAMDX");
}

TEST_F(Grid, DynamicWithoutMember_IsRefused)
{
    expectRefused(
        {writeNode("node", [](NodeWriter& node) { node.add(0, node.readPayload(node.input(), node.c(0), 0)); })},
        "PayloadDispatchIndirectAMDX");
}

TEST_F(Grid, NumWorkgroups_IsRefused)
{
    expectRefused({writeNode("node",
                             [](NodeWriter& node) {
                                 node.staticGrid(1);
                                 node.add(0, node.builtIn("NumWorkgroups", 0));
                             })},
                  "NumWorkgroups");
}

}  // namespace

}  // namespace millrace::conformance
