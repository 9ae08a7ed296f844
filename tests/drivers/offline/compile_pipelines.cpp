// SPDX-License-Identifier: Apache-2.0
// Creates the pipelines that record_layer.cpp wrote down, on the first device, which need not run anything. What
// shaders do not depend on is as simple as may be: no depth, one sample, dynamic rendering, whatever was used. Usage:
// compile_pipelines FOLDER. Prints "NUMBER.STAGE: NAME = VALUE" for each statistic of each. Exit status 77: no device,
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

struct Stage {
    std::string entryPoint;
    std::vector<VkSpecializationMapEntry> constants;
    std::vector<char> data;
    VkSpecializationInfo values{};
};

// What NUMBER.pipeline says.
struct Pipeline {
    std::filesystem::path path;
    std::map<uint32_t, std::vector<VkDescriptorSetLayoutBinding>> sets;
    uint32_t pushBytes = 0, topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, patchPoints = 0, colors = 0, views = 0;
    std::map<uint32_t, Stage> stages;
    std::vector<VkVertexInputBindingDescription> vertices;
    std::vector<VkVertexInputAttributeDescription> attributes;

    bool draws() const { return stages.contains(VK_SHADER_STAGE_VERTEX_BIT); }
};

void readData(std::istream& file, std::vector<char>& out)
{
    size_t count = 0;
    file >> count;
    for (uint32_t byte = 0; count > 0 && file >> byte; --count)
        out.push_back(static_cast<char>(byte));
}

void readVertices(std::istream& file, Pipeline& out)
{
    VkVertexInputBindingDescription each{};
    uint32_t rate = 0;
    file >> each.binding >> each.stride >> rate;
    each.inputRate = static_cast<VkVertexInputRate>(rate);
    out.vertices.push_back(each);
}

void readAttribute(std::istream& file, Pipeline& out)
{
    VkVertexInputAttributeDescription each{};
    uint32_t format = 0;
    file >> each.location >> each.binding >> format >> each.offset;
    each.format = static_cast<VkFormat>(format);
    out.attributes.push_back(each);
}

void readBinding(std::istream& file, Pipeline& out)
{
    VkDescriptorSetLayoutBinding each{0, VK_DESCRIPTOR_TYPE_SAMPLER, 0, VK_SHADER_STAGE_ALL, nullptr};
    uint32_t set = 0, type = 0;
    file >> set >> each.binding >> type >> each.descriptorCount;
    each.descriptorType = static_cast<VkDescriptorType>(type);
    out.sets[set].push_back(each);
}

void readStage(std::istream& file, const std::string& word, Pipeline& out)
{
    uint32_t bit = 0;
    file >> bit;
    Stage& stage = out.stages[bit];
    if (word == "entry")
        file >> stage.entryPoint;
    if (word == "data")
        readData(file, stage.data);
    if (word == "constant") {
        VkSpecializationMapEntry entry{};
        file >> entry.constantID >> entry.offset >> entry.size;
        stage.constants.push_back(entry);
    }
}

Pipeline readPipeline(const std::filesystem::path& path)
{
    Pipeline out;
    out.path = path;
    const std::map<std::string, uint32_t*> numbers = {{"push", &out.pushBytes},
                                                      {"topology", &out.topology},
                                                      {"patch", &out.patchPoints},
                                                      {"colors", &out.colors},
                                                      {"views", &out.views}};
    std::ifstream file(path);
    for (std::string word; file >> word;)
        if (const auto number = numbers.find(word); number != numbers.end())
            file >> *number->second;
        else if (word == "binding")
            readBinding(file, out);
        else if (word == "vertices")
            readVertices(file, out);
        else if (word == "attribute")
            readAttribute(file, out);
        else
            readStage(file, word, out);
    for (auto& [bit, stage] : out.stages)
        stage.values = {static_cast<uint32_t>(stage.constants.size()), stage.constants.data(), stage.data.size(),
                        stage.data.data()};
    return out;
}

VkPipelineLayout createLayout(VkDevice device, const Pipeline& pipeline)
{
    std::vector<VkDescriptorSetLayout> layouts(pipeline.sets.empty() ? 0 : pipeline.sets.rbegin()->first + 1);
    for (uint32_t set = 0; set < layouts.size(); ++set) {
        const auto found = pipeline.sets.find(set);
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        if (found != pipeline.sets.end()) {
            info.bindingCount = static_cast<uint32_t>(found->second.size());
            info.pBindings = found->second.data();
        }
        check(vkCreateDescriptorSetLayout(device, &info, nullptr, &layouts[set]), "vkCreateDescriptorSetLayout");
    }
    const VkPushConstantRange range{VK_SHADER_STAGE_ALL, 0, pipeline.pushBytes};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = static_cast<uint32_t>(layouts.size());
    info.pSetLayouts = layouts.data();
    info.pushConstantRangeCount = range.size > 0 ? 1 : 0;
    info.pPushConstantRanges = &range;
    VkPipelineLayout layout = VK_NULL_HANDLE;
    check(vkCreatePipelineLayout(device, &info, nullptr, &layout), "vkCreatePipelineLayout");
    return layout;
}

VkPipelineShaderStageCreateInfo createStage(VkDevice device, const Pipeline& pipeline, uint32_t bit)
{
    const std::filesystem::path path =
        std::filesystem::path(pipeline.path).replace_extension(std::to_string(bit) + ".spv");
    std::ifstream file(path, std::ios::binary);
    const std::vector<char> words{std::istreambuf_iterator<char>(file), {}};
    VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    module.codeSize = words.size();
    module.pCode = reinterpret_cast<const uint32_t*>(words.data());
    const Stage& stage = pipeline.stages.at(bit);
    VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage = static_cast<VkShaderStageFlagBits>(bit);
    info.pName = stage.entryPoint.c_str();
    info.pSpecializationInfo = stage.constants.empty() ? nullptr : &stage.values;
    check(vkCreateShaderModule(device, &module, nullptr, &info.module), path.string());
    return info;
}

