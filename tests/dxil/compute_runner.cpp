// SPDX-License-Identifier: Apache-2.0
#include "dxil/compute_runner.h"

#include <algorithm>
#include <stdexcept>

#include "spirv/module.h"

namespace millrace::dxil {

namespace {

using harness::Buffer;
using harness::check;
using harness::Device;

constexpr uint32_t kDefaultWords = 1024;

struct Declared {
    uint32_t set = 0;
    uint32_t binding = 0;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
};

VkDescriptorType typeOf(const spirv::Module& module, const spirv::Instruction& variable)
{
    switch (static_cast<spv::StorageClass>(variable.literal(0))) {
        case spv::StorageClass::StorageBuffer:
            return VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        case spv::StorageClass::Uniform:
            return VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
        default: {
            const spirv::Instruction* image = module.findDefinition(module.pointee(variable.type));
            if (!image || image->op != spv::Op::OpTypeImage ||
                image->literal(1) != static_cast<uint32_t>(spv::Dim::Buffer)) {
                throw std::runtime_error("only buffers can be run");
            }
            return image->literal(5) == 2 ? VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER
                                          : VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER;
        }
    }
}

std::vector<Declared> declaredIn(const std::vector<uint32_t>& words)
{
    const auto module = spirv::read(words);
    if (!module) {
        throw std::runtime_error(module.error().text());
    }
    std::vector<Declared> out;
    for (const spirv::Instruction& i : module->section(spirv::Section::Globals)) {
        const spirv::Instruction* binding = module->findDecoration(i.result, spv::Decoration::Binding);
        const spirv::Instruction* set = module->findDecoration(i.result, spv::Decoration::DescriptorSet);
        if (i.op != spv::Op::OpVariable || !binding || !set) {
            continue;
        }
        Declared declared{set->literal(2), binding->literal(2), typeOf(*module, i)};
        // Several variables may look at one buffer in different ways.
        const bool known = std::ranges::any_of(
            out, [&](const Declared& d) { return d.set == declared.set && d.binding == declared.binding; });
        if (!known) {
            out.push_back(declared);
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
    std::vector<uint32_t> createAddressed();

    Device& m_device;
    const ComputeRun& m_run;
    std::vector<Declared> m_declared;
    std::map<std::pair<uint32_t, uint32_t>, Buffer> m_buffers;
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
    for (VkDescriptorSetLayout layout : m_setLayouts) {
        vkDestroyDescriptorSetLayout(m_device.device, layout, nullptr);
    }
    for (VkBufferView view : m_views) {
        vkDestroyBufferView(m_device.device, view, nullptr);
    }
    for (const auto& [place, buffer] : m_buffers) {
        m_device.destroyBuffer(buffer);
    }
}

void Run::createLayouts()
{
    uint32_t sets = 0;
    for (const Declared& d : m_declared) {
        sets = std::max(sets, d.set + 1);
    }
    for (uint32_t s = 0; s < sets; s++) {
        std::vector<VkDescriptorSetLayoutBinding> bindings;
        for (const Declared& d : m_declared) {
            if (d.set == s) {
                bindings.push_back({d.binding, d.type, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
            }
        }
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

void Run::write(const Declared& d)
{
    const auto given = m_run.buffers.find({d.set, d.binding});
    const size_t words = given == m_run.buffers.end() ? kDefaultWords : given->second.size();
    const VkBufferUsageFlags usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                     VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
                                     VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT;
    Buffer& buffer = m_buffers[{d.set, d.binding}];
    buffer = m_device.createBuffer(words * 4, usage);
    if (given != m_run.buffers.end()) {
        std::ranges::copy(given->second, buffer.words());
    }
    const VkDescriptorBufferInfo info{buffer.handle, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = m_sets[d.set];
    write.dstBinding = d.binding;
    write.descriptorCount = 1;
    write.descriptorType = d.type;
    write.pBufferInfo = &info;
    if (d.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER || d.type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER) {
        VkBufferViewCreateInfo view{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
        view.buffer = buffer.handle;
        view.format = m_run.texelFormat;
        view.range = VK_WHOLE_SIZE;
        m_views.emplace_back();
        check(vkCreateBufferView(m_device.device, &view, nullptr, &m_views.back()), "buffer view");
        write.pBufferInfo = nullptr;
        write.pTexelBufferView = &m_views.back();
    }
    vkUpdateDescriptorSets(m_device.device, 1, &write, 0, nullptr);
}

void Run::createSets()
{
    std::vector<VkDescriptorPoolSize> sizes;
    for (const Declared& d : m_declared) {
        sizes.push_back({d.type, 1});
    }
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
    for (const Declared& d : m_declared) {
        write(d);
    }
}

void Run::createPipeline()
{
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = m_device.createModule(m_run.words);
    info.stage.pName = "main";
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
        if (!m_run.pushConstants.empty()) {
            vkCmdPushConstants(cmd, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               static_cast<uint32_t>(pushConstants.size() * 4), pushConstants.data());
        }
        vkCmdDispatch(cmd, m_run.groups, 1, 1);
    });
    BufferContents out;
    for (const auto& [place, buffer] : m_buffers) {
        out[place].assign(buffer.words(), buffer.words() + buffer.size / 4);
    }
    return out;
}

}  // namespace

BufferContents runCompute(Device& device, const ComputeRun& run)
{
    return Run(device, run).execute();
}

}  // namespace millrace::dxil
