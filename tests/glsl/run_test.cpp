// SPDX-License-Identifier: Apache-2.0
// Every part of the dialect in graphs that run, on the oracle and on the device.
#include <bit>

#include "conformance/graph_test.h"
#include "glsl/compile.h"

namespace millrace::glsl {

namespace {

using harness::launchWords;
using harness::Stage;

constexpr char kWords[] = "layout(set = 0, binding = 0) buffer Out { uint words[]; };\n";

Stage node(const std::string& body)
{
    const auto compiled = compile("#version 460\n" + std::string(kWords) + body, "node.comp", {});
    Stage out;
    if (!compiled) {
        ADD_FAILURE() << compiled.error().text();
        return out;
    }
    const Status valid = spirv::validate(compiled->words);
    EXPECT_TRUE(valid || compiled->hasPayloadAtomics) << valid.error().text();
    out.words = compiled->words;
    out.entry = compiled->entryPoint;
    return out;
}

// Adds the value of each payload to words[index of the node] and counts workgroups behind them.
Stage adder(const std::string& attributes)
{
    return node("layout(static_grid = uvec3(1, 1, 1), " + attributes + R"() node;
        layout(local_size_x = 1) in;
        struct Item { uint value; };
        nodein Item item;
        void main() { atomicAdd(words[shaderIndex()], item.value); atomicAdd(words[16 + shaderIndex()], 1u); })");
}

class GlslRun : public conformance::GraphTest {
protected:
    static VkDeviceSize leastScratch(const std::vector<Stage>& stages, const std::string& fusion)
    {
        harness::DeviceOptions options;
        options.words["fusion"] = fusion;
        harness::Runner runner(device(options), harness::RunnerOptions{});
        return runner.scratchSize(runner.createGraph(stages)).minSize;
    }
};

TEST_F(GlslRun, InvocationScopeToCoalescingNode_EveryPayloadArrives)
{
    const Stage scatter = node(R"(
        layout(name = "scatter", static_grid = uvec3(2, 1, 1)) node;
        layout(local_size_x = 64) in;
        struct Item { uint value; };
        layout(node = "gather") nodeout Item items[64];
        void main() {
            allocateInvocation(items, gl_LocalInvocationIndex % 2);
            if (gl_LocalInvocationIndex % 2 == 1) items[0].value = gl_LocalInvocationIndex;
            enqueue(items);
        })");
    const Stage gather = node(R"(
        layout(name = "gather", coalescing) node;
        layout(local_size_x = 16) in;
        struct Item { uint value; };
        nodein Item items[16];
        void main() {
            uint i = gl_LocalInvocationIndex;
            if (i == 0) atomicAdd(words[1], items.length());
            if (i < items.length()) atomicAdd(words[0], items[i].value);
        })");
    EXPECT_EQ(conformance::first(run({scatter, gather}, {launchWords("scatter", 0, 3, {})}), 2),
              (std::vector<uint32_t>{3 * 2 * 1024, 3 * 2 * 32}));
}

// `leaf` runs inside `mid`, where it coalesces.
TEST_F(GlslRun, GridOfAPayloadThatNothingReads)
{
    const std::string order = "struct Order { uint tag; dispatch_grid uvec2 grid; };\n";
    const Stage top = node(R"(
        layout(name = "top", static_grid = uvec3(1)) node;
        layout(local_size_x = 1) in;)" +
                           order + R"(
        layout(node = "mid") nodeout Order orders[1];
        void main() {
            allocateInvocation(orders, 1);
            orders[0].tag = 1;
            orders[0].grid = uvec2(3, 2);
            enqueue(orders);
        })");
    const Stage mid = node(R"(
        layout(name = "mid", max_grid = uvec3(8)) node;
        layout(local_size_x = 4) in;)" +
                           order + R"(
        nodein Order unread;
        struct Item { uint value; };
        layout(node = "leaf") nodeout Item items[4];
        void main() {
            const uvec3 id = gl_GlobalInvocationID;
            allocateInvocation(items, 1);
            items[0].value = id.x + 100 * id.y + 10000 * id.z;
            enqueue(items);
        })");
    for (const bool coalesces : {true, false}) {
        SCOPED_TRACE(coalesces ? "coalescing" : "static");
        const Stage leaf = node(std::string("layout(name = \"leaf\", ") +
                                (coalesces ? "coalescing" : "static_grid = uvec3(1)") + R"() node;
            layout(local_size_x = 1) in;
            struct Item { uint value; };)" +
                                (coalesces ? "nodein Item items[1];" : "nodein Item item;") + R"(
            void main() {
                atomicAdd(words[0], )" +
                                (coalesces ? "items[0]" : "item") + R"(.value);
                atomicAdd(words[1], 1);
            })");
        for (const harness::Launch& launch : {launchWords("top", 0, 1, {}), launchWords("mid", 0, 1, {1, 3, 2})})
            EXPECT_EQ(conformance::first(run({top, mid, leaf}, {launch}), 2), (std::vector<uint32_t>{1332, 24}));
    }
}

