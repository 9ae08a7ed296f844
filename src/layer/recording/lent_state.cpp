// SPDX-License-Identifier: Apache-2.0
#include "layer/recording/lent_state.h"

#include <utility>

#include "layer/recording/bound_state.h"

namespace millrace::layer {

namespace {

constexpr VkPipelineBindPoint kPoints[] = {VK_PIPELINE_BIND_POINT_GRAPHICS, VK_PIPELINE_BIND_POINT_COMPUTE};

constexpr uint32_t bitOf(VkPipelineBindPoint bindPoint)
{
    return 1u << bindPoint;
}

}  // namespace

void LentState::lend(VkCommandBuffer stream, VkPipelineBindPoint bindPoint)
{
    const uint32_t before = stream == m_stream ? m_points : 0;
    *this = {};
    m_stream = stream;
    m_points = before | bitOf(bindPoint);
}

void LentState::lendSets(VkCommandBuffer stream, VkPipelineLayout layout, uint64_t order)
{
    lend(stream, VK_PIPELINE_BIND_POINT_GRAPHICS);
    m_layout = layout;
    m_order = order;
}

void LentState::settle(const BoundState& bound, const VkuDeviceDispatchTable& table, VkCommandBuffer stream)
{
    const LentState lent = std::exchange(*this, {});
    if (lent.m_stream != stream)
        return;
    for (const VkPipelineBindPoint bindPoint : kPoints)
        if (lent.m_points & bitOf(bindPoint))
            bound.restore(bindPoint, table, stream);
}

}  // namespace millrace::layer
