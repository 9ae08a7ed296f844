// SPDX-License-Identifier: Apache-2.0
// Creates the compute pipelines that record_layer.cpp wrote down, on the first device, which need not run anything.
// Usage: compile_pipelines FOLDER. Prints "NUMBER: NAME = VALUE" for each statistic of each. Exit status 77: no device,
// or one without statistics.
#include <unistd.h>
#include <vulkan/vulkan.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kNotAvailable = 77;

// A driver without hardware need not survive being torn down.
[[noreturn]] void leave(int status)
{
    std::fflush(stdout);
    _exit(status);
}

void check(VkResult result, const std::string& what)
{
    if (result == VK_SUCCESS)
        return;
    std::fprintf(stderr, "%s: VkResult %d\n", what.c_str(), result);
    leave(1);
}

VkPhysicalDevice firstDevice()
{
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    VkInstance instance = VK_NULL_HANDLE;
    uint32_t count = 1;
    VkPhysicalDevice device = VK_NULL_HANDLE;
    if (vkCreateInstance(&info, nullptr, &instance) != VK_SUCCESS ||
        vkEnumeratePhysicalDevices(instance, &count, &device) < 0 || count == 0)
        leave(kNotAvailable);
    return device;
}

// With all that it has, since shaders were made for another.
VkDevice createDevice(VkPhysicalDevice physical)
{
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR executables{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR};
    VkPhysicalDeviceVulkan13Features features13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &executables};
    VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features13};
    VkPhysicalDeviceVulkan11Features features11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features12};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features11};
    vkGetPhysicalDeviceFeatures2(physical, &features);
    if (executables.pipelineExecutableInfo == VK_FALSE)
        leave(kNotAvailable);
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    const char* extension = VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = 1;
    info.ppEnabledExtensionNames = &extension;
    VkDevice device = VK_NULL_HANDLE;
    check(vkCreateDevice(physical, &info, nullptr, &device), "vkCreateDevice");
    return device;
}

// `entryPoint` becomes what the file says.
VkPipelineLayout createLayout(VkDevice device, const std::filesystem::path& path, std::string& entryPoint)
{
    std::ifstream file(path);
    std::map<uint32_t, std::vector<VkDescriptorSetLayoutBinding>> sets;
    VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 0};
    for (std::string word; file >> word;) {
        if (word == "push") {
            file >> range.size;
            continue;
        }
        if (word == "entry") {
            file >> entryPoint;
            continue;
        }
        VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_SAMPLER, 0, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
        uint32_t type = 0;
        file >> binding.binding >> type >> binding.descriptorCount;
        binding.descriptorType = static_cast<VkDescriptorType>(type);
        sets[static_cast<uint32_t>(std::stoul(word))].push_back(binding);
    }
    std::vector<VkDescriptorSetLayout> layouts(sets.empty() ? 0 : sets.rbegin()->first + 1);
    for (uint32_t set = 0; set < layouts.size(); ++set) {
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        info.bindingCount = static_cast<uint32_t>(sets[set].size());
        info.pBindings = sets[set].data();
        check(vkCreateDescriptorSetLayout(device, &info, nullptr, &layouts[set]), "vkCreateDescriptorSetLayout");
    }
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = static_cast<uint32_t>(layouts.size());
    info.pSetLayouts = layouts.data();
    info.pushConstantRangeCount = range.size > 0 ? 1 : 0;
    info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    check(vkCreatePipelineLayout(device, &info, nullptr, &layout), "vkCreatePipelineLayout");
    return layout;
}

VkPipeline createPipeline(VkDevice device, const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> words{std::istreambuf_iterator<char>(file), {}};
    VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    module.codeSize = words.size();
    module.pCode = reinterpret_cast<const uint32_t*>(words.data());
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    std::string entryPoint;
    info.layout = createLayout(device, std::filesystem::path(path).replace_extension(".layout"), entryPoint);
    info.stage.pName = entryPoint.c_str();
    VkPipeline pipeline = VK_NULL_HANDLE;
    check(vkCreateShaderModule(device, &module, nullptr, &info.stage.module), path.string());
    check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), path.string());
    return pipeline;
}

void printStatistics(VkDevice device, VkPipeline pipeline, const std::string& name)
{
    const auto getStatistics = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
        vkGetDeviceProcAddr(device, "vkGetPipelineExecutableStatisticsKHR"));
    VkPipelineExecutableInfoKHR executable{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
    executable.pipeline = pipeline;  // a compute pipeline is one executable
    uint32_t count = 0;
    check(getStatistics(device, &executable, &count, nullptr), name);
    std::vector<VkPipelineExecutableStatisticKHR> statistics(count,
                                                             {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
    check(getStatistics(device, &executable, &count, statistics.data()), name);
    for (const VkPipelineExecutableStatisticKHR& statistic : statistics)
        std::printf("%s: %s = %llu\n", name.c_str(), statistic.name,
                    static_cast<unsigned long long>(statistic.value.u64));
}

}  // namespace

int main(int argc, char** argv)
{
    if (argc != 2) {
        std::fprintf(stderr, "usage: compile_pipelines FOLDER\n");
        return 2;
    }
    const VkDevice device = createDevice(firstDevice());
    for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
        if (entry.path().extension() == ".spv")
            printStatistics(device, createPipeline(device, entry.path()), entry.path().stem().string());
    leave(0);
}