// `read` runs inside `write`. Each of the two computes with small numbers, or may have them in buffers only.
TEST_F(GlslRun, SmallMembers)
{
    const std::string item = "struct Item { int16_t below; uint8_t tag; float16_t real; uint16_t at[2]; };\n";
    const std::string stores =
        "#extension GL_EXT_shader_16bit_storage : require\n#extension GL_EXT_shader_8bit_storage : require\n" + item;
    const std::string computes = "#extension GL_EXT_shader_explicit_arithmetic_types : require\n" + item;
    for (const std::string& types : {stores, computes, "write " + stores, "read " + stores}) {
        const std::string forWrite = types.starts_with("write") ? stores : types.starts_with("read") ? computes : types;
        const std::string forRead = types.starts_with("read") ? stores : types.starts_with("write") ? computes : types;
        SCOPED_TRACE(types);
        const Stage write = node(forWrite + R"(
            layout(name = "write", static_grid = uvec3(2, 1, 1)) node;
            layout(local_size_x = 8) in;
            layout(node = "read") nodeout Item items[8];
            void main() {
                const uint lane = gl_LocalInvocationIndex;
                allocateInvocation(items, lane % 4);
                for (uint i = 0; i < lane % 4; ++i) {
                    items[i].below = int16_t(-int(lane * 1000 + i));
                    items[i].tag = uint8_t(250 + i);
                    items[i].real = float16_t(-0.5 * float(lane));
                    items[i].at[0] = uint16_t(4 * i);
                    items[i].at[1] = uint16_t(65535 - lane);
                }
                enqueue(items);
            })");
        const Stage read = node(forRead + R"(
            layout(name = "read", coalescing) node;
            layout(local_size_x = 1) in;
            nodein Item items[1];
            void main() {
                const uint at = uint(items[0].at[0]);
                atomicAdd(words[at], uint(int(items[0].below)));
                atomicAdd(words[at + 1], uint(items[0].tag));
                atomicAdd(words[at + 2], uint(int(4.0 * float(items[0].real))));
                atomicAdd(words[at + 3], uint(items[0].at[1]));
            })");
        EXPECT_LT(leastScratch({write, read}, "on"), leastScratch({write, read}, "off"));
        const auto got = run({write, read}, {launchWords("write", 0, 1, {})}, {.onOracle = false});
        // Of payload i of an invocation: those whose number modulo 4 is more, twice.
        for (uint32_t i = 0; i < 3; ++i) {
            uint32_t sums[4] = {};
            for (uint32_t lane = 0; lane < 8; ++lane) {
                const uint32_t values[4] = {0u - (lane * 1000 + i), 250 + i, 0u - 2 * lane, 65535 - lane};
                for (uint32_t v = 0; v < 4 && lane % 4 > i; ++v)
                    sums[v] += 2 * values[v];
            }
            EXPECT_EQ(std::vector<uint32_t>(got.begin() + 4 * i, got.begin() + 4 * i + 4),
                      std::vector<uint32_t>(sums, sums + 4));
        }
    }
}

