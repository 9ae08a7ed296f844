// SPDX-License-Identifier: Apache-2.0
// What a capture tool below the layer can show: labels around every dispatch, names on every object of ours.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include "harness/temporary_folder.h"
#include "layer/recorder.h"
#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

using Stack = std::vector<std::string>;

// The open labels at each dispatch. Fails where labels are not balanced in a command buffer, or a dispatch has none.
std::vector<Stack> stacksOf(const std::vector<Event>& events)
{
    std::vector<Stack> dispatches;
    std::map<uint64_t, Stack> open;
    for (const Event& event : events) {
        Stack& stack = open[event.object];
        switch (event.what) {
            case Seen::BeginCommandBuffer:
                stack.clear();
                break;
            case Seen::BeginLabel:
                stack.push_back(event.text);
                break;
            case Seen::EndLabel:
                EXPECT_FALSE(stack.empty()) << "a label ends that never began";
                if (!stack.empty())
                    stack.pop_back();
                break;
            case Seen::Dispatch:
                EXPECT_FALSE(stack.empty()) << "a dispatch without label";
                dispatches.push_back(stack);
                break;
            case Seen::EndCommandBuffer:
                EXPECT_TRUE(stack.empty()) << stack.back() << " does not end";
                break;
            default:
                break;
        }
    }
    return dispatches;
}

std::vector<std::string> innermost(const std::vector<Stack>& stacks)
{
    std::vector<std::string> labels;
    for (const Stack& stack : stacks)
        labels.push_back(stack.empty() ? "" : stack.back());
    return labels;
}

// All objects that were created between the last takeEvents() and these events are named like ours, but for those that
// the application itself has got.
void expectNamed(const std::vector<Event>& events, const std::set<uint64_t>& own, size_t atLeast)
{
    std::map<std::pair<uint32_t, uint64_t>, std::string> names;
    std::vector<const Event*> created;
    for (const Event& event : events) {
        if (event.what == Seen::Create && !own.contains(event.object))
            created.push_back(&event);
        if (event.what == Seen::Name)
            names[{event.type, event.object}] = event.text;
    }
    EXPECT_GE(created.size(), atLeast);
    for (const Event* event : created)
        EXPECT_TRUE((names[{event->type, event->object}]).starts_with("Millrace: "))
            << "an object of type " << event->type << " is called '" << names[{event->type, event->object}] << "'";
}

bool hasName(const std::vector<Event>& events, VkObjectType type, const std::string& name)
{
    return std::any_of(events.begin(), events.end(), [&](const Event& event) {
        return event.what == Seen::Name && event.type == static_cast<uint32_t>(type) && event.text == name;
    });
}

void setName(const TestDevice& device, const Graph& graph, const char* name)
{
    VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT};
    info.objectType = VK_OBJECT_TYPE_PIPELINE;
    info.objectHandle = reinterpret_cast<uint64_t>(graph.pipeline);
    info.pObjectName = name;
    MILLRACE_CHECK(device.get<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")(device.handle, &info));
}

struct Twins {
    explicit Twins(const InstanceOptions& options = {}) : device(withRecorder(options)), named(options.debugUtils)
    {
        graph = device.createGraph({TestDevice::stage(device.createProgram("level_a"), "a"),
                                    TestDevice::stage(device.createProgram("level_b"), "b")});
        out = device.createBuffer(1024);
        set = device.createSet(out);
        if (named)
            setName(device, graph, "twins");
        takeEvents();
    }

    static InstanceOptions withRecorder(InstanceOptions options)
    {
        options.recorder = true;
        return options;
    }

    std::vector<Event> run()
    {
        VkCommandBuffer cmd = device.begin();
        device.prepare(cmd, graph, set);
        device.dispatch(cmd, graph, "a", 2, {3, 2});
        device.submitAndWait(cmd);
        EXPECT_EQ(out.words[0], 8u);  // b's grids are 1, 2 and 3 workgroups of 4
        return takeEvents();
    }

    TestDevice device;
    bool named;
    Graph graph;
    Buffer out;
    VkDescriptorSet set;
};

// Labels as a tree, those that are in others further to the right.
std::vector<std::string> treeOf(const std::vector<Stack>& stacks)
{
    std::vector<std::string> lines;
    Stack open;
    for (const Stack& stack : stacks) {
        const auto [before, first] = std::ranges::mismatch(open, stack);
        for (auto label = first; label != stack.end(); ++label)
            lines.push_back(std::string(4 * static_cast<size_t>(label - stack.begin()), ' ') + *label);
        open = stack;
    }
    return lines;
}

