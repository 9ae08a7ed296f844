// SPDX-License-Identifier: Apache-2.0
// Every command that sets dynamic state: behind a split the driver gets the same call again, with everything that
// pointers led to, though the application's memory is something else by then.
#include <gtest/gtest.h>

#include <vulkan/utility/vk_dispatch_table.h>

#include <algorithm>
#include <array>
#include <set>
#include <tuple>

#include "layer/entry_points.h"
#include "layer/fake_driver.h"

namespace millrace::layertest {

namespace {

using Table = VkuDeviceDispatchTable;

constexpr uint32_t kCount = 2;

// Arguments for one call. Arrays have kCount elements, and all bytes that are no count differ from their neighbours.
class Arguments {
public:
    // As an application may do once the call has returned.
    void overwrite() { std::fill(m_memory.begin(), m_memory.end(), std::byte{0xee}); }

    template <typename Value>
    Value make()
    {
        if constexpr (std::is_same_v<Value, uint32_t>) {
            return kCount;
        } else if constexpr (std::is_same_v<Value, VkSampleCountFlagBits>) {
            return VK_SAMPLE_COUNT_16_BIT;
        } else if constexpr (std::is_pointer_v<Value> && std::is_const_v<std::remove_pointer_t<Value>>) {
            return array<std::remove_const_t<std::remove_pointer_t<Value>>>();
        } else {
            Value value;
            fill(&value, sizeof value);
            return value;
        }
    }

private:
    template <typename Element>
    const Element* array()
    {
        // Four: blend constants are as many.
        auto* elements = static_cast<Element*>(take(4 * sizeof(Element)));
        for (uint32_t i = 0; i < 4; ++i) {
            fill(&elements[i], sizeof elements[i]);
            complete(elements[i]);
        }
        return elements;
    }

    void complete(VkSampleLocationsInfoEXT& info)
    {
        info.pNext = nullptr;
        info.sampleLocationsCount = kCount;
        info.pSampleLocations = array<VkSampleLocationEXT>();
    }
    void complete(VkDepthBiasInfoEXT& info)
    {
        auto* chain = static_cast<VkDepthBiasRepresentationInfoEXT*>(take(sizeof(VkDepthBiasRepresentationInfoEXT)));
        *chain = {VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT};
        chain->depthBiasExact = VK_TRUE;
        info.pNext = chain;
    }
    void complete(VkRenderingAttachmentLocationInfo& info)
    {
        info.pNext = nullptr;
        info.colorAttachmentCount = kCount;
        info.pColorAttachmentLocations = array<uint32_t>();
    }
    void complete(VkRenderingInputAttachmentIndexInfo& info)
    {
        info.pNext = nullptr;
        info.colorAttachmentCount = kCount;
        info.pColorAttachmentInputIndices = array<uint32_t>();
        info.pDepthInputAttachmentIndex = array<uint32_t>();
        info.pStencilInputAttachmentIndex = array<uint32_t>();
    }
    void complete(VkShadingRatePaletteNV& palette)
    {
        palette.shadingRatePaletteEntryCount = kCount;
        palette.pShadingRatePaletteEntries = array<VkShadingRatePaletteEntryNV>();
    }
    void complete(VkCoarseSampleOrderCustomNV& order)
    {
        order.sampleLocationCount = kCount;
        order.pSampleLocations = array<VkCoarseSampleLocationNV>();
    }
    void complete(VkVertexInputBindingDescription2EXT& binding) { binding.pNext = nullptr; }
    void complete(VkVertexInputAttributeDescription2EXT& attribute) { attribute.pNext = nullptr; }
    template <typename Plain>
    void complete(Plain&)
    {
    }

    void fill(void* data, size_t bytes)
    {
        for (size_t i = 0; i < bytes; ++i)
            static_cast<unsigned char*>(data)[i] = static_cast<unsigned char>(m_next++ % 251 + 1);
    }
    void* take(size_t bytes)
    {
        std::byte* at = m_memory.data() + m_used;
        m_used += (bytes + 15) / 16 * 16;
        EXPECT_LE(m_used, m_memory.size());
        return at;
    }

