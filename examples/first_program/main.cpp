// SPDX-License-Identifier: Apache-2.0
// The graph of ../first_graph from a program: adds the numbers from 1 to 100, and fails if the sum is wrong.
#define VK_ENABLE_BETA_EXTENSIONS  // the extension is provisional; the headers show it only then
#include <vulkan/vulkan.h>
#include <cstdio>
#include <cstdlib>

#include "nodes.h"  // start_comp and add_comp, made by millrace_add_nodes() in CMakeLists.txt

static VkPhysicalDevice gpu;
static VkDevice device;

static void check(VkResult result, const char* what)
{
    if (result == VK_SUCCESS)
        return;
    std::fprintf(stderr, "first_program: %s: VkResult %d. Is VK_LAYER_MILLRACE_emulation enabled?\n", what, result);
    std::exit(1);
}

// The first device, and its queue family 0.
static void createDevice()
{
    VkApplicationInfo app{VK_STRUCTURE_TYPE_APPLICATION_INFO, nullptr, nullptr, 0, nullptr, 0, VK_API_VERSION_1_3};
    VkInstanceCreateInfo instanceInfo{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, nullptr, 0, &app};
    VkInstance instance;
    check(vkCreateInstance(&instanceInfo, nullptr, &instance), "vkCreateInstance");
    uint32_t one = 1;
    const bool found = vkEnumeratePhysicalDevices(instance, &one, &gpu) >= 0 && one == 1;
    check(found ? VK_SUCCESS : VK_ERROR_INITIALIZATION_FAILED, "no device");
    VkPhysicalDeviceShaderEnqueueFeaturesAMDX enqueue{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ENQUEUE_FEATURES_AMDX};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &enqueue};
    vkGetPhysicalDeviceFeatures2(gpu, &features);
    check(enqueue.shaderEnqueue ? VK_SUCCESS : VK_ERROR_FEATURE_NOT_PRESENT, "shaderEnqueue");
    VkPhysicalDeviceMaintenance5FeaturesKHR maintenance5{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_5_FEATURES_KHR,
                                                         &enqueue};
    maintenance5.maintenance5 = VK_TRUE;
    VkPhysicalDeviceVulkan12Features vulkan12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &maintenance5};
    vulkan12.bufferDeviceAddress = VK_TRUE;
    const char* extensions[] = {"VK_AMDX_shader_enqueue", "VK_KHR_maintenance5", "VK_KHR_pipeline_library"};
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, nullptr, 0, 0, 1, &priority};
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &vulkan12, 0, 1, &queue, 0, nullptr, 3, extensions};
    check(vkCreateDevice(gpu, &info, nullptr, &device), "vkCreateDevice");
}

#define LOAD(name) reinterpret_cast<PFN_##name>(vkGetDeviceProcAddr(device, #name))  // functions of the extension

// All nodes are one pipeline. Each is a compute shader whose code says which nodes it sends to.
static VkPipeline createGraph(VkPipelineLayout layout)
{
    VkShaderModuleCreateInfo start{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, sizeof(start_comp),
                                   start_comp};
    VkShaderModuleCreateInfo add{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, nullptr, 0, sizeof(add_comp), add_comp};
    constexpr VkStructureType kStage = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    VkPipelineShaderStageCreateInfo nodes[] = {{kStage, &start, 0, VK_SHADER_STAGE_COMPUTE_BIT, nullptr, "start"},
                                               {kStage, &add, 0, VK_SHADER_STAGE_COMPUTE_BIT, nullptr, "add"}};
    VkExecutionGraphPipelineCreateInfoAMDX info{
        VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_CREATE_INFO_AMDX, nullptr, 0, 2, nodes, nullptr, layout};
    VkPipeline graph;
    check(LOAD(vkCreateExecutionGraphPipelinesAMDX)(device, nullptr, 1, &info, nullptr, &graph), "the graph");
    return graph;
}

