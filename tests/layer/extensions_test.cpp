// SPDX-License-Identifier: Apache-2.0
// What the layer says of extensions, features, limits and entry points.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <string_view>

#include "layer/test_device.h"

namespace millrace::layertest {

namespace {

constexpr const char* kProvided[] = {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_KHR_MAINTENANCE_5_EXTENSION_NAME,
                                     VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME};
constexpr const char* kCommands[] = {"vkCreateExecutionGraphPipelinesAMDX",
                                     "vkGetExecutionGraphPipelineScratchSizeAMDX",
                                     "vkGetExecutionGraphPipelineNodeIndexAMDX",
                                     "vkCmdInitializeGraphScratchMemoryAMDX",
                                     "vkCmdDispatchGraphAMDX",
                                     "vkCmdDispatchGraphIndirectAMDX",
                                     "vkCmdDispatchGraphIndirectCountAMDX"};

size_t countOf(const std::vector<VkExtensionProperties>& list, const char* name)
{
    size_t count = 0;
    for (const VkExtensionProperties& extension : list)
        count += std::strcmp(extension.extensionName, name) == 0;
    return count;
}

VkPhysicalDeviceShaderEnqueueFeaturesAMDX queryFeatures(VkPhysicalDevice physical, VkBool32 before)
{
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    enqueue.shaderEnqueue = enqueue.shaderMeshEnqueue = before;
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    return enqueue;
}

TEST(Extensions, Merged_EachOnce)
{
    TestInstance instance;
    const auto list = deviceExtensions(instance.physical);
    for (const VkExtensionProperties& extension : list)
        EXPECT_EQ(countOf(list, extension.extensionName), 1u) << extension.extensionName;
    for (const char* name : kProvided)
        EXPECT_TRUE(lists(list, name)) << name;
}

TEST(Extensions, KeepsWhatTheDriverHas)
{
    std::vector<VkExtensionProperties> without;
    {
        TestInstance plain({.emulation = false});
        without = deviceExtensions(plain.physical);
    }
    TestInstance instance;
    const auto list = deviceExtensions(instance.physical);
    for (const VkExtensionProperties& extension : without)
        EXPECT_TRUE(lists(list, extension.extensionName)) << extension.extensionName;
}

TEST(Extensions, TooSmallArray_Incomplete)
{
    TestInstance instance;
    VkExtensionProperties two[2];
    uint32_t count = 2;
    EXPECT_EQ(vkEnumerateDeviceExtensionProperties(instance.physical, nullptr, &count, two), VK_INCOMPLETE);
    EXPECT_EQ(count, 2u);
}

TEST(Extensions, LayerName_ListsOurs)
{
    TestInstance instance;
    const auto own = deviceExtensions(instance.physical, kEmulation);
    EXPECT_EQ(own.size(), 3u);
    for (const char* name : kProvided)
        EXPECT_TRUE(lists(own, name)) << name;
    uint32_t count = 0;
    EXPECT_EQ(vkEnumerateInstanceExtensionProperties(kEmulation, &count, nullptr), VK_SUCCESS);
    ASSERT_EQ(count, 1u);
    VkExtensionProperties extension;
    vkEnumerateInstanceExtensionProperties(kEmulation, &count, &extension);
    EXPECT_STREQ(extension.extensionName, VK_EXT_LAYER_SETTINGS_EXTENSION_NAME);
}

struct ChangedDriver {
    explicit ChangedDriver(const char* changes) { setenv("MILLRACE_TEST_DRIVER", changes, 1); }
    ~ChangedDriver() { unsetenv("MILLRACE_TEST_DRIVER"); }
};

// The layer asks the driver for what graphs need.
TEST(Extensions, OldApiVersion_ProvidedAllTheSame)
{
    for (const uint32_t version : {0u, VK_API_VERSION_1_0, VK_API_VERSION_1_1, VK_API_VERSION_1_2}) {
        TestInstance instance({.apiVersion = version});
        EXPECT_TRUE(lists(deviceExtensions(instance.physical), VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME)) << version;
    }
    TestInstance instance({.apiVersion = VK_API_VERSION_1_2});
    EXPECT_EQ(queryFeatures(instance.physical, 77).shaderEnqueue, VK_TRUE);
}

TEST(Extensions, OldApiVersion_GraphsRun)
{
    TestDevice device({.apiVersion = VK_API_VERSION_1_2});
    const Graph graph = device.createGraph({TestDevice::stage(device.createProgram("recurse"), "recurse")});
    const Buffer out = device.createBuffer(1024);
    VkCommandBuffer cmd = device.begin();
    device.cmdInitialize(cmd, graph.pipeline, graph.scratch.address, graph.scratch.size);
    VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
    memory.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT;
    memory.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;
    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &memory,
                         0, nullptr, 0, nullptr);
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph.pipeline);
    const VkDescriptorSet set = device.createSet(out);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, device.layout, 0, 1, &set, 0, nullptr);
    device.dispatch(cmd, graph, "recurse", 1, {0});
    device.submitAndWait(cmd);
    EXPECT_GT(out.words[0], 0u);
}

