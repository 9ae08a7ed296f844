// SPDX-License-Identifier: Apache-2.0
// With the layer a driver has subgroups of the size that is asked for: what invocations see of each other, parted and
// together again, is what the host works out. Without it the same is true of the driver's own size, so the host is
// right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "runtime/vulkan_device.h"
#include "shaders/subgroup_test_shaders.h"

namespace millrace::subgroups {

namespace {

using Words = std::vector<uint32_t>;

constexpr uint32_t kWords = 24;       // of an invocation, as meet.comp has it
constexpr uint32_t kUndefined = ~0u;  // Vulkan does not say

// What invocation i of a workgroup of `count` sees in subgroups of `size`.
class Expected {
public:
    Expected(uint32_t size, uint32_t count) : m_size(size), m_count(count) {}

    Words all()
    {
        Words out;
        for (m_i = 0; m_i < m_count; ++m_i) {
            const Words seen = each();
            out.insert(out.end(), seen.begin(), seen.end());
        }
        return out;
    }

private:
    using Which = std::function<bool(uint32_t)>;
    using Value = std::function<uint32_t(uint32_t)>;

    static uint32_t one(uint32_t) { return 1; }
    static uint32_t itself(uint32_t i) { return i; }
    static bool any(uint32_t) { return true; }

    // Of those invocations of the subgroup.
    Words values(const Which& which, const Value& value) const
    {
        Words out;
        for (uint32_t i = m_i / m_size * m_size; i < std::min(m_count, (m_i / m_size + 1) * m_size); ++i)
            if (which(i))
                out.push_back(value(i));
        return out;
    }
    uint32_t sum(const Which& which, const Value& value = one) const
    {
        uint32_t out = 0;
        for (const uint32_t each : values(which, value))
            out += each;
        return out;
    }

    static uint32_t keyOf(uint32_t i) { return i * 7 % 3; }
    uint32_t turn() const
    {
        Words keys;
        for (const uint32_t key : values(any, keyOf))
            if (!std::ranges::count(keys, key))
                keys.push_back(key);
        return static_cast<uint32_t>(std::ranges::find(keys, keyOf(m_i)) - keys.begin());
    }

    Words each() const
    {
        const uint32_t i = m_i, lane = i % m_size, first = i - lane;
        const auto isEven = [](uint32_t j) { return j % 2 == 0; };
        const auto isOdd = [](uint32_t j) { return j % 2 == 1; };
        const auto isAlike = [&](uint32_t j) { return keyOf(j) == keyOf(i); };
        Words seen = {m_size, i / m_size, lane};
        seen.push_back(sum(isAlike));
        seen.push_back(sum([&](uint32_t j) { return j < i && isAlike(j); }));
        seen.push_back(seen.back() == 0);
        seen.push_back(turn());
        seen.push_back(i % 4 == 3 ? 7 : sum([&](uint32_t j) { return j % 4 == i % 4; }) * 10 + i % 4);
        if (isEven(i)) {
            seen.push_back(sum([&](uint32_t j) { return isEven(j) && j < i; }, itself));
            const bool isThird = i % 3 == 0;
            const Words alike = values([&](uint32_t j) { return isEven(j) && (j % 3 == 0) == isThird; }, itself);
            seen.push_back(isThird ? alike.back() : alike.front());
        } else {
            seen.push_back(sum([&](uint32_t j) { return isOdd(j) && j <= i; }));
            const uint32_t other = lane ^ 2;
            seen.push_back(other < m_size && first + other < m_count ? first + other : kUndefined);
        }
        seen.push_back(sum(any));
        seen.push_back((m_count + 1) / 2);
        uint32_t rounds = 0;
        for (uint32_t n = 0; n < i % 5; ++n)
            rounds += n == 2 ? 0 : sum([&](uint32_t j) { return j % 5 > n; });
        seen.push_back(rounds);
        seen.push_back(lane);
        seen.push_back(m_size < 4 ? kUndefined : sum([&](uint32_t j) { return j / 4 == i / 4; }));
        seen.push_back(first);
        seen.push_back(sum([](uint32_t j) { return j == 5; }));
        seen.push_back(i % 3 == 1);
        const Words even = values(isEven, itself), odd = values(isOdd, itself);
        seen.push_back(even.empty() ? kUndefined : even.back() - first);
        seen.push_back(odd.empty() ? kUndefined : odd.front() - first);
        seen.push_back((m_count + m_size - 1) / m_size);
        seen.push_back(sum(any) + (sum(any, itself) << 8));
        uint32_t common = ~0u;
        for (const uint32_t each : values(any, itself))
            common &= 0xff - (each & 3);
        seen.push_back(common);
        seen.push_back(i % 7 == 6 ? 0 : sum([](uint32_t j) { return j % 7 != 6; }));
        return seen;
    }

