// SPDX-License-Identifier: Apache-2.0
// After a fault the message names graph, step, level and node. The recorder layer plays a device that is lost.
#include <gtest/gtest.h>

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <regex>
#include <thread>

#include "layer/recorder.h"
#include "layer/test_device.h"
#include "shaders/layer_test_shaders.h"

namespace millrace::layertest {

namespace {

using Settings = std::map<std::string, std::string>;

struct Tree {
    explicit Tree(Settings settings, Scratch scratch = Scratch::Ample)
        : device({.recorder = true, .settings = std::move(settings)})
    {
        graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")}, scratch);
        out = device.createBuffer(1024);
        set = device.createSet(out);
    }

    // Three roots, lost in the dispatch that the text names.
    VkResult loseAt(const char* label)
    {
        loseDevice(label);
        VkCommandBuffer cmd = device.begin();
        device.prepare(cmd, graph, set);
        device.dispatch(cmd, graph, "recurse", 3, {0, 0, 0});
        MILLRACE_CHECK(vkEndCommandBuffer(cmd));
        device.submit(cmd);
        return vkQueueWaitIdle(device.queue);
    }

    // The text of the only message.
    std::string message(const char* id)
    {
        const std::vector<Message> messages = device.instance.takeMessages();
        EXPECT_EQ(messages.size(), 1u);
        if (messages.empty())
            return "";
        EXPECT_EQ(messages[0].id, id);
        return messages[0].text;
    }

    TestDevice device;
    Graph graph;
    Buffer out;
    VkDescriptorSet set;
};

// A message as a file of the tests has it, in lines that docs/debugging.md shows.
std::string messageOf(const char* name)
{
    std::string text;
    std::ifstream file(std::string(MILLRACE_TEST_DATA "/") + name);
    for (std::string line; std::getline(file, line);)
        text += (text.empty() ? "" : " ") + line;
    EXPECT_FALSE(text.empty()) << name;
    return text;
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

TEST(Faults, DeviceLost_BreadcrumbsNameTheStep)
{
    Tree test(Settings{{"breadcrumbs", "true"}});
    EXPECT_EQ(test.loseAt("level 3: node"), VK_ERROR_DEVICE_LOST);
    const std::string text = test.message("Millrace-device-lost");
    // The file has the first graph of a process. This is a later one where the layer stays loaded between tests.
    const std::string told = std::regex_replace(text, std::regex("in graph [0-9]+,"), "in graph 1,");
    EXPECT_EQ("[Millrace-device-lost] " + told, messageOf("device_lost.txt"));
    // Told once, however often the application asks.
    EXPECT_EQ(vkDeviceWaitIdle(test.device.handle), VK_ERROR_DEVICE_LOST);
    EXPECT_TRUE(test.device.instance.takeMessages().empty());
}

// The same with a command buffer that the layer submits piece by piece, on its own thread.
TEST(Faults, DeviceLost_StepByStep)
{
    Tree test(Settings{{"breadcrumbs", "true"}, {"step_by_step", "true"}}, Scratch::Minimum);
    EXPECT_EQ(test.loseAt("level 2: node"), VK_ERROR_DEVICE_LOST);
    EXPECT_EQ(test.out.words[0], 3u);  // level 1 has run
    const std::string text = test.message("Millrace-device-lost");
    EXPECT_TRUE(contains(text, "level 2: node recurse[0]")) << text;
}

TEST(Faults, DeviceLost_WithoutBreadcrumbs_SaysHowToGetThem)
{
    Tree test(Settings{});
    EXPECT_EQ(test.loseAt("level 3: node"), VK_ERROR_DEVICE_LOST);
    const std::string text = test.message("Millrace-device-lost");
    EXPECT_TRUE(contains(text, "Set breadcrumbs = true")) << text;
}

TEST(Faults, DeviceLost_OutsideOfGraphs)
{
    Tree test(Settings{{"breadcrumbs", "true"}});
    VkCommandBuffer first = test.device.begin();
    test.device.prepare(first, test.graph, test.set);
    test.device.dispatch(first, test.graph, "recurse", 1, {0});
    test.device.submitAndWait(first);
    loseDevice("the application's");
    VkCommandBuffer cmd = test.device.begin();
    VkDebugUtilsLabelEXT label{VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT};
    label.pLabelName = "the application's own work";
    test.device.get<PFN_vkCmdBeginDebugUtilsLabelEXT>("vkCmdBeginDebugUtilsLabelEXT")(cmd, &label);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE,
                      test.device.createCompute(test.device.createModule(shaders::store)));
    vkCmdDispatch(cmd, 1, 1, 1);
    test.device.get<PFN_vkCmdEndDebugUtilsLabelEXT>("vkCmdEndDebugUtilsLabelEXT")(cmd);
    MILLRACE_CHECK(vkEndCommandBuffer(cmd));
    test.device.submit(cmd);
    EXPECT_EQ(vkQueueWaitIdle(test.device.queue), VK_ERROR_DEVICE_LOST);
    const std::string text = test.message("Millrace-device-lost");
    EXPECT_TRUE(contains(text, "no step of an execution graph was running")) << text;
}

// Breadcrumbs alone change nothing.
TEST(Faults, Breadcrumbs_SameResult)
{
    for (Scratch scratch : {Scratch::Ample, Scratch::Minimum}) {
        Tree test(Settings{{"breadcrumbs", "true"}, {"step_limit_ms", "100000"}}, scratch);
        VkCommandBuffer cmd = test.device.begin();
        test.device.prepare(cmd, test.graph, test.set);
        test.device.dispatch(cmd, test.graph, "recurse", 20, std::vector<uint32_t>(20, 0));
        MILLRACE_CHECK(vkEndCommandBuffer(cmd));
        for (uint32_t round = 1; round <= 2; ++round) {
            test.device.submit(cmd);
            MILLRACE_CHECK(vkQueueWaitIdle(test.device.queue));
            EXPECT_EQ(test.out.words[4], 16u * 20 * round);
        }
    }
}

// Starts a graph that never ends, writes what the layer says about it to stderr and leaves.
[[noreturn]] void spinForEver()
{
    TestDevice device({.settings = {{"step_limit_ms", "4000"}}});
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("spin"), "spin")});
    const VkDescriptorSet set = device.createSet(device.createBuffer(64));
    VkCommandBuffer cmd = device.begin();
    device.prepare(cmd, graph, set);
    device.dispatch(cmd, graph, "spin", 1, {5});
    vkEndCommandBuffer(cmd);
    device.submit(cmd);
    for (int i = 0; i < 600; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        const std::vector<Message> messages = device.instance.takeMessages();
        for (const Message& message : messages)
            std::fprintf(stderr, "[%s] %s\n", message.id.c_str(), message.text.c_str());
        if (!messages.empty())
            _exit(0);
    }
    _exit(1);
}

TEST(FaultsDeathTest, NodeThatNeverEnds_IsNamed)
{
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    // How many workgroups have finished by then is the processor's affair.
    std::string expected = std::regex_replace(messageOf("step_limit.txt"), std::regex(R"([\[\]().])"), "\\$&");
    expected = std::regex_replace(expected, std::regex("; 7 of at most 8 "), "; [1-7] of at most 8 ");
    EXPECT_EXIT(spinForEver(), testing::ExitedWithCode(0), expected);
}

}  // namespace

}  // namespace millrace::layertest