// docs/debugging.md shows the file.
TEST(DebugLabels, NameGraphStepLevelNodeRecords)
{
    Twins test;
    const std::vector<Stack> stacks = stacksOf(test.run());
    EXPECT_EQ(stacks.size(), 4u);
    std::vector<std::string> expected;
    std::ifstream file(MILLRACE_TEST_DATA "/labels.txt");
    for (std::string line; std::getline(file, line);)
        expected.push_back(line);
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(treeOf(stacks), expected);
}

// Whether a node that sends nothing is run by the scheduler.
bool isScheduled(std::map<std::string, std::string> settings)
{
    TestDevice device({.recorder = true, .settings = std::move(settings)});
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("single_struct"), "fill")});
    setName(device, graph, "single");
    const Buffer out = device.createBuffer(1024);
    const VkDescriptorSet set = device.createSet(out);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    device.dispatch(cmd, graph, "fill", 1, {0, 3});
    device.submitAndWait(cmd);
    EXPECT_EQ(out.words[31], 96u);
    const std::vector<std::string> labels = innermost(stacksOf(takeEvents()));
    return labels.empty() ||
           labels.back() != "graph 'single', step 0, level 1: node fill[0], 1 record, without the scheduler";
}

TEST(DebugLabels, Leaf_IsOneDispatch)
{
    EXPECT_FALSE(isScheduled({}));
    EXPECT_TRUE(isScheduled({{"disable", "leaf"}}));
    EXPECT_TRUE(isScheduled({{"breadcrumbs", "true"}}));
    EXPECT_TRUE(isScheduled({{"step_by_step", "true"}}));
    EXPECT_TRUE(isScheduled({{"disable", "direct"}}));
    EXPECT_TRUE(isScheduled({{"trace", "/dev/null"}}));
}

TEST(DebugLabels, LeafThatTheDeviceFeeds_IsOneDispatch)
{
    TestDevice device({.recorder = true, .settings = {}});
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("single_struct"), "fill")});
    const Buffer out = device.createBuffer(1024);
    const VkDescriptorSet set = device.createSet(out);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    takeEvents();
    device.dispatchIndirect(cmd, graph, "fill", 1, {0, 3});
    device.submitAndWait(cmd);
    EXPECT_EQ(out.words[31], 96u);
    const std::vector<std::string> labels = innermost(stacksOf(takeEvents()));
    ASSERT_EQ(labels.size(), 1u);
    EXPECT_TRUE(labels[0].ends_with("without the scheduler")) << labels[0];
}

bool hasBegin(const std::vector<Event>& events)
{
    const std::vector<std::string> labels = innermost(stacksOf(events));
    return std::ranges::any_of(labels, [](const std::string& label) { return label.ends_with(": begin"); });
}

// Whether a dispatch whose first level is so many workgroups begins by a step of its own.
bool twinsBegin(uint32_t groups, std::map<std::string, std::string> settings = {})
{
    Twins test({.settings = std::move(settings)});
    VkCommandBuffer cmd = test.device.begin();
    test.device.prepare(cmd, test.graph, test.set);
    for (uint32_t i = 0; i < 2; ++i)
        test.device.dispatch(cmd, test.graph, "a", groups, std::vector<uint32_t>(groups, 1));
    test.device.submitAndWait(cmd);
    EXPECT_EQ(test.out.words[0], 2 * groups * 4u);
    return hasBegin(takeEvents());
}

TEST(DebugLabels, OneWorkgroupBeginsTheDispatchItself)
{
    EXPECT_FALSE(twinsBegin(1));
    EXPECT_TRUE(twinsBegin(3));
    EXPECT_TRUE(twinsBegin(1, {{"breadcrumbs", "true"}}));
    EXPECT_TRUE(twinsBegin(1, {{"disable", "direct"}}));
    EXPECT_TRUE(twinsBegin(1, {{"trace", "/dev/null"}}));
}

// One invocation would take longer than a dispatch.
TEST(DebugLabels, OneInvocationBeginsNoManySlots)
{
    TestDevice device({.recorder = true});
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    const Buffer out = device.createBuffer(1024);
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, device.createSet(out));
    device.dispatch(cmd, graph, "recurse", 1, {0});
    device.submitAndWait(cmd);
    EXPECT_EQ(out.words[4], 16u);
    EXPECT_TRUE(hasBegin(takeEvents()));
}

