// SPDX-License-Identifier: Apache-2.0
// Shaders and commands with a mistake that lavapipe hides and the shuffled driver shows; without it neither is wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>

#include "runtime/vulkan_device.h"
#include "shaders/shuffle_test_shaders.h"

namespace millrace::shuffle {

namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t kSeeds = 32;
constexpr uint32_t kUnshuffled = ~0u;
constexpr uint32_t kOldLoads = 64;  // the first seed with them

// A device whose driver is shuffled, or not.
class Gpu {
public:
    explicit Gpu(uint32_t seed)
    {
        if (seed == kUnshuffled) {
            unsetenv("MILLRACE_TEST_SHUFFLE");
            unsetenv("VK_INSTANCE_LAYERS");
        } else {
            setenv("MILLRACE_TEST_SHUFFLE", std::to_string(seed).c_str(), 1);
            setenv("VK_INSTANCE_LAYERS", "VK_LAYER_MILLRACE_test_shuffle", 1);
        }
        m_device = std::make_unique<test::VulkanDevice>();
        createLayouts();
        for (test::HostBuffer& buffer : m_buffers)
            buffer =
                m_device->createBuffer(16384, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        createSet();
    }
    ~Gpu()
    {
        const VkuDeviceDispatchTable& table = m_device->table;
        for (VkPipeline pipeline : m_pipelines)
            table.DestroyPipeline(m_device->device, pipeline, nullptr);
        table.DestroyDescriptorPool(m_device->device, m_pool, nullptr);
        table.DestroyPipelineLayout(m_device->device, m_layout, nullptr);
        table.DestroyDescriptorSetLayout(m_device->device, m_setLayout, nullptr);
        for (test::HostBuffer& buffer : m_buffers)
            m_device->destroy(buffer);
    }

    VkPipeline create(std::span<const uint32_t> words)
    {
        const VkuDeviceDispatchTable& table = m_device->table;
        VkShaderModuleCreateInfo moduleInfo{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        moduleInfo.codeSize = words.size_bytes();
        moduleInfo.pCode = words.data();
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.pName = "main";
        info.layout = m_layout;
        EXPECT_EQ(table.CreateShaderModule(m_device->device, &moduleInfo, nullptr, &info.stage.module), VK_SUCCESS);
        VkPipeline pipeline = VK_NULL_HANDLE;
        EXPECT_EQ(table.CreateComputePipelines(m_device->device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
                  VK_SUCCESS);
        table.DestroyShaderModule(m_device->device, info.stage.module, nullptr);
        m_pipelines.push_back(pipeline);
        return pipeline;
    }

    // Returns the first words of the first buffer.
    template <typename Record>
    Words run(const Record& record)
    {
        m_device->run([&](VkCommandBuffer cmd) {
            m_device->table.CmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, m_layout, 0, 1, &m_set, 0,
                                                  nullptr);
            record(cmd);
        });
        return {words(), words() + 256};
    }

    void bind(VkCommandBuffer cmd, VkPipeline pipeline) const
    {
        m_device->table.CmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    }
    void push(VkCommandBuffer cmd, uint32_t from, uint32_t to) const
    {
        const uint32_t values[] = {from, to};
        m_device->table.CmdPushConstants(cmd, m_layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof values, values);
    }
    void barrier(VkCommandBuffer cmd) const
    {
        VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER};
        all.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
        all.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
        m_device->table.CmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                           0, 1, &all, 0, nullptr, 0, nullptr);
    }
    const VkuDeviceDispatchTable& table() const { return m_device->table; }
    VkBuffer buffer() const { return m_buffers[0].buffer; }
    VkDeviceAddress address() const { return m_buffers[0].address; }
    uint32_t* words() const { return m_buffers[0].words; }

private:
    void createLayouts()
    {
        VkDescriptorSetLayoutBinding bindings[3]{};
        for (uint32_t i = 0; i < 3; ++i)
            bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
        VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        setInfo.bindingCount = 3;
        setInfo.pBindings = bindings;
        const VkuDeviceDispatchTable& table = m_device->table;
        EXPECT_EQ(table.CreateDescriptorSetLayout(m_device->device, &setInfo, nullptr, &m_setLayout), VK_SUCCESS);
        const VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, 8};
        VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        info.setLayoutCount = 1;
        info.pSetLayouts = &m_setLayout;
        info.pushConstantRangeCount = 1;
        info.pPushConstantRanges = &range;
        EXPECT_EQ(table.CreatePipelineLayout(m_device->device, &info, nullptr, &m_layout), VK_SUCCESS);
    }

