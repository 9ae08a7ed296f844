// SPDX-License-Identifier: Apache-2.0
// A draw without indices, whose vertex shader fetches them, does what an indexed draw does.
#include <algorithm>
#include <cstring>
#include <random>

#include "abi/commands.h"
#include "commands_shaders/draw_test.h"
#include "shaders/commands_shaders.h"

namespace millrace::commands {

namespace {

constexpr uint32_t kIndices = 256;     // of each type
constexpr uint32_t kHighest = 40;      // index
constexpr uint32_t kDataBytes = 8192;  // of vertices
constexpr uint32_t kVertexBytes = 48;  // of one vertex
constexpr uint32_t kFormat = VK_FORMAT_R32G32_SFLOAT;
constexpr uint32_t kPulled = 0, kPerInstance = 1, kBound = 2;

// One type of index, and what the record calls it.
struct IndexCase {
    const char* name;
    IndexBuffer::Types types;
    uint32_t typeName;
    uint32_t bytes;
};
constexpr IndexCase kCases[] = {
    {"VulkanBytes", IndexBuffer::Types::Vulkan, VK_INDEX_TYPE_UINT8_EXT, 1},
    {"VulkanHalves", IndexBuffer::Types::Vulkan, VK_INDEX_TYPE_UINT16, 2},
    {"VulkanWords", IndexBuffer::Types::Vulkan, VK_INDEX_TYPE_UINT32, 4},
    {"DxgiBytes", IndexBuffer::Types::Dxgi, 62, 1},   // DXGI_FORMAT_R8_UINT
    {"DxgiHalves", IndexBuffer::Types::Dxgi, 57, 2},  // DXGI_FORMAT_R16_UINT
    {"DxgiWords", IndexBuffer::Types::Dxgi, 42, 4},   // DXGI_FORMAT_R32_UINT
};

// As VkBindIndexBufferIndirectCommandEXT, whose type is an enum that DXGI's numbers are not of.
struct IndexCommand {
    VkDeviceAddress address;
    uint32_t size;
    uint32_t type;
};
static_assert(sizeof(IndexCommand) == sizeof(VkBindIndexBufferIndirectCommandEXT));

struct Record {
    VkDrawIndexedIndirectCommand draw;
    uint32_t padding;
    IndexCommand indices;
    VkBindVertexBufferIndirectCommandEXT vertices;
};

uint32_t below(std::mt19937& random, uint32_t end)
{
    return std::uniform_int_distribution<uint32_t>(0, end - 1)(random);
}

class PullIndices : public DrawTest, public testing::WithParamInterface<IndexCase> {
protected:
    void SetUp() override
    {
        DrawTest::SetUp();
        m_data = createBuffer(kDataBytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
        for (uint32_t w = 0; w < kDataBytes / 4; ++w)
            m_data.words()[w] = static_cast<uint32_t>(m_random()) & 0xbfffffffu;
        m_indices = createBuffer(kIndices * GetParam().bytes, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
        m_words = createBuffer(kIndices * 4, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
        for (uint32_t i = 0; i < kIndices; ++i) {
            const uint32_t index = below(m_random, kHighest);
            m_words.words()[i] = index;
            std::memcpy(m_indices.bytes() + size_t{i} * GetParam().bytes, &index, GetParam().bytes);
        }
        describe();
    }

    std::vector<Record> randomRecords()
    {
        std::vector<Record> records(16);
        for (Record& record : records) {
            const uint32_t first = below(m_random, 64);
            record.draw = {below(m_random, 30), 1 + below(m_random, 2), below(m_random, 20),
                           static_cast<int32_t>(below(m_random, 8)), below(m_random, 4)};
            record.indices = {m_indices.address + first * GetParam().bytes, (kIndices - first) * GetParam().bytes,
                              GetParam().typeName};
            const uint32_t skipped = 4 * below(m_random, 32);
            record.vertices = {m_data.address + skipped, kDataBytes - skipped, kVertexBytes};
        }
        return records;
    }

    static std::vector<StageCode> stages()
    {
        const auto of = [](spv::ExecutionModel model, std::span<const uint32_t> words) {
            return StageCode{model, "main", {words.begin(), words.end()}};
        };
        return {of(spv::ExecutionModel::Vertex, shaders::pull_float),
                of(spv::ExecutionModel::Fragment, shaders::fragment_plain)};
    }

    std::vector<StageCode> variant() const
    {
        const Layout layout{.action = Action::DrawIndexed,
                            .stride = sizeof(Record),
                            .actionOffset = offsetof(Record, draw),
                            .executionSet = {},
                            .pushRanges = {},
                            .vertexBuffers = {{kPulled, offsetof(Record, vertices)}},
                            .indexBuffer = IndexBuffer{GetParam().types, offsetof(Record, indices)},
                            .stages = kAll};
        auto variant = makeDrawVariant(stages(), layout, {}, m_input);
        EXPECT_TRUE(variant) << variant.error().text();
        if (!variant)
            return {};
        for (const StageCode& stage : *variant) {
            const Status valid = spirv::validate(stage.words);
            EXPECT_TRUE(valid) << valid.error().text();
        }
        return *variant;
    }

    // Indices of 8 bits need an extension, so the device gets all as words.
    std::vector<uint32_t> runNative(const std::vector<Record>& records)
    {
        const Pipeline pipeline = createPipeline(stages(), 4, m_state);
        return run(pipeline, [&](VkCommandBuffer cmd) {
            for (const Record& record : records) {
                const VkDeviceSize first = (record.indices.address - m_indices.address) / GetParam().bytes;
                vkCmdBindIndexBuffer(cmd, m_words.handle, 4 * first, VK_INDEX_TYPE_UINT32);
                bindVertices(cmd, record.vertices.bufferAddress - m_data.address);
                vkCmdDrawIndexed(cmd, record.draw.indexCount, record.draw.instanceCount, record.draw.firstIndex,
                                 record.draw.vertexOffset, record.draw.firstInstance);
            }
        });
    }

    std::vector<uint32_t> runVariant(const std::vector<Record>& records)
    {
        PipelineState state = m_state;
        state.vertexInput.vertexBindingDescriptionCount = 0;
        state.vertexInput.vertexAttributeDescriptionCount = 0;
        state.dynamic.clear();
        const Pipeline pipeline = createPipeline(variant(), sizeof(abi::SequenceArguments), state);
        const harness::Buffer stream =
            createBuffer(sizeof(Record) * records.size(), VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        std::memcpy(stream.mapped, records.data(), stream.size);
        const harness::Buffer table = createBuffer(sizeof(abi::BoundVertexBuffer) * m_bindings.size());
        auto* const rows = static_cast<abi::BoundVertexBuffer*>(table.mapped);
        rows[kPerInstance] = {m_data.address, kDataBytes, 16};
        rows[kBound] = {m_data.address + 64, kDataBytes - 64, 12};
        return run(pipeline, [&](VkCommandBuffer cmd) {
            const abi::SequenceArguments arguments{stream.address, stream.address, table.address, sizeof(Record), 0};
            vkCmdPushConstants(cmd, pipeline.layout, kAll, 0, sizeof(arguments), &arguments);
            vkCmdDrawIndirect(cmd, stream.handle, offsetof(Record, draw), static_cast<uint32_t>(records.size()),
                              sizeof(Record));
        });
    }

    std::mt19937 m_random{13};
    harness::Buffer m_indices;

private:
    void bindVertices(VkCommandBuffer cmd, VkDeviceSize pulled) const
    {
        const VkBuffer buffers[] = {m_data.handle, m_data.handle, m_data.handle};
        const VkDeviceSize offsets[] = {pulled, 0, 64};
        const VkDeviceSize strides[] = {kVertexBytes, 16, 12};
        vkCmdBindVertexBuffers2(cmd, 0, 3, buffers, offsets, nullptr, strides);
    }

    void describe()
    {
        m_attributes = {
            {0, kPulled, static_cast<VkFormat>(kFormat), 0},  {1, kPerInstance, static_cast<VkFormat>(kFormat), 8},
            {2, kBound, VK_FORMAT_R32G32B32_SFLOAT, 0},       {3, kPulled, static_cast<VkFormat>(kFormat), 12},
            {4, kPulled, static_cast<VkFormat>(kFormat), 20}, {5, kPulled, static_cast<VkFormat>(kFormat), 28}};
        m_bindings = {{kPulled, 0, VK_VERTEX_INPUT_RATE_VERTEX},
                      {kPerInstance, 0, VK_VERTEX_INPUT_RATE_INSTANCE},
                      {kBound, 0, VK_VERTEX_INPUT_RATE_VERTEX}};
        for (const VkVertexInputAttributeDescription& a : m_attributes)
            m_input.attributes.push_back({a.location, a.binding, static_cast<uint32_t>(a.format), a.offset});
        // One stride is the pipeline's, the others are dynamic.
        m_input.bindings = {{kPulled, kVertexBytes, false, 1}, {kPerInstance, {}, true, 1}, {kBound, {}, false, 1}};
        m_state.vertexInput.vertexBindingDescriptionCount = static_cast<uint32_t>(m_bindings.size());
        m_state.vertexInput.pVertexBindingDescriptions = m_bindings.data();
        m_state.vertexInput.vertexAttributeDescriptionCount = static_cast<uint32_t>(m_attributes.size());
        m_state.vertexInput.pVertexAttributeDescriptions = m_attributes.data();
        m_state.dynamic = {VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE};
        m_state.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    }

    harness::Buffer m_words;  // the same indices, of 32 bits
    harness::Buffer m_data;
    std::vector<VkVertexInputBindingDescription> m_bindings;
    std::vector<VkVertexInputAttributeDescription> m_attributes;
    VertexInput m_input;
    PipelineState m_state;
};

}  // namespace

TEST_P(PullIndices, EqualsIndexedDraws)
{
    const std::vector<Record> records = randomRecords();
    const std::vector<uint32_t> expected = runNative(records);
    EXPECT_TRUE(expected == runVariant(records));
    EXPECT_NE(std::ranges::count(expected, 0u), kCounters);
}

TEST_P(PullIndices, BehindTheEnd_IsIndexZero)
{
    std::vector<Record> records = randomRecords(), zeros = records;
    const harness::Buffer nothing = createBuffer(kIndices * 4);
    for (size_t r = 0; r < records.size(); ++r) {
        records[r].indices.size = r % 3 == 0 ? GetParam().bytes - 1 : 0;
        // Without a buffer the size says nothing.
        if (r % 3 == 1)
            records[r].indices = {0, kIndices * 4, GetParam().typeName};
        zeros[r].indices = {nothing.address, kIndices * 4, GetParam().typeName};
    }
    EXPECT_TRUE(runVariant(records) == runVariant(zeros));
}

INSTANTIATE_TEST_SUITE_P(Types, PullIndices, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace millrace::commands
