// SPDX-License-Identifier: Apache-2.0
// Dynamic state and fixed-function bindings. One row for each command: what it sets, and how its arguments are kept.
#include "layer/chains/chain_copy.h"
#include "layer/recording/state_commands.h"

namespace millrace::layer {

namespace {

VKAPI_ATTR void VKAPI_CALL CmdBindIndexBuffer2KHR(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset,
                                                  VkDeviceSize size, VkIndexType indexType)
{
    const Device& device = Device::of(handle);
    // Without maintenance5 the size is left out: only robust access beyond it behaves differently.
    if (!device.usesStreams())
        device.table.CmdBindIndexBuffer(handle, buffer, offset, indexType);
    else if (device.emulatesMaintenance5())
        ValueState<&Table::CmdBindIndexBuffer, StateKind::IndexBuffer>::call(handle, buffer, offset, indexType);
    else
        ValueState<&Table::CmdBindIndexBuffer2KHR, StateKind::IndexBuffer>::call(handle, buffer, offset, size,
                                                                                 indexType);
}

VKAPI_ATTR void VKAPI_CALL CmdSetFragmentShadingRateKHR(VkCommandBuffer handle, const VkExtent2D* pFragmentSize,
                                                        const VkFragmentShadingRateCombinerOpKHR combinerOps[2])
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.device.table.CmdSetFragmentShadingRateKHR(commandBuffer.current.forState(), pFragmentSize,
                                                            combinerOps);
    if (!commandBuffer.logs)
        return;
    struct Payload {
        VkExtent2D size;
        VkFragmentShadingRateCombinerOpKHR operations[2];
    };
    const Payload payload{*pFragmentSize, {combinerOps[0], combinerOps[1]}};
    std::byte* stored = commandBuffer.log.add(
        {StateKind::FragmentShadingRate}, kScopeOther,
        [](const Table& table, VkCommandBuffer target, const std::byte* bytes) {
            const auto& value = *reinterpret_cast<const Payload*>(bytes);
            table.CmdSetFragmentShadingRateKHR(target, &value.size, value.operations);
        },
        sizeof payload);
    std::memcpy(stored, &payload, sizeof payload);
}

// Copies of what the structures of one command lead to.
class Copies {
public:
    explicit Copies(CommandBuffer& commandBuffer) : m_commandBuffer(commandBuffer) {}

    template <typename Element>
    const Element* array(const Element* elements, size_t count)
    {
        if (!elements || count == 0)
            return nullptr;
        auto copy = std::make_shared<std::vector<Element>>(elements, elements + count);
        const Element* kept = copy->data();
        m_parts.push_back(std::move(copy));
        return kept;
    }

    const void* chain(const char* command, const void* chain)
    {
        if (!chain)
            return nullptr;
        auto copy = std::make_shared<ChainCopy>(chain);
        const void* kept = copy->get();
        m_commandBuffer.cannotKeep(command, missingStructures(chain, kept));
        m_parts.push_back(std::move(copy));
        return kept;
    }

    // For the log, which keeps them as long as the command.
    std::shared_ptr<const void> take()
    {
        return m_parts.empty() ? nullptr : std::make_shared<const Parts>(std::move(m_parts));
    }

private:
    using Parts = std::vector<std::shared_ptr<const void>>;

