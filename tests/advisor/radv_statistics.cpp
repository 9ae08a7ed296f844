// SPDX-License-Identifier: Apache-2.0
// Creates a graphics pipeline of shaders on the first device and prints what the driver says of them.
// Usage: radv_statistics STAGE=FILE..., with task, mesh and frag as stages. Each line of the output is
// "STAGE: NAME = VALUE". Exit status 77: no device, or one without mesh shaders or statistics.
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

constexpr int kNotAvailable = 77;

// The driver without hardware need not survive being torn down.
[[noreturn]] void leave(int status)
{
    std::fflush(stdout);
    _exit(status);
}

void check(VkResult result, const char* what)
{
    if (result != VK_SUCCESS) {
        std::fprintf(stderr, "%s: %d\n", what, result);
        leave(1);
    }
}

std::vector<char> contentOf(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

VkPhysicalDevice firstDevice()
{
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    VkInstance instance = VK_NULL_HANDLE;
    if (vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS)
        leave(kNotAvailable);
    uint32_t count = 1;
    VkPhysicalDevice device = VK_NULL_HANDLE;
    vkEnumeratePhysicalDevices(instance, &count, &device);
    if (count == 0)
        leave(kNotAvailable);
    return device;
}

VkDevice createDevice(VkPhysicalDevice physical)
{
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDeviceMeshShaderFeaturesEXT mesh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
                                               &executables};
    VkPhysicalDeviceVulkan13Features features13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &mesh};
    VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features13};
    VkPhysicalDeviceVulkan11Features features11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features12};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features11};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    if (mesh.meshShader == VK_FALSE || mesh.taskShader == VK_FALSE || executables.pipelineExecutableInfo == VK_FALSE)
        leave(kNotAvailable);
    mesh.multiviewMeshShader = mesh.primitiveFragmentShadingRateMeshShader = VK_FALSE;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    const char* extensions[] = {"VK_EXT_mesh_shader", "VK_KHR_pipeline_executable_properties"};
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = 2;
    info.ppEnabledExtensionNames = extensions;
    VkDevice device = VK_NULL_HANDLE;
    check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
    return device;
}

VkPipelineShaderStageCreateInfo createStage(VkDevice device, const std::string& argument)
{
    const size_t equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const std::vector<char> words = contentOf(argument.substr(equals + 1));
    VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    module.codeSize = words.size();
    module.pCode = reinterpret_cast<const uint32_t*>(words.data());
    VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    check(words.empty() ? VK_ERROR_UNKNOWN : vkCreateShaderModule(device, &module, nullptr, &stage.module),
          argument.c_str());
    stage.pName = "main";
    stage.stage = name == "task"   ? VK_SHADER_STAGE_TASK_BIT_EXT
                  : name == "mesh" ? VK_SHADER_STAGE_MESH_BIT_EXT
                                   : VK_SHADER_STAGE_FRAGMENT_BIT;
    return stage;
}

// One storage buffer, which is what the shaders of the tests have.
VkPipelineLayout createLayout(VkDevice device)
{
    VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_ALL, nullptr};
    VkDescriptorSetLayoutCreateInfo set{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    set.bindingCount = 1;
    set.pBindings = &binding;
    VkDescriptorSetLayout setLayout = VK_NULL_HANDLE;
    check(vkCreateDescriptorSetLayout(device, &set, nullptr, &setLayout), "vkCreateDescriptorSetLayout");
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = 1;
    info.pSetLayouts = &setLayout;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    check(vkCreatePipelineLayout(device, &info, nullptr, &layout), "vkCreatePipelineLayout");
    return layout;
}

VkPipeline createPipeline(VkDevice device, const std::vector<VkPipelineShaderStageCreateInfo>& stages)
{
    const VkFormat format = VK_FORMAT_R32G32B32A32_SFLOAT;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    viewport.viewportCount = viewport.scissorCount = 1;
    VkPipelineRasterizationStateCreateInfo rasterization{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    rasterization.lineWidth = 1;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineColorBlendAttachmentState attachment{};
    attachment.colorWriteMask = 0xf;
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    blend.attachmentCount = 1;
    blend.pAttachments = &attachment;
    const VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    dynamic.dynamicStateCount = 2;
    dynamic.pDynamicStates = states;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pViewportState = &viewport;
    info.pRasterizationState = &rasterization;
    info.pMultisampleState = &samples;
    info.pColorBlendState = &blend;
    info.pDynamicState = &dynamic;
    info.layout = createLayout(device);
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), "vkCreateGraphicsPipelines");
    return pipeline;
}

const char* stageName(VkShaderStageFlags stages)
{
    return (stages & VK_SHADER_STAGE_TASK_BIT_EXT) != 0   ? "task"
           : (stages & VK_SHADER_STAGE_MESH_BIT_EXT) != 0 ? "mesh"
                                                          : "frag";
}

void printStatistics(VkDevice device, VkPipeline pipeline)
{
    const auto getProperties = reinterpret_cast<PFN_vkGetPipelineExecutablePropertiesKHR>(
        vkGetDeviceProcAddr(device, "vkGetPipelineExecutablePropertiesKHR"));
    const auto getStatistics = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
        vkGetDeviceProcAddr(device, "vkGetPipelineExecutableStatisticsKHR"));
    VkPipelineInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR};
    info.pipeline = pipeline;
    uint32_t count = 0;
    check(getProperties(device, &info, &count, nullptr), "vkGetPipelineExecutablePropertiesKHR");
    std::vector<VkPipelineExecutablePropertiesKHR> executables(count,
                                                               {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR});
    check(getProperties(device, &info, &count, executables.data()), "vkGetPipelineExecutablePropertiesKHR");
    for (uint32_t e = 0; e < count; ++e) {
        const char* stage = stageName(executables[e].stages);
        std::printf("%s: wave = %u\n", stage, executables[e].subgroupSize);
        VkPipelineExecutableInfoKHR executable{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
        executable.pipeline = pipeline;
        executable.executableIndex = e;
        uint32_t number = 0;
        check(getStatistics(device, &executable, &number, nullptr), "vkGetPipelineExecutableStatisticsKHR");
        std::vector<VkPipelineExecutableStatisticKHR> statistics(number,
                                                                 {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
        check(getStatistics(device, &executable, &number, statistics.data()), "vkGetPipelineExecutableStatisticsKHR");
        for (const VkPipelineExecutableStatisticKHR& statistic : statistics)
            std::printf("%s: %s = %llu\n", stage, statistic.name, static_cast<unsigned long long>(statistic.value.u64));
    }
}

}  // namespace

int main(int argc, char** argv)
{
    const VkDevice device = createDevice(firstDevice());
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (int a = 1; a < argc; ++a)
        stages.push_back(createStage(device, argv[a]));
    printStatistics(device, createPipeline(device, stages));
    leave(0);
}