VkPipeline createComputePipeline(VkDevice device, const Pipeline& pipeline)
{
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    info.stage = createStage(device, pipeline, VK_SHADER_STAGE_COMPUTE_BIT);
    info.layout = createLayout(device, pipeline);
    VkPipeline out = VK_NULL_HANDLE;
    check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &out), pipeline.path.string());
    return out;
}

constexpr VkColorComponentFlags kAllComponents = 0xF;

// What a graphics pipeline has beside its shaders. Points into itself.
struct DrawState {
    explicit DrawState(const Pipeline& pipeline)
        : attachments(pipeline.colors, VkPipelineColorBlendAttachmentState{.colorWriteMask = kAllComponents}),
          formats(pipeline.colors, VK_FORMAT_R8G8B8A8_UNORM)
    {
        input.vertexBindingDescriptionCount = static_cast<uint32_t>(pipeline.vertices.size());
        input.pVertexBindingDescriptions = pipeline.vertices.data();
        input.vertexAttributeDescriptionCount = static_cast<uint32_t>(pipeline.attributes.size());
        input.pVertexAttributeDescriptions = pipeline.attributes.data();
        assembly.topology = static_cast<VkPrimitiveTopology>(pipeline.topology);
        tessellation.patchControlPoints = pipeline.patchPoints;
        viewport.viewportCount = viewport.scissorCount = 1;
        raster.lineWidth = 1;
        samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
        blend.attachmentCount = rendering.colorAttachmentCount = pipeline.colors;
        blend.pAttachments = attachments.data();
        rendering.pColorAttachmentFormats = formats.data();
        rendering.viewMask = pipeline.views;
        dynamic.dynamicStateCount = 2;
        dynamic.pDynamicStates = kDynamic;
    }
    DrawState(const DrawState&) = delete;
    DrawState& operator=(const DrawState&) = delete;

    static constexpr VkDynamicState kDynamic[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    std::vector<VkPipelineColorBlendAttachmentState> attachments;
    std::vector<VkFormat> formats;
    VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    VkPipelineTessellationStateCreateInfo tessellation{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
    VkPipelineViewportStateCreateInfo viewport{VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO};
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    VkPipelineColorBlendStateCreateInfo blend{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    VkPipelineDynamicStateCreateInfo dynamic{VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO};
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
};

VkPipeline createGraphicsPipeline(VkDevice device, const Pipeline& pipeline)
{
    std::vector<VkPipelineShaderStageCreateInfo> stages;
    for (const auto& [bit, stage] : pipeline.stages)
        stages.push_back(createStage(device, pipeline, bit));
    const DrawState state(pipeline);
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &state.rendering};
    info.flags = VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR;
    info.stageCount = static_cast<uint32_t>(stages.size());
    info.pStages = stages.data();
    info.pVertexInputState = &state.input;
    info.pInputAssemblyState = &state.assembly;
    info.pTessellationState = pipeline.patchPoints > 0 ? &state.tessellation : nullptr;
    info.pViewportState = &state.viewport;
    info.pRasterizationState = &state.raster;
    info.pMultisampleState = &state.samples;
    info.pColorBlendState = &state.blend;
    info.pDynamicState = &state.dynamic;
    info.layout = createLayout(device, pipeline);
    VkPipeline out = VK_NULL_HANDLE;
    check(vkCreateGraphicsPipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &out), pipeline.path.string());
    return out;
}

void printStatistics(VkDevice device, const VkPipelineExecutableInfoKHR& executable, const std::string& name)
{
    const auto getStatistics = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
        vkGetDeviceProcAddr(device, "vkGetPipelineExecutableStatisticsKHR"));
    uint32_t count = 0;
    check(getStatistics(device, &executable, &count, nullptr), name);
    std::vector<VkPipelineExecutableStatisticKHR> statistics(count,
                                                             {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
    check(getStatistics(device, &executable, &count, statistics.data()), name);
    for (const VkPipelineExecutableStatisticKHR& statistic : statistics)
        std::printf("%s: %s = %llu\n", name.c_str(), statistic.name,
                    static_cast<unsigned long long>(statistic.value.u64));
}

// Each shader is an executable, or several are one, whose statistics are those of the first.
void printStatistics(VkDevice device, VkPipeline pipeline, const std::string& name)
{
    const auto getExecutables = reinterpret_cast<PFN_vkGetPipelineExecutablePropertiesKHR>(
        vkGetDeviceProcAddr(device, "vkGetPipelineExecutablePropertiesKHR"));
    VkPipelineInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR};
    info.pipeline = pipeline;
    uint32_t count = 0;
    check(getExecutables(device, &info, &count, nullptr), name);
    std::vector<VkPipelineExecutablePropertiesKHR> executables(count,
                                                               {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR});
    check(getExecutables(device, &info, &count, executables.data()), name);
    VkPipelineExecutableInfoKHR executable{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR};
    executable.pipeline = pipeline;
    for (; executable.executableIndex < count; ++executable.executableIndex) {
        const VkShaderStageFlags stages = executables[executable.executableIndex].stages;
        printStatistics(device, executable, name + '.' + std::to_string(stages & ~(stages - 1)));
    }
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
        if (entry.path().extension() == ".pipeline") {
            const Pipeline pipeline = readPipeline(entry.path());
            printStatistics(
                device,
                pipeline.draws() ? createGraphicsPipeline(device, pipeline) : createComputePipeline(device, pipeline),
                entry.path().stem().string());
        }
    leave(0);
}