// Commands that the application has not asked for by their version are absent as before.
TEST(Extensions, OldApiVersion_LaterCommandsAreAbsent)
{
    const std::pair<const char*, uint32_t> commands[] = {{"vkCmdDispatch", VK_API_VERSION_1_0},
                                                         {"vkTrimCommandPool", VK_API_VERSION_1_1},
                                                         {"vkCreateRenderPass2", VK_API_VERSION_1_2},
                                                         {"vkCmdPipelineBarrier2", VK_API_VERSION_1_3},
                                                         {"vkCmdSetPrimitiveRestartEnable", VK_API_VERSION_1_3}};
    for (const uint32_t version : {VK_API_VERSION_1_2, VK_API_VERSION_1_3}) {
        TestDevice device({.apiVersion = version});
        for (const auto& [name, since] : commands)
            EXPECT_EQ(vkGetDeviceProcAddr(device.handle, name) != nullptr, since <= version) << name << version;
    }
}

TEST(Extensions, OldApiVersionThatNobodyRaises_ToldOnce)
{
    const ChangedDriver changed("atMost1.2");
    TestInstance instance({.driver = true, .chained = true, .apiVersion = VK_API_VERSION_1_2});
    instance.expectMessage("Millrace-api-version");
    EXPECT_FALSE(lists(deviceExtensions(instance.physical), VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME))
        << "neither provided nor left to a driver that only lists it";
    EXPECT_EQ(queryFeatures(instance.physical, 77).shaderEnqueue, VK_FALSE);
}

// What a device is told for which that is asked, which may well be refused; by its kind, "graphs need ...".
std::multiset<std::string> toldOfLackingDevice(const char* changes, const std::vector<const char*>& extensions)
{
    const ChangedDriver changed(changes);
    TestInstance instance({.driver = true,
                           .spy = false,
                           .settings = {{"enable", "generated_commands, mesh_shaders"}, {"force_enable", "true"}}});
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    VkDevice device = VK_NULL_HANDLE;
    if (vkCreateDevice(instance.physical, &info, nullptr, &device) == VK_SUCCESS)
        vkDestroyDevice(device, nullptr);
    std::multiset<std::string> out;
    for (const Message& message : instance.takeMessages())
        if (message.id == "Millrace-device-lacks")
            out.insert(message.text.substr(message.text.find(": ") + 2));
    return out;
}

TEST(Extensions, EnabledOnADeviceThatLacksWhatTheyNeed_ToldEach)
{
    const std::vector<const char*> all = {VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME, VK_EXT_MESH_SHADER_EXTENSION_NAME,
                                          VK_EXT_DEVICE_GENERATED_COMMANDS_EXTENSION_NAME};
    const std::multiset<std::string> told = toldOfLackingDevice("-bufferDeviceAddress", all);
    ASSERT_EQ(told.size(), 3u);
    for (const char* what : {"graphs", "mesh shaders", "generated commands"}) {
        const std::string wanted = std::string(what) + " need what the device lacks: bufferDeviceAddress";
        EXPECT_TRUE(std::ranges::any_of(told, [&](const std::string& text) { return text.starts_with(wanted); }))
            << what;
    }
    EXPECT_EQ(toldOfLackingDevice("-bufferDeviceAddress", {}).size(), 0u);
    EXPECT_EQ(toldOfLackingDevice("-ballot", all).size(), 0u);
}

