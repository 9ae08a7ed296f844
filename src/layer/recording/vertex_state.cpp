// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/vertex_state.h"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "layer/chains/unknown_structures.h"
#include "layer/recording/state_commands.h"

namespace millrace::layer {

namespace {

// Followed by the two arrays.
struct Counts {
    uint32_t bindings;
    uint32_t attributes;

    size_t bindingBytes() const { return alignPayload(bindings * sizeof(VkVertexInputBindingDescription2EXT)); }
    size_t attributeBytes() const { return attributes * sizeof(VkVertexInputAttributeDescription2EXT); }
};

DynamicVertexInput readPayload(const std::byte* bytes)
{
    const auto& counts = *reinterpret_cast<const Counts*>(bytes);
    const std::byte* const bindings = bytes + alignPayload(sizeof(Counts));
    return {
        {reinterpret_cast<const VkVertexInputBindingDescription2EXT*>(bindings), counts.bindings},
        {reinterpret_cast<const VkVertexInputAttributeDescription2EXT*>(bindings + counts.bindingBytes()),
         counts.attributes},
    };
}

// No known structure extends descriptions of vertex input.
template <typename Description>
void copyWithoutChains(CommandBuffer& commandBuffer, const Description* from, uint32_t count, std::byte* to)
{
    for (uint32_t i = 0; i < count; ++i) {
        Description copy = from[i];
        commandBuffer.cannotKeep("vkCmdSetVertexInputEXT", missingStructures(copy.pNext, nullptr));
        copy.pNext = nullptr;
        std::memcpy(to + i * sizeof copy, &copy, sizeof copy);
    }
}

VKAPI_ATTR void VKAPI_CALL CmdSetVertexInputEXT(VkCommandBuffer handle, uint32_t bindingCount,
                                                const VkVertexInputBindingDescription2EXT* pBindings,
                                                uint32_t attributeCount,
                                                const VkVertexInputAttributeDescription2EXT* pAttributes)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.device.table.CmdSetVertexInputEXT(commandBuffer.current.forState(), bindingCount, pBindings,
                                                    attributeCount, pAttributes);
    if (!commandBuffer.logs)
        return;
    const Counts counts{bindingCount, attributeCount};
    std::byte* payload = commandBuffer.log.add(
        {StateKind::VertexInput}, kScopeOther,
        [](const Table& table, VkCommandBuffer target, const std::byte* bytes) {
            const DynamicVertexInput input = readPayload(bytes);
            table.CmdSetVertexInputEXT(target, static_cast<uint32_t>(input.bindings.size()), input.bindings.data(),
                                       static_cast<uint32_t>(input.attributes.size()), input.attributes.data());
        },
        alignPayload(sizeof(Counts)) + counts.bindingBytes() + counts.attributeBytes());
    std::memcpy(payload, &counts, sizeof counts);
    payload += alignPayload(sizeof counts);
    copyWithoutChains(commandBuffer, pBindings, bindingCount, payload);
    copyWithoutChains(commandBuffer, pAttributes, attributeCount, payload + counts.bindingBytes());
}

// The strides of vertex buffers are a state of their own, which stays where a later command binds buffers without.
template <auto Member>
using Buffers2 = ArrayState<Member, StateKind::VertexBuffers, Part::Range, kScopeOther, CountAt<1>, 2, 3, 4, 5>;
template <auto Member>
using BuffersAndStrides2 =
    ArrayState<Member, StateKind::VertexBuffersAndStrides, Part::Range, kScopeOther, CountAt<1>, 2, 3, 4, 5>;

template <auto Member>
VKAPI_ATTR void VKAPI_CALL bindVertexBuffers2(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                              const VkBuffer* pBuffers, const VkDeviceSize* pOffsets,
                                              const VkDeviceSize* pSizes, const VkDeviceSize* pStrides)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    (commandBuffer.device.table.*Member)(commandBuffer.current.forState(), first, count, pBuffers, pOffsets, pSizes,
                                         pStrides);
    if (!commandBuffer.logs)
        return;
    if (pStrides)
        BuffersAndStrides2<Member>::record(commandBuffer.log, {first, count, pBuffers, pOffsets, pSizes, pStrides});
    else
        Buffers2<Member>::record(commandBuffer.log, {first, count, pBuffers, pOffsets, pSizes, pStrides});
}

template <auto Member>
bool bindVertexBuffers2Again(CommandBuffer& commandBuffer, uint32_t first, uint32_t count, const VkBuffer* pBuffers,
                             const VkDeviceSize* pOffsets, const VkDeviceSize* pSizes,
                             const VkDeviceSize* pStrides) noexcept
{
    if (commandBuffer.current.mindsState())
        return false;
    if (!commandBuffer.logs)
        return true;
    StateLog& log = commandBuffer.log;
    const auto arguments = std::tie(first, count, pBuffers, pOffsets, pSizes, pStrides);
    return pStrides ? BuffersAndStrides2<Member>::recordAgain(log, arguments)
                    : Buffers2<Member>::recordAgain(log, arguments);
}

