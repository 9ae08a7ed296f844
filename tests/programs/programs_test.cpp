// SPDX-License-Identifier: Apache-2.0
// Hand-written graphs with known results, on a device, with every path, scratch size and form of dispatch.
#include <cstdlib>

#include "harness/vulkan_test.h"

namespace millrace::harness {

namespace {

using Case = std::tuple<const char*, Scratch>;  // path

class Programs : public VulkanTest, public testing::WithParamInterface<Case> {
protected:
    struct Program {
        std::unique_ptr<Runner> runner;
        VkPipeline graph;
    };

    static Stage stage(const std::string& file, const std::string& entry,
                       std::optional<std::string> name = std::nullopt, std::optional<uint32_t> index = std::nullopt)
    {
        Stage out;
        // Elsewhere than where they were built, who runs the tests says where they are.
        const char* folder = std::getenv("MILLRACE_TEST_SHADERS");
        out.words = readWords((folder ? folder : MILLRACE_TEST_SHADERS) + std::string("/") + file + ".spv");
        out.entry = entry;
        out.name = std::move(name);
        out.index = index;
        return out;
    }

    static DeviceOptions options()
    {
        DeviceOptions out;
        out.path = std::get<0>(GetParam());
        return out;
    }

    static Program create(const std::vector<Stage>& stages)
    {
        Program program;
        program.runner = std::make_unique<Runner>(device(options()), RunnerOptions{});
        program.graph = program.runner->createGraph(stages);
        return program;
    }

    // Runs in each form, with dense and padded infos. `verify` looks at the output of one run.
    static void run(Program& program, const std::vector<Launch>& launches,
                    const std::function<void(const std::vector<uint32_t>&)>& verify)
    {
        for (Form form : {Form::Host, Form::Indirect, Form::IndirectCount}) {
            for (uint64_t infoStride : {24, 40}) {
                SCOPED_TRACE(std::string(nameOf(form)) + ", info stride " + std::to_string(infoStride));
                program.runner->clearOutput();
                RunOptions runOptions;
                runOptions.scratch = std::get<1>(GetParam());
                runOptions.form = form;
                runOptions.infoStride = infoStride;
                program.runner->run(program.graph, launches, runOptions);
                verify(program.runner->outputWords());
            }
        }
    }