    CommandBuffer& m_commandBuffer;
    Parts m_parts;
};

// Replays a command that takes one pointer to a structure, kept as the payload.
template <auto Member, typename Struct>
void logStruct(CommandBuffer& commandBuffer, StateKind kind, uint32_t scopes, const Struct& value, Copies& copies)
{
    std::byte* payload = commandBuffer.log.add(
        {kind}, scopes,
        [](const Table& table, VkCommandBuffer target, const std::byte* bytes) {
            (table.*Member)(target, reinterpret_cast<const Struct*>(bytes));
        },
        sizeof(Struct), copies.take());
    std::memcpy(payload, &value, sizeof(Struct));
}

VKAPI_ATTR void VKAPI_CALL CmdSetSampleLocationsEXT(VkCommandBuffer handle, const VkSampleLocationsInfoEXT* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.device.table.CmdSetSampleLocationsEXT(commandBuffer.current.forState(), pInfo);
    if (!commandBuffer.logs)
        return;
    Copies copies(commandBuffer);
    VkSampleLocationsInfoEXT info = *pInfo;
    info.pNext = copies.chain("vkCmdSetSampleLocationsEXT", pInfo->pNext);
    info.pSampleLocations = copies.array(pInfo->pSampleLocations, pInfo->sampleLocationsCount);
    logStruct<&Table::CmdSetSampleLocationsEXT>(commandBuffer, StateKind::SampleLocations, kScopeOther, info, copies);
}

VKAPI_ATTR void VKAPI_CALL CmdSetDepthBias2EXT(VkCommandBuffer handle, const VkDepthBiasInfoEXT* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.device.table.CmdSetDepthBias2EXT(commandBuffer.current.forState(), pInfo);
    if (!commandBuffer.logs)
        return;
    Copies copies(commandBuffer);
    VkDepthBiasInfoEXT info = *pInfo;
    info.pNext = copies.chain("vkCmdSetDepthBias2EXT", pInfo->pNext);
    logStruct<&Table::CmdSetDepthBias2EXT>(commandBuffer, StateKind::DepthBias, kScopeOther, info, copies);
}

constexpr const char* nameOfPerformanceCommand(StateKind kind)
{
    switch (kind) {
        case StateKind::PerformanceMarker:
            return "vkCmdSetPerformanceMarkerINTEL";
        case StateKind::PerformanceOverride:
            return "vkCmdSetPerformanceOverrideINTEL";
        default:
            return "vkCmdSetPerformanceStreamMarkerINTEL";
    }
}

// What performance queries attribute work to, and what work is replaced by.
template <auto Member, StateKind kKind>
struct PerformanceState;
template <typename Info, VkResult (VKAPI_PTR* Table::*Member)(VkCommandBuffer, const Info*), StateKind kKind>
struct PerformanceState<Member, kKind> {
    static VKAPI_ATTR VkResult VKAPI_CALL call(VkCommandBuffer handle, const Info* pInfo)
    {
        CommandBuffer& commandBuffer = CommandBuffer::of(handle);
        const VkResult result = (commandBuffer.device.table.*Member)(commandBuffer.current, pInfo);
        if (result != VK_SUCCESS || !commandBuffer.logs)
            return result;
        Copies copies(commandBuffer);
        Info info = *pInfo;
        info.pNext = copies.chain(nameOfPerformanceCommand(kKind), pInfo->pNext);
        logStruct<Member>(commandBuffer, kKind, kScopeOther, info, copies);
        return result;
    }
};

template <auto Member>
VKAPI_ATTR void VKAPI_CALL setAttachmentLocations(VkCommandBuffer handle,
                                                  const VkRenderingAttachmentLocationInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    (commandBuffer.device.table.*Member)(commandBuffer.current, pInfo);
    if (!commandBuffer.logs)
        return;
    Copies copies(commandBuffer);
    VkRenderingAttachmentLocationInfo info = *pInfo;
    info.pNext = copies.chain("vkCmdSetRenderingAttachmentLocations", pInfo->pNext);
    info.pColorAttachmentLocations = copies.array(pInfo->pColorAttachmentLocations, pInfo->colorAttachmentCount);
    logStruct<Member>(commandBuffer, StateKind::RenderingAttachmentLocations, kScopeInRendering, info, copies);
}

template <auto Member>
VKAPI_ATTR void VKAPI_CALL setInputAttachmentIndices(VkCommandBuffer handle,
                                                     const VkRenderingInputAttachmentIndexInfo* pInfo)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    (commandBuffer.device.table.*Member)(commandBuffer.current, pInfo);
    if (!commandBuffer.logs)
        return;
    Copies copies(commandBuffer);
    VkRenderingInputAttachmentIndexInfo info = *pInfo;
    info.pNext = copies.chain("vkCmdSetRenderingInputAttachmentIndices", pInfo->pNext);
    info.pColorAttachmentInputIndices = copies.array(pInfo->pColorAttachmentInputIndices, pInfo->colorAttachmentCount);
    info.pDepthInputAttachmentIndex = copies.array(pInfo->pDepthInputAttachmentIndex, 1);
    info.pStencilInputAttachmentIndex = copies.array(pInfo->pStencilInputAttachmentIndex, 1);
    logStruct<Member>(commandBuffer, StateKind::RenderingInputAttachmentIndices, kScopeInRendering, info, copies);
}