// Deferred shading by materials, as AMD's sample program does it: a workgroup sorts the pixels of its tile by material
// and sends those of each material, or each pixel by itself, to a node of that material. Coordinates have 16 bits, and
// the array that the sender declares has three nodes, however many materials there are.
class Materials : public GlslRun {
protected:
    static constexpr uint32_t kWidth = 24, kHeight = 16;  // in tiles of 8 x 8

    static uint32_t materialOf(uint32_t x, uint32_t y, uint32_t materials)
    {
        return (x / 3 * 7 + y / 2 * 5 + x * y) % materials;
    }
    static uint32_t shade(uint32_t material, uint32_t x, uint32_t y) { return material * 1000003 + y * 4096 + x; }

    static std::string common(uint32_t materials)
    {
        return "#extension GL_EXT_shader_explicit_arithmetic_types_int16 : require\n"
               "const uint kMaterials = " +
               std::to_string(materials) + R"(u;
            uint materialOf(uvec2 at) { return (at.x / 3 * 7 + at.y / 2 * 5 + at.x * at.y) % kMaterials; }
            void draw(uint material, uvec2 at) {
                if (materialOf(at) == material) words[at.y * 24 + at.x] = material * 1000003 + at.y * 4096 + at.x;
            }
        )";
    }

    static void expectPicture(const std::vector<uint32_t>& words, uint32_t materials)
    {
        for (uint32_t y = 0; y < kHeight; ++y)
            for (uint32_t x = 0; x < kWidth; ++x)
                ASSERT_EQ(words[y * kWidth + x], shade(materialOf(x, y, materials), x, y)) << x << ", " << y;
    }

    // `classify`: with "compose" as its output. `compose`: a node for each material.
    void check(const std::string& classify, const std::string& compose)
    {
        for (const uint32_t materials : {3u, 15u, 128u}) {
            SCOPED_TRACE(materials);
            std::vector<Stage> stages = {node(common(materials) + classify)};
            const Stage each = node(common(materials) + compose);
            for (uint32_t i = 0; i < materials; ++i) {
                stages.push_back(each);
                stages.back().name = "compose";
                stages.back().index = i;
            }
            // The grid comes with the payload.
            const auto got = run(stages, {launchWords("classify", 0, 1, {kWidth / 8, kHeight / 8, 1})},
                                 {.words = kWidth * kHeight, .onOracle = false});
            expectPicture(got, materials);
        }
    }
};

TEST_F(Materials, ATileForEachOfItsMaterials)
{
    check(R"(
        layout(name = "classify", max_grid = uvec3(512, 512, 1)) node;
        layout(local_size_x = 8, local_size_y = 8) in;
        struct Input { dispatch_grid uvec3 size; };
        nodein Input order;
        struct Tile { u16vec2 at; };
        layout(node = "compose", array_size = 3) nodeout Tile tiles[128];
        shared uint bits[4];
        void main() {
            if (gl_LocalInvocationIndex < 4) bits[gl_LocalInvocationIndex] = 0;
            barrier();
            const uint material = materialOf(gl_GlobalInvocationID.xy);
            atomicOr(bits[material / 32], 1u << material % 32);
            barrier();
            for (uint m = 0; m < kMaterials; ++m) {
                const bool isThere = (bits[m / 32] >> m % 32 & 1u) != 0;
                allocateWorkgroupAt(tiles, m, isThere ? 1 : 0);
                if (isThere && gl_LocalInvocationIndex == 0) tiles[0].at = u16vec2(gl_WorkGroupID.xy * 8);
                enqueue(tiles);
            }
        })",
          R"(
        layout(name = "compose", static_grid = uvec3(1)) node;
        layout(local_size_x = 8, local_size_y = 8) in;
        struct Tile { u16vec2 at; };
        nodein Tile tile;
        void main() { draw(shaderIndex(), uvec2(tile.at) + gl_LocalInvocationID.xy); })");
}