    alignas(16) std::array<std::byte, 8192> m_memory{};
    size_t m_used = 0;
    uint32_t m_next = 0;
};

template <typename Function>
struct Caller;
template <typename... Args>
struct Caller<void(VKAPI_PTR*)(VkCommandBuffer, Args...)> {
    static void call(PFN_vkVoidFunction function, VkCommandBuffer cmd, Arguments& arguments)
    {
        const std::tuple<Args...> values{arguments.make<Args>()...};
        std::apply(
            [&](const Args&... args) {
                reinterpret_cast<void(VKAPI_PTR*)(VkCommandBuffer, Args...)>(function)(cmd, args...);
            },
            values);
    }
};

struct Row {
    const char* name;
    void (*call)(PFN_vkVoidFunction function, VkCommandBuffer cmd, Arguments& arguments);
};

// clang-format off
#define ROW(name) Row{"vkCmd" #name, Caller<PFN_vkCmd##name>::call},
constexpr Row kRows[] = {
    ROW(BindIndexBuffer) ROW(BindIndexBuffer2) ROW(BindIndexBuffer2KHR) ROW(BindVertexBuffers)
    ROW(BindVertexBuffers2) ROW(BindVertexBuffers2EXT) ROW(BindTransformFeedbackBuffersEXT) ROW(SetDeviceMask)
    ROW(SetDeviceMaskKHR) ROW(SetRayTracingPipelineStackSizeKHR) ROW(BindInvocationMaskHUAWEI) ROW(SetViewport)
    ROW(SetScissor) ROW(SetLineWidth) ROW(SetDepthBias) ROW(SetBlendConstants) ROW(SetDepthBounds)
    ROW(SetStencilCompareMask) ROW(SetStencilWriteMask) ROW(SetStencilReference) ROW(SetCullMode)
    ROW(SetCullModeEXT) ROW(SetFrontFace) ROW(SetFrontFaceEXT) ROW(SetPrimitiveTopology)
    ROW(SetPrimitiveTopologyEXT) ROW(SetViewportWithCount) ROW(SetViewportWithCountEXT) ROW(SetScissorWithCount)
    ROW(SetScissorWithCountEXT) ROW(SetDepthTestEnable) ROW(SetDepthTestEnableEXT) ROW(SetDepthWriteEnable)
    ROW(SetDepthWriteEnableEXT) ROW(SetDepthCompareOp) ROW(SetDepthCompareOpEXT) ROW(SetDepthBoundsTestEnable)
    ROW(SetDepthBoundsTestEnableEXT) ROW(SetStencilTestEnable) ROW(SetStencilTestEnableEXT) ROW(SetStencilOp)
    ROW(SetStencilOpEXT) ROW(SetRasterizerDiscardEnable) ROW(SetRasterizerDiscardEnableEXT) ROW(SetDepthBiasEnable)
    ROW(SetDepthBiasEnableEXT) ROW(SetPrimitiveRestartEnable) ROW(SetPrimitiveRestartEnableEXT) ROW(SetLogicOpEXT)
    ROW(SetPatchControlPointsEXT) ROW(SetTessellationDomainOriginEXT) ROW(SetDepthClampEnableEXT)
    ROW(SetPolygonModeEXT) ROW(SetRasterizationSamplesEXT) ROW(SetSampleMaskEXT) ROW(SetAlphaToCoverageEnableEXT)
    ROW(SetAlphaToOneEnableEXT) ROW(SetLogicOpEnableEXT) ROW(SetColorBlendEnableEXT) ROW(SetColorBlendEquationEXT)
    ROW(SetColorWriteMaskEXT) ROW(SetRasterizationStreamEXT) ROW(SetConservativeRasterizationModeEXT)
    ROW(SetExtraPrimitiveOverestimationSizeEXT) ROW(SetDepthClipEnableEXT) ROW(SetSampleLocationsEnableEXT)
    ROW(SetColorBlendAdvancedEXT) ROW(SetProvokingVertexModeEXT) ROW(SetLineRasterizationModeEXT)
    ROW(SetLineStippleEnableEXT) ROW(SetDepthClipNegativeOneToOneEXT) ROW(SetViewportWScalingEnableNV)
    ROW(SetViewportSwizzleNV) ROW(SetCoverageToColorEnableNV) ROW(SetCoverageToColorLocationNV)
    ROW(SetCoverageModulationModeNV) ROW(SetCoverageModulationTableEnableNV) ROW(SetCoverageModulationTableNV)
    ROW(SetShadingRateImageEnableNV) ROW(SetRepresentativeFragmentTestEnableNV) ROW(SetCoverageReductionModeNV)
    ROW(SetVertexInputEXT) ROW(SetColorWriteEnableEXT) ROW(SetSampleLocationsEXT) ROW(SetDepthBias2EXT)
    ROW(SetDiscardRectangleEXT) ROW(SetDiscardRectangleEnableEXT) ROW(SetDiscardRectangleModeEXT)
    ROW(SetFragmentShadingRateKHR) ROW(SetFragmentShadingRateEnumNV) ROW(SetLineStipple) ROW(SetLineStippleEXT)
    ROW(SetLineStippleKHR) ROW(SetAttachmentFeedbackLoopEnableEXT) ROW(SetDepthClampRangeEXT)
    ROW(SetViewportWScalingNV) ROW(SetExclusiveScissorNV) ROW(SetExclusiveScissorEnableNV)
    ROW(BindShadingRateImageNV) ROW(SetViewportShadingRatePaletteNV) ROW(SetCoarseSampleOrderNV)
    ROW(SetRenderingAttachmentLocations) ROW(SetRenderingAttachmentLocationsKHR)
    ROW(SetRenderingInputAttachmentIndices) ROW(SetRenderingInputAttachmentIndicesKHR)
};
// clang-format on

TEST(DynamicState, EveryCommand_GivenToTheDriverAgainBehindASplit)
{
    for (const Row& row : kRows) {
        FakeDriver driver;
        const VkCommandBuffer cmd = driver.begin();
        const VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
        FakeDriver::get<PFN_vkCmdBeginRendering>("vkCmdBeginRendering")(cmd, &info);
        FakeDriver::takeCalls();
        Arguments arguments;
        row.call(FakeDriver::find(row.name), cmd, arguments);
        arguments.overwrite();
        const std::vector<Call> before = FakeDriver::takeCalls();
        driver.split(cmd);
        const std::vector<Call> behind = FakeDriver::takeCalls();
        ASSERT_EQ(before.size(), 1u) << row.name;
        EXPECT_EQ(before[0].command, row.name);
        EXPECT_EQ(std::ranges::count(behind, before[0].command, &Call::command), 1) << row.name;
        EXPECT_EQ(std::ranges::count(behind, before[0].arguments, &Call::arguments), 1) << row.name;
    }
}

// Of those that are not in the list the test of shader stages speaks.
TEST(DynamicState, EveryRow_InTheTest)
{
    std::set<std::string> tested{"vkCmdBindShadersEXT"};
    for (const Row& row : kRows)
        tested.insert(row.name);
    for (const layer::EntryPoint& entry : layer::dynamicStateEntryPoints())
        EXPECT_TRUE(tested.contains(entry.name)) << entry.name;
}

// Each stage by itself, since another command may replace one of them.
TEST(DynamicState, ShadersOfStages_EachGivenAgain)
{
    FakeDriver driver;
    const VkCommandBuffer cmd = driver.begin();
    FakeDriver::takeCalls();
    Arguments arguments;
    Caller<PFN_vkCmdBindShadersEXT>::call(FakeDriver::find("vkCmdBindShadersEXT"), cmd, arguments);
    driver.split(cmd);
    EXPECT_EQ(std::ranges::count(FakeDriver::takeCalls(), "vkCmdBindShadersEXT", &Call::command), 1 + kCount);
}

}  // namespace

}  // namespace millrace::layertest
