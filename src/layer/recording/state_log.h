// SPDX-License-Identifier: Apache-2.0
// The state that an application has set in a command buffer, as commands that set it again.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "base/arena.h"

namespace millrace::layer {

// What a command sets. Commands that set the same thing, such as a core command and the extension's that it was
// promoted from, share a kind.
enum class StateKind : uint16_t {
    Pipeline,
    Shader,
    DescriptorSets,
    DescriptorBuffers,
    PushDescriptor,
    PushConstants,
    IndexBuffer,
    VertexBuffers,
    VertexBuffersAndStrides,
    TransformFeedbackBuffers,
    DeviceMask,
    InvocationMask,
    PerformanceMarker,
    PerformanceOverride,
    PerformanceStreamMarker,
    RayTracingStackSize,
    RenderingAttachmentLocations,
    RenderingInputAttachmentIndices,
    // Dynamic state.
    AlphaToCoverageEnable,
    AlphaToOneEnable,
    AttachmentFeedbackLoopEnable,
    BlendConstants,
    CoarseSampleOrder,
    ColorBlendAdvanced,
    ColorBlendEnable,
    ColorBlendEquation,
    ColorWriteEnable,
    ColorWriteMask,
    ConservativeRasterizationMode,
    CoverageModulationMode,
    CoverageModulationTable,
    CoverageModulationTableEnable,
    CoverageReductionMode,
    CoverageToColorEnable,
    CoverageToColorLocation,
    CullMode,
    DepthBias,
    DepthBiasEnable,
    DepthBounds,
    DepthBoundsTestEnable,
    DepthClampEnable,
    DepthClampRange,
    DepthClipEnable,
    DepthClipNegativeOneToOne,
    DepthCompareOp,
    DepthTestEnable,
    DepthWriteEnable,
    DiscardRectangle,
    DiscardRectangleEnable,
    DiscardRectangleMode,
    ExclusiveScissor,
    ExclusiveScissorEnable,
    ExtraPrimitiveOverestimationSize,
    FragmentShadingRate,
    FrontFace,
    LineRasterizationMode,
    LineStipple,
    LineStippleEnable,
    LineWidth,
    LogicOp,
    LogicOpEnable,
    PatchControlPoints,
    PolygonMode,
    PrimitiveRestartEnable,
    PrimitiveTopology,
    ProvokingVertexMode,
    RasterizationSamples,
    RasterizationStream,
    RasterizerDiscardEnable,
    RepresentativeFragmentTestEnable,
    SampleLocations,
    SampleLocationsEnable,
    SampleMask,
    Scissor,
    ShadingRateImage,
    ShadingRateImageEnable,
    ShadingRatePalette,
    StencilCompareMask,
    StencilOp,
    StencilReference,
    StencilTestEnable,
    StencilWriteMask,
    TessellationDomainOrigin,
    VertexInput,
    Viewport,
    ViewportSwizzle,
    ViewportWScaling,
    ViewportWScalingEnable,
};
inline constexpr size_t kStateKinds = static_cast<size_t>(StateKind::ViewportWScalingEnable) + 1;

// A later command with an equal key sets everything that the earlier one did. Whole numbers as the application gave
// them: none is packed, so that no two commands that set different things have equal keys.
struct StateKey {
    StateKind kind;
    uint32_t where = 0;    // bind point, stages or faces
    uint32_t first = 0;    // of a range; set; byte
    uint32_t count = 0;    // of a range; bytes
    uint32_t binding = 0;  // in a push descriptor set, with `element` and `count` of it
    uint32_t element = 0;

    // Of keys of one kind, which need not be compared.
    bool isSame(const StateKey& other) const
    {
        return first == other.first && count == other.count && where == other.where && binding == other.binding &&
               element == other.element;
    }
};

// What calls of one command have in common that set the same thing and need as much memory: the words of the key that
// the command chooses, and those that say how much its arguments hold.
using StateShape = std::array<uint32_t, 4>;

// Parts of the state that are restored together.
enum StateScope : uint32_t {
    kScopeOther = 1,
    kScopeCompute = 2,  // of the compute bind point
    kScopePushConstants = 4,
    kScopeDescriptorBuffers = 8,  // bound for all bind points at once
    kScopeInRendering = 16,       // can be set inside a render pass instance only
    kScopeOutsideRendering = 15,  // all others
    kScopeBufferOffsets = 32,     // into descriptor buffers, beside the scope of the bind point
};

// Replaying keeps the order of recording and drops only what a later command covers, so that commands whose ranges
// overlap partly end up as they did.
//
// Each kind has its entries, mostly one: a command that sets what an earlier one did writes over that one's.
class StateLog {
public:
    using Replay = void (*)(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer,
                            const std::byte* payload);

    struct Entry {
        StateKey key;
        uint32_t scopes = 0;
        size_t capacity = 0;  // bytes of the payload
        uint64_t order = 0;   // of recording
        Replay replay = nullptr;
        std::byte* payload = nullptr;
        // For addAgain(): `replay` and its shape, or null.
        Replay again = nullptr;
        StateShape shape{};
        std::shared_ptr<const void> owner;

        bool hasRoom(uint32_t wantedScopes, size_t bytes) const { return scopes == wantedScopes && capacity >= bytes; }
    };