    static void expect(Program& program, const std::vector<Launch>& launches, const std::vector<uint32_t>& wanted)
    {
        run(program, launches, [&](const std::vector<uint32_t>& got) {
            EXPECT_EQ(std::vector<uint32_t>(got.begin(), got.begin() + static_cast<std::ptrdiff_t>(wanted.size())),
                      wanted);
        });
    }
};

std::vector<uint32_t> filled()
{
    std::vector<uint32_t> wanted(96);
    for (uint32_t i = 0; i < 32; ++i) {
        wanted[i] = 3 * (i + 1);
        wanted[64 + i] = 5 * (i + 1);
    }
    return wanted;
}

TEST_P(Programs, SingleNode_ArrayInput)
{
    Program program = create({stage("single_array", "fill", "fill", 0)});
    expect(program, {launchWords("fill", 0, 2, {0, 3, 64, 5})}, filled());
}

TEST_P(Programs, SingleNode_StructInput)
{
    Program program = create({stage("single_struct", "fill", "fill", 0)});
    expect(program, {launchWords("fill", 0, 2, {0, 3, 64, 5})}, filled());
}

TEST_P(Programs, SingleNode_TwoLaunches)
{
    Program program = create({stage("single_array", "fill", "fill", 0)});
    std::vector<uint32_t> wanted;
    for (uint32_t i = 0; i < 96; ++i)
        wanted.push_back((2 + i / 32) * (i % 32 + 1));
    expect(program, {launchWords("fill", 0, 2, {0, 2, 32, 3}), launchWords("fill", 0, 1, {64, 4})}, wanted);
}

TEST_P(Programs, SingleNode_PaddedPayloads)
{
    Program program = create({stage("single_array", "fill", "fill", 0)});
    Launch launch = launchWords("fill", 0, 2, {0, 3, 77, 64, 5, 77});
    launch.stride = 12;
    expect(program, {launch}, filled());
}

TEST_P(Programs, SingleNode_StrideZeroRepeatsThePayload)
{
    Program program = create({stage("single_noinput", "count", "count", 0)});
    Launch launch = launchWords("count", 0, 3, {2, 1, 1});
    launch.stride = 0;
    expect(program, {launch}, {6, 3});
}

TEST_P(Programs, SingleNode_NoPayloadsNoLaunches)
{
    Program program = create({stage("single_array", "fill", "fill", 0)});
    expect(program, {{"fill", 0, 0, {}, 8}}, std::vector<uint32_t>(256));
    expect(program, {}, std::vector<uint32_t>(256));
}

TEST_P(Programs, SingleNode_ImplicitGrid)
{
    Program program = create({stage("single_noinput", "count", "count", 0)});
    uint32_t sum = 0 + 1 + 2 + 3 + 4;
    for (uint32_t x = 0; x < 2; ++x)
        for (uint32_t y = 0; y < 3; ++y)
            for (uint32_t z = 0; z < 4; ++z)
                sum += x + y + z;
    expect(program, {launchWords("count", 0, 2, {2, 3, 4, 5, 1, 1})}, {2 * 3 * 4 + 5, sum});
}

TEST_P(Programs, TwoLevels_GridOfEveryPayload)
{
    Program program = create({stage("level_a", "a"), stage("level_b", "b")});
    expect(program, {launchWords("a", 0, 1, {6})}, {4, 8, 12, 16, 20, 24, 0, 0});
}

TEST_P(Programs, Coalescing_SumsAndCounts)
{
    Program program = create({stage("coalesce_a", "scatter"), stage("coalesce_c", "gather")});
    run(program, {launchWords("scatter", 0, 1, {0})}, [](const std::vector<uint32_t>& got) {
        const uint32_t groups = got[2];
        EXPECT_GE(groups, 4u);
        EXPECT_LE(groups, 64u);
        std::vector<uint32_t> wanted = {64 * 63 / 2, 64, groups, 0, 0, 0, 0, 0};
        wanted.resize(8 + 64, 1);
        EXPECT_EQ(std::vector<uint32_t>(got.begin(), got.begin() + 72), wanted);
    });
}

TEST_P(Programs, Coalescing_FromTheApi)
{
    Program program = create({stage("coalesce_c", "gather")});
    std::vector<uint32_t> payloads(20);
    for (uint32_t i = 0; i < 20; ++i)
        payloads[i] = i;
    run(program, {launchWords("gather", 0, 20, payloads)}, [](const std::vector<uint32_t>& got) {
        EXPECT_EQ(got[0], 190u);
        EXPECT_EQ(got[1], 20u);
    });
}

TEST_P(Programs, Recursion_CallsAndLevels)
{
    Program program = create({stage("recurse", "recurse")});
    expect(program, {launchWords("recurse", 0, 1, {0})}, {1, 2, 4, 8, 16, 0, 0, 0, 4, 6, 8, 8, 0, 0, 0, 0});
}

TEST_P(Programs, NodeArray_ExistingNodesOnly)
{
    std::vector<uint32_t> wanted(21);
    wanted[1] = 100, wanted[2] = 101, wanted[4] = 103;
    wanted[16] = wanted[17] = wanted[19] = 1;
    wanted[18] = wanted[20] = 2;
    for (const char* form : {"spec", "value"}) {
        Program program = create({stage(std::string("array_a_") + form, "choose"), stage("array_n", "member", "arr", 1),
                                  stage("array_n", "member", "arr", 2), stage("array_n", "member", "arr", 4)});
        expect(program, {launchWords("choose", 0, 1, {0})}, wanted);
    }
}

TEST_P(Programs, SharedInput_EveryNodeRuns)
{
    Program program = create({stage("share_a", "send"), stage("share_base", "base"), stage("share_twin", "twin"),
                              stage("share_extra", "extra")});
    expect(program, {launchWords("send", 0, 1, {0})}, {12, 36, 24});
    expect(program, {launchWords("base", 0, 2, {10, 20})}, {60, 180, 120});
}

TEST_P(Programs, FinishWriting_LastWorkgroupSums)
{
    Program program = create({stage("finish_a", "start"), stage("finish_b", "work")});
    expect(program, {launchWords("start", 0, 3, {1, 10, 100})}, {111 * 36, 3, 24});
}

TEST_P(Programs, DxcShape_EveryKindOfRecord)
{
    Program program = create({stage("dxc_a", "main", "entry", 0), stage("dxc_n", "thread"), stage("dxc_n", "group"),
                              stage("dxc_n", "empty")});
    std::vector<uint32_t> wanted(36, 1);
    wanted.resize(40, 0);
    wanted.push_back(8);
    expect(program, {launchWords("entry", 0, 1, {0})}, wanted);
}

std::string caseName(const testing::TestParamInfo<Case>& info)
{
    return std::string(std::get<0>(info.param)) + "_" + nameOf(std::get<1>(info.param));
}

INSTANTIATE_TEST_SUITE_P(Cases, Programs,
                         testing::Combine(testing::Values("direct", "indirect"),
                                          testing::Values(Scratch::Minimum, Scratch::Between, Scratch::Maximum)),
                         caseName);

}  // namespace

}  // namespace millrace::harness
