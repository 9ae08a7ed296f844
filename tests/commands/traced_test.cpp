// SPDX-License-Identifier: Apache-2.0
// The setting "trace": which sequences ran with which pipelines is what the host counts in the streams.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/dispatches.h"
#include "commands/draws.h"
#include "harness/temporary_folder.h"
#include "trace/collect.h"
#include "trace/file.h"

namespace millrace::commandtest {

namespace {

using Counts = std::map<std::string, uint64_t>;  // of sequences, by the name of their pipeline

// What a trace has of one call.
struct Told {
    trace::GeneratedCall call;
    trace::GeneratedWork work;

    Counts counts() const
    {
        Counts out;
        for (size_t i = 0; i < work.byPipeline.size(); ++i)
            if (work.byPipeline[i] > 0)
                out[call.pipelines[i]] += work.byPipeline[i];
        return out;
    }
};

class TraceFile {
public:
    const char* path() const { return m_path.c_str(); }
    // What has come since the last time: all that is there is whole, whenever the application has waited.
    std::vector<Told> takeNews()
    {
        trace::Collector found;
        const Status status = trace::read(trace::readBytes(m_path), found);
        EXPECT_TRUE(status) << status.error().text();
        EXPECT_EQ(found.devices.size(), 1u);  // also where mesh shaders are counted
        std::vector<Told> news;
        for (; m_known < found.generatedWorks.size(); ++m_known) {
            const trace::GeneratedWork& work = found.generatedWorks[m_known];
            news.push_back({found.generatedCalls.at(work.call), work});
        }
        return news;
    }
    // Of one execution.
    Told takeOne()
    {
        const std::vector<Told> news = takeNews();
        EXPECT_EQ(news.size(), 1u);
        if (news.size() != 1)
            return {};
        EXPECT_EQ(news[0].work.executions, 1u);
        return news[0];
    }

private:
    const TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("a.mrtrace");
    size_t m_known = 0;
};

// By the words of each record that choose.
Counts wanted(const RandomLayout& layout, const std::vector<uint32_t>& stream, uint32_t sequences, uint32_t setWords)
{
    Counts counts;
    for (uint32_t i = 0; i < sequences; ++i) {
        std::string name = layout.setWord < 0 ? "pipeline" : setWords > 1 ? "indices " : "index ";
        for (uint32_t k = 0; layout.setWord >= 0 && k < setWords; ++k)
            name += (k > 0 ? " and " : "") +
                    std::to_string(stream[i * layout.strideWords + static_cast<uint32_t>(layout.setWord) + k]);
        ++counts[name];
    }
    return counts;
}

// So many times are there, where the queue has a clock.
void expectTimes(const GeneratedDevice& generated, const Told& told, size_t count)
{
    EXPECT_EQ(told.work.times.size(), generated.device.hasClock() ? count : 0);
    for (const trace::Span& time : told.work.times)
        EXPECT_LE(time.begin, time.end);
}

class TracedDispatches : public testing::Test {
protected:
    void start(GeneratedOptions options = {})
    {
        options.trace = file.path();
        m_dispatches.emplace(Provider::Layer, options);
    }
    Dispatches& dispatches() { return *m_dispatches; }

    static Counts wantedOf(const DispatchCase& drawn)
    {
        return wanted(drawn.layout, drawn.stream, drawn.sequences(), 1);
    }
    // Runs it, and compares all that the trace says.
    void expectTold(DispatchCase& drawn)
    {
        Sums expected = drawn.expected();
        addOwn(expected, drawn);
        EXPECT_EQ(dispatches().run(drawn), expected);
        const Told told = file.takeOne();
        EXPECT_EQ(told.call.way, "dispatches");
        EXPECT_EQ(told.call.tokens.back(), "DISPATCH");
        EXPECT_EQ(told.call.hasSet, drawn.hasSet);
        EXPECT_EQ(told.call.tokens.front() == "EXECUTION_SET", drawn.hasSet);
        EXPECT_EQ(told.call.preprocessed, drawn.isExplicit);
        EXPECT_EQ(told.call.maxSequences, drawn.maxSequences);
        EXPECT_EQ(told.call.pipelines.size(), drawn.hasSet ? std::size(kSalts) : 1);
        EXPECT_EQ(told.work.sequences, drawn.sequences());
        EXPECT_EQ(told.work.leftOut, 0u);
        EXPECT_EQ(told.counts(), wantedOf(drawn));
        expectTimes(dispatches().generated, told, 1);
    }
    template <typename IsWanted>
    static uint32_t findSeed(const IsWanted& isWanted)
    {
        uint32_t seed = 0;
        while (!isWanted(DispatchCase(seed)))
            ++seed;
        return seed;
    }