TEST(DebugLabels, IndirectPath_HasPlans)
{
    Twins test({.settings = {{"disable", "direct"}}});
    const std::vector<std::string> labels = innermost(stacksOf(test.run()));
    ASSERT_EQ(labels.size(), 6u);
    EXPECT_EQ(labels[2], "graph 'twins', step 1, level 1: plan");
    EXPECT_EQ(labels[5], "graph 'twins', step 4, level 2: node b[0], at most 16 records");
}

TEST(DebugLabels, NodeArrayInOneDispatch)
{
    TestDevice device({.recorder = true});
    std::vector<VkPipelineShaderStageCreateInfo> stages{
        TestDevice::stage(device.createProgram("array_a_value"), "choose")};
    VkPipelineShaderStageNodeCreateInfoAMDX nodes[3];
    const VkShaderModule member = device.createProgram("array_n");
    for (uint32_t i = 0; i < 3; ++i) {
        nodes[i] = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX, nullptr, "arr", i == 2 ? 4 : i + 1};
        stages.push_back(TestDevice::stage(member, "member"));
        stages.back().pNext = &nodes[i];
    }
    const Graph graph = device.createGraph(stages);
    setName(device, graph, "array");
    const VkDescriptorSet set = device.createSet(device.createBuffer(1024));
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    device.dispatch(cmd, graph, "choose", 1, {0});
    device.submitAndWait(cmd);
    const std::vector<std::string> labels = innermost(stacksOf(takeEvents()));
    ASSERT_FALSE(labels.empty());
    EXPECT_EQ(labels.back(), "graph 'array', step 2, level 2: nodes arr[1] to arr[4], at most 24 records");
}

// A graph that needs many sweeps, in many command buffers. The device knows the number of records alone.
TEST(DebugLabels, SplitGraph_BalancedInEachCommandBuffer)
{
    for (const char* stepByStep : {"false", "true"}) {
        TestDevice device({.recorder = true, .settings = {{"step_by_step", stepByStep}}});
        const Graph graph =
            device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, Scratch::Minimum);
        setName(device, graph, "tree");
        takeEvents();
        const Buffer out = device.createBuffer(1024);
        VkCommandBuffer cmd = device.begin();
        device.prepare(cmd, graph, device.createSet(out));
        device.dispatchIndirect(cmd, graph, "recurse", 30, std::vector<uint32_t>(30, 0));
        device.submitAndWait(cmd);
        EXPECT_EQ(out.words[4], 30u * 16u);
        const std::vector<Stack> stacks = stacksOf(takeEvents());
        // Initialize, begin, and twice: feed, five levels (of which the last sends nothing, so that one dispatch runs
        // it), turn. Where nobody looks at steps, the first time is for inputs within bounds, and has no turn; the
        // sweep behind it begins again.
        const bool isBounded = stepByStep == std::string("false");
        ASSERT_EQ(stacks.size(), 16u);
        EXPECT_EQ(stacks[2].back(), "graph 'tree', step 1, level 0: feed");
        for (const size_t first : isBounded ? std::vector<size_t>{9} : std::vector<size_t>{2, 9}) {
            EXPECT_EQ(stacks[first].back(), "graph 'tree', step 1, level 0: feed");
            EXPECT_EQ(stacks[first + 2].back(),
                      "graph 'tree', step 3, level 2: node recurse[0], 3 recursions left, number of records unknown");
            EXPECT_EQ(stacks[first + 2].size(), 3u);
            EXPECT_EQ(stacks[first + 6].back(), "graph 'tree', step 7, level 5: turn");
            EXPECT_EQ(stacks[first + 6].front(), "Millrace: graph 'tree'");
        }
    }
}

// Names of the pipelines that recording a dispatch of "recurse" makes, in a graph with other nodes for the API.
std::multiset<std::string> pipelinesOfRecursion(uint32_t records, bool indirect)
{
    TestDevice device({.recorder = true, .settings = {{"disable", "ahead"}}});
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse"),
                                            TestDevice::stage(device.createProgram("level_a"), "a"),
                                            TestDevice::stage(device.createProgram("level_b"), "b")},
                                           Scratch::Minimum);
    const VkDescriptorSet set = device.createSet(device.createBuffer(1024));
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    takeEvents();
    const std::vector<uint32_t> payloads(records, 0);
    if (indirect)
        device.dispatchIndirect(cmd, graph, "recurse", records, payloads);
    else
        device.dispatch(cmd, graph, "recurse", records, payloads);
    std::multiset<std::string> names;
    for (const Event& event : takeEvents())
        if (event.what == Seen::Name && event.type == VK_OBJECT_TYPE_PIPELINE)
            names.insert(event.text);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    return names;
}