// Palettes and sample orders hold pointers of their own.
VKAPI_ATTR void VKAPI_CALL CmdSetViewportShadingRatePaletteNV(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                              const VkShadingRatePaletteNV* pPalettes)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.device.table.CmdSetViewportShadingRatePaletteNV(commandBuffer.current.forState(), first, count,
                                                                  pPalettes);
    if (!commandBuffer.logs)
        return;
    Copies copies(commandBuffer);
    std::vector<VkShadingRatePaletteNV> palettes(pPalettes, pPalettes + count);
    for (VkShadingRatePaletteNV& palette : palettes)
        palette.pShadingRatePaletteEntries =
            copies.array(palette.pShadingRatePaletteEntries, palette.shadingRatePaletteEntryCount);
    using Palettes = ArrayState<&Table::CmdSetViewportShadingRatePaletteNV, StateKind::ShadingRatePalette, Part::Range,
                                kScopeOther, CountAt<1>, 2>;
    Palettes::record(commandBuffer.log, {first, count, palettes.data()}, copies.take());
}

VKAPI_ATTR void VKAPI_CALL CmdSetCoarseSampleOrderNV(VkCommandBuffer handle, VkCoarseSampleOrderTypeNV type,
                                                     uint32_t count, const VkCoarseSampleOrderCustomNV* pOrders)
{
    CommandBuffer& commandBuffer = CommandBuffer::of(handle);
    commandBuffer.device.table.CmdSetCoarseSampleOrderNV(commandBuffer.current.forState(), type, count, pOrders);
    if (!commandBuffer.logs)
        return;
    Copies copies(commandBuffer);
    std::vector<VkCoarseSampleOrderCustomNV> orders(pOrders, pOrders + count);
    for (VkCoarseSampleOrderCustomNV& order : orders)
        order.pSampleLocations = copies.array(order.pSampleLocations, order.sampleLocationCount);
    using Orders = ArrayState<&Table::CmdSetCoarseSampleOrderNV, StateKind::CoarseSampleOrder, Part::Whole, kScopeOther,
                              CountAt<1>, 2>;
    Orders::record(commandBuffer.log, {type, count, orders.data()}, copies.take());
}

// A command whose arguments are values.
#define VALUE(name, kind)                                                                   \
    {                                                                                       \
        "vkCmd" #name, ValueState<&Table::Cmd##name, StateKind::kind>::entry(), kUseStreams \
    }
// The same, and the first argument says which faces.
#define FACE(name, kind)                                                                                \
    {                                                                                                   \
        "vkCmd" #name, ValueState<&Table::Cmd##name, StateKind::kind, Part::Face>::entry(), kUseStreams \
    }
// (count, pointer): sets all elements.
#define LIST(name, kind)                                                                                      \
    {                                                                                                         \
        "vkCmd" #name,                                                                                        \
            ArrayState<&Table::Cmd##name, StateKind::kind, Part::Whole, kScopeOther, CountAt<0>, 1>::entry(), \
            kUseStreams                                                                                       \
    }
// (first, count, pointers...): sets a range.
#define RANGE(name, kind, ...)                                                                   \
    {                                                                                            \
        "vkCmd" #name,                                                                           \
            ArrayState<&Table::Cmd##name, StateKind::kind, Part::Range, kScopeOther, CountAt<1>, \
                       __VA_ARGS__>::entry(),                                                    \
            kUseStreams                                                                          \
    }
#define PERFORMANCE(name)                                                                                             \
    {                                                                                                                 \
        "vkCmdSetPerformance" #name "INTEL",                                                                          \
            guarded<&PerformanceState<&Table::CmdSetPerformance##name##INTEL, StateKind::Performance##name>::call>(), \
            kUseStreams                                                                                               \
    }

}  // namespace