    uint32_t m_size, m_count;
    uint32_t m_i = 0;
};

class Gpu {
public:
    // An empty word: the driver's own subgroups.
    explicit Gpu(const std::string& subgroups)
    {
        if (subgroups.empty()) {
            unsetenv("VK_INSTANCE_LAYERS");
        } else {
            setenv("MILLRACE_TEST_SUBGROUPS", subgroups.c_str(), 1);
            setenv("VK_INSTANCE_LAYERS", "VK_LAYER_MILLRACE_test_subgroups", 1);
        }
        m_device = std::make_unique<test::VulkanDevice>();
        m_buffer = m_device->createBuffer(1 << 20, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
        createSet();
    }
    ~Gpu()
    {
        table().DestroyDescriptorPool(m_device->device, m_pool, nullptr);
        table().DestroyPipelineLayout(m_device->device, m_layout, nullptr);
        table().DestroyDescriptorSetLayout(m_device->device, m_setLayout, nullptr);
        m_device->destroy(m_buffer);
    }
    Gpu(const Gpu&) = delete;

    VkPhysicalDeviceVulkan13Properties sizes() const
    {
        VkPhysicalDeviceVulkan13Properties out{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES};
        VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &out};
        m_device->instanceTable.GetPhysicalDeviceProperties2(m_device->physical, &all);
        return out;
    }

    Words run(uint32_t count, uint32_t requiredSize = 0)
    {
        std::fill_n(m_buffer.words, count * kWords, 0);
        const VkPipeline pipeline = createPipeline(count, requiredSize);
        m_device->run([&](VkCommandBuffer commands) {
            table().CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
            table().CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, m_layout, 0, 1, &m_set, 0, nullptr);
            table().CmdDispatch(commands, 1, 1, 1);
        });
        table().DestroyPipeline(m_device->device, pipeline, nullptr);
        EXPECT_EQ(m_device->messages(), 0u);
        return {m_buffer.words, m_buffer.words + count * kWords};
    }

private:
    const VkuDeviceDispatchTable& table() const { return m_device->table; }

    VkPipeline createPipeline(uint32_t count, uint32_t requiredSize)
    {
        VkShaderModuleCreateInfo module{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
        module.codeSize = shaders::meet.size_bytes();
        module.pCode = shaders::meet.data();
        const VkSpecializationMapEntry entry{0, 0, 4};
        const VkSpecializationInfo special{1, &entry, sizeof(count), &count};
        VkPipelineShaderStageRequiredSubgroupSizeCreateInfo required{
            VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO, nullptr, requiredSize};
        VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
        info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, requiredSize ? &required : nullptr};
        info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
        info.stage.pName = "main";
        info.stage.pSpecializationInfo = &special;
        info.layout = m_layout;
        const VkDevice device = m_device->device;
        EXPECT_EQ(table().CreateShaderModule(device, &module, nullptr, &info.stage.module), VK_SUCCESS);
        VkPipeline pipeline = VK_NULL_HANDLE;
        EXPECT_EQ(table().CreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline), VK_SUCCESS);
        table().DestroyShaderModule(device, info.stage.module, nullptr);
        return pipeline;
    }