// Those that reserve memory, of nodes that send. The others are there since creation.
TEST(DebugLabels, PipelinesOfNodesThatCannotRun_AreNotMade)
{
    const std::string name = "Millrace: node ";
    EXPECT_EQ(pipelinesOfRecursion(100, false), (std::multiset{name + "recurse[0]"}));
    // The API may send to all of them, but "b" sends nothing.
    const std::multiset<std::string> all = pipelinesOfRecursion(100, true);
    EXPECT_EQ(std::set(all.begin(), all.end()), (std::set{name + "recurse[0]", name + "a[0]"}));
}

// Dispatches of these settings are labelled, too, and are all that is added.
TEST(DebugLabels, TraceAndCapture)
{
    const TemporaryFolder folder;
    const std::string file = folder.file("%p.");
    Twins test({.settings = {{"trace", file + "mrtrace"},
                             {"trace_detail", "nodes"},
                             {"capture", "b"},
                             {"capture_file", file + "csv"}}});
    VkCommandBuffer cmd = test.device.begin();
    takeEvents();
    test.device.prepare(cmd, test.graph, test.set);
    test.device.dispatch(cmd, test.graph, "a", 2, {3, 2});
    const std::vector<Event> recorded = takeEvents();
    test.device.submitAndWait(cmd);
    std::vector<std::string> labels = innermost(stacksOf(recorded));
    std::map<std::string, int> added;
    std::erase_if(labels, [&](const std::string& label) {
        const bool isOurs = label.starts_with("trace a ") || label == "capture payloads";
        added[label] += isOurs;
        return isOurs;
    });
    EXPECT_EQ(labels, (std::vector<std::string>{
                          "Millrace: graph 'twins', initialize scratch memory",
                          "Millrace: graph 'twins', step 0, level 0: begin",
                          "graph 'twins', step 1, level 1: node a[0], 2 records",
                          "graph 'twins', step 2, level 2: node b[0], at most 16 records",
                      }));
    // What the API sent, and node a; b sends nothing. Payloads of node b, and what resets their count.
    EXPECT_EQ(added["trace a step"], 2);
    EXPECT_EQ(added["trace a sweep"], 1);
    EXPECT_EQ(added["capture payloads"], 2);
    expectNamed(recorded, {}, 8);
    for (const char* part : {"trace", "traced streams", "capture filters", "captured payloads"})
        EXPECT_TRUE(hasName(recorded, VK_OBJECT_TYPE_BUFFER, std::string("Millrace: graph 'twins', ") + part)) << part;
    EXPECT_TRUE(hasName(recorded, VK_OBJECT_TYPE_QUERY_POOL, "Millrace: graph 'twins', times"));
    // The host reads the times, unless the next execution may be there before it looks.
    EXPECT_FALSE(hasName(recorded, VK_OBJECT_TYPE_BUFFER, "Millrace: graph 'twins', times"));
    cmd = test.device.begin(VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    takeEvents();
    test.device.prepare(cmd, test.graph, test.set);
    test.device.dispatch(cmd, test.graph, "a", 2, {3, 2});
    EXPECT_TRUE(hasName(takeEvents(), VK_OBJECT_TYPE_BUFFER, "Millrace: graph 'twins', times"));
    test.device.submitAndWait(cmd);
}

TEST(DebugLabels, NothingWithoutTheExtension)
{
    Twins test({.debugUtils = false});
    for (const Event& event : test.run())
        EXPECT_TRUE(event.what != Seen::BeginLabel && event.what != Seen::Name) << event.text;
}

TEST(DebugLabels, SettingAsksForThem)
{
    Twins test({.debugUtils = false, .settings = {{"debug_labels", "true"}}});
    const std::vector<Stack> stacks = stacksOf(test.run());
    ASSERT_EQ(stacks.size(), 4u);
    EXPECT_NE(stacks[3].back().find("step 2, level 2: node b[0]"), std::string::npos);
}

TEST(DebugNames, OfDeviceLayoutAndPipelines)
{
    Twins test;
    TestDevice& device = test.device;
    VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    VkPipelineLayout layout = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreatePipelineLayout(device.handle, &layoutInfo, nullptr, &layout));
    expectNamed(takeEvents(), {reinterpret_cast<uint64_t>(layout)}, 1);
    vkDestroyPipelineLayout(device.handle, layout, nullptr);

    const VkPipelineShaderStageCreateInfo stage = TestDevice::stage(device.createProgram("recurse"), "recurse");
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.stageCount = 1;
    info.pStages = &stage;
    info.layout = device.layout;
    info.basePipelineIndex = -1;
    takeEvents();
    VkPipeline graph = VK_NULL_HANDLE;
    MILLRACE_CHECK(device.createGraphs(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &graph));
    const std::vector<Event> events = takeEvents();
    expectNamed(events, {}, 2);
    EXPECT_TRUE(hasName(events, VK_OBJECT_TYPE_PIPELINE, "Millrace: node recurse[0]"));
    EXPECT_TRUE(hasName(events, VK_OBJECT_TYPE_SHADER_MODULE, "Millrace: node recurse[0]"));
    vkDestroyPipeline(device.handle, graph, nullptr);
}