TEST_F(Materials, EachPixelByItself)
{
    check(R"(
        layout(name = "classify", max_grid = uvec3(512, 512, 1)) node;
        layout(local_size_x = 8, local_size_y = 8) in;
        struct Input { dispatch_grid uvec3 size; };
        nodein Input order;
        struct Pixel { u16vec2 at; };
        layout(node = "compose", array_size = 3) nodeout Pixel pixels[64];
        void main() {
            allocateInvocationAt(pixels, materialOf(gl_GlobalInvocationID.xy), 1);
            pixels[0].at = u16vec2(gl_GlobalInvocationID.xy);
            enqueue(pixels);
        })",
          R"(
        layout(name = "compose", coalescing) node;
        layout(local_size_x = 64) in;
        struct Pixel { u16vec2 at; };
        nodein Pixel pixels[64];
        void main() {
            if (gl_LocalInvocationIndex < pixels.length())
                draw(shaderIndex(), uvec2(pixels[gl_LocalInvocationIndex].at));
        })");
}

TEST_F(GlslRun, AllocationsInBranchesAndLoops_TheLastOneCounts)
{
    const Stage start = node(R"(
        layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
        layout(local_size_x = 1) in;
        struct Item { uint value; };
        layout(node = "add", array_size = 2) nodeout Item items[9];
        void fill(uint index, uint value) { items[index].value = value; }
        void main() {
            for (uint i = 0; i < 4; ++i) {
                if (i % 2 == 0) allocateWorkgroupAt(items, 0, 1); else allocateWorkgroupAt(items, 1, 2);
                fill(0, 10 * i);
                if (i % 2 == 1) fill(1, 100 * i);
                enqueue(items);
            }
        })");
    const auto got = run({start, adder("name = \"add\", index = 0"), adder("name = \"add\", index = 1")},
                         {launchWords("start", 0, 1, {})});
    EXPECT_EQ(conformance::first(got, 2), (std::vector<uint32_t>{20, 440}));
    EXPECT_EQ(got[16], 2u);
    EXPECT_EQ(got[17], 4u);
}

TEST_F(GlslRun, SparseArray_OnlyExistingNodesAreValid)
{
    const Stage choose = node(R"(
        layout(name = "choose", static_grid = uvec3(1, 1, 1)) node;
        layout(local_size_x = 1) in;
        struct Item { uint value; };
        layout(node = "add", base_index = 1, array_size = 6, sparse) nodeout Item items[8];
        void main() {
            for (uint i = 0; i < 5; ++i) {
                words[32 + i] = isValidAt(items, i) ? 1 : 2;
                if (isValidAt(items, i)) {
                    allocateWorkgroupAt(items, i, 1);
                    items[0].value = 100 + i;
                    enqueue(items);
                }
            }
        })");
    const auto got = run({choose, adder("name = \"add\", index = 1"), adder("name = \"add\", index = 2"),
                          adder("name = \"add\", index = 4")},
                         {launchWords("choose", 0, 1, {})});
    EXPECT_EQ(conformance::first(got, 5), (std::vector<uint32_t>{0, 100, 101, 0, 103}));
    EXPECT_EQ(std::vector<uint32_t>(got.begin() + 32, got.begin() + 37), (std::vector<uint32_t>{1, 1, 2, 1, 2}));
}

TEST_F(GlslRun, TwoOutputsOfOneStructure_AndASharedBudget)
{
    const Stage start = node(R"(
        layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
        layout(local_size_x = 1) in;
        struct Item { uint value; };
        layout(node = "left") nodeout Item left[2];
        layout(node = "right", shares_budget_with = left) nodeout Item right[];
        void main() {
            allocateWorkgroup(left, 1);
            allocateWorkgroup(right, 1);
            left[0].value = 5;
            right[0].value = left[0].value + 2;
            enqueue(right);
            enqueue(left);
        })");
    const std::string body = R"(
        layout(local_size_x = 1) in;
        struct Item { uint value; };
        nodein Item item;
        void main() { atomicAdd(words[WHERE], item.value); })";
    const Stage left = node("layout(name = \"left\", static_grid = uvec3(1)) node;\n#define WHERE 0\n" + body);
    const Stage right = node("layout(name = \"right\", static_grid = uvec3(1)) node;\n#define WHERE 1\n" + body);
    EXPECT_EQ(conformance::first(run({start, left, right}, {launchWords("start", 0, 1, {})}), 2),
              (std::vector<uint32_t>{5, 7}));
}