TEST(Features, WrittenWhateverTheyWereBefore)
{
    TestInstance instance;
    for (VkBool32 before : {VK_FALSE, VK_TRUE, VkBool32{0xdeadbeef}}) {
        const auto features = queryFeatures(instance.physical, before);
        EXPECT_EQ(features.shaderEnqueue, VK_TRUE);
        EXPECT_EQ(features.shaderMeshEnqueue, VK_FALSE);
    }
}

// Debian's lavapipe: the string alone. If the driver in use writes the structure, there is nothing to see.
TEST(Features, PhantomExtension_IsOverridden)
{
    bool phantom = false;
    {
        TestInstance plain({.emulation = false});
        phantom = lists(deviceExtensions(plain.physical), VK_AMDX_SHADER_ENQUEUE_EXTENSION_NAME) &&
                  queryFeatures(plain.physical, 0xdeadbeef).shaderEnqueue == 0xdeadbeef;
    }
    if (!phantom)
        GTEST_SKIP() << "the driver does not list an extension that it lacks";
    TestDevice device;
    for (const char* name : kCommands)
        EXPECT_NE(vkGetDeviceProcAddr(device.handle, name), nullptr) << name;
}

TEST(Features, ChainIsWholeAfterwards)
{
    TestInstance instance;
    VkPhysicalDeviceVulkan13Features last{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX,
                                                      &last};
    VkPhysicalDeviceVulkan12Features first{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &enqueue};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &first};
    vkGetPhysicalDeviceFeatures2(instance.physical, &features);
    EXPECT_EQ(features.pNext, &first);
    EXPECT_EQ(first.pNext, &enqueue);
    EXPECT_EQ(enqueue.pNext, &last);
    EXPECT_EQ(last.pNext, nullptr);
    EXPECT_TRUE(first.bufferDeviceAddress);
    EXPECT_TRUE(last.synchronization2);
}

TEST(Features, Limits_ReachWhatTheSpecificationAsksFor)
{
    TestInstance instance;
    VkPhysicalDeviceShaderEnqueuePropertiesAMDX limits{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_PROPERTIES_AMDX};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
    vkGetPhysicalDeviceProperties2(instance.physical, &properties);
    EXPECT_GE(limits.maxExecutionGraphDepth, 32u);
    EXPECT_GE(limits.maxExecutionGraphShaderOutputNodes, 256u);
    EXPECT_GE(limits.maxExecutionGraphShaderPayloadSize, 32768u);
    EXPECT_GE(limits.maxExecutionGraphShaderPayloadCount, 256u);
    EXPECT_EQ(limits.executionGraphDispatchAddressAlignment, 4u);
    for (uint32_t count : limits.maxExecutionGraphWorkgroupCount)
        EXPECT_GE(count, 65535u);
    EXPECT_GE(limits.maxExecutionGraphWorkgroups, 16777215u);
}

TEST(EntryPoints, WithoutTheExtension_Absent)
{
    TestDevice device({}, {.extension = false});
    for (const char* name : kCommands)
        EXPECT_EQ(vkGetDeviceProcAddr(device.handle, name), nullptr) << name;
}

TEST(EntryPoints, WithoutTheFeature_CreationFails)
{
    TestDevice device({}, {.feature = false});
    ASSERT_NE(device.createGraphs, nullptr);
    VkExecutionGraphPipelineCreateInfoAMDX info{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX};
    info.layout = device.layout;
    VkPipeline pipeline = VK_NULL_HANDLE;
    EXPECT_LT(device.createGraphs(device.handle, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), 0);
    EXPECT_EQ(pipeline, VK_NULL_HANDLE);
    device.instance.expectMessage("VUID-vkCreateExecutionGraphPipelinesAMDX-shaderEnqueue-09124");
}

// A device that does not use the layer's extensions gets the next layer's pointers.
TEST(EntryPoints, WithoutTheFeature_CommandsPassThrough)
{
    TestDevice plain({}, {.extension = false});
    TestDevice active;
    EXPECT_NE(active.get<PFN_vkCmdDraw>("vkCmdDraw"), plain.get<PFN_vkCmdDraw>("vkCmdDraw"));
    TestDevice again({}, {.extension = false});
    EXPECT_EQ(again.get<PFN_vkCmdDraw>("vkCmdDraw"), plain.get<PFN_vkCmdDraw>("vkCmdDraw"));
}