TEST(DebugNames, OfTheScheduler)
{
    TestInstance instance({.recorder = true});  // loads the layer
    takeEvents();
    TestDevice device({.recorder = true});
    for (const Event& event : takeEvents())
        EXPECT_FALSE(event.what == Seen::Create && event.type == VK_OBJECT_TYPE_PIPELINE) << "before there is a graph";
    device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    const std::vector<Event> events = takeEvents();
    for (const char* name : {"initialize", "begin", "feed", "plan", "turn"})
        EXPECT_TRUE(hasName(events, VK_OBJECT_TYPE_PIPELINE, std::string("Millrace: ") + name)) << name;
}

TEST(DebugLabels, MeasuringTheDevice)
{
    setenv("MILLRACE_TEST_DRIVER", "discrete,another", 1);
    setenv("XDG_CACHE_HOME", "/dev/null", 1);                   // what was measured is not kept
    TestInstance instance({.recorder = true, .driver = true});  // loads the recorder
    takeEvents();
    TestDevice device({.recorder = true, .driver = true});
    unsetenv("XDG_CACHE_HOME");
    unsetenv("MILLRACE_TEST_DRIVER");
    const std::vector<Event> events = takeEvents();
    const std::vector<std::string> labels = innermost(stacksOf(events));
    EXPECT_GE(labels.size(), 6u);  // at least a round for each size, of three dispatches
    for (const std::string& label : labels)
        EXPECT_EQ(label, "Millrace: measure the device");
    for (const char* name : {"state", "result"})
        EXPECT_TRUE(hasName(events, VK_OBJECT_TYPE_BUFFER, std::string("Millrace: measure the device, ") + name));
    for (VkObjectType type : {VK_OBJECT_TYPE_FENCE, VK_OBJECT_TYPE_COMMAND_BUFFER, VK_OBJECT_TYPE_PIPELINE})
        EXPECT_TRUE(hasName(events, type, "Millrace: measure the device")) << type;
}

TEST(DebugNames, OfWhatADispatchNeeds)
{
    for (const char* breadcrumbs : {"false", "true"}) {
        Twins test({.settings = {{"breadcrumbs", breadcrumbs}, {"step_by_step", "true"}, {"disable", "direct"}}});
        VkCommandBuffer cmd = test.device.begin();
        takeEvents();
        test.device.prepare(cmd, test.graph, test.set);
        test.device.dispatch(cmd, test.graph, "a", 1, {2});
        const std::vector<Event> recorded = takeEvents();
        // Static tables, plan, status, arguments, and the memory they are in.
        expectNamed(recorded, {}, 5);
        for (const char* name : {"graph 'twins', static tables", "plans and inputs of graphs", "status of graphs",
                                 "indirect arguments of graphs"})
            EXPECT_TRUE(hasName(recorded, VK_OBJECT_TYPE_BUFFER, std::string("Millrace: ") + name)) << name;
        EXPECT_EQ(hasName(recorded, VK_OBJECT_TYPE_BUFFER, "Millrace: graph 'twins', breadcrumbs"),
                  breadcrumbs == std::string("true"));
        EXPECT_TRUE(hasName(recorded, VK_OBJECT_TYPE_COMMAND_BUFFER, "Millrace: graph 'twins', step by step"));
        test.device.submitAndWait(cmd);
        expectNamed(takeEvents(), {}, 1);  // the queue's fence
    }
}

}  // namespace

}  // namespace millrace::layertest