    // Returns `bytes` bytes, aligned for any type, that `replay` will get; a payload is trivially copyable. What it
    // points to belongs to `owner`, which the log keeps for as long as the entry.
    std::byte* add(const StateKey& key, uint32_t scopes, Replay replay, size_t bytes,
                   std::shared_ptr<const void> owner = nullptr)
    {
        Entry& entry = entryFor(key, scopes, replay, bytes);
        entry.again = nullptr;
        entry.owner = std::move(owner);
        return entry.payload;
    }
    // The same, without an owner, for a command that sets it with addAgain() from now on.
    template <size_t kWords>
    std::byte* addShaped(const StateKey& key, const std::array<uint32_t, kWords>& shape, uint32_t scopes, Replay replay,
                         size_t bytes)
    {
        std::byte* const payload = add(key, scopes, replay, bytes);
        Kind& kind = m_kinds[static_cast<size_t>(key.kind)];
        Entry& entry = *kind.recent[placeOf(key)];
        entry.again = replay;
        std::ranges::copy(shape, entry.shape.begin());
        return payload;
    }
    // The payload that addShaped() has returned for the same shape, if the command that has called it last with such a
    // key had that; else null, and nothing has changed. Calls nothing. Requires: commands with one `replay` and equal
    // shapes have equal keys and scopes, and need as many bytes.
    template <size_t kWords>
    [[gnu::always_inline]] std::byte* addAgain(const StateKey& key, const std::array<uint32_t, kWords>& shape,
                                               Replay replay) noexcept
    {
        static_assert(kWords <= std::tuple_size_v<StateShape>);
        Kind& kind = m_kinds[static_cast<size_t>(key.kind)];
        Entry* const entry = kind.recent[placeOf(key)];
        if (!entry || entry->again != replay) [[unlikely]]
            return nullptr;
        for (size_t i = 0; i < kWords; ++i)
            if (entry->shape[i] != shape[i]) [[unlikely]]
                return nullptr;
        entry->order = kind.lastOrder = ++m_order;
        if (!entry->payload)
            __builtin_unreachable();  // spares callers a look at it
        return entry->payload;
    }

    // All entries that are in any of `scopes`.
    void replay(uint32_t scopes, const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer) const;
    // All for which `isWanted(entry)`.
    template <typename IsWanted>
    void replayIf(const IsWanted& isWanted, const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer) const
    {
        m_sorted.clear();
        for (const Kind& kind : m_kinds)
            for (const Entry& entry : kind.entries)
                if (isWanted(entry))
                    m_sorted.push_back(&entry);
        replaySorted(table, commandBuffer);
    }
    // The same of one kind, called with each entry.
    template <typename Visit>
    void forEach(StateKind kind, uint32_t scopes, const Visit& visit) const
    {
        const Kind& slots = m_kinds[static_cast<size_t>(kind)];
        uint64_t last = 0;
        while (const Entry* entry = nextOf(slots, scopes, last)) {
            visit(*entry);
            last = entry->order;
        }
    }

    // What the other one has, in place of all that is in this one.
    void assign(const StateLog& other);

    // Of the last command.
    uint64_t order() const { return m_order; }
    // Copies of the entries of later commands than that, in their order; payloads are in `payloads`.
    std::vector<Entry> changesSince(uint64_t order, Arena& payloads) const;
    // Such copies, as if their commands had been given here.
    void take(const std::vector<Entry>& changes);

    bool has(uint32_t scopes) const;
    // Of the last command of the kind; 0: there was none.
    uint64_t lastOrder(StateKind kind) const { return m_kinds[static_cast<size_t>(kind)].lastOrder; }
    void clear();
    void clear(uint32_t scopes);

private:
    struct Kind {
        std::vector<Entry> entries;
        // Those written last, by placeOf(); null if there is none.
        std::array<Entry*, 4> recent{};
        uint64_t lastOrder = 0;
    };

    // Where commands look first that come in patterns, such as sets of different numbers.
    static constexpr size_t placeOf(const StateKey& key)
    {
        return (key.where + key.first) % std::tuple_size_v<decltype(Kind::recent)>;
    }
    static Entry* find(Kind& kind, const StateKey& key) noexcept
    {
        Entry*& recent = kind.recent[placeOf(key)];
        if (recent && recent->key.isSame(key))
            return recent;
        for (Entry& entry : kind.entries)
            if (entry.key.isSame(key))
                return recent = &entry;
        return nullptr;
    }
    Entry& entryFor(const StateKey& key, uint32_t scopes, Replay replay, size_t bytes)
    {
        Kind& kind = m_kinds[static_cast<size_t>(key.kind)];
        Entry* entry = find(kind, key);
        if (!entry || !entry->hasRoom(scopes, bytes)) [[unlikely]]
            entry = &makeRoom(kind, entry, key, scopes, bytes);
        entry->order = kind.lastOrder = ++m_order;
        entry->replay = replay;
        return *entry;
    }
    // For a command that sets something for the first time, or more of it than before.
    Entry& makeRoom(Kind& kind, Entry* entry, const StateKey& key, uint32_t scopes, size_t bytes);
    void replaySorted(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer) const;
    // The first behind `order`.
    static const Entry* nextOf(const Kind& kind, uint32_t scopes, uint64_t order);

    std::array<Kind, kStateKinds> m_kinds;
    uint64_t m_order = 0;
    uint32_t m_scopes = 0;  // that entries may be in
    Arena m_payloads;
    size_t m_entries = 0;
    mutable std::vector<const Entry*> m_sorted;  // room for all of them, since replay() must not fail
};

}  // namespace millrace::layer