    void createSet()
    {
        const VkDevice device = m_device->device;
        VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT,
                                             nullptr};
        VkDescriptorSetLayoutCreateInfo setInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
        setInfo.bindingCount = 1;
        setInfo.pBindings = &binding;
        EXPECT_EQ(table().CreateDescriptorSetLayout(device, &setInfo, nullptr, &m_setLayout), VK_SUCCESS);
        VkPipelineLayoutCreateInfo layoutInfo{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
        layoutInfo.setLayoutCount = 1;
        layoutInfo.pSetLayouts = &m_setLayout;
        EXPECT_EQ(table().CreatePipelineLayout(device, &layoutInfo, nullptr, &m_layout), VK_SUCCESS);
        const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1};
        VkDescriptorPoolCreateInfo poolInfo{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
        poolInfo.maxSets = 1;
        poolInfo.poolSizeCount = 1;
        poolInfo.pPoolSizes = &size;
        EXPECT_EQ(table().CreateDescriptorPool(device, &poolInfo, nullptr, &m_pool), VK_SUCCESS);
        VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
        allocate.descriptorPool = m_pool;
        allocate.descriptorSetCount = 1;
        allocate.pSetLayouts = &m_setLayout;
        EXPECT_EQ(table().AllocateDescriptorSets(device, &allocate, &m_set), VK_SUCCESS);
        const VkDescriptorBufferInfo buffer{m_buffer.buffer, 0, VK_WHOLE_SIZE};
        VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
        write.dstSet = m_set;
        write.descriptorCount = 1;
        write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        write.pBufferInfo = &buffer;
        table().UpdateDescriptorSets(device, 1, &write, 0, nullptr);
    }

    std::unique_ptr<test::VulkanDevice> m_device;
    test::HostBuffer m_buffer;
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    VkDescriptorPool m_pool = VK_NULL_HANDLE;
    VkDescriptorSet m_set = VK_NULL_HANDLE;
};

void expectSame(const Words& seen, uint32_t size, uint32_t count)
{
    const Words expected = Expected(size, count).all();
    ASSERT_EQ(seen.size(), expected.size());
    uint32_t wrong = 0;
    for (size_t i = 0; i < seen.size() && wrong < 10; ++i) {
        if (expected[i] == kUndefined || seen[i] == expected[i])
            continue;
        ++wrong;
        ADD_FAILURE() << "subgroups of " << size << ", workgroup of " << count << ", invocation " << i / kWords
                      << ", word " << i % kWords << ": " << seen[i] << ", expected " << expected[i];
    }
}

class Subgroups : public testing::TestWithParam<uint32_t> {};

TEST_P(Subgroups, OfTheSizeThatIsAskedFor_MeetWhenTheyHaveParted)
{
    const uint32_t size = GetParam();
    Gpu gpu(std::to_string(size));
    EXPECT_EQ(gpu.sizes().minSubgroupSize, size);
    EXPECT_EQ(gpu.sizes().maxSubgroupSize, size);
    for (const uint32_t count : {1u, 33u, 64u, 256u})
        expectSame(gpu.run(count), size, count);
}

INSTANTIATE_TEST_SUITE_P(Of, Subgroups, testing::Values(1u, 2u, 4u, 8u, 32u, 64u, 128u),
                         [](const auto& info) { return std::to_string(info.param); });

TEST(OwnSubgroups, MeetWhenTheyHaveParted)
{
    Gpu gpu("");
    for (const uint32_t count : {1u, 33u, 64u, 256u})
        expectSame(gpu.run(count), gpu.sizes().maxSubgroupSize, count);
}

TEST(VaryingSubgroups, EachPipelineHasASizeOfItsOwn_AndTheOneThatItRequires)
{
    Gpu gpu("varying");
    EXPECT_EQ(gpu.sizes().minSubgroupSize, 1u);
    EXPECT_EQ(gpu.sizes().maxSubgroupSize, 128u);
    std::set<uint32_t> sizes;
    for (uint32_t seed = 0; seed < 6; ++seed) {
        setenv("MILLRACE_TEST_SUBGROUPS", ("varying:" + std::to_string(seed)).c_str(), 1);
        const Words seen = gpu.run(64);
        sizes.insert(seen[0]);
        expectSame(seen, seen[0], 64);
    }
    EXPECT_GT(sizes.size(), 2u);
    expectSame(gpu.run(64, 16), 16, 64);
}

}  // namespace

}  // namespace millrace::subgroups
