// SPDX-License-Identifier: Apache-2.0
// Attributes fetched by the vertex shader are those that the device fetches, for all mandatory formats.
#include <algorithm>
#include <cstring>
#include <random>

#include "abi/commands.h"
#include "commands_shaders/draw_test.h"
#include "commands_shaders/random_layout.h"
#include "shaders/commands_shaders.h"

namespace millrace::commands {

namespace {

using Number = VertexFormat::Number;

constexpr uint32_t kDataBytes = 4096;  // of one buffer
constexpr uint32_t kLocations = 6;     // of shaders/pull.vert
constexpr uint32_t kPulled = 0, kPerInstance = 1, kBound = 2;

struct Case {
    VkFormat format;
    const char* name;
};

#define CASE(name)              \
    Case                        \
    {                           \
        VK_FORMAT_##name, #name \
    }
constexpr Case kCases[] = {CASE(R8_UNORM),
                           CASE(R8_SNORM),
                           CASE(R8_UINT),
                           CASE(R8_SINT),
                           CASE(R8G8_UNORM),
                           CASE(R8G8_SNORM),
                           CASE(R8G8_UINT),
                           CASE(R8G8_SINT),
                           CASE(R8G8B8A8_UNORM),
                           CASE(R8G8B8A8_SNORM),
                           CASE(R8G8B8A8_UINT),
                           CASE(R8G8B8A8_SINT),
                           CASE(B8G8R8A8_UNORM),
                           CASE(A8B8G8R8_UNORM_PACK32),
                           CASE(A8B8G8R8_SNORM_PACK32),
                           CASE(A8B8G8R8_UINT_PACK32),
                           CASE(A8B8G8R8_SINT_PACK32),
                           CASE(A2B10G10R10_UNORM_PACK32),
                           CASE(R16_UNORM),
                           CASE(R16_SNORM),
                           CASE(R16_UINT),
                           CASE(R16_SINT),
                           CASE(R16_SFLOAT),
                           CASE(R16G16_UNORM),
                           CASE(R16G16_SNORM),
                           CASE(R16G16_UINT),
                           CASE(R16G16_SINT),
                           CASE(R16G16_SFLOAT),
                           CASE(R16G16B16A16_UNORM),
                           CASE(R16G16B16A16_SNORM),
                           CASE(R16G16B16A16_UINT),
                           CASE(R16G16B16A16_SINT),
                           CASE(R16G16B16A16_SFLOAT),
                           CASE(R32_UINT),
                           CASE(R32_SINT),
                           CASE(R32_SFLOAT),
                           CASE(R32G32_UINT),
                           CASE(R32G32_SINT),
                           CASE(R32G32_SFLOAT),
                           CASE(R32G32B32_UINT),
                           CASE(R32G32B32_SINT),
                           CASE(R32G32B32_SFLOAT),
                           CASE(R32G32B32A32_UINT),
                           CASE(R32G32B32A32_SINT),
                           CASE(R32G32B32A32_SFLOAT)};
#undef CASE

bool isPacked(VkFormat format)
{
    return format >= VK_FORMAT_A8B8G8R8_UNORM_PACK32 && format <= VK_FORMAT_A2B10G10R10_UNORM_PACK32;
}

uint32_t below(std::mt19937& random, uint32_t end)
{
    return std::uniform_int_distribution<uint32_t>(0, end - 1)(random);
}

// What rounding is undone with; 0 where values are exact.
float scaleOf(const VertexFormat& format)
{
    if (format.number == Number::Unorm)
        return format.bits == 10 ? 1023.0f : format.bits == 8 ? 255.0f : 65535.0f;
    if (format.number == Number::Snorm)
        return format.bits == 8 ? 127.0f : 32767.0f;
    return 0.0f;
}

// A record: the command, and the buffers of two bindings.
struct Record {
    VkDrawIndirectCommand draw;
    VkBindVertexBufferIndirectCommandEXT vertices;
    VkBindVertexBufferIndirectCommandEXT instances;
};
static_assert(offsetof(Record, vertices) % 4 == 0);

class PullVertices : public DrawTest, public testing::WithParamInterface<Case> {
protected:
    void SetUp() override
    {
        DrawTest::SetUp();
        const auto found = findVertexFormat(GetParam().format);
        ASSERT_TRUE(found);
        m_format = *found;
        m_alignment = isPacked(GetParam().format) ? 4 : m_format.bits / 8;
        m_data = createBuffer(kDataBytes, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
        for (uint32_t w = 0; w < kDataBytes / 4; ++w)
            m_data.words()[w] = static_cast<uint32_t>(m_random());
        leaveOutSpecialNumbers();
        m_divisor = 1 + below(m_random, 3);
        describe();
    }

    std::span<const uint32_t> shader() const
    {
        return m_format.number == Number::Uint   ? shaders::pull_unsigned
               : m_format.number == Number::Sint ? shaders::pull_signed
                                                 : shaders::pull_float;
    }

    std::vector<StageCode> stages() const
    {
        const auto of = [](spv::ExecutionModel model, std::span<const uint32_t> words) {
            return StageCode{model, "main", {words.begin(), words.end()}};
        };
        return {of(spv::ExecutionModel::Vertex, shader()), of(spv::ExecutionModel::Fragment, shaders::fragment_plain)};
    }

    std::vector<StageCode> variant() const
    {
        const Layout layout{
            .action = Action::Draw,
            .stride = sizeof(Record),
            .actionOffset = offsetof(Record, draw),
            .executionSet = {},
            .pushRanges = {},
            .vertexBuffers = {{kPulled, offsetof(Record, vertices)}, {kPerInstance, offsetof(Record, instances)}},
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

    std::vector<Record> randomRecords()
    {
        std::vector<Record> records(12);
        for (Record& record : records) {
            record.draw = {below(m_random, 9), 1 + below(m_random, 3), below(m_random, 6), below(m_random, 4)};
            for (VkBindVertexBufferIndirectCommandEXT* buffer : {&record.vertices, &record.instances}) {
                const uint32_t first = m_alignment * below(m_random, 64);
                buffer->bufferAddress = m_data.address + first;
                buffer->size = kDataBytes - first;
                // Behind the last attribute, at least.
                const uint32_t extent = 5 + m_format.bytes() / m_alignment;
                buffer->stride = m_alignment * (extent + below(m_random, 20));
            }
        }
        return records;
    }

    std::vector<uint32_t> runNative(const std::vector<Record>& records)
    {
        const Pipeline pipeline = createPipeline(stages(), 4, m_state);
        return run(pipeline, [&](VkCommandBuffer cmd) {
            for (const Record& record : records) {
                const harness::Buffer expanded = expand(record);
                const VkBuffer buffers[] = {m_data.handle, expanded.handle, m_data.handle};
                const VkDeviceSize offsets[] = {record.vertices.bufferAddress - m_data.address, 0, 64};
                const VkDeviceSize strides[] = {record.vertices.stride, 16, 12};
                vkCmdBindVertexBuffers2(cmd, 0, 3, buffers, offsets, nullptr, strides);
                vkCmdDraw(cmd, record.draw.vertexCount, record.draw.instanceCount, record.draw.firstVertex,
                          record.draw.firstInstance);
            }
        });
    }

    std::vector<uint32_t> runVariant(const std::vector<Record>& records)
    {
        // Of the bindings there are those that are not the sequence's; they come last.
        PipelineState state = m_state;
        state.vertexInput.vertexBindingDescriptionCount = 1;
        state.vertexInput.pVertexBindingDescriptions = &m_bindings.back();
        state.vertexInput.vertexAttributeDescriptionCount = 1;
        state.vertexInput.pVertexAttributeDescriptions = &m_attributes.back();
        const Pipeline pipeline = createPipeline(variant(), sizeof(abi::SequenceArguments), state);
        const harness::Buffer stream = createBuffer(
            sizeof(Record) * records.size(), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
        std::memcpy(stream.mapped, records.data(), stream.size);
        return run(pipeline, [&](VkCommandBuffer cmd) {
            const VkDeviceSize offset = 64, stride = 12;
            vkCmdBindVertexBuffers2(cmd, kBound, 1, &m_data.handle, &offset, nullptr, &stride);
            const abi::SequenceArguments arguments{stream.address, stream.address, 0, sizeof(Record), 0};
            vkCmdPushConstants(cmd, pipeline.layout, kAll, 0, sizeof(arguments), &arguments);
            vkCmdDrawIndirect(cmd, stream.handle, 0, static_cast<uint32_t>(records.size()), sizeof(Record));
        });
    }

    std::mt19937 m_random{9};
    VertexFormat m_format;

private:
    // Numbers that are none have no bits of their own. The least normalized number is -1 like the one above it, which
    // lavapipe 25.0 tells apart.
    void leaveOutSpecialNumbers()
    {
        if (m_format.number == Number::Sfloat)
            for (uint32_t w = 0; w < kDataBytes / 4; ++w)
                m_data.words()[w] &= m_format.bits == 16 ? 0xbfffbfffu : 0xbfffffffu;
        if (m_format.number == Number::Snorm)
            std::replace(m_data.bytes(), m_data.bytes() + kDataBytes, uint8_t{0x80}, uint8_t{0x7f});
    }

    // The same for the device and for makeDrawVariant().
    void describe()
    {
        const uint32_t locations[] = {0, 1, 3, 4, 5};
        for (const uint32_t location : locations) {
            const uint32_t binding = location == 1 ? kPerInstance : kPulled;
            const uint32_t offset = location == 1 ? 0 : m_alignment * location;
            m_attributes.push_back({location, binding, GetParam().format, offset});
            m_input.attributes.push_back({location, binding, GetParam().format, offset});
        }
        m_attributes.push_back({2, kBound, VK_FORMAT_R32G32B32_SFLOAT, 0});
        m_input.attributes.push_back({2, kBound, VK_FORMAT_R32G32B32_SFLOAT, 0});
        m_bindings = {{kPulled, 0, VK_VERTEX_INPUT_RATE_VERTEX},
                      {kPerInstance, 0, VK_VERTEX_INPUT_RATE_INSTANCE},
                      {kBound, 0, VK_VERTEX_INPUT_RATE_VERTEX}};
        m_input.bindings = {{kPulled, {}, false, 1}, {kPerInstance, {}, true, m_divisor}, {kBound, {}, false, 1}};
        m_state.vertexInput.vertexBindingDescriptionCount = static_cast<uint32_t>(m_bindings.size());
        m_state.vertexInput.pVertexBindingDescriptions = m_bindings.data();
        m_state.vertexInput.vertexAttributeDescriptionCount = static_cast<uint32_t>(m_attributes.size());
        m_state.vertexInput.pVertexAttributeDescriptions = m_attributes.data();
        m_state.dynamic = {VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE};
        m_state.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
        m_state.scale = scaleOf(m_format);
    }

    // The device has no divisors without an extension: each instance gets its own copy of the element, of 16 bytes.
    harness::Buffer expand(const Record& record)
    {
        const uint32_t base = record.draw.firstInstance, end = base + record.draw.instanceCount;
        const harness::Buffer buffer = createBuffer(16 * end, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
        const uint8_t* from = m_data.bytes() + (record.instances.bufferAddress - m_data.address);
        for (uint32_t i = base; i < end; ++i)
            std::memcpy(buffer.bytes() + 16 * i,
                        from + size_t{record.instances.stride} * (base + (i - base) / m_divisor), m_format.bytes());
        return buffer;
    }

    uint32_t m_alignment = 4;
    uint32_t m_divisor = 1;
    harness::Buffer m_data;
    std::vector<VkVertexInputBindingDescription> m_bindings;
    std::vector<VkVertexInputAttributeDescription> m_attributes;
    VertexInput m_input;
    PipelineState m_state;
};

}  // namespace

TEST_P(PullVertices, EqualsTheDevicesFetch)
{
    const std::vector<Record> records = randomRecords();
    const std::vector<uint32_t> expected = runNative(records);
    EXPECT_TRUE(expected == runVariant(records));
    EXPECT_NE(std::ranges::count(expected, 0u), kCounters);
}

TEST_P(PullVertices, BehindTheEnd_IsZero)
{
    std::vector<Record> records = randomRecords(), zeros = records;
    const harness::Buffer nothing = createBuffer(kDataBytes);
    for (size_t r = 0; r < records.size(); ++r) {
        // One byte less than an element, or none.
        records[r].vertices.size = r % 3 == 0 ? m_format.bytes() - 1 : 0;
        // Without a buffer the size says nothing.
        if (r % 3 == 1)
            records[r].vertices.size = kDataBytes;
        if (r % 3 != 0)
            records[r].vertices.bufferAddress = 0;
        zeros[r].vertices.bufferAddress = nothing.address;
        zeros[r].vertices.size = kDataBytes;
    }
    EXPECT_TRUE(runVariant(records) == runVariant(zeros));
}

INSTANTIATE_TEST_SUITE_P(Formats, PullVertices, testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace millrace::commands