    void createSet()
    {
        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3};
        VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        poolInfo.maxSets = 1;
        poolInfo.poolSizeCount = 1;
        poolInfo.pPoolSizes = &size;
        const VkuDeviceDispatchTable& table = m_device->table;
        EXPECT_EQ(table.CreateDescriptorPool(m_device->device, &poolInfo, nullptr, &m_pool), VK_SUCCESS);
        VkDescriptorSetAllocateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        setInfo.descriptorPool = m_pool;
        setInfo.descriptorSetCount = 1;
        setInfo.pSetLayouts = &m_setLayout;
        EXPECT_EQ(table.AllocateDescriptorSets(m_device->device, &setInfo, &m_set), VK_SUCCESS);
        for (uint32_t i = 0; i < 3; ++i) {
            const VkDescriptorBufferInfo info{m_buffers[i].buffer, 0, VK_WHOLE_SIZE};
            VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
            write.dstSet = m_set;
            write.dstBinding = i;
            write.descriptorCount = 1;
            write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
            write.pBufferInfo = &info;
            table.UpdateDescriptorSets(m_device->device, 1, &write, 0, nullptr);
        }
    }

    std::unique_ptr<test::VulkanDevice> m_device;
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkDescriptorPool m_pool = VK_NULL_HANDLE;
    VkDescriptorSet m_set = VK_NULL_HANDLE;
    test::HostBuffer m_buffers[3];
    std::vector<VkPipeline> m_pipelines;
};

template <typename Scene>
bool isRight(uint32_t seed, const Scene& scene)
{
    Gpu gpu(seed);
    return scene(gpu);
}

// What the mistake is: right without shuffling, and wrong with some seed from `first` on.
template <typename Wrong, typename Right>
void expectFound(const Wrong& wrong, const Right& right, uint32_t first = 0)
{
    EXPECT_TRUE(isRight(kUnshuffled, wrong)) << "lavapipe shows it";
    bool isFound = false;
    for (uint32_t seed = first; seed < first + kSeeds && !isFound; ++seed)
        isFound = !isRight(seed, wrong);
    EXPECT_TRUE(isFound);
    for (uint32_t seed : {kUnshuffled, 0u, 5u, 10u, 16u, 31u, 64u, 95u})
        EXPECT_TRUE(isRight(seed, right)) << "seed " << seed;
}

bool isOrdered(Gpu& gpu, std::span<const uint32_t> code)
{
    const VkPipeline pipeline = gpu.create(code);
    const Words out = gpu.run([&](VkCommandBuffer cmd) {
        gpu.bind(cmd, pipeline);
        gpu.table().CmdDispatch(cmd, 1, 1, 1);
    });
    for (uint32_t i = 0; i < 64; ++i)
        if (out[i] != 100 + i % 32)
            return false;
    return true;
}

TEST(ShuffleFinds, MissingBarrierInAWorkgroup)
{
    expectFound([](Gpu& gpu) { return isOrdered(gpu, shaders::order_wrong); },
                [](Gpu& gpu) { return isOrdered(gpu, shaders::order); });
}

bool isPublished(Gpu& gpu, std::span<const uint32_t> code)
{
    const VkPipeline pipeline = gpu.create(code);
    const Words out = gpu.run([&](VkCommandBuffer cmd) {
        gpu.bind(cmd, pipeline);
        gpu.table().CmdDispatch(cmd, 4, 1, 1);
    });
    return out[0] == 0;
}