EntryPoints dynamicStateEntryPoints()
{
    static const EntryPoint entries[] = {
        // Buffers.
        VALUE(BindIndexBuffer, IndexBuffer),
        VALUE(BindIndexBuffer2, IndexBuffer),
        MILLRACE_ENTRY(CmdBindIndexBuffer2KHR, kUseStreams | kUseMaintenance5, true),
        RANGE(BindTransformFeedbackBuffersEXT, TransformFeedbackBuffers, 2, 3, 4),
        // Of the command buffer as a whole.
        VALUE(SetDeviceMask, DeviceMask),
        VALUE(SetDeviceMaskKHR, DeviceMask),
        VALUE(SetRayTracingPipelineStackSizeKHR, RayTracingStackSize),
        VALUE(BindInvocationMaskHUAWEI, InvocationMask),
        PERFORMANCE(Marker),
        PERFORMANCE(StreamMarker),
        PERFORMANCE(Override),
        // Vulkan 1.0.
        RANGE(SetViewport, Viewport, 2),
        RANGE(SetScissor, Scissor, 2),
        VALUE(SetLineWidth, LineWidth),
        VALUE(SetDepthBias, DepthBias),
        {"vkCmdSetBlendConstants",
         ArrayState<&Table::CmdSetBlendConstants, StateKind::BlendConstants, Part::Whole, kScopeOther, FixedCount<4>,
                    0>::entry(),
         kUseStreams},
        VALUE(SetDepthBounds, DepthBounds),
        FACE(SetStencilCompareMask, StencilCompareMask),
        FACE(SetStencilWriteMask, StencilWriteMask),
        FACE(SetStencilReference, StencilReference),
        // Extended dynamic state.
        VALUE(SetCullMode, CullMode),
        VALUE(SetCullModeEXT, CullMode),
        VALUE(SetFrontFace, FrontFace),
        VALUE(SetFrontFaceEXT, FrontFace),
        VALUE(SetPrimitiveTopology, PrimitiveTopology),
        VALUE(SetPrimitiveTopologyEXT, PrimitiveTopology),
        LIST(SetViewportWithCount, Viewport),
        LIST(SetViewportWithCountEXT, Viewport),
        LIST(SetScissorWithCount, Scissor),
        LIST(SetScissorWithCountEXT, Scissor),
        VALUE(SetDepthTestEnable, DepthTestEnable),
        VALUE(SetDepthTestEnableEXT, DepthTestEnable),
        VALUE(SetDepthWriteEnable, DepthWriteEnable),
        VALUE(SetDepthWriteEnableEXT, DepthWriteEnable),
        VALUE(SetDepthCompareOp, DepthCompareOp),
        VALUE(SetDepthCompareOpEXT, DepthCompareOp),
        VALUE(SetDepthBoundsTestEnable, DepthBoundsTestEnable),
        VALUE(SetDepthBoundsTestEnableEXT, DepthBoundsTestEnable),
        VALUE(SetStencilTestEnable, StencilTestEnable),
        VALUE(SetStencilTestEnableEXT, StencilTestEnable),
        FACE(SetStencilOp, StencilOp),
        FACE(SetStencilOpEXT, StencilOp),
        // Extended dynamic state 2.
        VALUE(SetRasterizerDiscardEnable, RasterizerDiscardEnable),
        VALUE(SetRasterizerDiscardEnableEXT, RasterizerDiscardEnable),
        VALUE(SetDepthBiasEnable, DepthBiasEnable),
        VALUE(SetDepthBiasEnableEXT, DepthBiasEnable),
        VALUE(SetLogicOpEXT, LogicOp),
        VALUE(SetPatchControlPointsEXT, PatchControlPoints),
        // Extended dynamic state 3.
        VALUE(SetTessellationDomainOriginEXT, TessellationDomainOrigin),
        VALUE(SetDepthClampEnableEXT, DepthClampEnable),
        VALUE(SetPolygonModeEXT, PolygonMode),
        VALUE(SetRasterizationSamplesEXT, RasterizationSamples),
        {"vkCmdSetSampleMaskEXT",
         ArrayState<&Table::CmdSetSampleMaskEXT, StateKind::SampleMask, Part::Whole, kScopeOther, SampleMaskWords,
                    1>::entry(),
         kUseStreams},
        VALUE(SetAlphaToCoverageEnableEXT, AlphaToCoverageEnable),
        VALUE(SetAlphaToOneEnableEXT, AlphaToOneEnable),
        VALUE(SetLogicOpEnableEXT, LogicOpEnable),
        RANGE(SetColorBlendEnableEXT, ColorBlendEnable, 2),
        RANGE(SetColorBlendEquationEXT, ColorBlendEquation, 2),
        RANGE(SetColorWriteMaskEXT, ColorWriteMask, 2),
        VALUE(SetRasterizationStreamEXT, RasterizationStream),
        VALUE(SetConservativeRasterizationModeEXT, ConservativeRasterizationMode),
        VALUE(SetExtraPrimitiveOverestimationSizeEXT, ExtraPrimitiveOverestimationSize),
        VALUE(SetDepthClipEnableEXT, DepthClipEnable),
        VALUE(SetSampleLocationsEnableEXT, SampleLocationsEnable),
        RANGE(SetColorBlendAdvancedEXT, ColorBlendAdvanced, 2),
        VALUE(SetProvokingVertexModeEXT, ProvokingVertexMode),
        VALUE(SetLineRasterizationModeEXT, LineRasterizationMode),
        VALUE(SetLineStippleEnableEXT, LineStippleEnable),
        VALUE(SetDepthClipNegativeOneToOneEXT, DepthClipNegativeOneToOne),
        VALUE(SetViewportWScalingEnableNV, ViewportWScalingEnable),
        RANGE(SetViewportSwizzleNV, ViewportSwizzle, 2),
        VALUE(SetCoverageToColorEnableNV, CoverageToColorEnable),
        VALUE(SetCoverageToColorLocationNV, CoverageToColorLocation),
        VALUE(SetCoverageModulationModeNV, CoverageModulationMode),
        VALUE(SetCoverageModulationTableEnableNV, CoverageModulationTableEnable),
        LIST(SetCoverageModulationTableNV, CoverageModulationTable),
        VALUE(SetShadingRateImageEnableNV, ShadingRateImageEnable),
        VALUE(SetRepresentativeFragmentTestEnableNV, RepresentativeFragmentTestEnable),
        VALUE(SetCoverageReductionModeNV, CoverageReductionMode),
        // Other extensions.
        LIST(SetColorWriteEnableEXT, ColorWriteEnable),
        MILLRACE_ENTRY(CmdSetSampleLocationsEXT, kUseStreams),
        MILLRACE_ENTRY(CmdSetDepthBias2EXT, kUseStreams),
        RANGE(SetDiscardRectangleEXT, DiscardRectangle, 2),
        VALUE(SetDiscardRectangleEnableEXT, DiscardRectangleEnable),
        VALUE(SetDiscardRectangleModeEXT, DiscardRectangleMode),
        MILLRACE_ENTRY(CmdSetFragmentShadingRateKHR, kUseStreams),
        {"vkCmdSetFragmentShadingRateEnumNV",
         ArrayState<&Table::CmdSetFragmentShadingRateEnumNV, StateKind::FragmentShadingRate, Part::Whole, kScopeOther,
                    FixedCount<2>, 1>::entry(),
         kUseStreams},
        VALUE(SetLineStipple, LineStipple),
        VALUE(SetLineStippleEXT, LineStipple),
        VALUE(SetLineStippleKHR, LineStipple),
        VALUE(SetAttachmentFeedbackLoopEnableEXT, AttachmentFeedbackLoopEnable),
        {"vkCmdSetDepthClampRangeEXT",
         ArrayState<&Table::CmdSetDepthClampRangeEXT, StateKind::DepthClampRange, Part::Whole, kScopeOther,
                    FixedCount<1>, 1>::entry(),
         kUseStreams},
        RANGE(SetViewportWScalingNV, ViewportWScaling, 2),
        RANGE(SetExclusiveScissorNV, ExclusiveScissor, 2),
        RANGE(SetExclusiveScissorEnableNV, ExclusiveScissorEnable, 2),
        VALUE(BindShadingRateImageNV, ShadingRateImage),
        MILLRACE_ENTRY(CmdSetViewportShadingRatePaletteNV, kUseStreams),
        MILLRACE_ENTRY(CmdSetCoarseSampleOrderNV, kUseStreams),
        // Inside a rendering instance.
        {"vkCmdSetRenderingAttachmentLocations",
         guarded<&setAttachmentLocations<&Table::CmdSetRenderingAttachmentLocations>>(), kUseStreams},
        {"vkCmdSetRenderingAttachmentLocationsKHR",
         guarded<&setAttachmentLocations<&Table::CmdSetRenderingAttachmentLocationsKHR>>(), kUseStreams},
        {"vkCmdSetRenderingInputAttachmentIndices",
         guarded<&setInputAttachmentIndices<&Table::CmdSetRenderingInputAttachmentIndices>>(), kUseStreams},
        {"vkCmdSetRenderingInputAttachmentIndicesKHR",
         guarded<&setInputAttachmentIndices<&Table::CmdSetRenderingInputAttachmentIndicesKHR>>(), kUseStreams},
    };
    return entries;
}

}  // namespace millrace::layer