TEST_F(GlslRun, SharedInput_EveryNodeSeesIt)
{
    const Stage base = adder("name = \"base\"");
    const Stage twin = node(R"(
        layout(name = "twin", static_grid = uvec3(3, 1, 1), shares_input_with = "base") node;
        layout(local_size_x = 1) in;
        struct Item { uint value; };
        readonly nodein Item item;
        void main() { atomicAdd(words[1], item.value); })");
    EXPECT_EQ(conformance::first(run({base, twin}, {launchWords("base", 0, 2, {10, 20})}), 2),
              (std::vector<uint32_t>{30, 90}));
}

TEST_F(GlslRun, FinishWriting_TheLastWorkgroupSums)
{
    const Stage start = node(R"(
        layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
        layout(local_size_x = 1) in;
        struct Task { dispatch_grid uvec3 grid; uint parts[8]; };
        layout(node = "work", finish_tracking) nodeout Task task;
        void main() {
            allocateWorkgroup(task, 1);
            task.grid = uvec3(8, 1, 1);
            enqueue(task);
        })");
    const Stage work = node(R"(
        layout(name = "work", max_grid = uvec3(8, 1, 1), api_entry = false) node;
        layout(local_size_x = 1) in;
        struct Task { dispatch_grid uvec3 grid; uint parts[8]; };
        layout(finish_tracking) nodein Task task;
        void main() {
            task.parts[gl_WorkGroupID.x] = gl_WorkGroupID.x + 1;
            memoryBarrierBuffer();
            if (finishWriting()) {
                uint sum = 0;
                for (uint i = 0; i < 8; ++i) sum += task.parts[i];
                atomicAdd(words[0], sum);
                atomicAdd(words[1], 1);
            }
        })");
    EXPECT_EQ(conformance::first(run({start, work}, {launchWords("start", 0, 3, {})}), 2),
              (std::vector<uint32_t>{3 * 36, 3}));
}

TEST_F(GlslRun, LengthOfOutputs_IsWhatWasAllocated)
{
    // One output becomes a pointer, the other a variable.
    const Stage start = node(R"(
        layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
        layout(local_size_x = 1) in;
        struct Item { uint value; };
        struct Many { uint count; };
        nodein Many many;
        layout(node = "add") nodeout Item once[9];
        layout(node = "add") nodeout Item twice[9];
        void main() {
            allocateWorkgroup(once, many.count);
            for (uint i = 0; i < once.length(); ++i) once[i].value = 1;
            if (many.count > 2) allocateWorkgroup(twice, 4); else allocateWorkgroup(twice, 5);
            for (uint i = 0; i < twice.length(); ++i) twice[i].value = 100;
            enqueue(once);
            enqueue(twice);
        })");
    const auto got = run({start, adder("name = \"add\"")}, {launchWords("start", 0, 2, {3, 2})});
    EXPECT_EQ(got[0], 5u + 900u);
    EXPECT_EQ(got[16], 5u + 9u);
}

TEST_F(GlslRun, WholePayloads_AreValuesAndArguments)
{
    const Stage start = node(R"(
        layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
        layout(local_size_x = 1) in;
        struct Inner { mat2x3 m; bool flags[3]; };
        struct Item { uint value; Inner inner; };
        nodein Item item;
        layout(node = "copy") nodeout Item copy;
        shared Item kept;
        Item get() { return item; }
        void change(inout Item i) { i.value += uint(i.inner.m[1].z); i.inner.flags[2] = !i.inner.flags[2]; }
        void main() {
            allocateWorkgroup(copy, 1);
            copy = get();
            change(copy);
            kept = copy;
            copy.inner.m[0].xy = kept.inner.m[1].yx;
            if (copy == item) copy.value = 77;
            enqueue(copy);
        })");
    const Stage copy = node(R"(
        layout(name = "copy", static_grid = uvec3(1, 1, 1)) node;
        layout(local_size_x = 1) in;
        struct Inner { mat2x3 m; bool flags[3]; };
        struct Item { uint value; Inner inner; };
        readonly nodein Item item;
        void main() {
            words[0] = item.value;
            for (uint i = 0; i < 3; ++i) {
                words[1 + i] = uint(item.inner.m[0][i]);
                words[4 + i] = uint(item.inner.m[1][i]);
                words[7 + i] = item.inner.flags[i] ? 1 : 0;
            }
        })");
    const auto f = [](float value) { return std::bit_cast<uint32_t>(value); };
    const std::vector<uint32_t> payload = {10, f(1), f(2), f(3), f(4), f(5), f(6), 1, 0, 1};
    EXPECT_EQ(conformance::first(run({start, copy}, {launchWords("start", 0, 1, payload)}), 10),
              (std::vector<uint32_t>{16, 5, 4, 3, 4, 5, 6, 1, 0, 0}));
}

