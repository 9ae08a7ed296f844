// SPDX-License-Identifier: Apache-2.0
#include "bench/plain_device.h"

#include <chrono>
#include <map>
#include <optional>
#include <stdexcept>
#include <vector>

#include "spirv/module.h"

namespace millrace::bench {

namespace {

using spirv::Id;
using spirv::Instruction;
using spirv::Module;
using spirv::Section;

constexpr uint32_t kPushConstantBytes = 256;

void check(VkResult result, const char* what)
{
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(what) + " failed: VkResult " + std::to_string(result));
}

VkDescriptorType typeOfImage(const Instruction& image)
{
    const bool isBuffer = image.literal(1) == static_cast<uint32_t>(spv::Dim::Buffer);
    const bool isSampled = image.literal(5) == 1;
    if (isBuffer)
        return isSampled ? VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
    return isSampled ? VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE : VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
}

VkDescriptorType descriptorType(const Module& module, const Instruction& type, spv::StorageClass storage)
{
    switch (type.op) {
        case spv::Op::OpTypeSampler:
            return VK_DESCRIPTOR_TYPE_SAMPLER;
        case spv::Op::OpTypeSampledImage:
            return VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
        case spv::Op::OpTypeImage:
            return typeOfImage(type);
        default:
            break;
    }
    const bool isUniform =
        storage == spv::StorageClass::Uniform && !module.findDecoration(type.result, spv::Decoration::BufferBlock);
    return isUniform ? VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER : VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
}

std::optional<uint32_t> decorationValue(const Module& module, Id id, spv::Decoration decoration)
{
    const Instruction* i = module.findDecoration(id, decoration);
    return i ? std::optional(i->literal(2)) : std::nullopt;
}

using Sets = std::map<uint32_t, std::map<uint32_t, VkDescriptorSetLayoutBinding>>;

Sets readBindings(const Module& module)
{
    Sets sets;
    for (const Instruction& i : module.section(Section::Globals)) {
        const auto set = decorationValue(module, i.result, spv::Decoration::DescriptorSet);
        const auto binding = decorationValue(module, i.result, spv::Decoration::Binding);
        if (i.op != spv::Op::OpVariable || !set || !binding)
            continue;
        const Instruction* type = module.findDefinition(module.pointee(i.type));
        uint32_t count = 1;
        if (type->op == spv::Op::OpTypeArray) {
            (void)module.constantValue(type->id(1), count);
            type = module.findDefinition(type->id(0));
        } else if (type->op == spv::Op::OpTypeRuntimeArray) {
            type = module.findDefinition(type->id(0));
        }
        const VkDescriptorType descriptor = descriptorType(module, *type, static_cast<spv::StorageClass>(i.literal(0)));
        sets[*set][*binding] = {*binding, descriptor, count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
    }
    return sets;
}

// The pipeline layout that a shader asks for.
class Layout {
public:
    Layout(VkDevice device, std::span<const uint32_t> words) : m_device(device)
    {
        const auto module = spirv::read(words);
        if (!module)
            throw std::runtime_error(module.error().text());
        const Sets sets = readBindings(*module);
        const uint32_t setCount = sets.empty() ? 0 : sets.rbegin()->first + 1;
        for (uint32_t s = 0; s < setCount; ++s) {
            std::vector<VkDescriptorSetLayoutBinding> bindings;
            if (const auto set = sets.find(s); set != sets.end())
                for (const auto& [number, binding] : set->second)
                    bindings.push_back(binding);
            VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
            info.bindingCount = static_cast<uint32_t>(bindings.size());
            info.pBindings = bindings.data();
            m_sets.emplace_back();
            check(vkCreateDescriptorSetLayout(m_device, &info, nullptr, &m_sets.back()), "vkCreateDescriptorSetLayout");
        }
        const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, kPushConstantBytes};
        VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        info.setLayoutCount = setCount;
        info.pSetLayouts = m_sets.data();
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &range;
        check(vkCreatePipelineLayout(m_device, &info, nullptr, &m_handle), "vkCreatePipelineLayout");
    }

    ~Layout()
    {
        vkDestroyPipelineLayout(m_device, m_handle, nullptr);
        for (const VkDescriptorSetLayout set : m_sets)
            vkDestroyDescriptorSetLayout(m_device, set, nullptr);
    }
    Layout(const Layout&) = delete;

    VkPipelineLayout handle() const { return m_handle; }

private:
    VkDevice m_device;
    std::vector<VkDescriptorSetLayout> m_sets;
    VkPipelineLayout m_handle = VK_NULL_HANDLE;
};

}  // namespace

PlainDevice::PlainDevice(const std::string& name)
{
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_3;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    check(vkCreateInstance(&info, nullptr, &m_instance), "vkCreateInstance");
    choosePhysicalDevice(name);
    createDevice();
}

PlainDevice::~PlainDevice()
{
    vkDestroyDevice(m_device, nullptr);
    vkDestroyInstance(m_instance, nullptr);
}

void PlainDevice::choosePhysicalDevice(const std::string& name)
{
    uint32_t count = 0;
    check(vkEnumeratePhysicalDevices(m_instance, &count, nullptr), "vkEnumeratePhysicalDevices");
    std::vector<VkPhysicalDevice> devices(count);
    check(vkEnumeratePhysicalDevices(m_instance, &count, devices.data()), "vkEnumeratePhysicalDevices");
    for (const VkPhysicalDevice device : devices) {
        VkPhysicalDeviceProperties properties;
        vkGetPhysicalDeviceProperties(device, &properties);
        m_name = properties.deviceName;
        if (properties.apiVersion >= VK_API_VERSION_1_3 && m_name.find(name) != std::string::npos) {
            m_physical = device;
            return;
        }
    }
    throw std::runtime_error("no Vulkan 1.3 device has \"" + name + "\" in its name");
}

void PlainDevice::createDevice()
{
    VkPhysicalDeviceVulkan13Features features13{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES};
    VkPhysicalDeviceVulkan12Features features12{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES, &features13};
    VkPhysicalDeviceVulkan11Features features11{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &features12};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &features11};
    vkGetPhysicalDeviceFeatures2(m_physical, &features);
    features.features.robustBufferAccess = VK_FALSE;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    check(vkCreateDevice(m_physical, &info, nullptr, &m_device), "vkCreateDevice");
}

double PlainDevice::compile(std::span<const uint32_t> words) const
{
    const Layout layout(m_device, words);
    VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    moduleInfo.codeSize = words.size_bytes();
    moduleInfo.pCode = words.data();
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.pName = "main";
    info.layout = layout.handle();
    VkPipeline pipeline = VK_NULL_HANDLE;

    const auto start = std::chrono::steady_clock::now();
    check(vkCreateShaderModule(m_device, &moduleInfo, nullptr, &info.stage.module), "vkCreateShaderModule");
    const VkResult result = vkCreateComputePipelines(m_device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
    vkDestroyShaderModule(m_device, info.stage.module, nullptr);
    check(result, "vkCreateComputePipelines");
    vkDestroyPipeline(m_device, pipeline, nullptr);
    return time.count();
}

}  // namespace millrace::bench