// A buffer in the first memory that has the properties; returns its address. `memory` may be mapped.
static VkDeviceAddress createBuffer(VkDeviceSize size, VkBufferUsageFlags usage, VkMemoryPropertyFlags properties,
                                    VkDeviceMemory& memory)
{
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, nullptr, 0, size};
    info.usage = usage | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    VkBuffer buffer;
    check(vkCreateBuffer(device, &info, nullptr, &buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    VkPhysicalDeviceMemoryProperties memories;
    vkGetPhysicalDeviceMemoryProperties(gpu, &memories);
    uint32_t type = 0;
    while ((needs.memoryTypeBits >> type & 1) == 0 ||
           (memories.memoryTypes[type].propertyFlags & properties) != properties)
        check(++type < memories.memoryTypeCount ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY, "no such memory");
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size, type};
    check(vkAllocateMemory(device, &allocation, nullptr, &memory), "vkAllocateMemory");
    check(vkBindBufferMemory(device, buffer, memory, 0), "vkBindBufferMemory");
    VkBufferDeviceAddressInfo addressInfo{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffer};
    return vkGetBufferDeviceAddress(device, &addressInfo);
}

// Everything that shaders wrote is there for what comes.
static void barrier(VkCommandBuffer commands, VkPipelineStageFlags stages, VkAccessFlags access)
{
    VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_SHADER_WRITE_BIT, access};
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, stages, 0, 1, &memory, 0, nullptr, 0, nullptr);
}

// Sends the node "start" one payload, in which count is 100.
static void dispatchGraph(VkCommandBuffer commands, VkPipeline graph)
{
    VkExecutionGraphPipelineScratchSizeAMDX size{VK_STRUCTURE_TYPE_EXECUTION_GRAPH_PIPELINE_SCRATCH_SIZE_AMDX};
    LOAD(vkGetExecutionGraphPipelineScratchSizeAMDX)(device, graph, &size);
    VkDeviceMemory memory;
    const VkDeviceAddress scratch = createBuffer(size.minSize, VK_BUFFER_USAGE_EXECUTION_GRAPH_SCRATCH_BIT_AMDX,
                                                 VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, memory);
    LOAD(vkCmdInitializeGraphScratchMemoryAMDX)(commands, graph, scratch, size.minSize);
    barrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
    VkPipelineShaderStageNodeCreateInfoAMDX start{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_NODE_CREATE_INFO_AMDX};
    start.pName = "start";
    uint32_t node = 0;
    LOAD(vkGetExecutionGraphPipelineNodeIndexAMDX)(device, graph, &start, &node);
    const uint32_t payload = 100;
    VkDispatchGraphInfoAMDX dispatch{node, 1, {.hostAddress = &payload}, sizeof(payload)};
    VkDispatchGraphCountInfoAMDX dispatches{1, {.hostAddress = &dispatch}, sizeof(dispatch)};
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_EXECUTION_GRAPH_AMDX, graph);
    LOAD(vkCmdDispatchGraphAMDX)(commands, scratch, size.minSize, &dispatches);
}

int main()
{
    createDevice();
    VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(VkDeviceAddress)};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, nullptr, 0, 0, nullptr, 1, &range};
    VkPipelineLayout layout;
    check(vkCreatePipelineLayout(device, &info, nullptr, &layout), "vkCreatePipelineLayout");
    const VkPipeline graph = createGraph(layout);
    VkDeviceMemory memory;
    const VkDeviceAddress result = createBuffer(2 * sizeof(uint32_t), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
                                                VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, memory);
    uint32_t* numbers;
    check(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, reinterpret_cast<void**>(&numbers)), "vkMapMemory");
    numbers[0] = numbers[1] = 0;
    VkCommandPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandPool pool;
    check(vkCreateCommandPool(device, &poolInfo, nullptr, &pool), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo allocation{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                           VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer commands;
    check(vkAllocateCommandBuffers(device, &allocation, &commands), "vkAllocateCommandBuffers");
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    check(vkBeginCommandBuffer(commands, &begin), "vkBeginCommandBuffer");
    vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(result), &result);
    dispatchGraph(commands, graph);
    barrier(commands, VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    VkQueue queue;
    vkGetDeviceQueue(device, 0, 0, &queue);
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &commands};
    check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
    std::printf("sum %u of %u numbers\n", numbers[0], numbers[1]);
    return numbers[0] == 5050 && numbers[1] == 100 ? 0 : 1;  // the system takes back what was made
}