bool isOfTheLayer(PFN_vkVoidFunction function)
{
    Dl_info info{};
    return function && dladdr(reinterpret_cast<void*>(function), &info) && info.dli_fname &&
           std::string_view(info.dli_fname).find("VkLayer_MILLRACE_emulation") != std::string_view::npos;
}

TEST(EntryPoints, NothingEnabled_FunctionsOfTheDriver)
{
    const TestDevice without({}, {.extension = false});  // but maintenance5
    const TestDevice with;
    for (const char* name : {"vkBeginCommandBuffer", "vkCmdBeginRendering", "vkCmdBindDescriptorSets",
                             "vkCmdBindIndexBuffer", "vkCmdBindPipeline", "vkCmdBindVertexBuffers", "vkCmdDispatch",
                             "vkCmdDrawIndexed", "vkCmdPipelineBarrier2", "vkCmdPushConstants", "vkCmdSetScissor",
                             "vkCmdSetViewport", "vkEndCommandBuffer", "vkQueueSubmit", "vkWaitForFences"}) {
        EXPECT_TRUE(isOfTheLayer(vkGetDeviceProcAddr(with.handle, name))) << name;
        EXPECT_FALSE(isOfTheLayer(vkGetDeviceProcAddr(without.handle, name))) << name;
    }
}