TEST_F(GlslRun, AtomicsOnPayloads_CountInAllWorkgroups)
{
    const Stage start = node(R"(
        layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
        layout(local_size_x = 8) in;
        struct Task { dispatch_grid uint groups; uint count; };
        layout(node = "work", finish_tracking) nodeout Task tasks[3];
        void main() {
            allocateWorkgroup(tasks, 3);
            for (uint i = 0; i < 3; ++i) {
                if (gl_LocalInvocationIndex == 0) { tasks[i].groups = 4 * i + 1; tasks[i].count = 100; }
            }
            barrier();
            for (uint i = 0; i < 3; ++i) atomicAdd(tasks[i].count, 2);
            enqueue(tasks);
        })");
    const Stage work = node(R"(
        layout(name = "work", max_grid = uvec3(9, 1, 1), api_entry = false) node;
        layout(local_size_x = 4) in;
        struct Task { dispatch_grid uint groups; uint count; };
        layout(finish_tracking) nodein Task task;
        void main() {
            atomicAdd(task.count, 3);
            barrier();
            bool last = finishWriting();
            barrier();
            if (last && gl_LocalInvocationIndex == 0) atomicAdd(words[0], atomicAdd(task.count, 0));
        })");
    EXPECT_EQ(run({start, work}, {launchWords("start", 0, 1, {})})[0], 3 * 116u + 12 * (1 + 5 + 9));
}

TEST_F(GlslRun, EmptyPayloads_AreCounted)
{
    const Stage start = node(R"(
        layout(name = "start", static_grid = uvec3(1, 1, 1)) node;
        layout(local_size_x = 4) in;
        layout(node = "tick") nodeout void ticks[4];
        void main() {
            allocateInvocation(ticks, 1);
            enqueue(ticks);
        })");
    const Stage tick = node(R"(
        layout(name = "tick", static_grid = uvec3(1, 1, 1)) node;
        layout(local_size_x = 1) in;
        void main() { atomicAdd(words[0], 1u); })");
    EXPECT_EQ(run({start, tick}, {launchWords("start", 0, 1, {})})[0], 4u);
}

TEST_F(GlslRun, SpecializationConstants_InEveryAttribute)
{
    Stage start = node(R"(
        layout(constant_id = 0) const uint COUNT = 1;
        layout(name = "start", static_grid = uvec3(COUNT, 1, 1)) node;
        layout(local_size_x = 1) in;
        struct Item { uint value; };
        layout(node = "add", base_index = COUNT - 1, array_size = COUNT) nodeout Item items[COUNT * 2];
        void main() {
            allocateWorkgroup(items, COUNT * 2);
            for (uint i = 0; i < COUNT * 2; ++i) items[i].value = i + 1;
            enqueue(items);
        })");
    start.specialization[0] = 3;
    const auto got = run({start, adder("name = \"add\", index = 0"), adder("name = \"add\", index = 1"),
                          adder("name = \"add\", index = 2")},
                         {launchWords("start", 0, 1, {})});
    EXPECT_EQ(conformance::first(got, 3), (std::vector<uint32_t>{0, 0, 3 * 21}));
}

}  // namespace

}  // namespace millrace::glsl