TEST(ShuffleFinds, PublicationWithoutAMemoryBarrier)
{
    expectFound([](Gpu& gpu) { return isPublished(gpu, shaders::publish_wrong); },
                [](Gpu& gpu) { return isPublished(gpu, shaders::publish); });
}

bool isReceived(Gpu& gpu, std::span<const uint32_t> code)
{
    const VkPipeline pipeline = gpu.create(code);
    const VkDeviceAddress address = gpu.address();
    const Words out = gpu.run([&](VkCommandBuffer cmd) {
        gpu.bind(cmd, pipeline);
        gpu.push(cmd, static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32));
        gpu.table().CmdDispatch(cmd, 4, 1, 1);
    });
    return out[0] == 0;
}

TEST(ShuffleFinds, ReceptionWithoutAMemoryBarrier)
{
    expectFound([](Gpu& gpu) { return isReceived(gpu, shaders::message_wrong); },
                [](Gpu& gpu) { return isReceived(gpu, shaders::message); }, kOldLoads);
}

bool isInOrder(Gpu& gpu, bool hasBarrier)
{
    const VkPipeline pipeline = gpu.create(shaders::add);
    const Words out = gpu.run([&](VkCommandBuffer cmd) {
        gpu.bind(cmd, pipeline);
        for (uint32_t i = 0; i < 3; ++i) {
            gpu.push(cmd, i, i + 1);
            gpu.table().CmdDispatch(cmd, 1, 1, 1);
            if (hasBarrier)
                gpu.barrier(cmd);
        }
    });
    return out[1] == 1 && out[2] == 2 && out[3] == 3;
}

TEST(ShuffleFinds, MissingBarrierBetweenDispatches)
{
    expectFound([](Gpu& gpu) { return isInOrder(gpu, false); }, [](Gpu& gpu) { return isInOrder(gpu, true); });
}

// v[4], which is 0, becomes the number of workgroups.
bool isReadInTime(Gpu& gpu, bool hasBarrier)
{
    const VkPipeline pipeline = gpu.create(shaders::add);
    gpu.words()[5] = gpu.words()[6] = 1;
    const Words out = gpu.run([&](VkCommandBuffer cmd) {
        gpu.bind(cmd, pipeline);
        gpu.push(cmd, 0, 4);
        gpu.table().CmdDispatch(cmd, 1, 1, 1);
        if (hasBarrier)
            gpu.barrier(cmd);
        gpu.push(cmd, 0, 1);
        gpu.table().CmdDispatchIndirect(cmd, gpu.buffer(), 4 * sizeof(uint32_t));
    });
    return out[1] == 1;
}

TEST(ShuffleFinds, MissingBarrierInFrontOfAnIndirectDispatch)
{
    expectFound([](Gpu& gpu) { return isReadInTime(gpu, false); }, [](Gpu& gpu) { return isReadInTime(gpu, true); });
}

bool isEachDoneOnce(Gpu& gpu, bool isIndirect)
{
    const VkPipeline pipeline = gpu.create(shaders::stride);
    uint32_t* size = gpu.words() + 200;
    size[0] = 8;
    size[1] = size[2] = 1;
    const Words out = gpu.run([&](VkCommandBuffer cmd) {
        gpu.bind(cmd, pipeline);
        if (isIndirect)
            gpu.table().CmdDispatchIndirect(cmd, gpu.buffer(), 200 * sizeof(uint32_t));
        else
            gpu.table().CmdDispatch(cmd, 8, 1, 1);
    });
    return std::all_of(out.begin(), out.begin() + 64, [](uint32_t count) { return count == 4; });
}

TEST(ShuffleFinds, StepsOfNumWorkgroupsBehindAnIndirectDispatch)
{
    expectFound([](Gpu& gpu) { return isEachDoneOnce(gpu, true); },
                [](Gpu& gpu) { return isEachDoneOnce(gpu, false); });
}

}  // namespace

}  // namespace millrace::shuffle
