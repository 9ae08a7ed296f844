// SPDX-License-Identifier: Apache-2.0
// Render pass instances, conditional rendering, queries: what has a begin and an end inside a command buffer. A graph
// dispatch has to interrupt some of them, since dispatches are not allowed inside a render pass instance, and a split
// has to interrupt all.
#pragma once

#include <vulkan/utility/vk_dispatch_table.h>
#include <vulkan/vulkan.h>

#include <memory>
#include <vector>

#include "layer/chains/unknown_structures.h"

namespace millrace::layer {

struct CommandBuffer;
struct RenderPass;

class OwnQueries;

// One that a feature counts in, with the driver or alone.
struct ActiveOwnQuery {
    const OwnQueries* queries;
    uint32_t query;
    bool operator==(const ActiveOwnQuery&) const = default;
};

// One of the driver's.
struct ActiveQuery {
    VkQueryPool pool;
    uint32_t query;
    uint32_t index;
    bool inRendering;
    // The driver begins it later, as what is recorded meanwhile counts in none of its kind: where an instance begins,
    // or where it ends. So the command buffer can be divided in between.
    bool isHeld = false;
    bool isIndexed = false;
    VkQueryControlFlags flags = 0;
};

struct RenderingScope {
    bool legacyPass = false;                       // between vkCmdBeginRenderPass and vkCmdEndRenderPass
    uint32_t subpass = 0;                          // of it
    VkSubpassContents contents{};                  // of that
    std::shared_ptr<const RenderPass> renderPass;  // null if it is not known
    // Begins another one that goes on with it. Null: it cannot be divided.
    std::shared_ptr<const VkRenderPassBeginInfo> again;

    // Between vkCmdBeginRendering and vkCmdEndRendering: a deep copy of the parameter, changed to continue where the
    // instance was interrupted.
    std::shared_ptr<const VkRenderingInfo> dynamic;
    bool secondary = false;  // the same in a secondary command buffer, where nothing is interrupted
    StructureTypes notKept;  // that it had and the copy has not
    bool suspends = false;

    bool conditional = false;             // conditional rendering is active
    bool conditionalInRendering = false;  // and was begun inside the render pass instance
    VkConditionalRenderingBeginInfoEXT conditionalInfo{};
    StructureTypes conditionalNotKept;

    std::vector<ActiveQuery> queries;
    std::vector<ActiveOwnQuery> ownQueries;
    bool transformFeedback = false;
    bool videoCoding = false;

    // Begun by commands that are newer than the headers.
    bool unknownPass = false;
    uint32_t unknownScopes = 0;

    bool inside() const { return legacyPass || dynamic || secondary || unknownPass; }
    // True if one is active for the driver.
    bool hasBegunQueries() const;
    // Why a graph cannot be dispatched here, or null.
    const char* obstacleToDispatch() const;
    // Why the command buffer cannot be split behind a graph that was dispatched here, or null.
    const char* obstacleToSplit() const;
    const char* obstacleBesideQueries() const;  // likewise
};

// In front of what may count in queries that are held back.
void beginHeldQueries(CommandBuffer& commandBuffer);

// In front of the second part of an instance, which loads, or reads as input attachments, what the first has written
// and stored.
void waitForAttachments(const VkuDeviceDispatchTable& table, VkCommandBuffer commandBuffer);
// True if what was drawn in the instance before may be lost where it is interrupted.
bool losesAttachments(const RenderingScope& scope);
// Leaves the render pass instance. Conditional rendering stays in force if `predicated`, else it ends.
void interruptRendering(CommandBuffer& commandBuffer, bool predicated);
// Ends conditional rendering that is still in force, before the command buffer is split.
void interruptPredicate(CommandBuffer& commandBuffer, bool predicated);
// Restores what was interrupted. `predicated`: conditional rendering is in force now.
void resumeRendering(CommandBuffer& commandBuffer, bool predicated);

}  // namespace millrace::layer