TEST(EntryPoints, Maintenance5_Present)
{
    TestDevice device;
    for (const char* name : {"vkCmdBindIndexBuffer2KHR", "vkGetRenderingAreaGranularityKHR",
                             "vkGetDeviceImageSubresourceLayoutKHR", "vkGetImageSubresourceLayout2KHR"})
        EXPECT_NE(vkGetDeviceProcAddr(device.handle, name), nullptr) << name;

    VkRenderingAreaInfoKHR area{VK_STRUCTURE_TYPE_RENDERING_AREA_INFO_KHR};
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    area.colorAttachmentCount = 1;
    area.pColorAttachmentFormats = &format;
    VkExtent2D granularity{};
    device.get<PFN_vkGetRenderingAreaGranularityKHR>("vkGetRenderingAreaGranularityKHR")(device.handle, &area,
                                                                                         &granularity);
    EXPECT_GE(granularity.width, 1u);

    VkImageCreateInfo image{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
    image.imageType = VK_IMAGE_TYPE_2D;
    image.format = format;
    image.extent = {16, 16, 1};
    image.mipLevels = image.arrayLayers = 1;
    image.samples = VK_SAMPLE_COUNT_1_BIT;
    image.tiling = VK_IMAGE_TILING_LINEAR;
    image.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    VkImageSubresource2KHR subresource{VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2_KHR};
    subresource.imageSubresource.aspectMask = VK_IMAGE_ASPECT_COLOR_BIT;
    VkDeviceImageSubresourceInfoKHR info{VK_STRUCTURE_TYPE_DEVICE_IMAGE_SUBRESOURCE_INFO_KHR};
    info.pCreateInfo = &image;
    info.pSubresource = &subresource;
    VkSubresourceLayout2KHR layout{VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2_KHR};
    device.get<PFN_vkGetDeviceImageSubresourceLayoutKHR>("vkGetDeviceImageSubresourceLayoutKHR")(device.handle, &info,
                                                                                                 &layout);
    EXPECT_GE(layout.subresourceLayout.rowPitch, 64u);
}

std::vector<VkPhysicalDeviceToolProperties> toolsOf(const TestInstance& instance)
{
    uint32_t count = 0;
    MILLRACE_CHECK(vkGetPhysicalDeviceToolProperties(instance.physical, &count, nullptr));
    std::vector<VkPhysicalDeviceToolProperties> tools(count, {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES});
    MILLRACE_CHECK(vkGetPhysicalDeviceToolProperties(instance.physical, &count, tools.data()));
    EXPECT_EQ(count, tools.size());
    return tools;
}

size_t countOurs(const std::vector<VkPhysicalDeviceToolProperties>& tools)
{
    return static_cast<size_t>(std::count_if(
        tools.begin(), tools.end(), [](const auto& tool) { return std::strcmp(tool.layer, kEmulation) == 0; }));
}

TEST(Tools, ListsTheLayerBesideTheOthers)
{
    std::vector<VkPhysicalDeviceToolProperties> without;
    {
        TestInstance plain({.emulation = false});
        without = toolsOf(plain);
    }
    TestInstance instance;
    const std::vector<VkPhysicalDeviceToolProperties> tools = toolsOf(instance);
    EXPECT_EQ(countOurs(without), 0u);
    EXPECT_EQ(countOurs(tools), 1u);
    EXPECT_EQ(tools.size(), without.size() + 1);
    EXPECT_STREQ(tools[0].name, "Millrace");
    EXPECT_NE(tools[0].version[0], 0);
    EXPECT_EQ(tools[0].purposes, VkToolPurposeFlags{VK_TOOL_PURPOSE_ADDITIONAL_FEATURES_BIT});
    for (size_t i = 0; i < without.size(); ++i)
        EXPECT_STREQ(tools[i + 1].name, without[i].name);
}

TEST(Tools, TooSmallArray_Incomplete)
{
    TestInstance instance;
    const auto all = static_cast<uint32_t>(toolsOf(instance).size());
    for (uint32_t room = 0; room < all; ++room) {
        std::vector<VkPhysicalDeviceToolProperties> tools(room + 1,
                                                          {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES});
        uint32_t count = room;
        EXPECT_EQ(vkGetPhysicalDeviceToolProperties(instance.physical, &count, tools.data()), VK_INCOMPLETE) << room;
        EXPECT_EQ(count, room);
        EXPECT_EQ(tools[room].name[0], 0) << "written beyond the end";
    }
}

// Where the layer does not emulate it is no tool.
TEST(Tools, NothingEmulated_NotListed)
{
    const ChangedDriver changed("vulkan1.2");
    TestInstance instance({.driver = true});
    instance.expectMessage("Millrace-api-version");
    const auto get = instance.get<PFN_vkGetPhysicalDeviceToolPropertiesEXT>("vkGetPhysicalDeviceToolPropertiesEXT");
    if (!get)
        return;
    uint32_t count = 0;
    MILLRACE_CHECK(get(instance.physical, &count, nullptr));
    std::vector<VkPhysicalDeviceToolProperties> tools(count, {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES});
    MILLRACE_CHECK(get(instance.physical, &count, tools.data()));
    EXPECT_EQ(countOurs(tools), 0u);
}

TEST(Tools, ExtensionsCommand_SaysTheSame)
{
    TestInstance instance;
    const auto get = instance.get<PFN_vkGetPhysicalDeviceToolPropertiesEXT>("vkGetPhysicalDeviceToolPropertiesEXT");
    ASSERT_NE(get, nullptr);
    uint32_t count = 0;
    MILLRACE_CHECK(get(instance.physical, &count, nullptr));
    EXPECT_EQ(count, toolsOf(instance).size());
}

TEST(Buffers, ScratchUsage_InEveryForm)
{
    TestDevice device;
    device.createBuffer(4096, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX);

    VkBufferUsageFlags2CreateInfo usage{VK_STRUCTURE_TYPE_BUFFER_USAGE_FLAGS_2_CREATE_INFO};
    usage.usage = VK_BUFFER_USAGE_2_EXECUTION_GRAPH_SCRATCH_BIT_AMDX | VK_BUFFER_USAGE_2_SHADER_DEVICE_ADDRESS_BIT;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &usage};
    info.size = 4096;
    VkBuffer buffer = VK_NULL_HANDLE;
    MILLRACE_CHECK(vkCreateBuffer(device.handle, &info, nullptr, &buffer));
    vkDestroyBuffer(device.handle, buffer, nullptr);

    VkDeviceBufferMemoryRequirements query{VK_STRUCTURE_TYPE_DEVICE_BUFFER_MEMORY_REQUIREMENTS};
    query.pCreateInfo = &info;
    VkMemoryRequirements2 requirements{VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2};
    vkGetDeviceBufferMemoryRequirements(device.handle, &query, &requirements);
    EXPECT_GE(requirements.memoryRequirements.size, 4096u);

    VkPhysicalDeviceExternalBufferInfo external{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO};
    external.usage = VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX;
    external.handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
    VkExternalBufferProperties properties{VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES};
    vkGetPhysicalDeviceExternalBufferProperties(device.physical, &external, &properties);
}

}  // namespace

}  // namespace millrace::layertest
