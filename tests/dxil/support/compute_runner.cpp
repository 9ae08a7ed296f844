// SPDX-License-Identifier: Apache-2.0
#include "dxil/support/compute_runner.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>

#include "dxil/support/compute_images.h"
#include "spirv/module.h"

namespace millrace::dxil {

namespace {

using harness::Buffer;
using harness::check;
using harness::Device;

constexpr uint32_t kDefaultWords = 1024;
constexpr uint32_t kUnboundedCount = 8;  // of arrays that do not say how many they are

struct Declared {
    uint32_t set = 0;
    uint32_t binding = 0;
    uint32_t count = 1;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
    std::optional<ImageShape> image;
};

VkImageViewType viewOf(const spirv::Instruction& image)
{
    const bool isArrayed = image.literal(3) != 0;
    switch (static_cast<spv::Dim>(image.literal(1))) {
        case spv::Dim::Dim1D:
            return isArrayed ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D;
        case spv::Dim::Dim2D:
            return isArrayed ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D;
        case spv::Dim::Dim3D:
            return VK_IMAGE_VIEW_TYPE_3D;
        case spv::Dim::Cube:
            return isArrayed ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE;
        default:
            throw std::runtime_error("an image of no known kind");
    }
}

bool hasOneComponent(VkFormat format)
{
    return format == VK_FORMAT_R32_SFLOAT || format == VK_FORMAT_R32_UINT || format == VK_FORMAT_R32_SINT;
}

VkFormat formatOf(const spirv::Module& module, const spirv::Instruction& image)
{
    const spirv::Instruction* texel = module.findDefinition(image.id(0));
    const bool isFloat = texel->op == spv::Op::OpTypeFloat;
    const bool isSigned = !isFloat && texel->literal(1) != 0;
    switch (static_cast<spv::ImageFormat>(image.literal(6))) {
        case spv::ImageFormat::Unknown:
        case spv::ImageFormat::Rgba32f:
        case spv::ImageFormat::Rgba32ui:
        case spv::ImageFormat::Rgba32i:
            return isFloat    ? VK_FORMAT_R32G32B32A32_SFLOAT
                   : isSigned ? VK_FORMAT_R32G32B32A32_SINT
                              : VK_FORMAT_R32G32B32A32_UINT;
        case spv::ImageFormat::R32f:
            return VK_FORMAT_R32_SFLOAT;
        case spv::ImageFormat::R32ui:
            return VK_FORMAT_R32_UINT;
        case spv::ImageFormat::R32i:
            return VK_FORMAT_R32_SINT;
        default:
            throw std::runtime_error("an image of no known format");
    }
}

void describeHandle(const spirv::Module& module, const spirv::Instruction& type, Declared& out)
{
    if (type.op == spv::Op::OpTypeSampler) {
        out.type = VK_DESCRIPTOR_TYPE_SAMPLER;
        return;
    }
    if (type.op != spv::Op::OpTypeImage)
        throw std::runtime_error("a resource of no known type");
    const bool isStorage = type.literal(5) == 2;
    if (type.literal(1) == static_cast<uint32_t>(spv::Dim::Buffer)) {
        out.type = isStorage ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
        return;
    }
    out.type = isStorage ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    out.image = {viewOf(type), formatOf(module, type), isStorage, type.literal(4) != 0};
}

Declared describe(const spirv::Module& module, const spirv::Instruction& variable)
{
    Declared out;
    const spirv::Instruction* type = module.findDefinition(module.pointee(variable.type));
    if (type->op == spv::Op::OpTypeArray) {
        module.constantValue(type->id(1), out.count);
        type = module.findDefinition(type->id(0));
    } else if (type->op == spv::Op::OpTypeRuntimeArray) {
        out.count = kUnboundedCount;
        type = module.findDefinition(type->id(0));
    }
    switch (static_cast<spv::StorageClass>(variable.literal(0))) {
        case spv::StorageClass::StorageBuffer:
            out.type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            break;
        case spv::StorageClass::Uniform:
            out.type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
            break;
        default:
            describeHandle(module, *type, out);
    }
    return out;
}

std::vector<Declared> declaredIn(const std::vector<uint32_t>& words)
{
    const auto module = spirv::read(words);
    if (!module)
        throw std::runtime_error(module.error().text());
    std::vector<Declared> out;
    for (const spirv::Instruction& i : module->section(spirv::Section::Globals)) {
        const spirv::Instruction* binding = module->findDecoration(i.result, spv::Decoration::Binding);
        const spirv::Instruction* set = module->findDecoration(i.result, spv::Decoration::DescriptorSet);
        if (i.op != spv::Op::OpVariable || !binding || !set)
            continue;
        Declared declared = describe(*module, i);
        declared.set = set->literal(2);
        declared.binding = binding->literal(2);
        // Several variables may look at one resource in different ways.
        const auto known = std::ranges::find_if(
            out, [&](const Declared& d) { return d.set == declared.set && d.binding == declared.binding; });
        if (known == out.end()) {
            out.push_back(declared);
        } else {
            known->count = std::max(known->count, declared.count);
            // What names a format is right for what does not, which is given one of four components.
            if (declared.image && hasOneComponent(declared.image->format))
                known->image = declared.image;
        }
    }
    return out;
}

class Run {
public:
    Run(Device& device, const ComputeRun& run) : m_device(device), m_run(run), m_declared(declaredIn(run.words)) {}
    ~Run();
    BufferContents execute();

private:
    void createLayouts();
    void createSets();
    void createPipeline();
    void write(const Declared& declared);
    void createBuffers(const Declared& declared, std::vector<VkDescriptorBufferInfo>& out);
    VkBufferView createTexelView(const Buffer& buffer);
    VkDescriptorImageInfo createImage(const Declared& declared, uint32_t index);
    VkSampler createSampler(bool compares);
    std::vector<uint32_t> createAddressed();

