// SPDX-License-Identifier: Apache-2.0
// The state that an application has set in a command buffer, as commands that set it again.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

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

// A later command with an equal key sets everything that the earlier one did. Whole numbers as the application gave
// them: none is packed, so that no two commands that set different things have equal keys.
struct StateKey {
    StateKind kind;
    uint32_t where = 0;    // bind point, stages or faces
    uint32_t first = 0;    // of a range; set; byte
    uint32_t count = 0;    // of a range; bytes
    uint32_t binding = 0;  // in a push descriptor set, with `element` and `count` of it
    uint32_t element = 0;
    bool operator==(const StateKey&) const = default;
};

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
class StateLog {
public:
    using Replay = void (*)(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer,
                            const std::byte* payload);

    // Returns `bytes` bytes, aligned for any type, that `replay` will get; they may move until then, so a payload has
    // no pointers into itself and is trivially copyable. What it points to belongs to `owner`, which the log keeps for
    // as long as the entry.
    std::byte* add(const StateKey& key, uint32_t scopes, Replay replay, size_t bytes,
                   std::shared_ptr<const void> owner = nullptr);

    // All entries that are in any of `scopes`.
    void replay(uint32_t scopes, const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer) const;

    bool has(uint32_t scopes) const;
    void clear();
    void clear(uint32_t scopes);

private:
    struct Entry {
        StateKey key;
        uint32_t scopes;
        Replay replay;
        size_t offset;
        size_t bytes;
        std::shared_ptr<const void> owner;
    };

    void compact();

    std::vector<Entry> m_entries;  // in order of recording
    std::vector<std::byte> m_payloads;
    size_t m_liveBytes = 0;
};

}  // namespace millrace::layer