    TraceFile file;

private:
    std::optional<Dispatches> m_dispatches;
};

TEST_F(TracedDispatches, RandomLayouts_AsTheHostCountsThem)
{
    start();
    for (uint32_t seed = 0; seed < 25 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        DispatchCase drawn(firstSeed() + seed);
        expectTold(drawn);
    }
}

TEST_F(TracedDispatches, WithoutLongIntegersAndWithChecks_AsTheHostCountsThem)
{
    start({.narrow = true, .validate = true});
    for (uint32_t seed = 0; seed < 8 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        DispatchCase drawn(seed);
        if (drawn.deviceCount)
            drawn.deviceCount = std::min(*drawn.deviceCount, drawn.maxSequences);
        expectTold(drawn);
    }
}

TEST_F(TracedDispatches, Streams_AsTheHostCountsThem)
{
    start({.streams = true});
    for (uint32_t seed = 0; seed < 20 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        DispatchCase drawn(seed, true);
        dispatches().runStreams(drawn);
        const Told told = file.takeOne();
        EXPECT_EQ(told.work.sequences, drawn.sequences());
        EXPECT_EQ(told.work.leftOut, 0u);
        EXPECT_EQ(told.call.tokens.front() == "PIPELINE", drawn.hasSet);
        EXPECT_NE(told.call.name.find("vkCmdExecuteGeneratedCommandsNV"), std::string::npos) << told.call.name;
        EXPECT_EQ(told.counts(), wantedOf(drawn));
    }
}

// Another time it is the same call, whose numbers are added.
TEST_F(TracedDispatches, CommandBufferSubmittedAgain_CountsAgain)
{
    start();
    for (const bool hasSet : {false, true}) {
        DispatchCase drawn(findSeed([&](const DispatchCase& one) {
            return one.hasSet == hasSet && !one.isExplicit && !one.inSecondary && !one.deviceCount;
        }));
        VkCommandBuffer recorded = VK_NULL_HANDLE;
        dispatches().run(drawn, [&](VkCommandBuffer cmd) { recorded = cmd; });
        const Told first = file.takeOne();
        layertest::TestDevice& device = dispatches().generated.device;
        for (int i = 0; i < 2; ++i) {
            device.submit(recorded);
            MILLRACE_CHECK(vkQueueWaitIdle(device.queue));
            const Told again = file.takeOne();
            EXPECT_EQ(again.call.id, first.call.id);
            EXPECT_EQ(again.counts(), wantedOf(drawn));
            expectTimes(dispatches().generated, again, 1);
        }
        device.submit(recorded);
        VkCommandBuffer other = device.begin();
        device.submitAndWait(other);
        EXPECT_EQ(file.takeOne().counts(), wantedOf(drawn));
    }
}

TEST_F(TracedDispatches, IndicesThatMeanNothing_LeftOut)
{
    start();
    DispatchCase drawn(findSeed([](const DispatchCase& one) { return one.hasSet && one.sequences() > 3; }));
    Counts counts = wantedOf(drawn);
    for (const uint32_t sequence : {0u, 2u}) {
        uint32_t& index =
            drawn.stream[sequence * drawn.layout.strideWords + static_cast<uint32_t>(drawn.layout.setWord)];
        --counts["index " + std::to_string(index)];
        index = sequence == 0 ? 3 : UINT32_MAX;
    }
    std::erase_if(counts, [](const auto& one) { return one.second == 0; });
    dispatches().run(drawn);
    const Told told = file.takeOne();
    EXPECT_EQ(told.work.sequences, drawn.sequences());
    EXPECT_EQ(told.work.leftOut, 2u);
    EXPECT_EQ(told.counts(), counts);
}

TEST_F(TracedDispatches, NamesAndLabelsOfTheApplication_AreThere)
{
    start();
    layertest::TestDevice& device = dispatches().generated.device;
    DispatchCase drawn(findSeed([](const DispatchCase& one) { return !one.hasSet && !one.inSecondary; }));
    VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    name.objectType = VK_OBJECT_TYPE_PIPELINE;
    name.objectHandle = reinterpret_cast<uint64_t>(dispatches().first());
    name.pObjectName = "bricks";
    MILLRACE_CHECK(device.get<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")(device.handle, &name));
    dispatches().run(drawn, [&](VkCommandBuffer cmd) {
        VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
        label.pLabelName = "walls";
        device.get<PFN_vkCmdBeginDebugUtilsLabelEXT>("vkCmdBeginDebugUtilsLabelEXT")(cmd, &label);
    });
    const Told told = file.takeOne();
    EXPECT_EQ(told.call.pipelines, std::vector<std::string>{"pipeline 'bricks'"});
    EXPECT_NE(told.call.name.find("in the label 'walls'"), std::string::npos) << told.call.name;
}

// By the layer's or the driver's mesh shaders.
using Way = std::tuple<Maker, bool>;

class TracedDraws : public testing::TestWithParam<Way> {
protected:
    void SetUp() override
    {
        const auto [maker, isOwn] = GetParam();
        if (usesObjects(maker) && !driverHas(VK_EXT_SHADER_OBJECT_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_shader_object";
        if (usesMesh(maker) && !isOwn && !driverHas(VK_EXT_MESH_SHADER_EXTENSION_NAME))
            GTEST_SKIP() << "the driver lacks VK_EXT_mesh_shader";
    }

    TraceFile file;
};

uint32_t setWordsOf(const DrawCase& drawn)
{
    return !drawn.hasObjects ? 1 : drawn.hasTasks ? 3 : 2;
}

// In secondary command buffers nothing runs in front of the render pass, unless it has to for the draws.
bool isUnknown(const DrawCase& drawn)
{
    return drawn.inSecondary && (drawn.hasSet || drawn.deviceCount);
}

// Sequences of streams may choose front faces, which makes a set of pipelines.
bool mayBeUnknown(const DrawCase& drawn)
{
    return isUnknown(drawn) || (drawn.inSecondary && drawn.hasStreams);
}

bool needsKernels(const DrawCase& drawn)
{
    return !drawn.isExplicit && (drawn.isCounted || (drawn.deviceCount && !driverCountsDraws()));
}

// Pipelines of a set may be one.
bool mayNeedKernels(const DrawCase& drawn)
{
    return needsKernels(drawn) || (!drawn.isExplicit && (drawn.hasSet || drawn.hasStreams || drawn.hasIndices));
}

// Of streams that say front faces: by shader groups alone.
Counts withoutFaces(const Counts& counts)
{
    Counts out;
    for (const auto& [name, count] : counts)
        out["index " + std::to_string(std::stoi(name.substr(name.find(' '))))] += count;
    return out;
}

// Whether sequences of streams have front faces is drawn where the layout is created.
void expectStreams(const Told& told, const DrawCase& drawn)
{
    const Counts counts = told.counts();
    uint64_t all = 0;
    for (const auto& [name, count] : counts)
        all += count;
    EXPECT_EQ(all, drawn.sequences());
    const Counts expected = wanted(drawn.layout, drawn.stream, drawn.sequences(), 1);
    if (drawn.hasSet)
        EXPECT_EQ(withoutFaces(counts), expected);
    else if (!told.call.hasSet)
        EXPECT_EQ(counts, expected);
}

// What is drawn has times where kernels write it: inside of render passes nobody takes the time.
size_t timesOf(const Told& told)
{
    return !told.call.preprocessed && (told.call.way != "draws from the stream" || told.call.gathered);
}

void expectTold(const Told& told, const DrawCase& drawn)
{
    EXPECT_EQ(told.call.maxSequences, drawn.maxSequences);
    EXPECT_EQ(told.call.preprocessed, drawn.isExplicit);
    EXPECT_TRUE(told.call.way.starts_with("draws")) << told.call.way;
    EXPECT_EQ(told.call.unknown.empty(), told.work.sequences.has_value());
    if (!told.work.sequences)
        return;
    EXPECT_EQ(told.work.sequences, drawn.sequences());
    EXPECT_EQ(told.work.leftOut, 0u);
    if (drawn.hasStreams) {
        expectStreams(told, drawn);
        return;
    }
    EXPECT_EQ(told.call.hasSet, drawn.hasSet);
    EXPECT_EQ(told.counts(), wanted(drawn.layout, drawn.stream, drawn.sequences(), setWordsOf(drawn)));
}

TEST_P(TracedDraws, RandomLayouts_AsTheHostCountsThem)
{
    const auto [maker, isOwn] = GetParam();
    Draws draws(Provider::Layer, maker, {.ownMesh = isOwn, .trace = file.path()});
    uint32_t unknown = 0, combined = 0, known = 0;
    size_t timed = 0;
    const bool hasCombined = maker == Maker::Whole || maker == Maker::Streams;
    const auto isSeen = [&] { return known > 0 && timed > 0 && (combined > 0 || !hasCombined); };
    const uint32_t seeds = usesMesh(maker) ? 8 : 30;
    for (uint32_t seed = 0; (seed < seeds || (seed < 10 * seeds && !isSeen())) && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(firstSeed() + seed));
        DrawCase drawn(firstSeed() + seed, maker);
        const Pixels pixels = draws.run(drawn);
        EXPECT_TRUE(drawn.expected().allows(pixels, drawn.isUnordered || drawn.hasTasks));
        const Told told = file.takeOne();
        if (!mayBeUnknown(drawn) || needsKernels(drawn))
            EXPECT_EQ(told.call.unknown, "");
        else if (!isOwn && isUnknown(drawn) && !mayNeedKernels(drawn))
            EXPECT_NE(told.call.unknown, "");
        expectTold(told, drawn);
        expectTimes(draws.generated, told, timesOf(told));
        timed += timesOf(told);
        ++(told.work.sequences ? known : unknown);
        combined += told.call.combined;
    }
    EXPECT_TRUE(isSeen());
    EXPECT_TRUE(hasCombined || combined == 0);
    EXPECT_TRUE(draws.generated.device.instance.takeMessages().empty());
}

INSTANTIATE_TEST_SUITE_P(By, TracedDraws,
                         testing::Values(Way(Maker::Whole, false), Way(Maker::Objects, false),
                                         Way(Maker::Streams, false), Way(Maker::Mesh, false), Way(Maker::Mesh, true),
                                         Way(Maker::MeshObjects, true)),
                         [](const auto& info) {
                             return std::string(nameOf(std::get<0>(info.param))) +
                                    (std::get<1>(info.param) ? "OfTheLayers" : "");
                         });

// The first case of which that is true.
template <typename IsWanted>
DrawCase findDraws(const IsWanted& isWanted)
{
    uint32_t seed = 0;
    while (!isWanted(DrawCase(seed)))
        ++seed;
    return DrawCase(seed);
}

// Whether the draws run only the device knows, and kernels in front run in any case.
TEST(TracedDrawsWithACondition, CountsAreUnknown)
{
    TraceFile file;
    if (!driverHas(VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME))
        GTEST_SKIP() << "the driver lacks VK_EXT_conditional_rendering";
    Draws draws(Provider::Layer, Maker::Whole, {.conditional = true, .trace = file.path()});
    layertest::TestDevice& device = draws.generated.device;
    const layertest::Buffer condition = device.createBuffer(4, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
    for (const bool hasSet : {false, true}) {
        DrawCase drawn = findDraws(
            [&](const DrawCase& one) { return one.hasSet == hasSet && !one.inSecondary && !one.deviceCount; });
        drawn.beforeExecution = [&](VkCommandBuffer cmd) {
            VkConditionalRenderingBeginInfoEXT begin{VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT};
            begin.buffer = condition.handle;
            device.get<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT")(cmd, &begin);
        };
        drawn.behindExecution = device.get<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT");
        draws.run(drawn);
        const Told told = file.takeOne();
        EXPECT_FALSE(told.work.sequences);
        EXPECT_NE(told.call.unknown.find("conditional rendering"), std::string::npos) << told.call.unknown;
    }
}

// After a message, as there are too many for several pipelines to keep their order.
TEST(TracedDrawsThatAreLeftOut, NotInTheTrace)
{
    TraceFile file;
    Draws draws(Provider::Layer, Maker::Whole, {.separate = true, .trace = file.path()});
    DrawCase drawn = findDraws(
        [](const DrawCase& one) { return one.hasSet && !one.isCounted && !one.isUnordered && !one.isExplicit; });
    drawn.setSequences(270000);
    draws.run(drawn);
    EXPECT_EQ(draws.generated.device.instance.takeMessages().size(), 1u);
    EXPECT_TRUE(file.takeNews().empty());
}

}  // namespace

}  // namespace millrace::commandtest