template <auto Member>
EntryFunction vertexBuffers2()
{
    return quick<Member, &bindVertexBuffers2Again<Member>, &bindVertexBuffers2<Member>>();
}

using BindVertexBuffers =
    ArrayState<&Table::CmdBindVertexBuffers, StateKind::VertexBuffers, Part::Range, kScopeOther, CountAt<1>, 2, 3>;

void take(VertexBufferBinding& bound, uint32_t binding, const BindVertexBuffers::Arguments& given)
{
    const auto [first, count, buffers, offsets] = given;
    const uint32_t i = binding - first;
    if (binding >= first && i < count)
        bound = {buffers[i], offsets[i], VK_WHOLE_SIZE, bound.stride};
}

using AllOfBuffers2 = Buffers2<&Table::CmdBindVertexBuffers2>;

void take(VertexBufferBinding& bound, uint32_t binding, const AllOfBuffers2::Arguments& given)
{
    const auto [first, count, buffers, offsets, sizes, strides] = given;
    const uint32_t i = binding - first;
    if (binding >= first && i < count)
        bound = {buffers[i], offsets[i], sizes ? sizes[i] : VK_WHOLE_SIZE, strides ? strides[i] : bound.stride};
}

// The stride of a later vkCmdSetVertexInputEXT.
void take(VertexBufferBinding& bound, uint32_t binding, const DynamicVertexInput& input)
{
    for (const VkVertexInputBindingDescription2EXT& given : input.bindings)
        if (given.binding == binding)
            bound.stride = given.stride;
}

}  // namespace

VertexBufferBinding vertexBufferOf(const StateLog& log, uint32_t binding)
{
    std::vector<const StateLog::Entry*> entries;
    for (const StateKind kind : {StateKind::VertexInput, StateKind::VertexBuffers, StateKind::VertexBuffersAndStrides})
        log.forEach(kind, ~0u, [&](const StateLog::Entry& entry) { entries.push_back(&entry); });
    std::ranges::sort(entries, {}, &StateLog::Entry::order);
    VertexBufferBinding bound;
    for (const StateLog::Entry* entry : entries)
        if (entry->key.kind == StateKind::VertexInput)
            take(bound, binding, readPayload(entry->payload));
        else if (BindVertexBuffers::isRecorded(*entry))
            take(bound, binding, BindVertexBuffers::read(entry->payload));
        else
            take(bound, binding, AllOfBuffers2::read(entry->payload));
    return bound;
}

bool restartsPrimitives(const StateLog& log)
{
    bool restarts = false;
    log.forEach(StateKind::PrimitiveRestartEnable, ~0u, [&](const StateLog::Entry& entry) {
        restarts = std::get<0>(*reinterpret_cast<const std::tuple<VkBool32>*>(entry.payload));
    });
    return restarts;
}

DynamicVertexInput vertexInputOf(const StateLog& log)
{
    DynamicVertexInput input;
    log.forEach(StateKind::VertexInput, ~0u, [&](const StateLog::Entry& entry) { input = readPayload(entry.payload); });
    return input;
}

void restoreVertexState(const StateLog& log, const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer)
{
    log.replayIf(
        [](const StateLog::Entry& entry) {
            switch (entry.key.kind) {
                case StateKind::PrimitiveTopology:
                case StateKind::PrimitiveRestartEnable:
                case StateKind::PatchControlPoints:
                case StateKind::VertexInput:
                case StateKind::VertexBuffersAndStrides:
                case StateKind::VertexBuffers:
                    return true;
                default:
                    return false;
            }
        },
        table, commandBuffer);
}

void restoreVertexInput(const StateLog& log, const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer)
{
    log.replayIf([](const StateLog::Entry& entry) { return entry.key.kind == StateKind::VertexInput; }, table,
                 commandBuffer);
}

// A command whose argument is a value.
#define VALUE(name, kind)                                                                 \
    {                                                                                     \
        "vkCmd" #name, ValueState<&Table::Cmd##name, StateKind::kind>::entry(), kUseState \
    }

EntryPoints vertexStateEntryPoints()
{
    static const EntryPoint entries[] = {
        MILLRACE_ENTRY(CmdSetVertexInputEXT, kUseState),
        VALUE(SetPrimitiveRestartEnable, PrimitiveRestartEnable),
        VALUE(SetPrimitiveRestartEnableEXT, PrimitiveRestartEnable),
        {"vkCmdBindVertexBuffers", BindVertexBuffers::entry(), kUseState},
        {"vkCmdBindVertexBuffers2", vertexBuffers2<&Table::CmdBindVertexBuffers2>(), kUseState},
        {"vkCmdBindVertexBuffers2EXT", vertexBuffers2<&Table::CmdBindVertexBuffers2EXT>(), kUseState},
    };
    return entries;
}

}  // namespace millrace::layer