    Device& m_device;
    const ComputeRun& m_run;
    std::vector<Declared> m_declared;
    std::map<std::pair<uint32_t, uint32_t>, Buffer> m_buffers;
    std::map<std::pair<uint32_t, uint32_t>, std::vector<std::unique_ptr<TestImage>>> m_images;
    std::vector<VkSampler> m_samplers;
    std::vector<VkBufferView> m_views;
    std::vector<VkDescriptorSetLayout> m_setLayouts;
    std::vector<VkDescriptorSet> m_sets;
    VkDescriptorPool m_pool = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkPipeline m_pipeline = VK_NULL_HANDLE;
};

Run::~Run()
{
    vkDestroyPipeline(m_device.device, m_pipeline, nullptr);
    vkDestroyPipelineLayout(m_device.device, m_layout, nullptr);
    vkDestroyDescriptorPool(m_device.device, m_pool, nullptr);
    for (VkDescriptorSetLayout layout : m_setLayouts)
        vkDestroyDescriptorSetLayout(m_device.device, layout, nullptr);
    for (VkBufferView view : m_views)
        vkDestroyBufferView(m_device.device, view, nullptr);
    for (VkSampler sampler : m_samplers)
        vkDestroySampler(m_device.device, sampler, nullptr);
    for (const auto& [place, buffer] : m_buffers)
        m_device.destroyBuffer(buffer);
}

void Run::createLayouts()
{
    uint32_t sets = 0;
    for (const Declared& d : m_declared)
        sets = std::max(sets, d.set + 1);
    for (uint32_t s = 0; s < sets; ++s) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        for (const Declared& d : m_declared)
            if (d.set == s)
                bindings.push_back({d.binding, d.type, d.count, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
        VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        info.bindingCount = static_cast<uint32_t>(bindings.size());
        info.pBindings = bindings.data();
        m_setLayouts.emplace_back();
        check(vkCreateDescriptorSetLayout(m_device.device, &info, nullptr, &m_setLayouts.back()), "set layout");
    }
    const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                    static_cast<uint32_t>(m_run.pushConstants.size() * 4)};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.setLayoutCount = sets;
    info.pSetLayouts = m_setLayouts.data();
    info.pushConstantRangeCount = m_run.pushConstants.empty() ? 0 : 1;
    info.pPushConstantRanges = &range;
    check(vkCreatePipelineLayout(m_device.device, &info, nullptr, &m_layout), "pipeline layout");
}

// One after the other in one buffer.
void Run::createBuffers(const Declared& d, std::vector<VkDescriptorBufferInfo>& out)
{
    const auto given = m_run.buffers.find({d.set, d.binding});
    const size_t words = given == m_run.buffers.end() ? kDefaultWords : given->second.size();
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                     VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                                     VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    Buffer& buffer = m_buffers[{d.set, d.binding}];
    buffer = m_device.createBuffer(words * d.count * 4, usage);
    for (uint32_t e = 0; e < d.count; ++e) {
        if (given != m_run.buffers.end())
            std::ranges::transform(given->second, buffer.words() + e * words, [&](uint32_t word) { return word + e; });
        out.push_back({buffer.handle, e * words * 4, d.count == 1 ? VK_WHOLE_SIZE : words * 4});
    }
}

VkBufferView Run::createTexelView(const Buffer& buffer)
{
    VkBufferViewCreateInfo view{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
    view.buffer = buffer.handle;
    view.format = m_run.texelFormat;
    view.range = VK_WHOLE_SIZE;
    m_views.emplace_back();
    check(vkCreateBufferView(m_device.device, &view, nullptr, &m_views.back()), "buffer view");
    return m_views.back();
}

VkSampler Run::createSampler(bool compares)
{
    VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO};
    info.compareEnable = compares;
    info.compareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
    info.maxLod = VK_LOD_CLAMP_NONE;
    m_samplers.emplace_back();
    check(vkCreateSampler(m_device.device, &info, nullptr, &m_samplers.back()), "sampler");
    return m_samplers.back();
}

VkDescriptorImageInfo Run::createImage(const Declared& d, uint32_t index)
{
    if (!d.image)
        return {createSampler(m_run.comparing.contains({d.set, d.binding})), VK_NULL_HANDLE, VK_IMAGE_LAYOUT_UNDEFINED};
    ImageShape shape = *d.image;
    shape.format = m_run.depths.contains({d.set, d.binding}) ? VK_FORMAT_D32_SFLOAT : shape.format;
    shape.isSparse = m_run.hasSparseImages && !shape.isStorage && !shape.isMultisampled;
    auto& images = m_images[{d.set, d.binding}];
    images.push_back(std::make_unique<TestImage>(m_device, shape, d.binding + index));
    return {VK_NULL_HANDLE, images.back()->view(), VK_IMAGE_LAYOUT_GENERAL};
}

void Run::write(const Declared& d)
{
    std::vector<VkDescriptorBufferInfo> buffers;
    std::vector<VkDescriptorImageInfo> images;
    VkBufferView view = VK_NULL_HANDLE;
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = m_sets[d.set];
    write.dstBinding = d.binding;
    write.descriptorCount = d.count;
    write.descriptorType = d.type;
    if (d.image || d.type == VK_DESCRIPTOR_TYPE_SAMPLER) {
        for (uint32_t e = 0; e < d.count; ++e)
            images.push_back(createImage(d, e));
        write.pImageInfo = images.data();
    } else {
        createBuffers(d, buffers);
        write.pBufferInfo = buffers.data();
    }
    if (d.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER || d.type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER) {
        if (d.count != 1)
            throw std::runtime_error("an array of texel buffers");
        view = createTexelView(m_buffers.at({d.set, d.binding}));
        write.pTexelBufferView = &view;
    }
    vkUpdateDescriptorSets(m_device.device, 1, &write, 0, nullptr);
}

void Run::createSets()
{
    std::vector<VkDescriptorPoolSize> sizes;
    for (const Declared& d : m_declared)
        sizes.push_back({d.type, d.count});
    VkDescriptorPoolCreateInfo pool{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
    pool.maxSets = static_cast<uint32_t>(m_setLayouts.size());
    pool.poolSizeCount = static_cast<uint32_t>(sizes.size());
    pool.pPoolSizes = sizes.data();
    check(vkCreateDescriptorPool(m_device.device, &pool, nullptr, &m_pool), "pool");
    VkDescriptorSetAllocateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
    info.descriptorPool = m_pool;
    info.descriptorSetCount = pool.maxSets;
    info.pSetLayouts = m_setLayouts.data();
    m_sets.resize(pool.maxSets);
    check(vkAllocateDescriptorSets(m_device.device, &info, m_sets.data()), "sets");
    for (const Declared& d : m_declared)
        write(d);
}

void Run::createPipeline()
{
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = m_device.createModule(m_run.words);
    info.stage.pName = "main";
    VkPipelineShaderStageRequiredSubgroupSizeCreateInfo subgroups{
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO};
    subgroups.requiredSubgroupSize = m_run.subgroupSize;
    info.stage.pNext = m_run.subgroupSize != 0 ? &subgroups : nullptr;
    info.layout = m_layout;
    const VkResult result = vkCreateComputePipelines(m_device.device, VK_NULL_HANDLE, 1, &info, nullptr, &m_pipeline);
    vkDestroyShaderModule(m_device.device, info.stage.module, nullptr);
    check(result, "pipeline");
}

std::vector<uint32_t> Run::createAddressed()
{
    std::vector<uint32_t> out = m_run.pushConstants;
    for (const auto& [word, content] : m_run.addressed) {
        Buffer& buffer = m_buffers[{kAddressed, word}];
        buffer = m_device.createBuffer(content.size() * 4, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
        std::ranges::copy(content, buffer.words());
        out.at(word) = static_cast<uint32_t>(buffer.address);
        out.at(word + 1) = static_cast<uint32_t>(buffer.address >> 32);
    }
    return out;
}

BufferContents Run::execute()
{
    const std::vector<uint32_t> pushConstants = createAddressed();
    createLayouts();
    createSets();
    createPipeline();
    m_device.submit([&](VkCommandBuffer cmd) {
        vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, m_pipeline);
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, m_layout, 0, static_cast<uint32_t>(m_sets.size()),
                                m_sets.data(), 0, nullptr);
        if (!m_run.pushConstants.empty())
            vkCmdPushConstants(cmd, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               static_cast<uint32_t>(pushConstants.size() * 4), pushConstants.data());
        vkCmdDispatch(cmd, m_run.groups, 1, 1);
    });
    BufferContents out;
    for (const auto& [place, buffer] : m_buffers)
        out[place].assign(buffer.words(), buffer.words() + buffer.size / 4);
    for (const Declared& d : m_declared) {
        if (d.image && d.image->isStorage) {
            for (const auto& image : m_images.at({d.set, d.binding})) {
                const std::vector<uint32_t> texels = image->read();
                out[{d.set, d.binding}].insert(out[{d.set, d.binding}].end(), texels.begin(), texels.end());
            }
        }
    }
    return out;
}

}  // namespace

BufferContents runCompute(Device& device, const ComputeRun& run)
{
    return Run(device, run).execute();
}

}  // namespace millrace::dxil
