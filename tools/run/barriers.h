// SPDX-License-Identifier: Apache-2.0
// Dependencies between the commands of a run.
#pragma once

#include "tools/run/device.h"

namespace millrace::tools::run {

struct Access {
    VkPipelineStageFlags2 stages;
    VkAccessFlags2 accesses;
};
inline constexpr Access kNothing{VK_PIPELINE_STAGE_2_NONE, VK_ACCESS_2_NONE};
inline constexpr Access kHostWrite{VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_WRITE_BIT};
inline constexpr Access kHostRead{VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT};
inline constexpr Access kCopy{VK_PIPELINE_STAGE_2_COPY_BIT,
                              VK_ACCESS_2_TRANSFER_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT};
inline constexpr Access kGraph{VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_READ_BIT |
                                                                           VK_ACCESS_2_SHADER_WRITE_BIT |
                                                                           VK_ACCESS_2_UNIFORM_READ_BIT};

void barrier(const Device& device, VkCommandBuffer commands, const Access& from, const Access& to);
inline constexpr Access kDrawing{
    VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT | VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT |
        VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT |
        VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
    VK_ACCESS_2_SHADER_READ_BIT | VK_ACCESS_2_SHADER_WRITE_BIT | VK_ACCESS_2_UNIFORM_READ_BIT |
        VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT |
        VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT};
// Of a graph, which may draw.
constexpr Access graphAccess(bool draws)
{
    return draws ? Access{kGraph.stages | kDrawing.stages, kGraph.accesses | kDrawing.accesses} : kGraph;
}

// To VK_IMAGE_LAYOUT_GENERAL; what the image held is lost.
void discardImage(const Device& device, VkCommandBuffer commands, VkImage image, const Access& next,
                  VkImageAspectFlags aspects = VK_IMAGE_ASPECT_COLOR_BIT);

}  // namespace millrace::tools::run
